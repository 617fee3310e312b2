/** Documents that are read in ranges: fetches their objects before plain calls need them. */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { pageTreeDamaged, pagesLost } from "../../file-errors.ts";
import { tooManyPages } from "../../limit-errors.ts";
import type { FilePart } from "../../memory/ranges.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";
import { fields } from "./fields.ts";
import { names } from "./names.ts";
import { outline } from "./outline.ts";
import type { TreeSource } from "./tree.ts";

/** Most resources of one category that are fetched before it is known whether they are used. */
const MOST_FETCHED = 64;

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
 * The object numbers of all pages, from the inner nodes of the page tree (ISO 32000-2, 7.7.3). If a node counts as many pages as
 * it has kids, they are taken for pages without being read.
 */
async function pageNumbers(engine: PdfEngine, root: PDFObject, field: string): Promise<number[]> {
  const { long, work } = engine;
  const numbers: number[] = [];
  const seen = new Set<number>();
  const walk = async (node: PDFObject, depth: number): Promise<void> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    if (depth > MAX_DEPTH || seen.has(number) || number === 0) throw pageTreeDamaged(field);
    seen.add(number);
    await long.load(node);
    if (!node.isDictionary()) throw pageTreeDamaged(field);
    const kids = await long.load(node.get("Kids"));
    if (!kids.isArray()) {
      numbers.push(number);
      return;
    }
    if (kids.length > limits.pages || numbers.length > limits.pages)
      throw tooManyPages(field, Math.max(kids.length, numbers.length));
    if (engine.ranges?.trustsCounts === false || node.get("Count").asNumber() !== kids.length) {
      for (const kid of items(kids)) await walk(kid, depth + 1);
      return;
    }
    for (const kid of items(kids)) {
      const page = objectNumber(kid);
      if (page === 0) throw pageTreeDamaged(field);
      numbers.push(page);
    }
  };
  await walk(root, 0);
  // Work on all pages would leave out pages that the document does not count.
  if (numbers.length !== root.get("Count").asNumber()) throw pageTreeDamaged(field);
  return numbers;
}

/**
 * Fetches the dictionaries of pages (0-based), and returns them.
 * @throws Refusal `invalid_file` (`missingPages`)
 */
export async function fetchPages({ engine, document, input }: Fetched, pages: readonly number[]): Promise<PDFObject[]> {
  engine.mapPages(document);
  const found = pages.map((index) => document.findPage(index));
  if (!engine.ranges) return found;
  if (pages.length > 1) await fetchObjects({ engine, document, input }, found);
  for (const [at, page] of found.entries()) {
    engine.work.spend(NODE_WORK);
    await engine.work.pause();
    await engine.long.load(page);
    if (page.get("Kids").isArray()) engine.ranges.distrustCounts();
    if (!page.isDictionary()) throw pagesLost(input.field, [(pages[at] ?? 0) + 1]);
  }
  return found;
}

/**
 * Fetches pages (0-based) with their content streams and the dictionaries of the objects that they draw, several at a time, so that
 * the next step need not wait for each in turn. Reads nothing that the next step would not read anyway.
 */
export async function fetchAhead(open: Fetched, pages: readonly number[]): Promise<void> {
  const { engine, document } = open;
  if (!engine.ranges) return;
  const objects = await fetchPages(open, pages);
  const contents = await fetchObjects(
    open,
    objects.map((page) => page.get("Contents")),
  );
  const resources = await fetchObjects(
    open,
    objects.map((page) => page.getInheritable("Resources")),
  );
  const streams = contents.flatMap((content) => (content.isArray() ? items(content) : [content]));
  const named = resources.map((dictionary) => dictionary.get("XObject"));
  await fetchObjects(open, [...streams, ...named]);
  const places = engine.placesOf(document, streams.map(objectNumber));
  const data = streams.flatMap((stream) => {
    const start = places.get(objectNumber(stream))?.data;
    const length = stream.get("Length");
    return start === undefined || length.isIndirect() ? [] : [{ start, end: start + length.asNumber() }];
  });
  const lengths = streams.map((stream) => stream.get("Length"));
  const drawn = named.flatMap((objects) =>
    entries(engine, objects)
      .slice(0, MOST_FETCHED)
      .map(({ value }) => value),
  );
  await fetchObjects(open, [...lengths, ...drawn], data);
}

/** Fetches objects, and parts of the file with them, several at once. Returns the objects. */
async function fetchObjects(
  { engine, document }: Fetched,
  objects: readonly PDFObject[],
  parts: readonly FilePart[] = [],
): Promise<readonly PDFObject[]> {
  const { long, ranges, work } = engine;
  const numbers = objects.map(objectNumber).filter((number) => number > 0);
  work.spend(NODE_WORK * objects.length);
  const starts = [...engine.placesOf(document, numbers).values()].flatMap(({ object }) => object ?? []);
  await ranges?.fetchAhead([...starts.map((start) => ({ start, end: start })), ...parts]);
  for (const object of objects) await long.load(object);
  return objects;
}

