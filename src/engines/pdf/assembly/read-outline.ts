/** The outline, "bookmarks" (ISO 32000-2, 12.3.3). */
import type { PDFObject } from "mupdf";
import { outline, type OutlineNode } from "../document/outline.ts";
import type { TreeSource } from "../document/tree.ts";
import { destinationIn, type Destinations, type Target } from "./destinations.ts";

export interface OutlineItem {
  readonly object: PDFObject;
  /** 0-based page it leads to; undefined if none. */
  readonly page: Target;
  readonly open: boolean;
  readonly kids: readonly OutlineItem[];
}

export async function readOutline(open: TreeSource, destinations: Destinations): Promise<OutlineItem[]> {
  const top: OutlineItem[] = [];
  const kidsOf = new Map<OutlineNode | undefined, OutlineItem[]>([[undefined, top]]);
  for await (const node of outline(open)) {
    const { object, parent, isOpen } = node;
    const destination = destinationIn(object);
    const kids: OutlineItem[] = [];
    kidsOf.set(node, kids);
    kidsOf.get(parent)?.push({ object, page: destination && destinations.pageOf(destination), open: isOpen, kids });
  }
  return top;
}
