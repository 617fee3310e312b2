/** Destinations and the actions that lead to them (ISO 32000-2, 12.3.2 and 12.6). */
import type { PDFObject } from "mupdf";
import { mapOf, names } from "../document/names.ts";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { bytesOfString, eachEntry, eachItem, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Where something leads: to a page of the document (0-based), to a page that is gone, or not to a page at all. */
export type Target = number | undefined;

export interface Destinations {
  /** Named destinations, from the name tree and from the older dictionary: name to its array, or dictionary with `D`. */
  readonly named: ReadonlyMap<string, PDFObject>;
  /** The names by the page they lead to. */
  readonly namesOf: ReadonlyMap<number, readonly string[]>;
  /** The name that a destination uses, or undefined for an explicit one. */
  nameOf(destination: PDFObject): string | undefined;
  /** The page that a destination shows, or undefined if it leads to none. */
  pageOf(destination: PDFObject): Target;
}

export async function readDestinations(
  open: Pick<OpenPdf, "engine" | "document" | "pageCount">,
  pageOf: ReadonlyMap<number, number>,
): Promise<Destinations> {
  const { engine, document, pageCount } = open;
  const load = loadOf(engine);
  const root = document.getTrailer().get("Root");
  const named = await mapOf(names(open, root.get("Names", "Dests")));
  for await (const { key, value } of eachEntry(engine, root.get("Dests"))) {
    const name = bytesOfString(engine, key);
    if (name !== undefined && !named.has(name)) named.set(name, value);
  }
  const explicitPage = (destination: PDFObject): Target => {
    const array = destination.isDictionary() ? destination.get("D") : destination;
    if (!array.isArray() || array.length === 0) return undefined;
    const page = array.get(0);
    if (page.isIndirect()) return pageOf.get(objectNumber(page));
    // A number means a page of another file, but many writers use it for their own.
    const index = page.isNumber() ? page.asNumber() : -1;
    return index >= 0 && index < pageCount ? index : undefined;
  };
  const pages = new Map<string, number>();
  const namesOf = new Map<number, string[]>();
  for (const [name, destination] of named) {
    await engine.work.pause();
    await load((await load(destination)).get("D"));
    const page = explicitPage(destination);
    if (page === undefined) continue;
    pages.set(name, page);
    const others = namesOf.get(page);
    if (others) others.push(name);
    else namesOf.set(page, [name]);
  }
  const nameOf = (destination: PDFObject): string | undefined => bytesOfString(engine, destination);
  return {
    named,
    namesOf,
    nameOf,
    pageOf(destination) {
      const name = nameOf(destination);
      if (name === undefined) return explicitPage(destination);
      return pages.get(name);
    },
  };
}

/** The destination of a link, outline item or action inside its own document, if any. */
export function destinationIn(object: PDFObject): PDFObject | undefined {
  const direct = object.get("Dest");
  if (isDestination(direct)) return direct;
  const action = object.get("A");
  return destinationOfAction(action);
}

/** The destination of a GoTo action (12.6.4.2). */
export function destinationOfAction(action: PDFObject): PDFObject | undefined {
  if (!action.isDictionary() || !action.get("S").isName() || action.get("S").asName() !== "GoTo") return undefined;
  const destination = action.get("D");
  return isDestination(destination) ? destination : undefined;
}

function isDestination(object: PDFObject): boolean {
  return (
    object.isArray() || object.isString() || object.isName() || (object.isDictionary() && object.get("D").isArray())
  );
}

/**
 * Calls `visit` with every holder and key of a destination below a link, outline item, field or page: its `Dest`, its action's
 * `D`, and those of following (`Next`) and additional (`AA`) actions.
 */
export async function eachDestination(
  engine: PdfEngine,
  object: PDFObject,
  visit: (holder: PDFObject, key: "Dest" | "D", destination: PDFObject) => void,
): Promise<void> {
  if (isDestination(object.get("Dest"))) visit(object, "Dest", object.get("Dest"));
  const seen = new Set<number>();
  const action = async (item: PDFObject, depth: number): Promise<void> => {
    const number = objectNumber(item);
    if (depth > MAX_DEPTH || seen.has(number)) return;
    if (number > 0) seen.add(number);
    const destination = destinationOfAction(item);
    if (destination) visit(item, "D", destination);
    const next = item.isDictionary() ? item.get("Next") : item;
    if (next.isDictionary()) await action(next, depth + 1);
    else for await (const following of eachItem(engine, next)) await action(following, depth + 1);
  };
  await action(object.get("A"), 0);
  for await (const { value } of eachEntry(engine, object.get("AA"))) await action(value, 0);
}