/** Fetches the content streams of a page (0-based), and the categories of its resources. */
export async function fetchContents(open: Fetched, index: number): Promise<void> {
  const { engine } = open;
  if (!engine.ranges) return;
  const { load, loadStream } = engine.long;
  for (const page of await fetchPages(open, [index])) {
    await fetchTree(engine, page.getInheritable("Resources"), ["XObject", "Font", "ExtGState"]);
    const contents = await load(page.get("Contents"));
    for (const stream of contents.isArray() ? items(contents) : [contents]) {
      if ((await load(stream)).isStream()) await loadStream(stream);
    }
  }
}

/** Fetches the objects that lead on from `root` by the entries `along`, and by the items of their arrays. */
async function fetchTree({ long, work }: PdfEngine, root: PDFObject, along: readonly string[]): Promise<void> {
  const seen = new Set<number>();
  const pending = [root];
  for (let object = pending.pop(); object; object = pending.pop()) {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(object);
    if (seen.has(number)) continue;
    if (number > 0) seen.add(number);
    await long.load(object);
    if (object.isArray()) pending.push(...items(object));
    else if (object.isDictionary())
      pending.push(...along.map((key) => object.get(key)).filter((next) => !isPlain(next)));
  }
}

/** Whether a value is neither a reference nor leads to one. Does not look behind a reference. */
const isPlain = (value: PDFObject): boolean => !value.isIndirect() && !value.isArray() && !value.isDictionary();

/** Fetches what a copy of some pages (0-based) keeps of the document, except what the pages draw, and the trees: who reads them fetches them. */
export async function fetchForCopying(open: Fetched, pages: readonly number[]): Promise<void> {
  const { engine, document } = open;
  if (!engine.ranges) return;
  const root = document.getTrailer().get("Root");
  for (const key of ["Names", "Dests", "PageLabels", "AF"]) await engine.long.load(root.get(key));
  for await (const { object } of outline(open)) await fetchTree(engine, object, ["A", "Dest", "D"]);
  for (const page of pages) {
    await fetchAnnotations(open, page);
    await fetchTree(engine, document.findPage(page).get("Annots"), ["A", "Next", "Dest", "D"]);
  }
}

/** Fetches the sizes of all pages, with their lists of annotations if there is a form: they tell where its fields are. */
export async function fetchSchema(open: Fetched & { readonly pageCount: number }): Promise<void> {
  const { engine, document, pageCount } = open;
  if (!engine.ranges) return;
  const pages = Array.from({ length: pageCount }, (_, index) => index);
  await fetchPages(open, pages);
  if (!(await engine.long.load(document.getTrailer().get("Root", "AcroForm").get("Fields"))).isArray()) return;
  for (const page of pages) await fetchTree(engine, document.findPage(page).get("Annots"), []);
}

/** Fetches the fields of the form and their widgets. */
export async function fetchForm(open: TreeSource): Promise<void> {
  for await (const { object } of fields(open)) await open.engine.long.load(object);
}

/** Fetches the attachments of the document and of its pages, except their bytes. */
export async function fetchAttachments(open: Fetched & { readonly pageCount: number }): Promise<void> {
  const { engine, document, pageCount } = open;
  if (!engine.ranges) return;
  const root = document.getTrailer().get("Root");
  const along = ["EF", "F", "UF", "Unix", "Mac", "DOS", "Params"];
  const files = (await engine.long.load(root.get("Names"))).get("EmbeddedFiles");
  for await (const [, file] of names(open, files)) await fetchTree(engine, file, along);
  for (const key of ["AF", "Collection"]) await fetchTree(engine, root.get(key), along);
  const pages = Array.from({ length: pageCount }, (_, index) => index);
  for (const page of await fetchPages(open, pages)) await fetchTree(engine, page.get("Annots"), ["FS", ...along]);
}

/** Fetches the resources (7.8.3) that a page names: of each category as many as `MOST_FETCHED`. */
export async function fetchResources(engine: PdfEngine, resources: PDFObject): Promise<void> {
  const { load } = engine.long;
  for (const { value: category } of entries(engine, await load(resources))) {
    if (!(await load(category)).isDictionary()) continue;
    for (const { value } of entries(engine, category).slice(0, MOST_FETCHED)) await load(value);
  }
}

/** Fetches the annotations of a page (0-based), and their fields. */
export async function fetchAnnotations(open: Fetched, index: number): Promise<void> {
  if (!open.engine.ranges) return;
  await fetchPages(open, [index]);
  (await open.engine.long.loadPage(open.document, index)).destroy();
}
