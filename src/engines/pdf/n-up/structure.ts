/** Lets the structure tree of a tagged document find its content in the forms of pages (ISO 32000-2, 14.7.5). */
import type { OpenPdf } from "../document/document.ts";
import { replaceKid, structure } from "../document/structure.ts";
import type { SheetPlace } from "./place.ts";

/** Fuel per structure element and per part of its content. */
const ELEMENT_WORK = 2_000;

/** `pageOf`: the page (0-based) of an object number. */
export async function remapStructure(
  open: OpenPdf,
  places: ReadonlyMap<number, SheetPlace>,
  pageOf: ReadonlyMap<number, number>,
): Promise<void> {
  const { document, engine } = open;
  for await (const node of structure(open)) {
    const { kind, object, page } = node;
    engine.work.spend(ELEMENT_WORK);
    const place = places.get(pageOf.get(page) ?? -1);
    if (!place) continue;
    const [sheet, form] = [document.newIndirect(place.sheet), document.newIndirect(place.form)];
    if (kind === "identifier") replaceKid(node, { Type: "MCR", Pg: sheet, Stm: form, MCID: object });
    else if (kind !== "OBJR" || !object.get("Pg").isNull()) {
      object.put("Pg", sheet);
      if (kind === "MCR" && object.get("Stm").isNull()) object.put("Stm", form);
    }
  }
}
