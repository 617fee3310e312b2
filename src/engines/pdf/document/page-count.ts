import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import type { Work } from "../../work.ts";
import { items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Fuel for a node of the page tree. */
const NODE_WORK = 500;

/**
 * Corrects the numbers of pages that a page tree claims to have where no document has so many: other readers count the pages
 * that are there (ISO 32000-2, 7.7.3.2). A tree that has more than the limit is left as it is.
 */
export async function correctPageCounts(work: Work, document: PDFDocument): Promise<void> {
  const root = document.getTrailer().get("Root", "Pages");
  // A tree without a number is damaged in another way: nothing says that its pages are all there.
  if (!root.get("Count").isNumber() || isPossible(root.get("Count"))) return;
  const seen = new Set<number>();
  let left: number = limits.pages;
  /** Pages of a node, and of those below it. */
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
