import { expect, test } from "vitest";
import { withoutXref } from "../harness/fixtures/broken-fixtures.ts";
import { type ApiResponse, type Part, pdfPart, post } from "../harness/requests/client.ts";
import { encrypt } from "../harness/fixtures/encrypted-fixtures.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { latin1, noise, pdf } from "../harness/fixtures/pdf-writer.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { check, showEncryption } from "../harness/engines/qpdf.ts";
import { ownServer } from "./own-server.ts";

const { baseUrl, liveKey } = ownServer();

const send = (
  operation: string,
  bytes: Uint8Array,
  fields: Readonly<Record<string, Part>> = {},
): Promise<ApiResponse> => post({ baseUrl, key: liveKey }, operation, { file: pdfPart(bytes), ...fields });

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** An encrypted document of two pages without a file identifier. */
async function anonymousDocument(): Promise<Uint8Array> {
  const plain = document({ name: "anonymous", pages: 2 });
  const locked = textOf(await encrypt(plain, { cipher: "aes-256", userPassword: "user", ownerPassword: "owner" }));
  const anonymous = locked.replace(/\/ID ?\[[^\]]*\]/, (id) => " ".repeat(id.length));
  expect(anonymous).not.toBe(locked);
  return latin1(anonymous);
}

test.each(["unlock", "archive"])("%s: a file that loses its encryption gets a file identifier", async (operation) => {
  const { status, body } = await send(operation, await anonymousDocument(), { password: "owner" });
  expect(status).toBe(200);
  expect(textOf(body)).toMatch(/\/ID ?\[ ?<[\da-fA-F]{32}> ?<[\da-fA-F]{32}>/);
  expect(await check(body)).toMatchObject({ errors: [], warnings: [] });
});

test.each([
  ["extract-pages", { range: "2" }],
  ["split", { mode: "ranges", ranges: "2" }],
])("%s: an encrypted file without a file identifier keeps its encryption", async (operation, fields) => {
  const { status, body } = await send(operation, await anonymousDocument(), { ...fields, password: "user" });
  expect(status).toBe(200);
  expect(await showEncryption(body, "user")).toMatchObject({ encrypted: true });
  const { pages } = await openPdf(body, { password: "user" });
  expect(pages.map(({ text }) => text)).toEqual(["Page 2 of anonymous"]);
});

/** A page that shows noise, of which nothing can be saved. */
const incompressible = pdf(
  [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>",
    { entries: "", data: latin1("q 9 0 0 9 0 0 cm /I Do Q") },
    {
      entries: "/Type/XObject/Subtype/Image/Width 64/Height 64/ColorSpace/DeviceGray/BitsPerComponent 8",
      data: noise(4096, 3),
    },
  ],
  "/Root 1 0 R",
);

test.each([
  ["no cross-references", withoutXref(incompressible)],
  ["wrong cross-references", latin1(textOf(incompressible).replace(/^00000000(\d\d) 00000 n/gm, "00000099$1 00000 n"))],
])("a file with %s is returned repaired by compress, however large it becomes", async (_, bytes) => {
  expect(await check(bytes)).toMatchObject({ ok: false });
  const { status, headers, body } = await send("compress", bytes, { level: "low" });
  expect(status).toBe(200);
  expect(headers.get("X-Input-Repaired")).toBe("true");
  expect(headers.get("X-Output-Size")).toBe(String(body.length));
  expect(await check(body)).toMatchObject({ errors: [], warnings: [] });
});

test.each(["compress", "repair"])(
  "%s: a catalog and an Info dictionary inside the trailer become objects",
  async (operation) => {
    const bytes = pdf(
      ["<</Type/Pages/Kids[2 0 R]/Count 1>>", "<</Type/Page/Parent 1 0 R/MediaBox[0 0 100 100]>>"],
      "/Root<</Type/Catalog/Pages 1 0 R/Lang(de)>>/Info<</Title(Inside)/Author(The author)>>/ID[(0123456789abcdef)(0123456789abcdef)]",
    );
    const { status, body } = await send(operation, bytes, operation === "compress" ? { grayscale: "true" } : {});
    expect(status).toBe(200);
    expect(await check(body)).toMatchObject({ errors: [], warnings: [] });
    const { info, language } = await openPdf(body);
    expect(info).toMatchObject({ Title: "Inside", Author: "The author" });
    expect(language).toBe("de");
  },
);

test("a page tree with wrong counts has the pages that it lists", async () => {
  const page = (text: string) => [
    `<</Type/Page/Parent 3 0 R/MediaBox[0 0 200 100]/Resources<</Font<</F 4 0 R>>>>/Contents ${text === "One" ? 6 : 8} 0 R>>`,
    { entries: "", data: latin1(`BT /F 12 Tf 20 20 Td (${text}) Tj ET`) },
  ];
  const withCounts = (outer: number, inner: number): Uint8Array =>
    pdf(
      [
        "<</Type/Catalog/Pages 2 0 R>>",
        `<</Type/Pages/Kids[3 0 R]/Count ${outer}>>`,
        `<</Type/Pages/Parent 2 0 R/Kids[5 0 R 7 0 R]/Count ${inner}>>`,
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ...page("One"),
        ...page("Two"),
      ],
      "/Root 1 0 R",
    );
  for (const bytes of [withCounts(3, 3), withCounts(1, 2), withCounts(2, 7)]) {
    const { status, headers, body } = await send("rotate", bytes, { angle: "90" });
    expect(status).toBe(200);
    expect(headers.get("X-Page-Count")).toBe("2");
    expect(headers.get("X-Input-Repaired")).toBe("true");
    expect((await openPdf(body)).pages.map(({ text }) => text)).toEqual(["One", "Two"]);
  }
  // A page that is listed but not there is lost.
  const lost = latin1(textOf(withCounts(2, 2)).replace("7 0 R]", "9 0 R]"));
  expect(await send("rotate", lost, { angle: "90" })).toMatchObject({ status: 400, code: "invalid_file" });
});

test("a widget that is its own parent gets the parent of its field", async () => {
  const bytes = pdf(
    [
      "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/DR<</Font<</Helv 6 0 R>>>>/DA(/Helv 0 Tf 0 g)>>>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Annots[5 0 R]>>",
      "<</FT/Tx/T(name)/V(Value)/Kids[5 0 R]>>",
      "<</Type/Annot/Subtype/Widget/Rect[10 10 190 40]/F 4/P 3 0 R/Parent 5 0 R>>",
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ],
    "/Root 1 0 R",
  );
  for (const [operation, fields] of [
    ["rotate", { angle: "90" }],
    ["extract-pages", { range: "1" }],
    ["fill-form", { values: '{"name":"Other"}' }],
  ] as const) {
    const { status, headers, body } = await send(operation, bytes, fields);
    expect(status, operation).toBe(200);
    expect(headers.get("X-Input-Repaired")).toBe("true");
    const { fields: shown } = await openPdf(body);
    expect(shown.get("name")).toMatchObject([{ value: operation === "fill-form" ? "Other" : "Value" }]);
  }
});

test("compress strips metadata that is not encrypted", async () => {
  const plain = document({ name: "readable", pages: 1 });
  const locked = await encrypt(plain, {
    cipher: "aes-256",
    userPassword: "user",
    ownerPassword: "owner",
    restrictions: ["--cleartext-metadata"],
  });
  expect(textOf(locked)).toContain("x:xmpmeta");
  const { status, body } = await send("compress", locked, { stripMetadata: "true", password: "user" });
  expect(status).toBe(200);
  expect(textOf(body)).not.toContain("x:xmpmeta");
  expect(await showEncryption(body, "user")).toMatchObject({ encrypted: true });
  expect(await openPdf(body, { password: "user" })).toMatchObject({
    xmp: null,
    pages: [{ text: "Page 1 of readable" }],
  });
});

test("repair adds a catalog to a document without one", async () => {
  const bytes = pdf(["<</Type/Page/Parent 9 0 R/MediaBox[0 0 123 45]>>"], "");
  const { status, body } = await send("repair", bytes);
  expect(status).toBe(200);
  expect(await check(body)).toMatchObject({ errors: [], warnings: [] });
  expect((await openPdf(body)).pages).toMatchObject([{ view: [0, 0, 123, 45] }]);
});
