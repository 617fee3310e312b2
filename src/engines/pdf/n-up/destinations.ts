/** Lets everything that led to a page lead to its place on a sheet (ISO 32000-2, 12.3.2). */
import type { PDFObject } from "mupdf";
import { eachDestination, readDestinations } from "../assembly/destinations.ts";
import { readOutline, type OutlineItem } from "../assembly/read-outline.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachItem, items, objectNumber } from "../objects/objects.ts";
import { at, moved, type SheetPlace } from "./place.ts";

/** Fuel per object that may have a destination. */
const HOLDER_WORK = 2_000;

/** Remaps named destinations, and those of the outline, of the document's opening, and of annotations on `sheets`. */
export async function remapDestinations(
  open: OpenPdf,
  places: ReadonlyMap<number, SheetPlace>,
  pageOf: ReadonlyMap<number, number>,
  sheets: readonly PDFObject[],
): Promise<void> {
  const { document, engine } = open;
  const destinations = await readDestinations(open, pageOf);
  const remap = (destination: PDFObject): void => {
    const array = destination.isDictionary() ? destination.get("D") : destination;
    if (!array.isArray() || array.length === 0) return;
    const first = array.get(0);
    const place = places.get((first.isNumber() ? first.asNumber() : pageOf.get(objectNumber(first))) ?? -1);
    if (!place) return;
    const [, fit, ...numbers] = items(array);
    const given = numbers.map((item) => (item.isNumber() ? item.asNumber() : undefined));
    const [name, ...values] = viewOf(fit?.isName() ? fit.asName() : "Fit", given, place);
    while (array.length > 0) array.delete(array.length - 1);
    for (const value of [document.newIndirect(place.sheet), document.newName(name), ...values]) array.push(value);
  };
  const visit = async (holder: PDFObject): Promise<void> => {
    engine.work.spend(HOLDER_WORK);
    await engine.work.pause();
    await eachDestination(engine, holder, (_holder, _key, destination) => remap(destination));
  };
  // Before the named ones, whose places it reads.
  const outline = await readOutline(open, destinations);
  for (const destination of destinations.named.values()) {
    engine.work.spend(HOLDER_WORK);
    await engine.work.pause();
    remap(destination);
  }
  const level = async (list: readonly OutlineItem[]): Promise<void> => {
    for (const { object, kids } of list) {
      await visit(object);
      await level(kids);
    }
  };
  await level(outline);
  for (const sheet of sheets) {
    await engine.scope(async () => {
      for await (const annotation of eachItem(engine, sheet.get("Annots"))) await visit(annotation);
    });
  }
  const root = document.getTrailer().get("Root");
  const opening = root.get("OpenAction");
  const holder = document.newDictionary();
  holder.put(opening.isArray() ? "Dest" : "A", opening);
  await visit(holder);
  await visit(root);
}

type View = readonly [fit: string, ...(number | null)[]];

/** The view of a sheet for a destination on a page: the same part of it, or all of the page. Undefined numbers are unchanged. */
function viewOf(
  fit: string,
  given: readonly (number | undefined)[],
  { toSheet, scale, from, box, rotation }: SheetPlace,
): View {
  const [x0, y0, x1, y1] = from;
  const corners: Readonly<Record<number, readonly [number, number]>> = { 90: [x0, y0], 180: [x1, y0], 270: [x1, y1] };
  const [left, top] = corners[rotation] ?? [x0, y1];
  const point = (x: number | undefined, y: number | undefined) => at(toSheet, x ?? left, y ?? top);
  const [first, second, third, fourth] = given;
  switch (fit) {
    case "XYZ":
      return ["XYZ", ...point(first, second), third === undefined || third === 0 ? null : third / scale];
    case "FitH":
    case "FitBH":
      return ["XYZ", ...point(undefined, first), null];
    case "FitV":
    case "FitBV":
      return ["XYZ", ...point(first, undefined), null];
    case "FitR":
      return ["FitR", ...moved([first ?? x0, second ?? y0, third ?? x1, fourth ?? y1], toSheet)];
    default:
      return ["FitR", ...box];
  }
}
