/** The page tree (ISO 32000-2, 7.7.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { noReadablePages } from "../../file-errors.ts";
import { pageTreeTooDeep } from "../../limit-errors.ts";
import type { Work } from "../../work.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachItem, entries, isNamed, items, MAX_DEPTH, objectNumber } from "../objects/objects.ts";

/** Page attributes that are inherited in the page tree (7.7.3.4). */
export const INHERITABLE = ["Resources", "MediaBox", "CropBox", "Rotate"];

interface At {
  readonly document: PDFDocument;
  readonly engine: PdfEngine;
}

/** Fuel per node that is visited. */
const NODE_WORK = 500;
/** Fuel per page, and per resource, that is checked. */
const PAGE_WORK = 1_000;
const RESOURCE_WORK = 100;

/**
 * Replaces a tree with cycles, lost branches, or pages that are direct objects or occur twice by a flat one, so that every
 * reader finds the pages that MuPDF found, each as an indirect object. A sound tree is left unchanged.
 */
export async function repairPageTree({
  document,
  engine,
  pageCount,
}: At & { readonly pageCount: number }): Promise<void> {
  // A file that is read in ranges is not repaired.
  if (engine.ranges) return;
  const root = document.getTrailer().get("Root", "Pages");
  if ((await shapeOf(engine.work, root)) !== "sound") await flattenPages({ document, engine, pageCount });
}

/**
 * An attribute that a page has or inherits (7.7.3.4), which may be put into other objects as well. MuPDF renumbers the references in a direct
 * dictionary once for each object that has it, so a dictionary that pages share becomes an object of its own.
 */
export function inherited(document: PDFDocument, page: PDFObject, key: string): PDFObject {
  const value = page.getInheritable(key);
  if (!value.isDictionary() || objectNumber(value) > 0) return value;
  let owner = page;
  for (let depth = 0; depth < MAX_DEPTH && owner.get(key).isNull(); depth++) owner = owner.get("Parent");
  const shared = document.addObject(value);
  if (owner.isDictionary()) owner.put(key, shared);
  return shared;
}

/** Makes the attributes that a page inherits its own. */
function keepInherited(document: PDFDocument, page: PDFObject): void {
  for (const key of INHERITABLE) {
    const value = inherited(document, page, key);
    if (value.isDictionary() || value.isArray() || value.isNumber()) page.put(key, value);
  }
}

/** Makes the pages that MuPDF found a tree of one level. */
export const flattenPages = ({ pageCount, ...at }: At & { readonly pageCount: number }): Promise<void> =>
  flattenPageTree(
    at,
    Array.from({ length: pageCount }, (_, index) => index),
  );

/** Makes the pages (0-based) the only ones of the document, in a tree of one level. */
async function flattenPageTree({ document, engine }: At, kept: readonly number[]): Promise<void> {
  const root = document.getTrailer().get("Root", "Pages");
  const found: PDFObject[] = [];
  for (const index of kept) found.push(await engine.long.findPage(document, index));
  const used = new Set<number>();
  const pages = found.map((page) => {
    const number = objectNumber(page);
    if (number > 0 && !used.has(number)) {
      used.add(number);
      return page;
    }
    const copy = document.newDictionary();
    for (const { key, value } of entries(engine, page)) copy.put(key, value);
    return document.addObject(copy);
  });
  putPages(document, root, pages);
}

/** Makes pages the kids of a node. */
function putPages(document: PDFDocument, node: PDFObject, pages: readonly PDFObject[]): void {
  for (const page of pages) {
    // Of the nodes that were above it, some may be left.
    keepInherited(document, page);
    page.put("Parent", node);
  }
  node.put("Kids", pages);
  node.put("Count", pages.length);
}

/** Builds the page tree anew from all page objects, in the order of their numbers, and the catalog if that is lost, too. */
export async function salvagePages({ document, engine }: At): Promise<void> {
  const pages: PDFObject[] = [];
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    engine.work.spend(NODE_WORK);
    await engine.work.pause();
    const reference = document.newIndirect(number);
    try {
      if (reference.isDictionary() && isNamed(reference.get("Type"), "Page")) pages.push(reference);
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  }
  if (pages.length === 0) return;
  engine.work.spend(NODE_WORK * pages.length);
  const tree = document.addObject({ Type: document.newName("Pages") });
  // The first object that is added to a document makes its trailer another one.
  const trailer = document.getTrailer();
  if (!trailer.get("Root").isDictionary()) {
    trailer.put("Root", document.addObject({ Type: document.newName("Catalog") }));
  }
  trailer.get("Root").put("Pages", tree);
  putPages(document, tree, pages);
}

