import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/client.ts";
import { document } from "../harness/fixtures.ts";
import { documentsOf } from "../harness/parts.ts";
import { openPdf } from "../harness/pdfjs.ts";
import { check } from "../harness/qpdf.ts";
import { readPage } from "../harness/render.ts";

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

test("makes a part of each number of pages, the last of what remains", async () => {
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

test("returns the PDF where there is one part", async () => {
  expect(await parts({ mode: "ranges", ranges: "5,2" })).toEqual([["", [2, 5]]]);
});
