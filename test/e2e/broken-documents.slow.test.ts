import { afterEach, describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { contentBomb, cutInHalf, noPages, pageTreeLoop, zipBomb } from "../harness/fixtures/broken-fixtures.ts";
import { certificateEncrypted } from "../harness/fixtures/certificate-fixture.ts";
import { pdfPart, post, type ApiResponse, type Part, type Service } from "../harness/requests/client.ts";
import { ciphers, encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document, notAPdf, withPrefix } from "../harness/fixtures/fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf, pageRotations } from "../harness/engines/pdfjs.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
/** ms within which a bad document must get its response, on a busy machine. */
const SOON = 300_000;

const intact = document({ name: "intact", pages: 3, features: ["links"] });

const calls: [string, Record<string, string>][] = [
  ["merge", {}],
  ["split", { mode: "pages" }],
  ["extract-pages", { range: "1" }],
  ["rotate", { angle: "90" }],
  ["extract-text", {}],
];

function send(operation: string, fields: Record<string, string>, bytes: Uint8Array): Promise<ApiResponse> {
  const file = pdfPart(bytes);
  const files: Record<string, Part> = operation === "merge" ? { file0: pdfPart(intact), file1: file } : { file };
  return post(service, operation, { ...fields, ...files }, SOON);
}

// Whatever came before, the server works on.
afterEach(async () => {
  const { status } = await send("rotate", { angle: "90" }, intact);
  if (status !== 200) throw new Error(`the next request got ${status}`);
});

describe.each(calls)("%s of broken documents", (operation, fields) => {
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
  ])("a broken document is refused: %s", async (_name, make, status, code) => {
    const response = await send(operation, fields, make());
    expect(response).toMatchObject({ status, code });
  });

  test.each(ciphers)(
    "a document encrypted with %s is refused without its password or with a wrong one",
    async (cipher) => {
      const bytes = await encrypt(intact, { cipher, userPassword: "user", ownerPassword: "owner" });
      expect(await send(operation, fields, bytes)).toMatchObject({ status: 400, code: "password_required" });
      const wrong = await send(operation, { ...fields, password: "wrong" }, bytes);
      expect(wrong).toMatchObject({ status: 400, code: "incorrect_password" });
    },
  );
});

test("extract-text refuses a page whose content inflates to over 1 GiB", async () => {
  expect(await send("extract-text", {}, contentBomb())).toMatchObject({ status: 413, code: "limit_exceeded" });
});

/** What an operation does to the three pages of `intact`, and to none other: the pages' order and rotation, as pdf.js reads them. */
const effects: [operation: string, fields: Record<string, string>, documents: [page: number, rotation: number][][]][] =
  [
    [
      "merge",
      {},
      [
        [
          [1, 0],
          [2, 0],
          [3, 0],
          [1, 0],
          [2, 0],
          [3, 0],
        ],
      ],
    ],
    ["split", { mode: "pages" }, [[[1, 0]], [[2, 0]], [[3, 0]]]],
    [
      "extract-pages",
      { range: "3,1" },
      [
        [
          [3, 0],
          [1, 0],
        ],
      ],
    ],
    [
      "rotate",
      { angle: "90" },
      [
        [
          [1, 90],
          [2, 90],
          [3, 90],
        ],
      ],
    ],
  ];

describe("bytes before the header", () => {
  test.each(effects)("foreign bytes before the header do not affect %s", async (operation, fields, expected) => {
    const response = await send(operation, fields, withPrefix(intact));
    expect(response.status).toBe(200);
    const documents = await Promise.all(documentsOf(response).map(({ bytes }) => openPdf(bytes)));
    const found = documents.map(({ pages }) =>
      pages.map(({ text, rotate }) => [Number(/Page (\d) of intact/.exec(text)?.[1]), rotate]),
    );
    expect(found).toEqual(expected);
  });

  test("foreign bytes before the header do not affect extract-text", async () => {
    const { status, body } = await send("extract-text", {}, withPrefix(intact));
    expect(status).toBe(200);
    const { pages } = JSON.parse(new TextDecoder().decode(body)) as { pages: { text: string }[] };
    expect(pages.map(({ text }) => text)).toEqual([1, 2, 3].map((page) => `Page ${page} of intact`));
  });
});

describe("large unread content", () => {
  const bomb = contentBomb();
  const bytes = Buffer.from(bomb);
  /** Its content as it is in the file. */
  const content = bytes.subarray(bytes.indexOf("stream\n") + 7, bytes.lastIndexOf("\nendstream"));

  test.each([
    ["merge", {}, [0, 0, 0, 0]],
    ["split", { mode: "pages" }, [0]],
    ["extract-pages", { range: "1,1" }, [0, 0]],
    ["rotate", { angle: "90" }, [90]],
  ] as [string, Record<string, string>, number[]][])(
    "a page whose content inflates to over 1 GiB is copied unchanged by %s",
    async (operation, fields, rotations) => {
      const response = await send(operation, fields, bomb);
      expect(response.status).toBe(200);
      const [output] = documentsOf(response);
      if (output === undefined) throw new Error("the response has no document");
      expect(await pageRotations(output.bytes)).toEqual(rotations);
      expect(Buffer.from(output.bytes).includes(content)).toBe(true);
    },
  );
});
