import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { sectionsOf } from "./xref-tables.ts";

/**
 * Makes room in a document's cross-reference table for `count` new objects. MuPDF grows its two tables by one entry per new object, which moves them
 * past one another and, with small objects in between, fragments the heap: 432 instead of 145 MiB for copying 90,000 objects. This grows both at
 * once, before anything is in between, and then restores the count.
 */
export function reserveObjects(lib: LibMuPDF, memory: WebAssembly.Memory, document: PDFDocument, count: number): void {
  const before = document.countObjects();
  for (let made = 0; made < count; made++) lib._wasm_pdf_create_object(document.pointer);
  const [newest] = sectionsOf(memory, document).sections;
  if (newest?.count !== before + count) throw new Error("MuPDF's cross-reference table lies elsewhere");
  new Uint32Array(memory.buffer)[newest.at >> 2] = before;
}

/** Makes the next new object of a document get a number above this one. The numbers in between stay free. */
export function skipNumbers(lib: LibMuPDF, document: PDFDocument, number: number): void {
  for (let next = document.countObjects(); next <= number; next++) lib._wasm_pdf_create_object(document.pointer);
}

/**
 * Marks unused object numbers of a document as free. MuPDF leaves numbers that the file does not list unmarked, raises an
 * internal error whenever it comes across one, which takes 10 µs, and does not write such a document at all. Real files have
 * 150,000 of them next to 1,000 objects.
 */
export function freeUnused(lib: LibMuPDF, memory: WebAssembly.Memory, document: PDFDocument): void {
  const count = document.countObjects();
  /** First the numbers that have a mark, then those that are in a table. */
  const marked = new Uint8Array(count);
  const listed = new Uint8Array(count);
  for (const { tables } of sectionsOf(memory, document).sections) {
    for (const { first, length, entries } of tables) {
      listed.fill(1, first, first + length);
      for (let index = 0; index < length; index++) {
        if (lib.HEAPU8[entries + index * PDF_XREF_ENTRY.SIZE] !== 0) marked[first + index] = 1;
      }
    }
  }
  // Newer sections take precedence for a number, so the mark is put into the oldest one if possible.
  if (listed.includes(0)) reserveObjects(lib, memory, document, 1);
  const { sections } = sectionsOf(memory, document);
  for (const { first, length, entries } of (listed.includes(0) ? sections[0] : sections.at(-1))?.tables ?? []) {
    for (let index = 0; index < length; index++) {
      if (marked[first + index] === 0) lib.HEAPU8[entries + index * PDF_XREF_ENTRY.SIZE] = ENTRY_TYPE.free;
    }
  }
}
