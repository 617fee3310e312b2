/**
 * A document from which pages are copied. The page tree, the field tree, and the structure tree tie its pages together. They
 * are read into plain models and cut in the open document, in memory only: each page becomes an empty leaf; fields and structure
 * elements lose their children. After that, a copy of an object has only the objects that it uses, never the rest of the document
 * behind a reference. The models tell how to tie the copies together again.
 */
import type { PDFObject } from "mupdf";
import { type Destinations, readDestinations } from "./destinations.ts";
import type { OpenPdf } from "../document/document.ts";
import { fetchForCopying } from "../document/fetch-pages.ts";
import { mapOf, names } from "../document/names.ts";
import { type FieldTreeNode, readFields } from "./read-fields.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, eachItem, objectNumber } from "../objects/objects.ts";
import { type OutlineItem, readOutline } from "./read-outline.ts";
import { type PageLabels, readPageLabels } from "./page-labels.ts";
import { INHERITABLE } from "../document/page-tree.ts";
import { type Structure, readStructure } from "./read-structure.ts";
import { hasIntactSignature } from "../signatures/invalidation.ts";

/** A page of a source, removed from its page tree. */
export interface SourcePage {
  /** The leaf that replaces it, where references to the page lead; absent for a page that is a direct object. */
  readonly reference: PDFObject | undefined;
  /** Its entries, including inherited ones, without `Parent`, `Annots` and whatever leads out of the page. */
  readonly attributes: PDFObject;
  readonly resources: PDFObject;
  /** The same array for pages that share one. */
  readonly annotations: readonly PDFObject[];
}

export interface Source {
  readonly open: OpenPdf;
  /** Work on it that serves all documents that its pages are copied to. */
  readonly done: {
    /** By object number, 1 for objects whose streams were looked for to share their data. */
    readonly shared: Uint8Array;
    /** Numbers of the objects whose resources were trimmed. */
    readonly trimmed: Set<number>;
  };
  readonly root: PDFObject;
  readonly pages: readonly SourcePage[];
  /** 0-based page of an object number. */
  readonly pageOf: ReadonlyMap<number, number>;
  /** The lists of annotations shared by several pages. */
  readonly sharedAnnotations: ReadonlySet<readonly PDFObject[]>;
  /** Object numbers of all annotations. */
  readonly annotationNumbers: ReadonlySet<number>;
  readonly destinations: Destinations;
  readonly outline: readonly OutlineItem[];
  readonly labels: PageLabels | undefined;
  /** Whether it has a digital signature that is intact, which no copy keeps valid. */
  readonly signed: boolean;
  readonly fields: readonly FieldTreeNode[];
  readonly structure: Structure | undefined;
  /** Entries of the catalog's name trees, except destinations: `EmbeddedFiles`, `JavaScript`, ... */
  readonly names: ReadonlyMap<string, ReadonlyMap<string, PDFObject>>;
}

/**
 * Entries of a page that are not copied unchanged: its position in the tree, entries that are copied separately, and those that
 * lead to other pages (article beads, document parts, color separations of other pages).
 */
const NOT_COPIED = new Set(["Parent", "Annots", "Resources", "B", "DPart", "SeparationInfo"]);

/** Name trees of the catalog that are kept; `Dests` has its own module. */
const NAME_TREES = ["EmbeddedFiles", "JavaScript", "AP", "Renditions"];

/**
 * Takes the document apart; it cannot be saved afterwards. `kept`: the pages (0-based) that may be copied, so that others need not be
 * fetched. Default: all.
 */
export async function readSource(open: OpenPdf, kept?: readonly number[]): Promise<Source> {
  const { document, engine } = open;
  const root = document.getTrailer().get("Root");
  const fetched = engine.ranges && kept && new Set(kept);
  await fetchForCopying(open, kept ?? Array.from({ length: open.pageCount }, (_, index) => index));
  const references = Array.from({ length: open.pageCount }, (_, index) => document.findPage(index));
  const pageOf = new Map<number, number>();
  for (const [index, reference] of references.entries()) {
    const number = objectNumber(reference);
    if (number > 0 && !pageOf.has(number)) pageOf.set(number, index);
  }
  const lists = new Map<number, readonly PDFObject[]>();
  const pages: SourcePage[] = [];
  for (const [index, reference] of references.entries()) {
    const isFetched = fetched?.has(index) ?? true;
    pages.push(await takePage(open, isFetched ? reference : document.newDictionary(), reference, lists));
    await engine.work.pause();
  }
  for (const { reference } of pages) reference?.writeObject(document.newDictionary());

  const byList = Map.groupBy(pages, ({ annotations }) => annotations);
  const trees = new Map<string, ReadonlyMap<string, PDFObject>>();
  for (const name of NAME_TREES) {
    const tree = await mapOf(names(open, root.get("Names", name)));
    if (tree.size > 0) trees.set(name, tree);
  }
  const destinations = await readDestinations(open, pageOf);
  return {
    open,
    done: { shared: new Uint8Array(open.document.countObjects()), trimmed: new Set() },
    root,
    pages,
    pageOf,
    sharedAnnotations: new Set([...byList].flatMap(([list, users]) => (users.length > 1 ? [list] : []))),
    annotationNumbers: new Set(
      [...byList.keys()].flatMap((list) => list.map(objectNumber).filter((number) => number > 0)),
    ),
    destinations,
    outline: await readOutline(open, destinations),
    labels: await readPageLabels(open),
    signed: await hasIntactSignature(open),
    fields: await readFields(open),
    structure: await readStructure(open),
    names: trees,
  };
}

async function takePage(
  { document, engine }: OpenPdf,
  page: PDFObject,
  reference: PDFObject,
  lists: Map<number, readonly PDFObject[]>,
): Promise<SourcePage> {
  const attributes = document.newDictionary();
  for await (const { key, value } of eachEntry(engine, page)) {
    if (!NOT_COPIED.has(key.asName())) attributes.put(key, value);
  }
  for (const name of INHERITABLE) {
    const value = page.getInheritable(name);
    if (name !== "Resources" && isPresent(value)) attributes.put(name, value);
  }
  const list = page.get("Annots");
  const number = objectNumber(list);
  const annotations = lists.get(number) ?? (await annotationsOf(engine, list));
  if (number > 0) lists.set(number, annotations);
  return {
    reference: reference.isIndirect() ? reference : undefined,
    attributes,
    resources: page.getInheritable("Resources"),
    annotations,
  };
}

async function annotationsOf(engine: PdfEngine, list: PDFObject): Promise<PDFObject[]> {
  const annotations: PDFObject[] = [];
  for await (const annotation of eachItem(engine, list)) if (annotation.isDictionary()) annotations.push(annotation);
  return annotations;
}

function isPresent(object: PDFObject): boolean {
  return object.isArray() || object.isNumber() || object.isDictionary();
}
