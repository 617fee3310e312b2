import type { PDFDocument } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";
import type { WalkedContainer } from "./walk-values.ts";

/** By document: whether an object in use has an empty name, and whether the document was repaired by then. */
const ofDocuments = new WeakMap<PDFDocument, { readonly hasEmptyName: boolean; readonly repaired: boolean }>();

/** Whether a value in a container, or its key, is an empty name. */
export const isEmptyNameAt = (
  { values }: PdfEngine,
  value: Pointer,
  { holder, isArray, index }: Readonly<WalkedContainer>,
): boolean => values.isEmptyName(value) || (!isArray && values.isEmptyName(values.keyAt(holder, index)));

/** Notes whether any object in use has an empty name, once all of them were looked at. */
export function noteEmptyNames(document: PDFDocument, hasEmptyName: boolean): void {
  ofDocuments.set(document, { hasEmptyName, repaired: document.wasRepaired() });
}

/** Whether an object of the document may have an empty name: true unless all objects in use were looked at in their current state. */
export function mayHaveEmptyNames(document: PDFDocument): boolean {
  const known = ofDocuments.get(document);
  return known === undefined || known.hasEmptyName || known.repaired !== document.wasRepaired();
}
