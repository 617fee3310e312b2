/** The outline, "bookmarks" (ISO 32000-2, 12.3.3). */
import type { PDFObject } from "mupdf";
import { destinationIn, type Destinations, type Target } from "./destinations.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entryCounter, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

export interface OutlineItem {
  readonly object: PDFObject;
  /** 0-based page it leads to; undefined if none. */
  readonly page: Target;
  readonly open: boolean;
  readonly kids: readonly OutlineItem[];
}

export async function readOutline(
  { work }: PdfEngine,
  root: PDFObject,
  destinations: Destinations,
): Promise<OutlineItem[]> {
  const seen = new Set<number>();
  const count = entryCounter("outline");
  const level = async (parent: PDFObject, depth: number): Promise<OutlineItem[]> => {
    const list: OutlineItem[] = [];
    if (depth > MAX_DEPTH || !parent.isDictionary()) return list;
    for (let item = parent.get("First"); item.isDictionary(); item = item.get("Next")) {
      const number = objectNumber(item);
      if (number === 0 || seen.has(number)) break;
      seen.add(number);
      count();
      await work.pause();
      const destination = destinationIn(item);
      const visible = item.get("Count");
      list.push({
        object: item,
        page: destination && destinations.pageOf(destination),
        open: visible.isNumber() && visible.asNumber() > 0,
        kids: await level(item, depth + 1),
      });
    }
    return list;
  };
  return level(root.get("Outlines"), 0);
}
