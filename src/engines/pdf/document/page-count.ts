import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import type { Work } from "../../work.ts";
import { items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Fuel per node of the page tree. */
const NODE_WORK = 500;

/**
 * Corrects page counts in a page tree that are higher than any real document has. Other readers count the pages that exist
 * (ISO 32000-2, 7.7.3.2). A tree with more pages than the limit is left unchanged.
 */
export async function correctPageCounts(work: Work, document: PDFDocument): Promise<void> {
  const root = document.getTrailer().get("Root", "Pages");
  // A tree without a count is damaged in another way: nothing indicates that its pages are complete.
  if (!root.get("Count").isNumber() || isPossible(root.get("Count"))) return;
  const seen = new Set<number>();
  let left: number = limits.pages;
  /** Number of pages in a node and its descendants. */
  const count = async (node: PDFObject, depth: number): Promise<number> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    if (left < 0 || depth > MAX_DEPTH || !node.isDictionary() || (number > 0 && seen.has(number))) return 0;
    const kids = node.get("Kids");
    if (!kids.isArray()) {
      left--;
      return 1;
    }
    seen.add(number);
    let pages = 0;
    for (const kid of items(kids)) pages += await count(kid, depth + 1);
    if (left >= 0 && !isPossible(node.get("Count"))) node.put("Count", pages);
    return pages;
  };
  if (root.get("Kids").isArray()) await count(root, 0);
}

const isPossible = (count: PDFObject): boolean =>
  count.isNumber() && count.asNumber() >= 0 && count.asNumber() <= limits.pages;
