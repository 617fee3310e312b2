import type { PDFDocument } from "mupdf";

/** Gives a document without a file identifier one, unless it is encrypted: its key may depend on that there is none. */
export function ensureIdentifier(document: PDFDocument): void {
  const trailer = document.getTrailer();
  if (!trailer.get("ID", 0).isString() && trailer.get("Encrypt").isNull()) newIdentifier(document);
}

/** Gives a document a new file identifier (ISO 32000-2, 14.4). */
export function newIdentifier(document: PDFDocument): void {
  const identifier = document.newArray();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let time = 0; time < 2; time++) identifier.push(document.newByteString(bytes));
  document.getTrailer().put("ID", identifier);
}
