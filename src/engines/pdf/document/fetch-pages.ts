/** Documents that are read in ranges: what has to be fetched before plain calls find it. */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Fuel per node of the page tree. */
const NODE_WORK = 500;

/** An open document whose pages are fetched. */
interface Fetched {
  readonly engine: PdfEngine;
  readonly document: PDFDocument;
  readonly input: { readonly field: string };
}

/** Fetches what every operation looks at, and finds the pages without reading them. */
export async function fetchDocument(engine: PdfEngine, document: PDFDocument, field: string): Promise<void> {
  const { long } = engine;
  const trailer = document.getTrailer();
  for (const key of ["Root", "Info", "Encrypt"]) await long.load(trailer.get(key));
  const root = trailer.get("Root");
  for (const key of ["Pages", "AcroForm", "Metadata", "StructTreeRoot"]) await long.load(root.get(key));
  const pages = await pageNumbers(engine, root.get("Pages"), field);
  engine.mapPages(document, pages);
}

/**
 * The object numbers of all pages, from the inner nodes of the page tree (ISO 32000-2, 7.7.3): where a node counts as many pages as
 * it has kids, they are taken for pages without being read.
 */
async function pageNumbers(engine: PdfEngine, root: PDFObject, field: string): Promise<number[]> {
  const { long, work } = engine;
  const damaged = (): Refusal => new Refusal("invalid_file", `\`${field}\` has a damaged page tree.`, { input: field });
  const numbers: number[] = [];
  const seen = new Set<number>();
  const walk = async (node: PDFObject, depth: number): Promise<void> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    if (depth > MAX_DEPTH || seen.has(number) || number === 0) throw damaged();
    seen.add(number);
    await long.load(node);
    if (!node.isDictionary()) throw damaged();
    const kids = await long.load(node.get("Kids"));
    if (!kids.isArray()) {
      numbers.push(number);
      return;
    }
    if (kids.length > limits.pages || numbers.length > limits.pages) {
      throw new Refusal("limit_exceeded", `\`${field}\` has too many pages.`, {
        limit: limits.pages,
        actual: Math.max(kids.length, numbers.length),
      });
    }
    if (engine.ranges?.trustsCounts === false || node.get("Count").asNumber() !== kids.length) {
      for (const kid of items(kids)) await walk(kid, depth + 1);
      return;
    }
    for (const kid of items(kids)) {
      const page = objectNumber(kid);
      if (page === 0) throw damaged();
      numbers.push(page);
    }
  };
  await walk(root, 0);
  return numbers;
}

/**
 * Fetches what the pages (0-based) themselves say: their sizes, rotation, and what their dictionaries name.
 * @throws Refusal `invalid_file` (`missingPages`)
 */
export async function fetchPages({ engine, document, input }: Fetched, pages: readonly number[]): Promise<void> {
  if (!engine.ranges) return;
  for (const index of pages) {
    engine.work.spend(NODE_WORK);
    await engine.work.pause();
    const page = await engine.long.load(document.findPage(index));
    if (page.get("Kids").isArray()) engine.ranges.distrustCounts();
    if (!page.isDictionary()) {
      const details = { input: input.field, missingPages: [index + 1] };
      throw new Refusal("invalid_file", `\`${input.field}\` is damaged, and some of its pages are lost.`, details);
    }
  }
}

/** Fetches the annotations of a page (0-based), and their fields. */
export async function fetchAnnotations(open: Fetched, index: number): Promise<void> {
  if (!open.engine.ranges) return;
  await fetchPages(open, [index]);
  (await open.engine.long.loadPage(open.document, index)).destroy();
}
