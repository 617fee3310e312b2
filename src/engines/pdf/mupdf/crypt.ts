import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { PDF_CRYPT, PDF_DOCUMENT } from "./abi.ts";

/** How MuPDF reads an encrypted document. */
export interface Crypt {
  readonly key: Uint8Array<ArrayBuffer>;
  /** The methods for streams and strings: 0 none, 1 RC4, 2 AES-128, 3 AES-256. */
  readonly streams: number;
  readonly strings: number;
}

/** A copy of a document's file key, and its methods. Undefined if it is not encrypted. */
export function cryptOf(lib: LibMuPDF, document: PDFDocument): Crypt | undefined {
  const crypt = addressOf(lib, document);
  if (crypt === 0) return undefined;
  const view = new DataView(lib.HEAPU8.buffer, crypt);
  const length = view.getUint32(PDF_CRYPT.length, true) >> 3;
  const key = crypt + PDF_CRYPT.key;
  return {
    key: lib.HEAPU8.slice(key, key + length),
    streams: view.getUint32(PDF_CRYPT.stmf, true),
    strings: view.getUint32(PDF_CRYPT.strf, true),
  };
}

/**
 * Gives an encrypted document its file key of at most 32 bytes, as trying its password would; with another one nothing in it can be read.
 * @throws Error if it is not encrypted
 */
export function setFileKey(lib: LibMuPDF, document: PDFDocument, key: Uint8Array): void {
  lib.HEAPU8.set(key.subarray(0, PDF_CRYPT.KEY_SIZE), keyIn(lib, document));
}

/**
 * Gives a document the file key of another one with the same encryption dictionary. Trying its password instead can take 40 ms.
 * @throws Error if one of them is not encrypted
 */
export function shareFileKey(lib: LibMuPDF, from: PDFDocument, to: PDFDocument): void {
  const source = keyIn(lib, from);
  lib.HEAPU8.copyWithin(keyIn(lib, to), source, source + PDF_CRYPT.KEY_SIZE);
}

function keyIn(lib: LibMuPDF, document: PDFDocument): number {
  const crypt = addressOf(lib, document);
  if (crypt === 0) throw new Error("The document is not encrypted, so it has no file key.");
  return crypt + PDF_CRYPT.key;
}

const addressOf = (lib: LibMuPDF, document: PDFDocument): number =>
  new DataView(lib.HEAPU8.buffer).getUint32(document.pointer + PDF_DOCUMENT.crypt, true);
