/**
 * Verifies a file before it is sent: from its written bytes, with its own cross-references and key. Compares it with facts
 * taken from the document in memory just before it was written.
 */
import { pdfDamaged } from "../../file-errors.ts";
import type { PDFDocument, PDFObject, Stream } from "mupdf";
import type { EngineBytes } from "../../memory/heap.ts";
import { fields } from "../document/fields.ts";
import type { TreeSource } from "../document/tree.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import { revision5View } from "../encryption/revision5-view.ts";
import type { Changes } from "../mupdf/changes.ts";
import { counted, isNamed, MAX_DEPTH, objectNumber } from "../objects/objects.ts";
import type { OpenPdf } from "../document/document.ts";
import { serialize } from "../objects/serialize.ts";
import { Malformed } from "../syntax/objects.ts";
import { OF_SECTION } from "./write.ts";
import { type ReadableObject, readWritten } from "./written-file.ts";

/** Most annotations per page, and fields per form, that are checked. */
const MOST_LOOKED_AT = 20;

/** Fuel per object that is read back. */
const OBJECT_WORK = 500;

/** Longest stream in bytes whose data is compared. */
const MOST_COMPARED = 64 * 1024;

/** The facts that a written file must match. */
export interface Expectation {
  readonly pageCount: number;
  /** Facts by the name used for them in errors. */
  readonly facts: ReadonlyMap<string, string>;
  /** The 0-based pages that the facts cover. */
  readonly pages: readonly number[];
  /** Whether the file is encrypted, with the key of its source. */
  readonly encrypted?: boolean;
  /** The source document and its state before writing. Undefined if the file was not written by MuPDF. */
  readonly from?: { readonly document: PDFDocument; readonly repaired: boolean };
}

/** Records what a document must contain once written. `changed`: the changed pages (0-based). */
export async function expectationOf(
  engine: PdfEngine,
  document: PDFDocument,
  changed: readonly number[] = [],
): Promise<Expectation> {
  const pageCount = document.countPages();
  const pages = sample(changed, pageCount);
  const encrypted = document.getTrailer().get("Encrypt").isDictionary();
  const from = { document, repaired: document.wasRepaired() };
  const facts = await engine.scope(() => factsOf(engine, document, pages, (page) => document.findPage(page)));
  return { pageCount, pages, facts, encrypted, from };
}

/** The written file is not the intended one. */
class Unverified extends Error {}

/**
 * Opens the bytes and compares them with the facts.
 * @throws Error if they do not open or do not match, or Refusal `invalid_file` if they were made of a damaged document, which may
 *   contradict itself; Refusal or a MuPDF error if memory runs out
 */
export async function verify(engine: PdfEngine, bytes: EngineBytes, expectation: Expectation): Promise<void> {
  try {
    await compare(engine, bytes, expectation);
  } catch (cause) {
    if (!(cause instanceof Unverified) || expectation.from?.repaired !== true) throw cause;
    throw pdfDamaged(cause);
  }
}

async function compare(engine: PdfEngine, bytes: EngineBytes, expectation: Expectation): Promise<void> {
  const { pageCount, pages, encrypted = false, from } = expectation;
  // MuPDF drops all changes if it has to repair a document while writing it.
  expect("the changes", from === undefined || from.document.wasRepaired() === from.repaired);
  if (!encrypted && (await isRightByReferences(engine, bytes, expectation))) return;
  const stream = engine.streamOf((encrypted ? revision5View(bytes) : undefined) ?? bytes);
  await reopened(engine, stream, async (opened) => {
    expect("its encryption", opened.getTrailer().get("Encrypt").isDictionary() === encrypted);
    if (from && encrypted) engine.shareFileKey(from.document, opened);
    await loadTree(engine, opened);
    expect(`${pageCount} pages`, opened.countPages() === pageCount);
    const differing = async (findPage: FindPage): Promise<string | undefined> =>
      differenceFrom(expectation, await engine.scope(() => factsOf(engine, opened, pages, findPage)));
    // The counts of a page tree may be wrong, though all of its pages are there.
    const byCounts = await differing((page) => pageByCounts(opened.getTrailer(), page));
    const wrong = byCounts === undefined ? undefined : await differing((page) => opened.findPage(page));
    if (wrong !== undefined) expect(wrong, false);
  });
}

/** The first fact that a file does not have, or has beyond those of its source. */
function differenceFrom({ facts, from }: Expectation, found: ReadonlyMap<string, string>): string | undefined {
  const [name] = [...facts].find(([name, fact]) => found.get(name) !== fact) ?? [];
  const added = from && [...found.keys()].find((other) => !facts.has(other));
  return name ?? (added === undefined ? undefined : `${added} taken out`);
}

/**
 * Whether a small file without a form proves to be right without MuPDF, which would parse all objects of an object stream for one of them. If not, it
 * is opened: other code finds the reason.
 */
