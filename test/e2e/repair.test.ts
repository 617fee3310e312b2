import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { root } from "./server.ts";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { pdfPart, post, type ApiResponse } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { flate, latin1, pdf } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();
const send = (bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "repair", { file: pdfPart(bytes), ...fields });

async function reportOf(bytes: Uint8Array): Promise<unknown> {
  const { status, body } = await send(bytes, { output: "json" });
  expect(status).toBe(200);
  return JSON.parse(new TextDecoder().decode(body));
}

const intact = document({ name: "intact", pages: 4, features: ["outline", "links", "form"] });
const NOTHING = { damaged: false, rebuilt: [], lostPages: [], incompletePages: [], pageCount: 4 };

/** The file with each match replaced by as many bytes. */
function replaced(pattern: RegExp, by: string): Uint8Array {
  const text = Buffer.from(intact).toString("latin1");
  const changed = text.replace(pattern, (match) => by.padEnd(match.length));
  expect(changed).not.toBe(text);
  return latin1(changed);
}

const texts = async (bytes: Uint8Array): Promise<string[]> =>
  (await openPdf(bytes)).pages.map(({ text }) => text.slice(0, 6));

test("an intact document is unchanged", async () => {
  expect(await reportOf(intact)).toEqual(NOTHING);
  const { headers, body } = await send(intact);
  expect([headers.get("X-Input-Repaired"), headers.get("X-Pages-Lost")]).toEqual([null, null]);
  expect((await openPdf(body)).outline).toEqual((await openPdf(intact)).outline);
});

test("the damaged example, which other programs cannot open, is restored", async () => {
  const damaged = await readFile(join(root, "examples/damaged.pdf"));
  expect((await check(damaged)).ok).toBe(false);
  const { headers, body } = await send(damaged);
  expect(headers.get("X-Input-Repaired")).toBe("true");
  expect(await check(body)).toMatchObject({ ok: true });
  const letter = await openPdf(new Uint8Array(await readFile(join(root, "examples/letter.pdf"))));
  expect((await openPdf(body)).pages.map(({ text }) => text)).toEqual(letter.pages.map(({ text }) => text));
});

test("cross-references are written anew", async () => {
  const broken = withoutXref(intact);
  expect((await check(broken)).ok).toBe(false);
  expect(await reportOf(broken)).toEqual({ ...NOTHING, damaged: true, rebuilt: ["cross-references"] });
  const { headers, body } = await send(broken);
  expect([headers.get("X-Input-Repaired"), headers.get("X-Page-Count")]).toEqual(["true", "4"]);
  expect(await check(body)).toMatchObject({ ok: true });
  expect(await texts(body)).toEqual(["Page 1", "Page 2", "Page 3", "Page 4"]);
});

test("lost pages are left out, and listed", async () => {
  // The second page object is no object any more.
  const text = Buffer.from(intact).toString("latin1");
  const [, second = ""] = /\/Kids \[\d+ 0 R (\d+) 0 R \d+ 0 R \d+ 0 R\]/.exec(text) ?? [];
  const broken = replaced(new RegExp(`\n${second} 0 obj\n<< /Type /Page `), "\n% gone");
  expect(await reportOf(broken)).toMatchObject({ damaged: true, lostPages: [2], pageCount: 3 });
  const { headers, body } = await send(broken);
  expect([headers.get("X-Pages-Lost"), headers.get("X-Page-Count")]).toEqual(["1", "3"]);
  expect(await check(body)).toMatchObject({ ok: true });
  expect(await texts(body)).toEqual(["Page 1", "Page 3", "Page 4"]);
});

test("all pages of a document without a page tree are found", async () => {
  const broken = replaced(/\/Type \/Pages/g, "/Type /Lost");
  const treeless = latin1(Buffer.from(broken).toString("latin1").replaceAll("/Kids", "/Kidz"));
  expect(await reportOf(treeless)).toMatchObject({
    damaged: true,
    rebuilt: ["page-tree"],
    pageCount: 4,
  });
  const { body } = await send(treeless);
  expect(await texts(body)).toEqual(["Page 1", "Page 2", "Page 3", "Page 4"]);
});