/**
 * Leaves out the pages that are lost, and what the others draw but the file does not have. Returns how many pages are left.
 * @throws Refusal `invalid_file` if none is
 */
export async function dropMissing(
  {
    document,
    engine,
    pageCount,
    input,
  }: At & { readonly pageCount: number; readonly input: { readonly field: string } },
  { missing, lost }: { readonly missing: readonly number[]; readonly lost: readonly number[] },
): Promise<number> {
  const gone = new Set(lost);
  const left = Array.from({ length: pageCount }, (_, index) => index).filter((index) => !gone.has(index + 1));
  if (left.length === 0) throw noReadablePages(input.field);
  for (const number of missing) {
    if (gone.has(number)) continue;
    engine.work.spend(NODE_WORK);
    const page = document.findPage(number - 1);
    page.put(
      "Contents",
      contentsOf(page).filter((stream) => stream.isStream()),
    );
  }
  if (gone.size > 0) await flattenPageTree({ document, engine }, left);
  return left.length;
}

/**
 * Refuses a page tree with more levels than the limit: MuPDF walks down to each page with a search at each node through those above it.
 * @throws Refusal `limit_exceeded`
 */
export async function refuseDeepTree({ document, engine }: At, field: string): Promise<void> {
  const limit = limits.pageTreeLevels;
  const seen = new Set<number>();
  const pending: { readonly node: PDFObject; readonly level: number }[] = [];
  const enter = (node: PDFObject, level: number): void => {
    const number = objectNumber(node);
    if (!node.get("Kids").isArray() || (number > 0 && seen.has(number))) return;
    seen.add(number);
    pending.push({ node, level });
  };
  enter(document.getTrailer().get("Root", "Pages"), 1);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, level } = next;
    // The pages are one below.
    if (level >= limit) throw pageTreeTooDeep(field, level + 1);
    for await (const kid of eachItem(engine, node.get("Kids"))) {
      engine.work.spend(NODE_WORK);
      enter(kid, level + 1);
    }
  }
}

/**
 * The shape of a page tree. Sound: no cycles, no lost branches, and each page an indirect object that occurs once. Deep: more levels
 * than any real document has, so that MuPDF takes long to find each page.
 */
export async function shapeOf(work: Work, root: PDFObject): Promise<"sound" | "broken" | "deep"> {
  const seen = new Set<number>();
  const shapeOfNode = async (node: PDFObject, depth: number): Promise<"sound" | "broken" | "deep"> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    if (depth > MAX_DEPTH) return "deep";
    if (!node.isDictionary() || (number > 0 && seen.has(number))) return "broken";
    seen.add(number);
    if (!node.get("Kids").isArray()) return number > 0 ? "sound" : "broken";
    for (const kid of items(node.get("Kids"))) {
      const shape = await shapeOfNode(kid, depth + 1);
      if (shape !== "sound") return shape;
    }
    return "sound";
  };
  return shapeOfNode(root, 0);
}

/**
 * Corrects page counts of a page tree that has all of its nodes: other readers count the pages that exist (ISO 32000-2, 7.7.3.2). Returns whether
 * any was wrong. `all`: also those that are possible, for which the whole tree is read. A tree with more pages than the limit is left unchanged.
 */
