/** Long documents in archives that are a fraction of their text. */
import { expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { archive, docx, epub, paragraph, xlsx } from "../harness/fixtures/office-fixtures.ts";
import { post } from "../harness/requests/client.ts";

const { baseUrl, liveKey } = ownServer();

const SENTENCES =
  "The quick brown fox jumps over the lazy dog, and the dog sleeps on as if nothing had happened. ".repeat(5);
const many = (count: number, one: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index + 1)).join("");
const OFFICE = "urn:oasis:names:tc:opendocument:xmlns";
const odt = (text: string): Uint8Array =>
  archive({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content xmlns:office="${OFFICE}:office:1.0" xmlns:text="${OFFICE}:text:1.0"><office:body><office:text>${text}</office:text></office:body></office:document-content>`,
  });
const row = (number: number): string =>
  `<row r="${number}">${many(10, (column) => `<c r="${String.fromCharCode(64 + column)}${number}" t="inlineStr"><is><t>Cell ${number}, some text</t></is></c>`)}</row>`;

test.each<readonly [string, Uint8Array, number, string]>([
  ["DOCX", docx(many(850, (number) => paragraph(`${number}. ${SENTENCES}`))), 100, "850. The quick"],
  ["ODT", odt(many(500, (number) => `<text:p>${number}. ${SENTENCES}</text:p>`)), 50, "500. The quick"],
  ["EPUB", epub("Book", [["One", many(500, (number) => `<p>${number}. ${SENTENCES}</p>`)]]), 50, "500. The quick"],
  [
    "XLSX",
    xlsx([{ name: "Sheet", content: `<sheetData>${many(1_000, row)}</sheetData>` }]),
    10,
    "Cell 1000, some text",
  ],
])("a long %s of similar paragraphs or cells is converted to its last page", async (_name, bytes, least, last) => {
  expect(bytes.length).toBeLessThan(50_000);
  const file = { bytes, fileName: "file.bin" };
  const { status, message, body } = await post({ baseUrl, key: liveKey }, "to-pdf", { file });
  expect([status, message]).toEqual([200, undefined]);
  const { pages } = await openPdf(body);
  expect(pages.length).toBeGreaterThanOrEqual(least);
  expect(
    pages
      .slice(-2)
      .map(({ text }) => text)
      .join(" ")
      .replace(/\s+/g, " "),
  ).toContain(last);
});
