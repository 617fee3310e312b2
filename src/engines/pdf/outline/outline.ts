/** Reads and writes the outline, "bookmarks" (ISO 32000-2, 12.3.3). */
import type { PDFObject } from "mupdf";
import { destinationIn, type Destinations, readDestinations } from "../assembly/destinations.ts";
import { type NewItem, writeOutline } from "../assembly/join-outline.ts";
import { type OutlineItem, readOutline } from "../assembly/read-outline.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchForCopying } from "../document/fetch-pages.ts";
import { byteString, isNamed, items, objectNumber } from "../objects/objects.ts";
import { TextReader, textString } from "../objects/text-string.ts";
import { latin1 } from "../../../bytes/latin1.ts";

/** The view of a page (12.3.2.2): a name and this many numbers, or null for values that stay unchanged. */
export const VIEWS = { XYZ: 3, Fit: 0, FitH: 1, FitV: 1, FitR: 4, FitB: 0, FitBH: 1, FitBV: 1 } as const;
export type View = readonly [keyof typeof VIEWS, ...(number | null)[]];

export interface OutlineEntry {
  readonly title: string;
  /** 1-based; null if it does not lead to a page of the document. */
  readonly page: number | null;
  readonly view?: View;
  readonly url?: string;
  readonly open?: boolean;
  readonly bold?: boolean;
  readonly italic?: boolean;
  /** `#rrggbb`. */
  readonly color?: string;
  readonly children: readonly OutlineEntry[];
}

/** Bits of an item's flags (table 152). */
const [ITALIC, BOLD] = [1, 2];

/** Fuel per entry, in addition to its handles. */
const ENTRY_WORK = 1_000;

export async function outlineOf(open: OpenPdf): Promise<OutlineEntry[]> {
  const { engine, document, pageCount } = open;
  await fetchForCopying(open, []);
  const pageOf = new Map<number, number>();
  for (let index = 0; index < pageCount; index++) {
    const number = objectNumber(document.findPage(index));
    if (number > 0 && !pageOf.has(number)) pageOf.set(number, index);
  }
  const destinations = await readDestinations(open, pageOf);
  const texts = new TextReader(engine);
  const level = async (list: readonly OutlineItem[]): Promise<OutlineEntry[]> => {
    const entries: OutlineEntry[] = [];
    for (const item of list) {
      engine.work.spend(ENTRY_WORK);
      await engine.work.pause();
      entries.push({ ...entryOf(item, destinations, texts), children: await level(item.kids) });
    }
    return entries;
  };
  return level(await readOutline(open, destinations));
}

function entryOf(
  { object, page, open }: OutlineItem,
  destinations: Destinations,
  texts: TextReader,
): Omit<OutlineEntry, "children"> {
  const flags = object.get("F").asNumber();
  const view = page === undefined ? undefined : viewOf(object, destinations);
  const action = object.get("A");
  const address = action.get("URI");
  const color = colorOf(object.get("C"));
  return {
    title: texts.text(object.get("Title")) ?? "",
    page: page === undefined ? null : page + 1,
    ...(view && { view }),
    ...(page === undefined && isNamed(action.get("S"), "URI") && address.isString() && { url: urlOf(address) }),
    ...(open && { open }),
    ...((flags & BOLD) !== 0 && { bold: true }),
    ...((flags & ITALIC) !== 0 && { italic: true }),
    ...(color !== undefined && { color }),
  };
}

const utf8 = new TextDecoder();

const urlOf = (address: PDFObject): string => utf8.decode(Uint8Array.from(address.asByteString())).replaceAll("\0", "");

/** The view of a destination, named or not; undefined if it is not one of the standard. */
function viewOf(item: PDFObject, { named, nameOf }: Destinations): View | undefined {
  const given = destinationIn(item);
  const name = given && nameOf(given);
  const destination = name === undefined ? given : named.get(name);
  const array = destination?.isDictionary() ? destination.get("D") : destination;
  const [, kind, ...rest] = array ? items(array) : [];
  const fit = kind?.isName() ? kind.asName() : "";
  if (!isView(fit)) return undefined;
  return [fit, ...Array.from({ length: VIEWS[fit] }, (_, at) => (rest[at]?.isNumber() ? rest[at].asNumber() : null))];
}

const isView = (name: string): name is keyof typeof VIEWS => Object.hasOwn(VIEWS, name);

/** Red, green, and blue of the color that text has if an item names none. */
const BLACK = "#000000";

function colorOf(array: PDFObject): string | undefined {
  const parts = items(array).map((part) => Math.round(Math.min(1, Math.max(0, part.asNumber())) * 255));
  const color = `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  return parts.length === 3 && color !== BLACK ? color : undefined;
}

/** Replaces the outline; without entries, removes it. All pages must exist. */
export async function setOutline({ engine, document }: OpenPdf, outline: readonly OutlineEntry[]): Promise<void> {
  const root = document.getTrailer().get("Root");
  const pages = new Map<number, PDFObject>();
  const pageAt = (number: number): PDFObject => {
    const found = pages.get(number) ?? document.findPage(number - 1);
    pages.set(number, found);
    return found;
  };
  // Find all pages before changing anything: each change makes MuPDF forget where the others are.
  const find = (list: readonly OutlineEntry[]): void => {
    for (const { page, children } of list) {
      if (page !== null) pageAt(page);
      find(children);
    }
  };
  find(outline);
  const itemsOf = (list: readonly OutlineEntry[]): NewItem[] =>
    list.map((entry) => ({ write: () => write(entry), open: entry.open ?? false, kids: itemsOf(entry.children) }));
  const write = async ({ title, page, view = ["Fit"], url, bold, italic, color }: OutlineEntry): Promise<PDFObject> => {
    engine.work.spend(ENTRY_WORK);
    await engine.work.pause();
    const item = document.newDictionary();
    item.put("Title", textString(root, title));
    if (page !== null) {
      const [fit, ...numbers] = view;
      const destination = item.put("Dest", document.newArray()) as PDFObject;
      destination.push(pageAt(page));
      destination.push(document.newName(fit));
      for (const number of numbers) destination.push(number === null ? document.newNull() : document.newReal(number));
    } else if (url !== undefined) {
      const address = byteString(document, latin1(new TextEncoder().encode(url)));
      item.put("A", { S: document.newName("URI"), URI: address });
    }
    const flags = (bold ? BOLD : 0) | (italic ? ITALIC : 0);
    if (flags !== 0) item.put("F", flags);
    if (color !== undefined) {
      item.put(
        "C",
        [1, 3, 5].map((at) => document.newReal(parseInt(color.slice(at, at + 2), 16) / 255)),
      );
    }
    return item;
  };
  const written = await writeOutline(document, itemsOf(outline));
  if (written) {
    root.put("Outlines", written);
    return;
  }
  root.delete("Outlines");
  if (isNamed(root.get("PageMode"), "UseOutlines")) root.delete("PageMode");
}
