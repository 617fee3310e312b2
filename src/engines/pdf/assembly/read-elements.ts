/** A model of structure elements, for documents of which only some pages are kept (ISO 32000-2, 14.7.2). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachOrOnly, entryCounter, objectNumber } from "../objects/objects.ts";

/** A structure element. Large documents have a hundred thousand, so it stores numbers rather than objects. */
export interface StructureElement {
  /** Object number. */
  readonly number: number;
  /** The page of its own content (`Pg`), 0-based. */
  readonly page: number | undefined;
  /** Its children: elements, marked content of its own page by number (MCID), other content. */
  readonly kids: readonly (StructureElement | number | ElementContent)[];
  /** Object numbers of the elements that it refers to (`Ref`), if it refers to any. */
  readonly references: readonly number[] | undefined;
  /** First and last page on which it or a descendant has content; `first` is above `last` if there is none. */
  readonly first: number;
  readonly last: number;
  /** How many elements it is, with its descendants. */
  readonly size: number;
}

/** A marked-content reference or an object reference (14.7.5.2, 14.7.5.3). */
export interface ElementContent {
  readonly object: PDFObject;
  readonly page: number | undefined;
}

/** Maximum nesting of elements; deeper ones are dropped. */
const MAX_NESTING = 200;

/** Reads the tree and cuts it: afterwards, no element leads to others but its ancestors. */
export async function readElements(
  engine: PdfEngine,
  roots: readonly PDFObject[],
  pageOf: ReadonlyMap<number, number>,
): Promise<StructureElement[]> {
  const seen = new Set<number>();
  const count = entryCounter("structure tree");
  const referencesOf = async (object: PDFObject): Promise<number[] | undefined> => {
    const list = object.get("Ref");
    if (list.isNull()) return undefined;
    const numbers: number[] = [];
    for await (const element of eachOrOnly(engine, list)) numbers.push(objectNumber(element));
    return numbers;
  };
  const read = async (object: PDFObject, depth: number): Promise<StructureElement | undefined> => {
    const number = objectNumber(object);
    if (number === 0 || seen.has(number) || depth > MAX_NESTING) return undefined;
    seen.add(number);
    count();
    const page = pageOf.get(objectNumber(object.get("Pg")));
    const below = object.get("K");
    object.delete("K");
    const references = await referencesOf(object);
    object.delete("Ref");
    let [first, last, size] = [Infinity, -1, 1];
    const on = (index: number | undefined): void => {
      if (index === undefined) return;
      first = Math.min(first, index);
      last = Math.max(last, index);
    };
    const kids: (StructureElement | number | ElementContent)[] = [];
    for await (const kid of eachOrOnly(engine, below)) {
      if (kid.isNumber()) {
        on(page);
        kids.push(kid.asNumber());
      } else if (kid.isDictionary()) {
        const type = kid.get("Type");
        if (type.isName() && (type.asName() === "MCR" || type.asName() === "OBJR")) {
          const own = pageOf.get(objectNumber(kid.get("Pg"))) ?? page;
          on(own);
          kids.push({ object: kid, page: own });
        } else {
          const element = await read(kid, depth + 1);
          if (!element) continue;
          size += element.size;
          on(element.last < 0 ? undefined : element.first);
          on(element.last < 0 ? undefined : element.last);
          kids.push(element);
        }
      }
    }
    return { number, page, kids, references, first, last, size };
  };
  const elements: StructureElement[] = [];
  for (const root of roots) {
    await engine.work.pause();
    const element = root.isDictionary() ? await read(root, 0) : undefined;
    if (element) elements.push(element);
  }
  return elements;
}

/** About how many elements have content on the pages `from` to `to` (0-based), their ancestors included. */
export function countElements(elements: StructureElement["kids"], from: number, to: number): number {
  let count = 0;
  for (const kid of elements) {
    if (typeof kid === "number" || "object" in kid) continue;
    if (kid.first > to || kid.last < from) continue;
    const isWithin = kid.first >= from && kid.last <= to;
    count += isWithin ? kid.size : 1 + countElements(kid.kids, from, to);
  }
  return count;
}
