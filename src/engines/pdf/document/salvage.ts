/** Makes a document of what is left of a damaged one (ISO 32000-2, 7.7). */
import type { PDFDocument, PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { isNamed, items } from "../objects/objects.ts";
import { flattenPageTree, keepInherited } from "./page-tree.ts";

/** A document that was opened although pages are lost. */
interface Damaged {
  readonly document: PDFDocument;
  readonly engine: PdfEngine;
  readonly pageCount: number;
  readonly input: { readonly field: string };
}

/** Fuel per object. */
const OBJECT_WORK = 500;

/** Builds the page tree anew from all page objects, in the order of their numbers, and the catalog if that is lost, too. */
export async function salvagePages(engine: PdfEngine, document: PDFDocument): Promise<void> {
  const { work } = engine;
  const pages: PDFObject[] = [];
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    work.spend(OBJECT_WORK);
    await work.pause();
    const reference = document.newIndirect(number);
    try {
      if (reference.isDictionary() && isNamed(reference.get("Type"), "Page")) pages.push(reference);
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  }
  if (pages.length === 0) return;
  const tree = document.addObject({ Type: document.newName("Pages") });
  // The first object that is added to a document makes its trailer another one.
  const trailer = document.getTrailer();
  if (!trailer.get("Root").isDictionary()) {
    trailer.put("Root", document.addObject({ Type: document.newName("Catalog") }));
  }
  trailer.get("Root").put("Pages", tree);
  tree.put("Kids", pages);
  tree.put("Count", pages.length);
  for (const page of pages) {
    work.spend(OBJECT_WORK);
    // Of the nodes that were above it, some may be left.
    keepInherited(document, page);
    page.put("Parent", tree);
  }
}

/**
 * Leaves out the pages that are lost, and what the others draw but the file does not have. Returns how many pages are left.
 * @throws Refusal `invalid_file` if none is
 */
export async function dropMissing(
  open: Damaged,
  { missing, lost }: { readonly missing: readonly number[]; readonly lost: readonly number[] },
): Promise<number> {
  const { document, engine, pageCount, input } = open;
  const gone = new Set(lost);
  const left = Array.from({ length: pageCount }, (_, index) => index).filter((index) => !gone.has(index + 1));
  if (left.length === 0) {
    throw new Refusal("invalid_file", `\`${input.field}\` has no readable pages.`, { input: input.field });
  }
  const incomplete = missing.filter((page) => !gone.has(page)).map((page) => document.findPage(page - 1));
  for (const page of incomplete) {
    engine.work.spend(OBJECT_WORK);
    const contents = page.get("Contents");
    const streams = (contents.isArray() ? items(contents) : [contents]).filter((stream) => stream.isStream());
    page.put("Contents", streams);
  }
  if (gone.size > 0) await flattenPageTree(open, left);
  return left.length;
}
