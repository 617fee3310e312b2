import type { PDFDocument } from "mupdf";

/** Gives a document a new file identifier (ISO 32000-2, 14.4). */
export function newIdentifier(document: PDFDocument): void {
  const identifier = document.newArray();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let time = 0; time < 2; time++) identifier.push(document.newByteString(bytes));
  document.getTrailer().put("ID", identifier);
}
