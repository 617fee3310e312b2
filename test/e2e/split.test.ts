import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { document } from "../harness/fixtures/fixtures.ts";
import { documentsOf } from "../harness/requests/parts.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { readPdfiumPage } from "../harness/engines/pdfium.ts";
import { latin1, pdf, type PdfObject } from "../harness/fixtures/pdf-writer.ts";
import { check, plainText } from "../harness/engines/qpdf.ts";
import { readPage } from "../harness/engines/render.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };
const source = document({ name: "source", pages: 7, features: ["links", "labels"] });

/** Each part's name and the numbers of its pages, as pdf.js reads them. */
async function parts(fields: Readonly<Record<string, string>>, bytes = source) {
  const response = await post(service, "split", { file: pdfPart(bytes, "book.pdf"), ...fields });
  expect(response.status).toBe(200);
  const found: [name: string, pages: number[]][] = [];
  for (const { name, bytes } of documentsOf(response)) {
    expect(await check(bytes)).toMatchObject({ ok: true });
    const { pages } = await openPdf(bytes);
    found.push([name, pages.map(({ text }) => Number(/Page (\d+)/.exec(text)?.[1]))]);
  }
  return found;
}

test("makes a part of each range, in document order", async () => {
  expect(await parts({ mode: "ranges", ranges: "1-2|6,4|last" })).toEqual([
    ["book-001.pdf", [1, 2]],
    ["book-002.pdf", [4, 6]],
    ["book-003.pdf", [7]],
  ]);
});

test("makes a part of each number of pages, the last of the rest", async () => {
  expect(await parts({ mode: "chunks", chunkSize: "3" })).toEqual([
    ["book-001.pdf", [1, 2, 3]],
    ["book-002.pdf", [4, 5, 6]],
    ["book-003.pdf", [7]],
  ]);
});

test("makes a part of each page, which looks as before", async () => {
  const pages = await parts({ mode: "pages" });
  expect(pages.map(([, numbers]) => numbers)).toEqual([[1], [2], [3], [4], [5], [6], [7]]);
  const response = await post(service, "split", { file: pdfPart(source), mode: "pages" });
  const fifth = documentsOf(response)[4]?.bytes ?? new Uint8Array();
  expect((await readPage(fifth)).picture.png.equals((await readPage(source, 5)).picture.png)).toBe(true);
  expect((await openPdf(fifth)).labels).toEqual((await openPdf(source)).labels?.slice(4, 5));
});

test("makes a part of each top-level bookmark, the first with the pages before it", async () => {
  const outline = JSON.stringify([
    { title: "One", page: 3, children: [{ title: "In it", page: 4 }] },
    { title: "Two", page: 6 },
  ]);
  const { body } = await post(service, "outline", { file: pdfPart(source), action: "set", outline });
  expect(await parts({ mode: "bookmarks" }, body)).toEqual([
    ["book-001.pdf", [1, 2, 3, 4, 5]],
    ["book-002.pdf", [6, 7]],
  ]);
});

test("returns the PDF if there is one part", async () => {
  expect(await parts({ mode: "ranges", ranges: "5,2" })).toEqual([["", [2, 5]]]);
});

/** Pages whose forms, patterns, soft masks, and Type 3 fonts all have the same resources, with a large image for each page. */
function sharedResources(pages: number): Uint8Array {
  const objects: PdfObject[] = ["<< /Type /Catalog /Pages 2 0 R >>", "null"];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const all = add("null");
  const noise = (seed: number): Uint8Array => {
    let state = seed * 7919 + 1;
    return Uint8Array.from({ length: 64 * 64 * 3 }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >> 16);
  };
  const image = "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceRGB /BitsPerComponent 8";
  const images = Array.from({ length: pages }, (_, index) => add({ entries: image, data: noise(index) }));
  const form = (content: string, more = ""): string =>
    add({
      entries: `/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources ${all} ${more}`,
      data: latin1(content),
    });
  const draw = (index: number): string => `q 100 0 0 100 0 0 cm /Image${index} Do Q`;
  const inner = images.map((_, index) => form(draw(index)));
  const outer = images.map((_, index) => form(`/Inner${index} Do`));
  const masks = images.map((_, index) => form(draw(index), "/Group << /S /Transparency /CS /DeviceRGB >>"));
  const patterns = images.map((_, index) =>
    add({
      entries: `/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 100 100] /XStep 100 /YStep 100 /Resources ${all}`,
      data: latin1(draw(index)),
    }),
  );
  const fonts = images.map((_, index) => {
    const glyph = add({ entries: "", data: latin1(`100 0 d0 ${draw(index)}`) });
    const encoding = "/Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [100]";
    return add(
      `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 100 100] /FontMatrix [0.01 0 0 0.01 0 0] /CharProcs << /a ${glyph} >> ${encoding} /Resources ${all} >>`,
    );
  });
  const named = (name: string, refs: readonly string[]): string =>
    refs.map((ref, index) => `/${name}${index} ${ref}`).join(" ");
  const states = masks.map((mask, index) => `/State${index} << /SMask << /S /Luminosity /G ${mask} >> >>`);
  const exchange = add({
    entries: "/FunctionType 4 /Domain [0 1 0 1 0 1] /Range [0 1 0 1 0 1]",
    data: latin1("{ 3 1 roll exch }"),
  });
  objects[2] =
    `<< /XObject << ${named("Image", images)} ${named("Inner", inner)} ${named("Outer", outer)} >> ` +
    `/Pattern << ${named("Pattern", patterns)} >> /Font << ${named("Font", fonts)} >> /ExtGState << ${states.join(" ")} >> ` +
    // Not named anywhere, and used by all that is painted in device colors: red and blue are exchanged.
    `/ColorSpace << /DefaultRGB [/DeviceN [/A /B /C] /DeviceRGB ${exchange}] >> >>`;
  const kids = images.map((_, index) => {
    const content =
      `1 0 0 rg 0 250 300 50 re f /Outer${index} Do q 1 0 0 1 100 0 cm /State${index} gs 0 0 1 rg 0 0 100 100 re f Q ` +
      `/Pattern cs /Pattern${index} scn 0 100 200 100 re f BT /Font${index} 50 Tf 200 0 Td (a) Tj ET`;
    const contents = add({ entries: "", data: latin1(content) });
    return add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources ${all} /Contents ${contents} >>`);
  });
  objects[1] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages} >>`;
  return pdf(objects, "/Root 1 0 R");
}

test("a part contains only the objects that its page draws, also through forms, patterns, soft masks, and fonts", async () => {
  const pages = 5;
  const bytes = sharedResources(pages);
  const response = await post(service, "split", { file: pdfPart(bytes), mode: "pages" });
  const documents = documentsOf(response);
  expect(documents).toHaveLength(pages);
  for (const [index, part] of documents.entries()) {
    expect((await plainText(part.bytes)).match(/\/Subtype \/Image/g)).toHaveLength(1);
    expect(part.bytes.length).toBeLessThan(bytes.length / pages + 8_000);
    expect((await readPage(part.bytes)).picture.png.equals((await readPage(bytes, index + 1)).picture.png)).toBe(true);
    const size = { width: 300, height: 300 };
    const [own, before] = [await readPdfiumPage(part.bytes, 0, size), await readPdfiumPage(bytes, index, size)];
    expect(Buffer.from(own.picture.data).equals(Buffer.from(before.picture.data))).toBe(true);
  }
});
