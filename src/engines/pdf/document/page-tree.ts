/** The page tree (ISO 32000-2, 7.7.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import type { Work } from "../../work.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Page attributes that are inherited in the page tree (7.7.3.4). */
export const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];

/** Fuel per node that is visited. */
const NODE_WORK = 500;

/**
 * Replaces a tree with cycles, lost branches, or pages that are direct objects or occur twice by a flat one, so that every
 * reader finds the pages that MuPDF found, each as an indirect object. A sound tree is left unchanged.
 */
export async function repairPageTree({
  document,
  engine,
  pageCount,
}: {
  readonly document: PDFDocument;
  readonly engine: PdfEngine;
  readonly pageCount: number;
}): Promise<void> {
  // A file that is read in ranges is not repaired.
  if (engine.ranges) return;
  const root = document.getTrailer().get("Root", "Pages");
  if (await isSound(engine.work, root)) return;
  flattenPageTree(
    { document, engine },
    Array.from({ length: pageCount }, (_, index) => index),
  );
}

/** Makes the pages (0-based) the only ones of the document, in a tree of one level. */
export function flattenPageTree(
  { document, engine }: { readonly document: PDFDocument; readonly engine: PdfEngine },
  kept: readonly number[],
): void {
  const root = document.getTrailer().get("Root", "Pages");
  const used = new Set<number>();
  const pages = kept
    .map((index) => document.findPage(index))
    .map((page) => {
      const number = objectNumber(page);
      if (number > 0 && !used.has(number)) {
        used.add(number);
        return page;
      }
      const copy = document.newDictionary();
      for (const { key, value } of entries(engine, page)) copy.put(key, value);
      return document.addObject(copy);
    });
  for (const page of pages) {
    for (const key of INHERITABLE) {
      const value = page.getInheritable(key);
      if (value.isDictionary() || value.isArray() || value.isNumber()) page.put(key, value);
    }
    page.put("Parent", root);
  }
  root.put("Kids", pages);
  root.put("Count", pages.length);
}

/** Whether a page tree is sound: no cycles, no lost branches, and each page an indirect object that occurs once. */
export async function isSound(work: Work, root: PDFObject): Promise<boolean> {
  const seen = new Set<number>();
  const isNode = async (node: PDFObject, depth: number): Promise<boolean> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    if (depth > MAX_DEPTH || !node.isDictionary() || (number > 0 && seen.has(number))) return false;
    seen.add(number);
    if (!node.get("Kids").isArray()) return number > 0;
    for (const kid of items(node.get("Kids"))) if (!(await isNode(kid, depth + 1))) return false;
    return true;
  };
  return isNode(root, 0);
}
