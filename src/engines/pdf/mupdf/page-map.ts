import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { PDF_DOCUMENT, PDF_REV_PAGE_MAP } from "./abi.ts";

const { map_page_count: COUNT, rev_page_map: REVERSE, fwd_page_map: FORWARD } = PDF_DOCUMENT;

/**
 * Tells MuPDF the object numbers of all pages, if it does not know them. It would read every page object to find them, which in a large
 * file lie all over it. Each change of a document makes MuPDF forget them.
 */
export function mapPages(
  lib: LibMuPDF,
  memory: WebAssembly.Memory,
  document: PDFDocument,
  pages: readonly number[],
): void {
  const words = (): Uint32Array => new Uint32Array(memory.buffer);
  const isMapped = [COUNT, REVERSE, FORWARD].some((offset) => words()[(document.pointer + offset) >> 2] !== 0);
  if (isMapped) return;
  const references = pages.map((number) => lib._wasm_pdf_new_indirect(document.pointer, number));
  const forward = lib._wasm_malloc(pages.length * 4);
  const reverse = lib._wasm_malloc(pages.length * PDF_REV_PAGE_MAP.SIZE);
  const heap = words();
  heap.set(references, forward >> 2);
  const byObject = pages.map((object, page) => ({ object, page })).sort((a, b) => a.object - b.object);
  for (const [index, { object, page }] of byObject.entries()) {
    const entry = reverse + index * PDF_REV_PAGE_MAP.SIZE;
    heap[(entry + PDF_REV_PAGE_MAP.page) >> 2] = page;
    heap[(entry + PDF_REV_PAGE_MAP.object) >> 2] = object;
  }
  const fields = { [COUNT]: pages.length, [REVERSE]: reverse, [FORWARD]: forward };
  for (const [offset, value] of Object.entries(fields)) heap[(document.pointer + Number(offset)) >> 2] = value;
}