export async function correctPageCounts(
  work: Work,
  document: PDFDocument,
  { all }: { readonly all: boolean },
): Promise<boolean> {
  const root = document.getTrailer().get("Root", "Pages");
  // A tree without a count is damaged in another way: nothing indicates that its pages are complete.
  if (!root.get("Count").isNumber() || !root.get("Kids").isArray()) return false;
  if (!all && isPossible(root.get("Count"))) return false;
  const seen = new Set<number>();
  const counts: [node: PDFObject, pages: number][] = [];
  let left: number = limits.pages;
  let isComplete = true;
  /** Number of pages in a node and its descendants. */
  const count = async (node: PDFObject, depth: number): Promise<number> => {
    work.spend(NODE_WORK);
    await work.pause();
    const number = objectNumber(node);
    const isNode = node.isDictionary() && !(number > 0 && seen.has(number));
    // Deeper nodes are not read.
    isComplete &&= isNode && depth <= MAX_DEPTH;
    if (left < 0 || depth > MAX_DEPTH || !isNode) return 0;
    seen.add(number);
    const kids = node.get("Kids");
    if (!kids.isArray()) {
      isComplete &&= !isNamed(node.get("Type"), "Pages");
      left--;
      return 1;
    }
    let pages = 0;
    for (const kid of items(kids)) pages += await count(kid, depth + 1);
    counts.push([node, pages]);
    return pages;
  };
  await count(root, 0);
  if (left < 0) return false;
  const wrong = counts.filter(([node, pages]) => {
    const given = node.get("Count");
    return isPossible(given) ? isComplete && all && given.asNumber() !== pages : true;
  });
  for (const [node, pages] of wrong) node.put("Count", pages);
  return wrong.length > 0;
}

const isPossible = (count: PDFObject): boolean =>
  count.isNumber() && count.asNumber() >= 0 && count.asNumber() <= limits.pages;

/**
 * Finds pages (1-based) that are missing or lack something they draw. `lost`: those that are missing entirely. Reading
 * all pages also makes MuPDF find damage before the work begins.
 */
export async function findMissingPages(
  engine: PdfEngine,
  document: PDFDocument,
  pageCount: number,
): Promise<{ missing: number[]; lost: number[] }> {
  const { work, scope } = engine;
  const missing: number[] = [];
  const lost: number[] = [];
  const resolves = new ResourceCheck(engine);
  for (let index = 0; index < pageCount; index++) {
    work.spend(PAGE_WORK);
    await work.pause();
    await scope(async () => {
      const page = await found({ engine, document }, engine.long.findPage(document, index));
      // A number that was given to another object in a later revision may lead to the earlier one.
      const isLost = !page.isDictionary() || page.isStream() || isNamed(page.get("Type"), "XObject");
      if (isLost) lost.push(index + 1);
      if (isLost || !contentResolves(page) || !(await resolves.all(page.getInheritable("Resources")))) {
        missing.push(index + 1);
      }
    });
  }
  return { missing, lost };
}

/** The page with this 0-based index, or null if the page tree counts a page that it does not have. */
export function pageAt({ document, engine }: At, index: number): PDFObject {
  try {
    return document.findPage(index);
  } catch (error) {
    if (engine.isFailure(error)) return document.newNull();
    throw error;
  }
}

async function found({ document, engine }: At, page: Promise<PDFObject>): Promise<PDFObject> {
  try {
    return await page;
  } catch (error) {
    if (engine.isFailure(error)) return document.newNull();
    throw error;
  }
}

function contentsOf(page: PDFObject): PDFObject[] {
  const contents = page.get("Contents");
  return contents.isArray() ? items(contents) : [contents];
}

const contentResolves = (page: PDFObject): boolean =>
  contentsOf(page).every((stream) => !stream.isIndirect() || stream.isStream());

/** Checks that named resources exist, once per dictionary, since pages may share them. */
class ResourceCheck {
  readonly #engine: PdfEngine;
  readonly #known = new Map<number, boolean>();

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /** Checks all resources of a page. */
  async all(resources: PDFObject): Promise<boolean> {
    return this.#once(resources, async ({ value }) => {
      if (value.isIndirect() && !value.isDictionary() && !value.isArray()) return false;
      return this.#once(value, ({ value: resource }) => !resource.isIndirect() || isSomething(resource));
    });
  }

  async #once(
    dictionary: PDFObject,
    resolves: (entry: { value: PDFObject }) => boolean | Promise<boolean>,
  ): Promise<boolean> {
    const number = objectNumber(dictionary);
    const known = this.#known.get(number);
    if (known !== undefined) return known;
    let all = true;
    for (const entry of entries(this.#engine, dictionary)) {
      this.#engine.work.spend(RESOURCE_WORK);
      await this.#engine.work.pause();
      all &&= await resolves(entry);
    }
    if (number > 0) this.#known.set(number, all);
    return all;
  }
}

function isSomething(reference: PDFObject): boolean {
  return reference.isDictionary() || reference.isArray() || reference.isName() || reference.isNumber();
}
