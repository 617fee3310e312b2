import type { PDFObject } from "mupdf";
import { objectNumber } from "../objects/objects.ts";
import type { Part } from "./graft.ts";
import type { Element } from "./read-elements.ts";

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
