import type { PDFDocument } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/**
 * Offset in `pdf_document` of the pointer to its crypt object, and offset of the file key in there. Valid for the one binary
 * that wasm/prepare.ts accepts; with a wrong key nothing in a document can be read.
 */
const CRYPT = 168;
const FILE_KEY = 224;
const KEY_BYTES = 32;

/**
 * Gives a document the file key of another one with the same encryption dictionary. Trying its password instead can take 40
 * ms.
 */
export function shareKey({ lib }: PdfEngine, from: PDFDocument, to: PDFDocument): void {
  const heap = lib.HEAPU8;
  const words = new DataView(heap.buffer);
  const keyOf = (document: PDFDocument): number => words.getUint32(document.pointer + CRYPT, true) + FILE_KEY;
  heap.copyWithin(keyOf(to), keyOf(from), keyOf(from) + KEY_BYTES);
}
