import type { PDFDocument } from "mupdf";
import type { CipherMethod, FileKey } from "./parameters.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/** Methods by their numbers in MuPDF. */
const METHODS: readonly CipherMethod[] = ["none", "rc4", "aes-128", "aes-256"];

/** The key of an open document and its methods, as MuPDF reads the document. Undefined if it is not encrypted. */
export function fileKeyOf(engine: PdfEngine, document: PDFDocument): FileKey | undefined {
  const crypt = engine.cryptOf(document);
  if (crypt === undefined) return undefined;
  const methodAt = (number: number): CipherMethod => {
    const method = METHODS[number];
    if (method === undefined) throw new Error("MuPDF encrypts with another method");
    return method;
  };
  return { key: crypt.key, streams: methodAt(crypt.streams), strings: methodAt(crypt.strings) };
}
