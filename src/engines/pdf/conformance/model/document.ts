/** All objects of a document as plain values, each read once, and access to them by type. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../../document/document.ts";
import { readStream } from "../../content/streams.ts";
import {
  type Plain,
  PlainDictionary,
  PlainName,
  PlainReference,
  PlainString,
  PlainValues,
} from "../../objects/plain-values.ts";
import type { FileEntry } from "../../mupdf/file-entries.ts";
import { latin1 } from "../../../../bytes/latin1.ts";

/** Fuel per object, in addition to that per value. */
const OBJECT_WORK = 200;
/** Bytes that a value takes, with its place in a container. */
const VALUE_BYTES = 48;
/** The filters of ISO 32000-2, table 6. Their short names are for inline images only. */
const FILTER_NAMES = new Set([
  "ASCIIHexDecode",
  "ASCII85Decode",
  "LZWDecode",
  "FlateDecode",
  "RunLengthDecode",
  "CCITTFaxDecode",
  "JBIG2Decode",
  "DCTDecode",
  "JPXDecode",
  "Crypt",
]);
/** References to references that are followed. */
const MOST_STEPS = 16;
/** Levels of trees, of pages or fields for example. */
export const DEEPEST_NODE = 64;

export class ModelDocument implements Disposable {
  readonly open: OpenPdf;
  readonly trailer: PlainDictionary;
  readonly objects: ReadonlyMap<number, Plain>;
  /** Where the objects are in the file. */
  readonly entries: ReadonlyMap<number, FileEntry>;
  /** Bytes of its values. */
  readonly #claimed: number;

  constructor(
    open: OpenPdf,
    trailer: PlainDictionary,
    objects: ReadonlyMap<number, Plain>,
    entries: ReadonlyMap<number, FileEntry>,
    claimed: number,
  ) {
    this.#claimed = claimed;
    this.open = open;
    this.trailer = trailer;
    this.objects = objects;
    this.entries = entries;
  }

  /** The value that a reference leads to; any other value itself. */
  resolve(value: Plain | undefined): Plain {
    let found = value ?? null;
    for (let step = 0; found instanceof PlainReference; step++)
      found = step < MOST_STEPS ? (this.objects.get(found.number) ?? null) : null;
    return found;
  }

  /** A value at a path of keys. */
  get(from: Plain | undefined, ...path: readonly string[]): Plain {
    let found = this.resolve(from);
    for (const key of path) found = found instanceof PlainDictionary ? this.resolve(found.entries.get(key)) : null;
    return found;
  }

  has(from: Plain | undefined, key: string): boolean {
    const dictionary = this.resolve(from);
    return dictionary instanceof PlainDictionary && dictionary.entries.has(key);
  }

  dictionary(from: Plain | undefined, ...path: readonly string[]): PlainDictionary | undefined {
    const found = this.get(from, ...path);
    return found instanceof PlainDictionary ? found : undefined;
  }

  stream(from: Plain | undefined, ...path: readonly string[]): PlainDictionary | undefined {
    const found = this.dictionary(from, ...path);
    return found?.isStream === true ? found : undefined;
  }

  /** The items of an array; none of any other value. */
  items(from: Plain | undefined, ...path: readonly string[]): readonly Plain[] {
    const found = this.get(from, ...path);
    return isArray(found) ? found : [];
  }

  /** The characters of a name; undefined for any other value. */
  name(from: Plain | undefined, ...path: readonly string[]): string | undefined {
    const found = this.get(from, ...path);
    return found instanceof PlainName ? found.value : undefined;
  }

  number(from: Plain | undefined, ...path: readonly string[]): number | undefined {
    const found = this.get(from, ...path);
    return typeof found === "number" ? found : undefined;
  }

  numbers(from: Plain | undefined, ...path: readonly string[]): readonly number[] {
    return this.items(from, ...path).map((item) => this.number(item) ?? 0);
  }

  /** The bytes of a string, one character each; undefined for any other value. */
  text(from: Plain | undefined, ...path: readonly string[]): string | undefined {
    const found = this.get(from, ...path);
    return found instanceof PlainString ? latin1(found.bytes) : undefined;
  }

  /** An entry of a node of a tree, or of the nearest node above it that has it. */
  inherited(node: PlainDictionary, key: string, parent = "Parent"): Plain {
    let at: PlainDictionary | undefined = node;
    for (let level = 0; at && level < DEEPEST_NODE; level++) {
      const found = at.entries.get(key);
      if (found !== undefined) return found;
      at = this.dictionary(at, parent);
    }
    return null;
  }

  get root(): PlainDictionary | undefined {
    return this.dictionary(this.trailer, "Root");
  }

  /** The names of the filters of a stream. */
  filters(stream: PlainDictionary): readonly string[] {
    const filter = this.get(stream, "Filter");
    return (isArray(filter) ? filter : [filter]).flatMap((item) => this.name(item) ?? []);
  }

  /** The decoded data of a stream; undefined if it cannot be read, as with filters that are not defined. */
  async data(stream: PlainDictionary): Promise<Uint8Array | undefined> {
    if (!this.filters(stream).every((name) => FILTER_NAMES.has(name))) return undefined;
    const { engine, document } = this.open;
    return engine.scope(async () => {
      const handle: PDFObject = document.newIndirect(stream.object);
      return readStream(this.open, handle);
    });
  }

  /** The values are garbage from now on. */
  [Symbol.dispose](): void {
    this.open.engine.claim(-this.#claimed);
  }
}

export const isArray = (value: Plain): value is readonly Plain[] => Array.isArray(value);

/**
 * Reads all objects that the cross-references of the file have.
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function readModelDocument(open: OpenPdf): Promise<ModelDocument> {
  const entries = open.engine.fileEntriesOf(open.document);
  return readObjects(
    open,
    entries,
    [...entries.keys()].toSorted((a, b) => a - b),
  );
}

/**
 * Reads all objects of a document in memory, with the changes that are not in its file.
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function readChangedDocument(open: OpenPdf): Promise<ModelDocument> {
  const numbers = Array.from({ length: open.document.countObjects() - 1 }, (_, index) => index + 1);
  return readObjects(open, new Map(), numbers);
}

async function readObjects(
  open: OpenPdf,
  entries: ReadonlyMap<number, FileEntry>,
  numbers: readonly number[],
): Promise<ModelDocument> {
  const { engine, document } = open;
  const { values, work } = engine;
  const plain = new PlainValues(engine);
  const trailer = await plain.read(document.getTrailer().pointer, 0);
  const objects = new Map<number, Plain>();
  let claimed = 0;
  for (const number of numbers) {
    work.spend(OBJECT_WORK);
    await work.pause();
    const reference = values.reference(document, number);
    try {
      const read = plain.read(reference, number);
      objects.set(number, read instanceof Promise ? await read : read);
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    } finally {
      values.drop(reference);
    }
    if (plain.count - claimed < 10_000) continue;
    engine.claim((plain.count - claimed) * VALUE_BYTES);
    claimed = plain.count;
  }
  if (!(trailer instanceof PlainDictionary)) throw new TypeError("A document has a trailer.");
  return new ModelDocument(open, trailer, objects, entries, claimed * VALUE_BYTES);
}
