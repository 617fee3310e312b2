/** The objects that differ between two revisions of a file, and the references to them. The earlier revision is the beginning of the file. */
import type { PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { FileEntry } from "../mupdf/file-entries.ts";
import { entries, items, objectNumber } from "../objects/objects.ts";
import { type References, referencesIn } from "./references.ts";
import type { HiddenReferences } from "./written-references.ts";

/** Fuel per value that is compared, and per object that is looked up. */
const VALUE_WORK = 200;
const ENTRY_WORK = 100;

export interface Difference {
  readonly before: OpenPdf;
  readonly after: OpenPdf;
  /** Numbers of objects that are not the same: changed, removed, or new. */
  readonly changed: ReadonlySet<number>;
  /** Numbers of those that the earlier revision has. */
  readonly known: ReadonlySet<number>;
  /** Numbers of those that the later revision does not have. */
  readonly removed: ReadonlySet<number>;
  /** Of the earlier revision. Whoever is done with them releases them. Undefined where not all objects are read. */
  readonly references: References | undefined;
  /** The objects of the earlier revision that refer to a changed one, or to the appearance dictionary of one, by its number. */
  readonly users: ReadonlyMap<number, ReadonlySet<number>>;
  /** Where not all objects are read: pages (0-based) that are compared besides those that changed themselves. */
  readonly pages?: readonly number[];
}

/**
 * The value in the syntax of a file, the same for the same value: dictionaries in the order of their keys, references by object number.
 */
export function canonical(engine: PdfEngine, value: PDFObject): string {
  engine.work.spend(VALUE_WORK);
  if (value.isIndirect()) return `${value.asIndirect()} R`;
  return contentOf(engine, value);
}

/** The same for the target of a reference. */
export function contentOf(engine: PdfEngine, object: PDFObject): string {
  if (object.isNull()) return "null";
  const value = object.resolve();
  if (value.isArray())
    return `[${items(value)
      .map((one) => canonical(engine, one))
      .join(" ")}]`;
  if (!value.isDictionary()) return value.isString() ? `<${hex(value.asByteString())}>` : value.toString(true, true);
  const list = entries(engine, value).map(
    ({ key, value: one }) => `${key.toString(true, true)} ${canonical(engine, one)}`,
  );
  return `<<${list.toSorted().join(" ")}>>`;
}

/** Whether two objects are the same, with their data if they are streams. */
function isSameObject(engine: PdfEngine, one: PDFObject, other: PDFObject): boolean {
  if (one.isStream() !== other.isStream() || contentOf(engine, one) !== contentOf(engine, other)) return false;
  if (!one.isStream()) return true;
  const [first, second] = [one, other].map((stream) => {
    const buffer = stream.readRawStream();
    const bytes = buffer.asUint8Array().slice();
    buffer.destroy();
    engine.countDecoded(bytes.length);
    return bytes;
  });
  return latin1(first ?? new Uint8Array()) === latin1(second ?? new Uint8Array());
}

const isSameEntry = (one: FileEntry | undefined, other: FileEntry | undefined): boolean =>
  one?.offset === other?.offset && one?.container === other?.container && one?.generation === other?.generation;

/** Finds the differences. Objects with the same entry in both cross-references have the same bytes, and are not read. */
export async function differenceOf(before: OpenPdf, after: OpenPdf, hidden: HiddenReferences): Promise<Difference> {
  const { engine } = after;
  const [earlier, later] = [engine.fileEntriesOf(before.document), engine.fileEntriesOf(after.document)];
  const changed = new Set<number>();
  const known = new Set<number>();
  const removed = new Set<number>();
  const isAtSamePlace = (number: number): boolean => {
    const [one, other] = [earlier.get(number), later.get(number)];
    if (!isSameEntry(one, other)) return false;
    return one?.container === undefined || isSameEntry(earlier.get(one.container), later.get(one.container));
  };
  for (const number of new Set([...earlier.keys(), ...later.keys()])) {
    engine.work.spend(ENTRY_WORK);
    await engine.work.pause();
    if (isAtSamePlace(number)) continue;
    const isKnown = earlier.has(number);
    const isSame =
      isKnown &&
      later.has(number) &&
      engine.scope(() => isSameObject(engine, before.document.newIndirect(number), after.document.newIndirect(number)));
    if (isSame) continue;
    changed.add(number);
    if (isKnown) known.add(number);
    if (!later.has(number)) removed.add(number);
  }
  const appearances = Array.from(known, (number) =>
    engine.scope(() => objectNumber(before.document.newIndirect(number).get("AP"))),
  );
  const watched = new Set([...changed, ...appearances.filter((number) => number > 0)]);
  const references = await referencesIn(before, changed);
  if (changed.size > 0) await hidden.addTo(references, before, changed);
  return { before, after, changed, known, removed, references, users: await references.usersOf(watched) };
}

/**
 * The same for a file that is read in ranges, without reading all of it: the changes of an update of ours, regardless of other references to them.
 * @param numbers of the objects in the update; `pages`: see `Difference`
 */
export async function differenceIn(
  before: OpenPdf,
  after: OpenPdf,
  { numbers, pages }: { readonly numbers: readonly number[]; readonly pages: readonly number[] },
): Promise<Difference> {
  const { engine } = after;
  const changed = new Set<number>();
  const known = new Set<number>();
  const removed = new Set<number>();
  for (const number of numbers) {
    engine.work.spend(ENTRY_WORK);
    await engine.work.pause();
    const [isKnown, isThere] = [before, after].map(
      ({ document }) => engine.fileEntryOf(document, number) !== undefined,
    );
    const isSame =
      isKnown &&
      isThere &&
      engine.scope(() => isSameObject(engine, before.document.newIndirect(number), after.document.newIndirect(number)));
    if (isSame) continue;
    changed.add(number);
    if (isKnown) known.add(number);
    if (!isThere) removed.add(number);
  }
  return { before, after, changed, known, removed, references: undefined, users: new Map(), pages };
}
