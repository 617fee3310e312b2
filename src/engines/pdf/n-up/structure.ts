/** Lets the structure tree of a tagged document find its content in the forms of pages (ISO 32000-2, 14.7.5). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { eachOrOnly, objectNumber } from "../objects/objects.ts";
import type { SheetPlace } from "./place.ts";

/** Fuel per structure element and per part of its content. */
const ELEMENT_WORK = 2_000;

/** `pageOf`: the page (0-based) of an object number. */
export async function remapStructure(
  { document, engine }: OpenPdf,
  places: ReadonlyMap<number, SheetPlace>,
  pageOf: ReadonlyMap<number, number>,
): Promise<void> {
  const placeOf = (page: PDFObject): SheetPlace | undefined => places.get(pageOf.get(objectNumber(page)) ?? -1);
  const seen = new Set<number>();
  const root = document.getTrailer().get("Root", "StructTreeRoot");
  const pending: PDFObject[] = [];
  for await (const kid of eachOrOnly(engine, root.get("K"))) pending.push(kid);
  for (let element = pending.pop(); element; element = pending.pop()) {
    const number = objectNumber(element);
    if (!element.isDictionary() || (number > 0 && seen.has(number))) continue;
    seen.add(number);
    const own = placeOf(element.get("Pg"));
    const kids: PDFObject[] = [];
    for await (const kid of eachOrOnly(engine, element.get("K"))) {
      engine.work.spend(ELEMENT_WORK);
      await engine.work.pause();
      kids.push(kid.isNumber() && own ? contentIn(own, kid) : kid);
      if (!kid.isDictionary()) continue;
      const place = placeOf(kid.get("Pg"));
      if (kid.get("MCID").isNumber()) {
        const shown = place ?? own;
        if (!shown) continue;
        kid.put("Pg", document.newIndirect(shown.sheet));
        if (kid.get("Stm").isNull()) kid.put("Stm", document.newIndirect(shown.form));
      } else if (kid.get("S").isName()) pending.push(kid);
      else if (place) kid.put("Pg", document.newIndirect(place.sheet));
    }
    if (!own) continue;
    element.put("Pg", document.newIndirect(own.sheet));
    if (kids.some((kid) => kid.isDictionary())) element.put("K", kids.length === 1 && kids[0] ? kids[0] : kids);
  }

  function contentIn({ sheet, form }: SheetPlace, identifier: PDFObject): PDFObject {
    const reference = document.newDictionary();
    reference.put("Type", document.newName("MCR"));
    reference.put("Pg", document.newIndirect(sheet));
    reference.put("Stm", document.newIndirect(form));
    reference.put("MCID", identifier);
    return reference;
  }
}
