import { afterEach, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { contentBomb, cutInHalf, noPages, pageTreeLoop, zipBomb } from "../harness/broken-fixtures.ts";
import { certificateEncrypted } from "../harness/certificate-fixture.ts";
import { pdfPart, post, type Answer, type Part, type Service } from "../harness/client.ts";
import { ciphers, encrypt } from "../harness/encrypted-fixtures.ts";
import { document, notAPdf, withPrefix } from "../harness/fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
/** ms within which a bad document must be answered, on a busy machine. */
const SOON = 30_000;

const intact = document({ name: "intact", pages: 3, features: ["links"] });

const calls: [string, Record<string, string>][] = [
  ["merge", {}],
  ["split", { mode: "pages" }],
  ["extract-pages", { range: "1" }],
  ["rotate", { angle: "90" }],
  ["extract-text", {}],
];

function send(operation: string, fields: Record<string, string>, bytes: Uint8Array): Promise<Answer> {
  const file = pdfPart(bytes);
  const files: Record<string, Part> = operation === "merge" ? { file0: pdfPart(intact), file1: file } : { file };
  return post(service, operation, { ...fields, ...files }, SOON);
}

// Whatever came before, the server works on.
afterEach(async () => {
  const { status } = await send("rotate", { angle: "90" }, intact);
  if (status !== 200) throw new Error(`the next request got ${status}`);
});

describe.each(calls)("%s refuses", (operation, fields) => {
  test.each<[string, () => Uint8Array, number, string]>([
    ["a text file under the name of a PDF", () => notAPdf, 415, "unsupported_format"],
    ["a PDF without pages", noPages, 400, "invalid_file"],
    ["a page tree that loops and promises pages it has not", pageTreeLoop, 400, "invalid_file"],
    [
      "a PDF cut in half",
      () => cutInHalf(document({ name: "half", pages: 20, features: ["image-per-page"] })),
      400,
      "invalid_file",
    ],
    ["encryption for certificates", certificateEncrypted, 400, "unsupported_encryption"],
    ["an object stream of over 1 GiB", () => zipBomb(1), 413, "limit_exceeded"],
    ["an object stream of over 1 GiB, deflated twice", () => zipBomb(2), 413, "limit_exceeded"],
  ])("%s", async (_name, make, status, code) => {
    const answer = await send(operation, fields, make());
    expect(answer).toMatchObject({ status, code });
  });

  test.each(ciphers)("a document encrypted with %s, without its password or with a wrong one", async (cipher) => {
    const bytes = await encrypt(intact, { cipher, userPassword: "user", ownerPassword: "owner" });
    expect(await send(operation, fields, bytes)).toMatchObject({ status: 400, code: "password_required" });
    const wrong = await send(operation, { ...fields, password: "wrong" }, bytes);
    expect(wrong).toMatchObject({ status: 400, code: "incorrect_password" });
  });
});

test("extract-text refuses a page whose content inflates to over 1 GiB, which it would have to read", async () => {
  expect(await send("extract-text", {}, contentBomb())).toMatchObject({ status: 413, code: "limit_exceeded" });
});

describe.each(calls)("%s accepts", (operation, fields) => {
  test("bytes of another kind before the header", async () => {
    expect((await send(operation, fields, withPrefix(intact))).status).toBe(200);
  });
});

describe.each(calls.filter(([operation]) => operation !== "extract-text"))("%s accepts", (operation, fields) => {
  test("a page whose content inflates to over 1 GiB, which nobody has to read", async () => {
    expect((await send(operation, fields, contentBomb())).status).toBe(200);
  });
});
