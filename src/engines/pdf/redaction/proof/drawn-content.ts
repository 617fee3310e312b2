/** Which content pages draw, or could draw by their resources, by a walk of the proof's own (ISO 32000-2, 7.8). */
import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../../mupdf/mupdf.ts";
import { eachEntry, eachOrOnly, isNamed, objectNumber } from "../../objects/objects.ts";

/** Resources that may have content of their own. */
const CATEGORIES = ["XObject", "Pattern", "ExtGState", "Font"] as const;

/** Object numbers of the content of pages (0-based): their own, and that of forms, patterns, soft masks, glyphs, and appearances. */
export async function drawnContent(
  engine: PdfEngine,
  document: PDFDocument,
  pages: Iterable<number>,
): Promise<ReadonlySet<number>> {
  const [content, seen] = [new Set<number>(), new Set<number>()];
  for (const index of pages) {
    await engine.scope(async () => {
      const page = document.findPage(index);
      for await (const stream of eachOrOnly(engine, page.get("Contents"))) content.add(objectNumber(stream));
      const pending = [page.getInheritable("Resources")];
      for await (const annotation of eachOrOnly(engine, page.get("Annots"))) {
        for await (const { value } of eachEntry(engine, annotation.get("AP"))) {
          if (value.isStream()) pending.push(value);
          else for await (const state of eachEntry(engine, value)) pending.push(state.value);
        }
      }
      for (let object = pending.pop(); object; object = pending.pop()) {
        await engine.work.pause();
        const number = objectNumber(object);
        if (!object.isDictionary() || seen.has(number)) continue;
        if (number > 0) seen.add(number);
        if (object.isStream() && !isNamed(object.get("Subtype"), "Image")) content.add(number);
        for await (const part of drawnBy(engine, object)) pending.push(part);
      }
    });
  }
  return content;
}

/** The objects that resources, a form, a pattern, a graphics state, or a Type 3 font draw with. */
async function* drawnBy(engine: PdfEngine, object: PDFObject): AsyncGenerator<PDFObject, void> {
  for (const category of CATEGORIES) for await (const { value } of eachEntry(engine, object.get(category))) yield value;
  for await (const { value } of eachEntry(engine, object.get("CharProcs"))) yield value;
  yield object.get("Resources");
  yield object.get("SMask", "G");
}
