import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";

/** Fuel for an annotation that is looked at. */
const ANNOTATION_WORK = 50;

/**
 * Runs `work`, which loads and draws a page (0-based), without the label "SIGN" that MuPDF draws on signature fields that
 * are not signed. They have a value while it runs, so that MuPDF draws the appearance that they have in the file.
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
