/** The page tree (ISO 32000-2, 7.7.3). */
import type { OpenPdf } from "./document.ts";
import { items, MAX_DEPTH, objectNumber } from "./objects.ts";

/** Page attributes that pages take from the page tree (7.7.3.4). */
export const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];

/**
 * Makes a tree with loops or lost branches flat, so that every reader finds the pages that MuPDF found. A sound tree stays
 * as it is.
 */
export function mendPageTree({ document, pageCount }: OpenPdf): void {
  const root = document.getTrailer().get("Root", "Pages");
  const seen = new Set<number>();
  const isSound = (node: typeof root, depth: number): boolean => {
    const number = objectNumber(node);
    if (depth > MAX_DEPTH || !node.isDictionary() || (number > 0 && seen.has(number))) return false;
    if (!node.get("Kids").isArray()) return true;
    seen.add(number);
    return items(node.get("Kids")).every((kid) => isSound(kid, depth + 1));
  };
  if (isSound(root, 0)) return;
  const pages = Array.from({ length: pageCount }, (_, index) => document.findPage(index));
  for (const page of pages) {
    for (const key of INHERITABLE) {
      const value = page.getInheritable(key);
      if (value.isDictionary() || value.isArray() || value.isNumber()) page.put(key, value);
    }
    page.put("Parent", root);
  }
  root.put("Kids", pages);
  root.put("Count", pageCount);
}
