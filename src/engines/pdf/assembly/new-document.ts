/** The empty document into which pages are copied. */
import type { PDFDocument } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { encryptedLike } from "../write/encrypted-like.ts";

/**
 * A new document, without encryption or with that of `like`: its encryption dictionary and file identifier are put into a file
 * without pages, which is given the file key of the old one. MuPDF writes it with the same passwords and permissions, even
 * though we do not know the passwords that were not given.
 */
export async function createDocument(engine: PdfEngine, like?: OpenPdf): Promise<PDFDocument> {
  if (!like?.encrypted) {
    const document = new engine.mupdf.PDFDocument();
    // MuPDF puts its own name there, where no reader looks for it.
    document.getTrailer().get("Root").delete("Info");
    return document;
  }
  return encryptedLike(like, like.document.getTrailer().get("Encrypt"), new Map());
}
