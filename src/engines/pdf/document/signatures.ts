/** Signatures in a document (ISO 32000-2, 12.8). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachItem, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Whether the document is signed: a signature field has a signature over its bytes (12.8.1). */
export async function isSigned(engine: PdfEngine, root: PDFObject): Promise<boolean> {
  const seen = new Set<number>();
  const signed = async (object: PDFObject, depth: number): Promise<boolean> => {
    const number = objectNumber(object);
    if (seen.has(number) || depth > MAX_DEPTH || !object.isDictionary()) return false;
    if (number > 0) seen.add(number);
    return object.get("V", "ByteRange").isArray() || anyOf(object.get("Kids"), depth + 1);
  };
  const anyOf = async (fields: PDFObject, depth: number): Promise<boolean> => {
    for await (const field of eachItem(engine, fields)) if (await signed(field, depth)) return true;
    return false;
  };
  return anyOf(root.get("AcroForm", "Fields"), 0);
}

/** Whether a signature certifies the document, which limits later changes (12.8.2.2). */
export function isCertified(root: PDFObject): boolean {
  return root.get("Perms", "DocMDP").isDictionary();
}
