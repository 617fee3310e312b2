import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { PDFDocument, PDFObject } from "mupdf";
import { entryCounter, items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Fuel per field. */
const FIELD_WORK = 200;

/**
 * Gives fields whose ancestors form a cycle the parent that has them as a kid (ISO 32000-2, 12.7.4.1). MuPDF refuses to look for what such a field
 * inherits. Returns whether there were any.
 */
export async function repairFieldParents(engine: PdfEngine, document: PDFDocument): Promise<boolean> {
  const seen = new Set<number>();
  const count = entryCounter("field tree");
  let isRepaired = false;
  const visit = async (field: PDFObject, parent: PDFObject | undefined, depth: number): Promise<void> => {
    engine.work.spend(FIELD_WORK);
    await engine.work.pause();
    const number = objectNumber(field);
    if (depth > MAX_DEPTH || !field.isDictionary() || seen.has(number)) return;
    if (number > 0) seen.add(number);
    count();
    if (isCyclic(field)) {
      isRepaired = true;
      if (parent) field.put("Parent", parent);
      else field.delete("Parent");
    }
    for (const kid of items(field.get("Kids"))) await visit(kid, field, depth + 1);
  };
  await engine.scope(async () => {
    for (const field of items(document.getTrailer().get("Root", "AcroForm", "Fields")))
      await visit(field, undefined, 0);
  });
  return isRepaired;
}

/** Whether a field is among its own ancestors. Their own cycles are theirs. */
function isCyclic(field: PDFObject): boolean {
  const number = objectNumber(field);
  let ancestor = field.get("Parent");
  for (let depth = 0; depth < MAX_DEPTH && ancestor.isDictionary(); depth++) {
    if (number > 0 && objectNumber(ancestor) === number) return true;
    ancestor = ancestor.get("Parent");
  }
  return false;
}
