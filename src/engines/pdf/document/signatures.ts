/** Signatures in a document (ISO 32000-2, 12.8). */
import type { PDFObject } from "mupdf";
import { items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Whether the document is signed: a signature field has a signature over its bytes (12.8.1). */
export function isSigned(root: PDFObject): boolean {
  const seen = new Set<number>();
  const signed = (object: PDFObject, depth: number): boolean => {
    const number = objectNumber(object);
    if (seen.has(number) || depth > MAX_DEPTH || !object.isDictionary()) return false;
    if (number > 0) seen.add(number);
    return object.get("V", "ByteRange").isArray() || items(object.get("Kids")).some((kid) => signed(kid, depth + 1));
  };
  return items(root.get("AcroForm", "Fields")).some((object) => signed(object, 0));
}

/** Whether a signature certifies the document, which limits later changes (12.8.2.2). */
export function isCertified(root: PDFObject): boolean {
  return root.get("Perms", "DocMDP").isDictionary();
}
