import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";

/**
 * Offsets in `pdf_document` of the number of mapped pages, of the map from objects to pages, and of the map from pages to objects. They
 * hold for the one binary that wasm/prepare.ts accepts.
 */
const COUNT = 236;
const REVERSE = 240;
const FORWARD = 244;
/** Bytes of an entry of the map from objects to pages: page and object number. */
const REVERSE_ENTRY = 8;

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
  const reverse = lib._wasm_malloc(pages.length * REVERSE_ENTRY);
  const heap = words();
  heap.set(references, forward >> 2);
  const byObject = pages.map((object, page) => ({ object, page })).sort((a, b) => a.object - b.object);
  heap.set(
    byObject.flatMap(({ object, page }) => [page, object]),
    reverse >> 2,
  );
  heap.set([pages.length, reverse, forward], (document.pointer + COUNT) >> 2);
}