async function isRightByReferences(engine: PdfEngine, bytes: EngineBytes, expectation: Expectation): Promise<boolean> {
  const file = await readWritten(engine.work, bytes);
  if (file === undefined) return false;
  try {
    const { trailer } = file;
    const root = trailer.get("Root");
    if (!root.isDictionary() || root.get("AcroForm").isDictionary()) return false;
    if (root.get("Pages").get("Count").asNumber() !== expectation.pageCount) return false;
    const ofPages = pageFacts(expectation.pages, (page) => pageByCounts(trailer, page));
    const found = new Map([...infoFacts(trailer), [VALUES, ""], ...ofPages]);
    return differenceFrom(expectation, found) === undefined;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}

/**
 * Opens a file with its update, and reads back all that changed. Of the file itself, little is read: its cross-references, and
 * the first nodes of its page tree. `pages`: the changed pages (0-based).
 * @throws as `verify`
 */
export async function verifyAppended(
  { engine, document, encrypted, pageCount }: OpenPdf,
  file: EngineBytes,
  changes: Changes,
  pages: readonly number[],
): Promise<void> {
  // MuPDF drops all changes if it has to repair a document while it is read.
  expect("the changes", !document.wasRepaired());
  const trailer = (of: PDFDocument): Promise<string> => textOfObject(engine, of.getTrailer(), changes, OF_SECTION);
  await reopened(engine, engine.streamOf(file), async (opened) => {
    if (encrypted) engine.shareFileKey(document, opened);
    expect("its trailer", (await trailer(opened)) === (await trailer(document)));
    await loadTree(engine, opened);
    expect(`${pageCount} pages`, opened.countPages() === pageCount);
    // The changes made MuPDF forget where the pages are.
    engine.mapPages(document);
    const changed = pages.map((page) => ({ number: objectNumber(document.findPage(page)), deleted: false }));
    for (const { number, deleted } of [...changes.objects, ...changed]) {
      engine.work.spend(OBJECT_WORK);
      if (number === 0) continue;
      await engine.work.pause();
      await engine.scope(async () => {
        const [source, target] = [document.newIndirect(number), opened.newIndirect(number)];
        const isRight = deleted ? target.resolve().isNull() : await isSame(engine, source, target, changes);
        expect(`object ${number}`, isRight);
      });
    }
  });
}

/** Opens the file for a check, then closes it and the stream. */
async function reopened(
  engine: PdfEngine,
  stream: Stream,
  check: (opened: PDFDocument) => void | Promise<void>,
): Promise<void> {
  let opened: PDFDocument | null | undefined;
  try {
    opened = await engine.long.open(stream);
    if (!opened) throw new Unverified("the written file is no PDF");
    await check(opened);
    expect("its objects where its cross-references say", !opened.wasRepaired());
  } catch (cause) {
    if (!engine.isFailure(cause)) throw cause;
    throw new Unverified("the written file cannot be read", { cause });
  } finally {
    stream.destroy();
    opened?.destroy();
  }
}

/** Loads the catalog and the page tree while other requests run: they may be in an object stream with large objects. */
async function loadTree(engine: PdfEngine, document: PDFDocument): Promise<void> {
  const root = await engine.long.load(document.getTrailer().get("Root"));
  await engine.long.load(root.get("Pages"));
}

/** What a stream is in the file depends on its filters and encryption. */
const OF_STREAM = new Map(["/Length", "/Filter", "/DecodeParms"].map((name) => [name, undefined]));
/** MuPDF decrypts the value of a time stamp, which is not encrypted (ISO 32000-2, 7.6.2). */
const OF_STAMP = new Map([["/Contents", undefined]]);

const leftOut = (object: PDFObject): ReadonlyMap<string, undefined> | undefined =>
  object.isStream() ? OF_STREAM : isNamed(object.get("Type"), "DocTimeStamp") ? OF_STAMP : undefined;

async function isSame(engine: PdfEngine, source: PDFObject, target: PDFObject, changes: Changes): Promise<boolean> {
  const one = await textOfObject(engine, source, changes, leftOut(source));
  const other = await textOfObject(engine, target, changes, leftOut(target));
  return (
    one === other && source.isStream() === target.isStream() && (!source.isStream() || hasSameData(source, target))
  );
}

/** An object as it would be written, but for its encryption. `left`: entries that are left out. */
async function textOfObject(
  engine: PdfEngine,
  object: PDFObject,
  { generations }: Changes,
  left?: ReadonlyMap<string, undefined>,
): Promise<string> {
  return (await serialize(engine, object, { generations, secret: false, replaced: left })).join("");
}

/** Whether two streams have the same data. Long ones are not compared. */
function hasSameData(source: PDFObject, target: PDFObject): boolean {
  if (target.get("Length").asNumber() > MOST_COMPARED) return true;
  const isPlain = source.get("Filter").isNull();
  const [one, other] = [source, target].map((stream) => {
    const buffer = isPlain ? stream.readStream() : stream.readRawStream();
    return latin1(buffer.asUint8Array());
  });
  return one === other;
}

function expect(what: string, condition: boolean): void {
  if (!condition) throw new Unverified(`the written file does not have ${what}`);
}

/**
 * The first, middle, and last changed pages, or else the first and last pages of the document. Each may require another
 * object stream to be inflated and parsed.
 */
function sample(changed: readonly number[], pageCount: number): number[] {
  const [first = 0, last = pageCount - 1] = [changed[0], changed.at(-1)];
  return [...new Set([first, changed[changed.length >> 1] ?? first, last])];
}

/** Finds a page (0-based); undefined if it is not there. */
type FindPage = (page: number) => ReadableObject | undefined;

/** Names the values of the form in errors. */
const VALUES = "the values of its form";

/**
 * Finds a page by the counts of the page tree (ISO 32000-2, 7.7.3), from the nearer end of each node. MuPDF would read all pages to
 * find one. Undefined if the counts are wrong.
 */
function pageByCounts(trailer: ReadableObject, page: number): ReadableObject | undefined {
  let node = trailer.get("Root").get("Pages");
  let index = page;
  for (let depth = 0; depth < MAX_DEPTH && node.get("Kids").isArray(); depth++) {
    const kids = node.get("Kids");
    const count = node.get("Count").asNumber();
    if (count === kids.length) {
      // All kids are pages.
      const found = kids.get(index);
      return found.get("Kids").isArray() ? undefined : found;
    }
    const isNearEnd = index * 2 >= count;
    /** Pages before it in the node, counted from the nearer end. */
    let left = isNearEnd ? count - 1 - index : index;
    let at = isNearEnd ? kids.length - 1 : 0;
    let held = pagesIn(kids.get(at));
    while (left >= held) {
      left -= held;
      at += isNearEnd ? -1 : 1;
      if (at < 0 || at >= kids.length) return undefined;
      held = pagesIn(kids.get(at));
    }
    node = kids.get(at);
    index = isNearEnd ? held - 1 - left : left;
  }
  return index === 0 ? node : undefined;
}

const pagesIn = (node: ReadableObject): number => (node.get("Kids").isArray() ? node.get("Count").asNumber() : 1);

async function factsOf(
  engine: PdfEngine,
  document: PDFDocument,
  pages: readonly number[],
  findPage: FindPage,
): Promise<Map<string, string>> {
  const values = await valuesOf({ engine, document });
  return new Map([...infoFacts(document.getTrailer()), [VALUES, values], ...pageFacts(pages, findPage)]);
}

function* infoFacts(trailer: ReadableObject): Generator<[name: string, fact: string]> {
  for (const { key, value } of entriesOf(trailer.get("Info"))) {
    const text = textOf(value);
    if (text !== "") yield [`${key} of its Info`, text];
  }
}

function* pageFacts(pages: readonly number[], findPage: FindPage): Generator<[name: string, fact: string]> {
  for (const index of pages) {
    const page = findPage(index);
    if (page === undefined) continue;
    const name = `page ${index + 1}`;
    yield [`the angle of ${name}`, String(page.getInheritable("Rotate").asNumber())];
    const contents = page.get("Contents");
    const streams = (contents.isArray() ? itemsOf(contents) : [contents]).filter((stream) => stream.isStream());
    yield [`the content of ${name}`, String(streams.length)];
    yield [`the resources of ${name}`, resourcesOf(page.getInheritable("Resources"))];
    yield [`the annotations of ${name}`, annotationsOf(page.get("Annots"))];
  }
}

function textOf(value: ReadableObject): string {
  return value.isString() ? latin1(value.asByteString()) : value.isName() ? `/${value.asName()}` : "";
}

/** The names of images and forms, if any. Sorted, because MuPDF sorts the entries of a dictionary with more than 100. */
function resourcesOf(resources: ReadableObject): string {
  return entriesOf(resources.get("XObject"))
    .flatMap(({ key, value }) => (value.isDictionary() ? [key] : []))
    .sort()
    .join(" ");
}

/** The values of the first fields. */
async function valuesOf(open: TreeSource): Promise<string> {
  const values: string[] = [];
  for await (const { object } of fields(open)) {
    values.push(textOf(object.get("V")));
    if (values.length === MOST_LOOKED_AT) break;
  }
  return values.join("\n");
}

/** The entries of a dictionary; none of any other object. */
function entriesOf(object: ReadableObject): { readonly key: string; readonly value: ReadableObject }[] {
  const list: { key: string; value: ReadableObject }[] = [];
  if (!object.isDictionary()) return list;
  object.forEach((value, key) => list.push({ key: String(key), value }) && counted(list.length));
  return list;
}

const itemsOf = (array: ReadableObject, most = Infinity): ReadableObject[] =>
  Array.from({ length: Math.min(array.isArray() ? counted(array.length) : 0, most) }, (_, index) => array.get(index));

/** The number of annotations, and the values and states of the first ones. */
function annotationsOf(annotations: ReadableObject): string {
  if (!annotations.isArray()) return "";
  const facts = [String(annotations.length)];
  for (const annotation of itemsOf(annotations, MOST_LOOKED_AT)) {
    if (annotation.isDictionary()) facts.push(textOf(annotation.getInheritable("V")), textOf(annotation.get("AS")));
  }
  return facts.join("\n");
}
