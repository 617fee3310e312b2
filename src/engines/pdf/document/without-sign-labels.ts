import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";

/** Fuel per annotation that is checked. */
const ANNOTATION_WORK = 50;

/**
 * Runs `work`, which loads and draws a page (0-based), without the "SIGN" label that MuPDF draws on unsigned signature
 * fields. Temporarily gives the fields a value, so that MuPDF draws the appearance from the file.
 */
export async function withoutSignLabels<T>(
  { document, engine }: { readonly document: PDFDocument; readonly engine: PdfEngine },
  page: number,
  work: () => Promise<T>,
): Promise<T> {
  const annotations = items(document.findPage(page).get("Annots"));
  engine.work.spend(annotations.length * ANNOTATION_WORK);
  const unsigned = annotations.filter(isUnsigned);
  for (const field of unsigned) field.put("V", document.newDictionary());
  try {
    return await work();
  } finally {
    for (const field of unsigned) field.delete("V");
  }
}

function isUnsigned(annotation: PDFObject): boolean {
  if (!annotation.isDictionary()) return false;
  const type = annotation.getInheritable("FT");
  return type.isName() && type.asName() === "Sig" && annotation.getInheritable("V").isNull();
}
