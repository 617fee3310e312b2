import type { PDFDocument } from "mupdf";
import type { CipherMethod, FileKey } from "./object-cipher.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/**
 * Offset in `pdf_document` of the pointer to its crypt object, and offsets in there: the length of the file key in bits, the
 * methods for streams and strings, and the file key. Valid for the one binary that wasm/prepare.ts accepts; with a wrong key
 * nothing in a document can be read.
 */
const CRYPT = 168;
const KEY_BITS = 8;
const STREAMS = 16;
const STRINGS = 24;
const FILE_KEY = 224;
const KEY_BYTES = 32;

/** Methods by their numbers in MuPDF. */
const METHODS: readonly CipherMethod[] = ["none", "rc4", "aes-128", "aes-256"];

/**
 * Gives a document the file key of another one with the same encryption dictionary. Trying its password instead can take 40
 * ms.
 */
export function shareKey({ lib }: PdfEngine, from: PDFDocument, to: PDFDocument): void {
  const heap = lib.HEAPU8;
  const keyOf = (document: PDFDocument): number => cryptOf(heap, document) + FILE_KEY;
  heap.copyWithin(keyOf(to), keyOf(from), keyOf(from) + KEY_BYTES);
}

/** Gives a document its file key of 32 bytes, as trying its password would. */
export function setFileKey({ lib }: PdfEngine, document: PDFDocument, key: Uint8Array): void {
  lib.HEAPU8.set(key.subarray(0, KEY_BYTES), cryptOf(lib.HEAPU8, document) + FILE_KEY);
}

/** The key of an open document and its methods, as MuPDF reads the document. Undefined if it is not encrypted. */
export function fileKeyOf({ lib }: PdfEngine, document: PDFDocument): FileKey | undefined {
  const crypt = cryptOf(lib.HEAPU8, document);
  if (crypt === 0) return undefined;
  const words = new DataView(lib.HEAPU8.buffer, crypt);
  const methodAt = (at: number): CipherMethod => {
    const method = METHODS[words.getUint32(at, true)];
    if (method === undefined) throw new Error("MuPDF encrypts with another method");
    return method;
  };
  const length = words.getUint32(KEY_BITS, true) >> 3;
  const key = lib.HEAPU8.slice(crypt + FILE_KEY, crypt + FILE_KEY + length);
  return { key, streams: methodAt(STREAMS), strings: methodAt(STRINGS) };
}

function cryptOf(heap: Uint8Array, document: PDFDocument): number {
  return new DataView(heap.buffer).getUint32(document.pointer + CRYPT, true);
}
