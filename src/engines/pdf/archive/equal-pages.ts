/**
 * Which pages of two documents consist of equal objects. MuPDF draws a page from its own entries, all that these reach, and three entries of the
 * catalog. If all of them are equal, so are the pixels, and the page need not be drawn to compare them.
 */
import { srgbProfile } from "../../image/gamma-profile.ts";
import { readStream } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { INHERITABLE, pageAt } from "../document/page-tree.ts";
import { dataInFile } from "../document/stream-data.ts";
import type { FileRange } from "../mupdf/mupdf.ts";
import { objectNumber } from "../objects/objects.ts";
import {
  type Plain,
  PlainDictionary,
  PlainName,
  PlainReference,
  PlainString,
  PlainValues,
} from "../objects/plain-values.ts";

/** Fuel per value, and per byte of a stream. */
const [VALUE_WORK, BYTE_WORK] = [20, 1];
/** Bytes that a value takes, with its place in a container. */
const VALUE_BYTES = 48;
/** Bytes of streams that are compared between two pauses. */
const PIECE = 256 * 1024;
/** Bytes of a stream that is decoded to be compared. A larger one counts as different. */
const MOST_DECODED = 4 * 1024 * 1024;
/** Nodes above a page. */
const MOST_LEVELS = 64;

/** The annotation flag that only matters in print. */
const PRINT = 4;
/** Filters of images, which depend on entries of the image. */
const IMAGE_FILTERS = new Set(["DCTDecode", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode"]);
const DEFAULT_CMYK = "DefaultCMYK";
const DATA_KEYS = ["Filter", "DecodeParms"];

/** The role of a value, which decides which of its entries MuPDF draws. */
type Role = "value" | "annotation" | "form" | "layers";

const NOT_DRAWN: Readonly<Record<Exclude<Role, "value"> | "stream" | "descriptor", ReadonlySet<string>>> = {
  // `F` is compared by its flags.
  annotation: new Set("F P A AA PA Dest Kids Popup StructParent".split(" ")),
  form: new Set("Fields XFA SigFlags CO".split(" ")),
  layers: new Set("Configs Name Order Creator".split(" ")),
  stream: new Set([
    "Length",
    ...DATA_KEYS,
    ..."Metadata PieceInfo LastModified StructParent StructParents Alternates OPI".split(" "),
  ]),
  descriptor: new Set(["CIDSet", "CharSet"]),
};

/** Entries whose values have the role of the dictionary. */
const OF_SAME_ROLE: Readonly<Partial<Record<Role, readonly string[]>>> = {
  annotation: ["Parent", "IRT"],
  layers: ["D"],
};

/** Two values, and the node that has them. */
interface Pair {
  readonly before: Plain;
  readonly after: Plain;
  readonly role: Role;
}

/** Two objects, or the entries of two pages. */
interface Node {
  readonly pairs: readonly Pair[];
  /** Indexes of the nodes that refer to it. */
  readonly holders: number[];
  isDifferent: boolean;
}

interface StreamPair {
  readonly node: Node;
  readonly before: PlainDictionary;
  readonly after: PlainDictionary;
}

/**
 * Indexes of the pages that look the same because they consist of equal objects. The other pages may look the same, too.
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function pagesOfEqualObjects(before: OpenPdf, after: OpenPdf): Promise<ReadonlySet<number>> {
  const { engine, pageCount } = after;
  using comparison = new Comparison(before, after);
  const same = new Set<number>();
  if (before.pageCount !== pageCount) return same;
  const catalog = comparison.add(await comparison.catalog());
  const form = comparison.add(await comparison.form());
  const pages: number[] = [];
  for (let index = 0; index < pageCount; index++) {
    await engine.work.pause();
    const pairs = await comparison.page(index);
    const page = comparison.add(pairs);
    comparison.refer(page, catalog);
    if (pairs.some(({ role, before: value }) => role === "annotation" && value !== null)) comparison.refer(page, form);
    pages.push(page);
  }
  await comparison.finish();
  // A repair changes objects that were read before.
  if (before.repaired || after.repaired) return same;
  for (const [index, page] of pages.entries()) if (!comparison.isDifferent(page)) same.add(index);
  return same;
}

class Comparison implements Disposable {
  readonly #before: Side;
  readonly #after: Side;
  readonly #nodes: Node[] = [];
  /** Nodes of objects by role and number of the first object, each with the number of the other. */
  readonly #known = new Map<string, { readonly index: number; readonly after: number }>();
  readonly #pending: number[] = [];
  readonly #streams: StreamPair[] = [];

  constructor(before: OpenPdf, after: OpenPdf) {
    this.#before = new Side(before);
    this.#after = new Side(after);
  }

  add(pairs: readonly Pair[]): number {
    const index = this.#nodes.length;
    this.#nodes.push({ pairs, holders: [], isDifferent: false });
    this.#pending.push(index);
    return index;
  }

  refer(holder: number, index: number): void {
    this.#nodes[index]?.holders.push(holder);
  }

  isDifferent(index: number): boolean {
    return this.#nodes[index]?.isDifferent !== false;
  }

  /** The entries of the catalog that MuPDF reads for every page: layers, and the output intent. */
  async catalog(): Promise<Pair[]> {
    const [before, after] = [this.#before, this.#after];
    const pair = async (role: Role, ...path: readonly (string | number)[]): Promise<Pair> => ({
      before: await before.get(...path),
      after: await after.get(...path),
      role,
    });
    const intent = await pair("value", "OutputIntents", 0, "DestOutputProfile");
    // MuPDF shows the same samples in our sRGB as without an intent.
    const isNeutral = intent.before === null && (await after.isSrgb(intent.after));
    return [await pair("layers", "OCProperties"), ...(isNeutral ? [] : [intent])];
  }

  /** The entries of the form that MuPDF reads for annotations. */
  async form(): Promise<Pair[]> {
    return [{ before: await this.#before.get("AcroForm"), after: await this.#after.get("AcroForm"), role: "form" }];
  }

  /** The entries of a page (0-based) that MuPDF draws. */
  async page(index: number): Promise<Pair[]> {
    const [before, after] = [await this.#before.page(index), await this.#after.page(index)];
    return ["Contents", "Group", "UserUnit", "Annots", ...INHERITABLE].map((key) => ({
      before: before.get(key) ?? null,
      after: after.get(key) ?? null,
      role: key === "Annots" ? "annotation" : "value",
    }));
  }

  /** Compares all that the nodes reach. */
  async finish(): Promise<void> {
    const { work } = this.#after.open.engine;
    for (let index = this.#pending.pop(); index !== undefined; index = this.#pending.pop()) {
      await work.pause();
      const node = this.#nodes[index];
      if (node && !(await this.#isEqual(node, index))) node.isDifferent = true;
    }
    await this.#compareStreams();
    const different = this.#nodes.filter(({ isDifferent }) => isDifferent);
    for (let node = different.pop(); node; node = different.pop()) {
      for (const holder of node.holders) {
        const above = this.#nodes[holder];
        if (!above || above.isDifferent) continue;
        above.isDifferent = true;
        different.push(above);
      }
    }
  }

  /** Compares the values of a node up to their references, which become nodes. */
  async #isEqual(node: Node, index: number): Promise<boolean> {
    const { work } = this.#after.open.engine;
    const pending = [...node.pairs];
    for (let pair = pending.pop(); pair; pair = pending.pop()) {
      work.spend(VALUE_WORK);
      await work.pause();
      const { before, after, role } = pair;
      if (before instanceof PlainReference && after instanceof PlainReference) {
        if (!(await this.#link(before.number, after.number, role, index))) return false;
      } else if (before instanceof PlainDictionary && after instanceof PlainDictionary) {
        if (before.isStream !== after.isStream) return false;
        if (before.isStream) this.#streams.push({ node, before, after });
        if (!(await this.#addEntries(before, after, role, pending))) return false;
      } else if (Array.isArray(before) && Array.isArray(after)) {
        if (before.length !== after.length) return false;
        for (const [at, item] of before.entries()) pending.push({ before: item, after: after[at] ?? null, role });
      } else if (!isEqualScalar(before, after)) return false;
    }
    return true;
  }

  /** Adds the entries of two dictionaries. Returns false if they differ. */
  async #addEntries(
    { entries: before, isStream }: PlainDictionary,
    { entries: after }: PlainDictionary,
    role: Role,
    pending: Pair[],
  ): Promise<boolean> {
    const type = before.get("Type");
    const isDescriptor = type instanceof PlainName && type.value === "FontDescriptor";
    const kind = role !== "value" ? role : isStream ? "stream" : isDescriptor ? "descriptor" : undefined;
    const isDrawn = (key: string): boolean => kind === undefined || !NOT_DRAWN[kind].has(key);
    if (role === "annotation") {
      const [flags, others] = [before.get("F") ?? 0, after.get("F") ?? 0];
      if (typeof flags !== "number" || typeof others !== "number" || (flags | PRINT) !== (others | PRINT)) return false;
    }
    for (const [key, value] of after)
      if (!before.has(key) && isDrawn(key) && !(await this.#isNeutralEntry(key, value))) return false;
    for (const [key, value] of before) {
      if (!isDrawn(key)) continue;
      const other = after.get(key);
      if (other === undefined) return false;
      pending.push({ before: value, after: other, role: OF_SAME_ROLE[role]?.includes(key) ? role : "value" });
    }
    return true;
  }

  /** Whether an entry that resources gained gives colors the meaning that MuPDF sees in them without it. */
  async #isNeutralEntry(key: string, value: Plain): Promise<boolean> {
    if (key === DEFAULT_CMYK) return this.#after.isDeviceCmyk(value);
    const added = key === "ColorSpace" && value instanceof PlainDictionary ? value.entries : new Map<string, Plain>();
    return added.size === 1 && (await this.#after.isDeviceCmyk(added.get(DEFAULT_CMYK)));
  }

  /** Makes a node of two objects. Returns whether the first one has no other counterpart. */
  async #link(before: number, after: number, role: Role, holder: number): Promise<boolean> {
    const key = `${role} ${before}`;
    const known = this.#known.get(key);
    if (known) {
      this.refer(holder, known.index);
      return known.after === after;
    }
    const pair = { before: await this.#before.object(before), after: await this.#after.object(after), role };
    const index = this.add([pair]);
    this.#known.set(key, { index, after });
    this.refer(holder, index);
    return true;
  }

  async #compareStreams(): Promise<void> {
    const pairs = this.#streams.filter(({ node }) => !node.isDifferent);
    await this.#before.locate(pairs.map(({ before }) => before.object));
    await this.#after.locate(pairs.map(({ after }) => after.object));
    for (const { node, before, after } of pairs) {
      if (!node.isDifferent && !(await this.#isEqualData(before, after))) node.isDifferent = true;
    }
  }

  async #isEqualData(before: PlainDictionary, after: PlainDictionary): Promise<boolean> {
    const [filters, others] = [await this.#before.filters(before), await this.#after.filters(after)];
    const [one, other] = [this.#before.place(before), this.#after.place(after)];
    if (one && other && filters.written === others.written && one.end - one.start === other.end - other.start) {
      if (await this.#isEqualRange(one, other)) return true;
    }
    if ([...filters.names, ...others.names].some((name) => IMAGE_FILTERS.has(name))) return false;
    const [data, otherData] = [await this.#before.decoded(before), await this.#after.decoded(after)];
    if (!data || data.length !== otherData?.length) return false;
    this.#after.open.engine.work.spend(data.length * BYTE_WORK);
    return data.every((byte, at) => byte === otherData[at]);
  }

  async #isEqualRange(one: FileRange, other: FileRange): Promise<boolean> {
    const { work } = this.#after.open.engine;
    for (let at = 0; at < one.end - one.start; at += PIECE) {
      const first = this.#before.open.input.bytes.view(one.start + at, Math.min(one.start + at + PIECE, one.end));
      const second = this.#after.open.input.bytes.view(other.start + at, Math.min(other.start + at + PIECE, other.end));
      for (let byte = 0; byte < first.length; byte++) if (first[byte] !== second[byte]) return false;
      work.spend(first.length * BYTE_WORK);
      await work.pause();
    }
    return true;
  }

  [Symbol.dispose](): void {
    this.#before[Symbol.dispose]();
    this.#after[Symbol.dispose]();
  }
}

function isEqualScalar(before: Plain, after: Plain): boolean {
  if (before instanceof PlainName) return after instanceof PlainName && before.value === after.value;
  if (before instanceof PlainString) return after instanceof PlainString && before.isEqual(after);
  return before === after;
}

/** The objects of one document, each read once. */
class Side implements Disposable {
  readonly open: OpenPdf;
  readonly #values: PlainValues;
  readonly #objects = new Map<number, Plain>();
  #claimed = 0;
  /** Whether color spaces, by their numbers, have MuPDF's profile of DeviceCMYK. */
  readonly #deviceCmyk = new Map<number, boolean>();
  #places: ReadonlyMap<number, FileRange> = new Map();

  constructor(open: OpenPdf) {
    this.open = open;
    this.#values = new PlainValues(open.engine);
  }

  /** An object; null if it cannot be read. */
  async object(number: number): Promise<Plain> {
    const known = this.#objects.get(number);
    if (known !== undefined) return known;
    const { engine, document } = this.open;
    const reference = engine.values.reference(document, number);
    let read: Plain = null;
    try {
      read = await this.#values.read(reference, number);
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    } finally {
      engine.values.drop(reference);
    }
    this.#objects.set(number, read);
    const most = (this.#values.count - this.#claimed) * VALUE_BYTES;
    engine.claim(most);
    this.#claimed = this.#values.count;
    return read;
  }

  async #resolved(value: Plain | undefined): Promise<Plain> {
    const found = value instanceof PlainReference ? await this.object(value.number) : (value ?? null);
    return found instanceof PlainReference ? null : found;
  }

  /** A value at a path from the catalog, which may be a reference. */
  async get(...path: readonly (string | number)[]): Promise<Plain> {
    const { engine, document } = this.open;
    const root = engine.scope(() => objectNumber(document.getTrailer().get("Root")));
    let found: Plain = new PlainReference(root);
    for (const key of path) {
      const holder = await this.#resolved(found);
      if (typeof key === "number") found = Array.isArray(holder) ? ((holder as readonly Plain[])[key] ?? null) : null;
      else found = holder instanceof PlainDictionary ? (holder.entries.get(key) ?? null) : null;
    }
    return found;
  }

  /** The entries of a page (0-based), with those that it inherits. */
  async page(index: number): Promise<ReadonlyMap<string, Plain>> {
    const { engine } = this.open;
    const page = await this.object(engine.scope(() => objectNumber(pageAt(this.open, index))));
    const found = new Map(page instanceof PlainDictionary ? page.entries : []);
    let node = page;
    for (let level = 0; level < MOST_LEVELS && node instanceof PlainDictionary; level++) {
      for (const key of INHERITABLE) {
        const value = node.entries.get(key);
        if (value !== undefined && !found.has(key)) found.set(key, value);
      }
      node = await this.#resolved(node.entries.get("Parent"));
    }
    return found;
  }

  /** The names of the filters of a stream, and these with their parameters. */
  async filters({
    entries,
  }: PlainDictionary): Promise<{ readonly names: readonly string[]; readonly written: string }> {
    const values: Plain[] = [];
    for (const key of DATA_KEYS) values.push(await this.#resolved(entries.get(key)));
    const [filter = null] = values;
    const names = (Array.isArray(filter) ? (filter as readonly Plain[]) : [filter]).flatMap((name) =>
      name instanceof PlainName ? name.value : [],
    );
    return { names, written: writtenOf(values) };
  }

  /** Finds the data of streams in the file. */
  async locate(numbers: readonly number[]): Promise<void> {
    // Data of an encrypted file has to be decrypted first.
    if (!this.open.encrypted) this.#places = await dataInFile(this.open, [...new Set(numbers)]);
  }

  place({ object }: PlainDictionary): FileRange | undefined {
    return this.#places.get(object);
  }

  /** The decoded data of a stream; undefined if it is too large or cannot be read. */
  async decoded(stream: PlainDictionary): Promise<Uint8Array | undefined> {
    const { engine, document } = this.open;
    const place = this.place(stream);
    const length = await this.#resolved(stream.entries.get("Length"));
    if ((place ? place.end - place.start : Number(length)) > MOST_DECODED) return undefined;
    return engine.scope(() => readStream(this.open, document.newIndirect(stream.object)));
  }

  /** Whether a value is the sRGB profile that we write. */
  async isSrgb(value: Plain): Promise<boolean> {
    return this.#isProfile(value, srgbProfile());
  }

  /** Whether a value is a color space with the profile by which MuPDF shows DeviceCMYK. */
  async isDeviceCmyk(value: Plain | undefined): Promise<boolean> {
    const number = value instanceof PlainReference ? value.number : 0;
    const known = this.#deviceCmyk.get(number);
    if (known !== undefined) return known;
    const space = await this.#resolved(value);
    const [family, profile = null] = Array.isArray(space) ? (space as readonly Plain[]) : [];
    const isIcc = family instanceof PlainName && family.value === "ICCBased";
    const isDevice = isIcc && (await this.#isProfile(profile, this.open.engine.cmykProfile()));
    if (number > 0) this.#deviceCmyk.set(number, isDevice);
    return isDevice;
  }

  async #isProfile(value: Plain, own: Uint8Array): Promise<boolean> {
    const stream = await this.#resolved(value);
    if (!(stream instanceof PlainDictionary) || !stream.isStream) return false;
    const data = await this.decoded(stream);
    return data?.length === own.length && own.every((byte, at) => byte === data[at]);
  }

  [Symbol.dispose](): void {
    this.open.engine.claim(-this.#claimed * VALUE_BYTES);
  }
}

/** Values in one notation, with the numbers of objects: equal if the values are. */
const writtenOf = (values: readonly Plain[]): string =>
  JSON.stringify(values, (_, value: unknown) => (value instanceof PlainDictionary ? [...value.entries] : value));
