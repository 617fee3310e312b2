/** A model of structure elements, for documents of which only some pages are kept (ISO 32000-2, 14.7.2). */
import type { PDFObject } from "mupdf";
import { structure, type StructureNode } from "../document/structure.ts";
import type { Branch, TreeSource } from "../document/tree.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadOf } from "../objects/load.ts";
import { eachOrOnly, objectNumber } from "../objects/objects.ts";

/** A structure element. Large documents have a hundred thousand, so it stores numbers rather than objects. */
export interface StructureElement {
  /** Object number. */
  readonly number: number;
  /** The page of its own content (`Pg`), 0-based. */
  readonly page: number | undefined;
  /** Its children: elements, marked content of its own page by number (MCID), other content. */
  readonly kids: (StructureElement | number | ElementContent)[];
  /** Object numbers of the elements that it refers to (`Ref`), if it refers to any. */
  readonly references: readonly number[] | undefined;
  /** First and last page on which it or a descendant has content; `first` is above `last` if there is none. */
  first: number;
  last: number;
  /** How many elements it is, with its descendants. */
  size: number;
}

/** A marked-content reference or an object reference (14.7.5.2, 14.7.5.3). */
export interface ElementContent {
  readonly object: PDFObject;
  readonly page: number | undefined;
}

/** Reads the tree and cuts it: afterwards, no element leads to others but its ancestors. Elements that are no objects of their own are dropped. */
export async function readElements(
  open: TreeSource,
  roots: Branch<StructureNode>,
  pageOf: ReadonlyMap<number, number>,
): Promise<StructureElement[]> {
  const top: StructureElement[] = [];
  const elements = new WeakMap<StructureNode, StructureElement>();
  const inOrder: { readonly element: StructureElement; readonly above: StructureElement | undefined }[] = [];
  for await (const node of structure(open, roots)) {
    const { kind, object, number, parent } = node;
    const above = parent && elements.get(parent);
    const page = pageOf.get(node.page);
    if (kind !== "element") {
      if (!above) continue;
      const shown = page ?? above.page;
      above.kids.push(kind === "identifier" ? object.asNumber() : { object, page: shown });
      if (shown !== undefined) widen(above, { first: shown, last: shown });
    } else if (number > 0 && (above || !parent)) {
      const references = await referencesOf(open.engine, object);
      const element = { number, page, kids: [], references, first: Infinity, last: -1, size: 1 };
      for (const key of ["K", "Ref"]) object.delete(key);
      elements.set(node, element);
      inOrder.push({ element, above });
      (above?.kids ?? top).push(element);
    }
  }
  for (const { element, above } of inOrder.toReversed()) {
    if (!above) continue;
    widen(above, element);
    above.size += element.size;
  }
  return top;
}

function widen(element: StructureElement, { first, last }: Pick<StructureElement, "first" | "last">): void {
  element.first = Math.min(element.first, first);
  element.last = Math.max(element.last, last);
}

async function referencesOf(engine: PdfEngine, element: PDFObject): Promise<number[] | undefined> {
  const list = await loadOf(engine)(element.get("Ref"));
  if (list.isNull()) return undefined;
  const numbers: number[] = [];
  for await (const other of eachOrOnly(engine, list)) numbers.push(objectNumber(other));
  return numbers;
}

/** About how many elements have content on the pages `from` to `to` (0-based), their ancestors included. */
export function countElements(elements: Readonly<StructureElement["kids"]>, from: number, to: number): number {
  let count = 0;
  for (const kid of elements) {
    if (typeof kid === "number" || "object" in kid) continue;
    if (kid.first > to || kid.last < from) continue;
    const isWithin = kid.first >= from && kid.last <= to;
    count += isWithin ? kid.size : 1 + countElements(kid.kids, from, to);
  }
  return count;
}
