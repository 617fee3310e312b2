/** Structure elements as a model, for documents of which only some pages are kept (ISO 32000-2, 14.7.2). */
import type { PDFObject } from "mupdf";
import { entryCounter, items, objectNumber } from "../objects/objects.ts";
import type { Part } from "./graft.ts";

/** A structure element. Large documents have a hundred thousand, so it holds numbers rather than objects. */
export interface Element {
  /** Object number. */
  readonly number: number;
  /** The page of its own content (`Pg`), 0-based. */
  readonly page: number | undefined;
  /** Below it: elements, marked content of its own page by number (MCID), other content. */
  readonly kids: readonly (Element | number | Content)[];
  /** First and last page that it or an element below it has content on; `first` above `last` where there is none. */
  readonly first: number;
  readonly last: number;
}

/** A marked-content reference or an object reference (14.7.5.2, 14.7.5.3). */
interface Content {
  readonly object: PDFObject;
  readonly page: number | undefined;
}

/** Deepest nesting of elements; deeper ones are left out. */
const MAX_NESTING = 200;

/** Reads the tree and cuts it: no element leads to what is below it any more. */
export function readElements(roots: readonly PDFObject[], pageOf: ReadonlyMap<number, number>): Element[] {
  const seen = new Set<number>();
  const count = entryCounter("structure tree");
  const read = (object: PDFObject, depth: number): Element | undefined => {
    const number = objectNumber(object);
    if (number === 0 || seen.has(number) || depth > MAX_NESTING) return undefined;
    seen.add(number);
    count();
    const page = pageOf.get(objectNumber(object.get("Pg")));
    const below = object.get("K");
    object.delete("K");
    let [first, last] = [Infinity, -1];
    const on = (index: number | undefined): void => {
      if (index === undefined) return;
      first = Math.min(first, index);
      last = Math.max(last, index);
    };
    const kids: (Element | number | Content)[] = [];
    for (const kid of below.isArray() ? items(below) : [below]) {
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
          const element = read(kid, depth + 1);
          if (!element) continue;
          on(element.last < 0 ? undefined : element.first);
          on(element.last < 0 ? undefined : element.last);
          kids.push(element);
        }
      }
    }
    return { number, page, kids, first, last };
  };
  return roots.flatMap((root) => (root.isDictionary() ? (read(root, 0) ?? []) : []));
}

/** Copies the elements that have content on the kept pages, and those above them. `numbers`: theirs in the source. */
export function keepElements(part: Part, elements: readonly Element[]): { roots: PDFObject[]; numbers: Set<number> } {
  const { document } = part.source.open;
  const numbers = new Set<number>();
  const firstKept = Math.min(...part.pages.keys());
  const lastKept = Math.max(...part.pages.keys());
  const isGone = (annotation: number): boolean =>
    part.source.annotationNumbers.has(annotation) && !part.annotations.has(annotation);
  const isKept = (page: number | undefined): boolean => page === undefined || part.pages.has(page);

  const copy = (element: Element): PDFObject | undefined => {
    const hasContent = element.last >= 0;
    if (hasContent ? element.first > lastKept || element.last < firstKept : !part.whole) return undefined;
    const list: (number | PDFObject)[] = [];
    for (const kid of element.kids) {
      if (typeof kid === "number") {
        if (isKept(element.page)) list.push(kid);
      } else if ("object" in kid) {
        if (isKept(kid.page) && !isGone(objectNumber(kid.object.get("Obj")))) list.push(part.copy(kid.object));
      } else {
        const below = copy(kid);
        if (below) list.push(below);
      }
    }
    if (hasContent && list.length === 0) return undefined;
    numbers.add(element.number);
    const object = part.copy(document.newIndirect(element.number));
    if (element.page !== undefined && !part.pages.has(element.page)) object.delete("Pg");
    if (list.length > 0) {
      const kids = object.put("K", part.target.newArray()) as PDFObject;
      for (const kid of list) kids.push(kid);
    }
    return object;
  };
  return { roots: elements.flatMap((element) => copy(element) ?? []), numbers };
}
