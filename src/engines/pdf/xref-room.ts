import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../wasm/generated/mupdf.js";

/**
 * Where `pdf_document` has the pointer to its cross-reference sections, whose first word is their number of objects. True
 * for the one binary that wasm/prepare.ts accepts; `reserveObjects` checks it at each call.
 */
const XREF_SECTIONS = 212;

/**
 * Makes room in a document's cross-reference table for `count` new objects. MuPDF lets its two tables grow by one entry for
 * each new object, which moves them past one another, and with small objects between that eats the heap: 432 against 145 MiB
 * for copying 90,000 objects. Here both are grown at once, before anything lies between, and the count is put back.
 */
export function reserveObjects(lib: LibMuPDF, memory: WebAssembly.Memory, document: PDFDocument, count: number): void {
  const before = document.countObjects();
  for (let made = 0; made < count; made++) lib._wasm_pdf_create_object(document.pointer);
  const words = new Uint32Array(memory.buffer);
  const section = (words[(document.pointer + XREF_SECTIONS) >> 2] ?? 0) >> 2;
  if (words[section] !== before + count) throw new Error("MuPDF's cross-reference table lies elsewhere");
  words[section] = before;
}