test("a file without any page is refused", async () => {
  expect(await send(latin1("%PDF-1.7\nnothing"))).toMatchObject({ status: 400, code: "invalid_file" });
});

describe("unrepairable documents", () => {
  test("an encrypted document without a trailer is refused, because its content would be lost", async () => {
    const locked = await encrypt(intact, { cipher: "aes-128", userPassword: "", ownerPassword: "owner" });
    const text = Buffer.from(locked).toString("latin1");
    const broken = latin1(text.replace(/trailer << /, "trailer << /Info 1 0 R 0 R "));
    expect(broken.length).toBeGreaterThan(locked.length);
    for (const operation of ["repair", "n-up"]) {
      const fields = operation === "repair" ? {} : { pagesPerSheet: "2" };
      const response = await post({ baseUrl, key: liveKey }, operation, { file: pdfPart(broken), ...fields });
      expect(response).toMatchObject({ status: 400, code: "invalid_file" });
    }
  });

  test("annotations that are cross-reference streams are refused", async () => {
    // The first annotation of a page is what only cross-references are.
    const text = Buffer.from(intact).toString("latin1");
    const [, first = ""] = /\/Annots \[(\d+) 0 R/.exec(text) ?? [];
    const stream = `\n${first} 0 obj\n<< /Type /XRef /Size 1 /W [1 1 1] /Length 0 >>\nstream\n\nendstream\nendobj\n`;
    expect(first).not.toBe("");
    expect(await send(latin1(text.replace(/\nxref[\s\S]*/, stream)))).toMatchObject({
      status: 400,
      code: "invalid_file",
    });
  });
});

/** Two pages, of which the second is the object of this number. */
const twoPages = (second: number, ...others: Parameters<typeof pdf>[0][number][]): Uint8Array =>
  pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R /PieceInfo << /Test 3107 0 R >> >>",
      `<< /Type /Pages /Kids [3 0 R ${second} 0 R] /Count 2 /MediaBox [0 0 200 200] >>`,
      "<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
      "<< /Type /Page /Parent 2 0 R /Contents 5 0 R >>",
      flate("0 0 10 10 re f"),
      ...others,
    ],
    "/Root 1 0 R",
    { withoutXref: true },
  );

test.each([
  ["a stream", twoPages(5)],
  ["the dictionary of an image", twoPages(6, "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 >>")],
])("a page whose number leads to %s is lost, and reported", async (_, file) => {
  expect(await reportOf(file)).toMatchObject({ damaged: true, lostPages: [2], pageCount: 1 });
  const rotated = await post({ baseUrl, key: liveKey }, "rotate", { file: pdfPart(file), angle: "90" });
  expect([rotated.status, rotated.code]).toEqual([400, "invalid_file"]);
  expect(new TextDecoder().decode(rotated.body)).toContain('"missingPages":[2]');
});

test("an object in a damaged object stream becomes null, and every operation writes the rest", async () => {
  // Its table breaks off. With so many objects, those that are not used are not looked for before a document is written.
  const used = Array.from({ length: 3100 }, (_, index) => index + 7);
  const stream = flate("5000 0 5001 5 x null null", "/Type /ObjStm /N 3 /First 15");
  const file = twoPages(4, stream, ...used.map(() => "<< /Used true >>"), `[${used.join(" 0 R ")} 0 R 5000 0 R]`);
  for (const [operation, fields] of Object.entries({ rotate: { angle: "90" }, repair: {}, compress: {} })) {
    const { status, code, body } = await post({ baseUrl, key: liveKey }, operation, { file: pdfPart(file), ...fields });
    expect([operation, status, code]).toEqual([operation, 200, undefined]);
    expect((await openPdf(body)).pages).toHaveLength(2);
    expect((await check(body)).ok).toBe(true);
  }
});
