/**
 * Reads a small file that has just been written, by its cross-reference stream (ISO 32000-2, 7.5.7 and 7.5.8). Not a general reader: a file with
 * anything that MuPDF and our writer do not write is not read at all.
 */
import { find } from "../../../bytes/find.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { inflateShort, SHORT, USUAL_RATIO } from "../../flate/inflate.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { MAX_DEPTH } from "../objects/objects.ts";
import { CR, LF } from "../syntax/characters.ts";
import { Dictionary, Malformed, Name, parseShort, Real, Reference, StringSpan, type Value } from "../syntax/objects.ts";
import { Tokens, tokens } from "../syntax/tokens.ts";

/** Most bytes of object streams: of larger files, MuPDF inflates only the objects that it needs. */
const MOST_STORED = 64 * 1024;
/** Longest object in bytes. */
const MOST_OBJECT = 64 * 1024;
/** Fuel per byte of an object. */
const BYTE_WORK = 3;
/** Bytes at the end of a file that contain the offset of its cross-references. */
const END = 64;
/** Longest end of a line, in bytes. */
const LINE_END = 2;
/** Longest number in the cross-references, in bytes. */
const MOST_WIDTH = 6;
/** Types of rows (table 18). */
const [FREE, PLAIN, PACKED] = [0, 1, 2];

/** An object of a document: one of MuPDF's, or one in the bytes of a file. */
export interface ReadableObject {
  /** Of an array. */
  readonly length: number;
  /** The value of a key, or an item. */
  get(key: string | number): ReadableObject;
  /** The value of a key, or else that in the nearest parent that has one. */
  getInheritable(key: string): ReadableObject;
  /** Visits the entries of a dictionary, or the items of an array. */
  forEach(visit: (value: ReadableObject, key: string | number) => void): void;
  isArray(): boolean;
  /** True also for a stream. */
  isDictionary(): boolean;
  isStream(): boolean;
  isString(): boolean;
  isName(): boolean;
  asNumber(): number;
  asName(): string;
  asByteString(): Uint8Array;
}

/** The place of an object: its offset in the file, or its index in an object stream. */
interface Row {
  /** The number of the object stream; 0 for none. */
  readonly container: number;
  readonly at: number;
  readonly generation: number;
}

/** The objects of an object stream. */
interface Packed {
  readonly data: Uint8Array;
  /** Number and offset of each. */
  readonly objects: readonly { readonly number: number; readonly start: number }[];
}

interface StoredStream {
  readonly dictionary: Dictionary;
  /** Where its data begins. */
  readonly start: number;
}

/** An object in the bytes. */
interface StoredObject {
  readonly value: Value;
  /** The bytes that have its strings. */
  readonly bytes: Uint8Array;
  readonly isStream: boolean;
}

const NULL: StoredObject = { value: null, bytes: new Uint8Array(), isStream: false };

/**
 * Reads the cross-references and the object streams of a file, and checks that each row leads to its object. The bytes must not move afterwards.
 * Undefined if the file is damaged, encrypted, or not of this kind.
 * @throws Refusal `limit_exceeded` (work)
 */
export async function readWritten(work: Work, bytes: EngineBytes): Promise<WrittenFile | undefined> {
  try {
    return await new Reader(work, bytes).read();
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

class Reader {
  readonly #work: Work;
  readonly #bytes: EngineBytes;
  #stored = MOST_STORED;

  constructor(work: Work, bytes: EngineBytes) {
    this.#work = work;
    this.#bytes = bytes;
  }

  async read(): Promise<WrittenFile> {
    const { dictionary: trailer, ...own } = this.#streamAt(this.#startOfReferences(), "XRef");
    if (trailer.get("Encrypt") !== undefined || trailer.get("Prev") !== undefined) throw unlike(own.start);
    const rows = this.#rowsIn(trailer, await this.#dataOf({ dictionary: trailer, ...own }));
    const packed = new Map<number, Packed>();
    for (const [number, { container, at, generation }] of rows) {
      if (container === 0) {
        this.#expectHeading(number, generation, at);
        continue;
      }
      const known = packed.get(container) ?? (await this.#packedIn(rows.get(container)));
      packed.set(container, known);
      if (known.objects[at]?.number !== number) throw unlike(at);
    }
    return new WrittenFile(this.#work, this.#bytes, { trailer, rows, packed });
  }

  /** The offset between `startxref` and the end. */
  #startOfReferences(): number {
    const { length } = this.#bytes;
    const end = this.#bytes.view(Math.max(0, length - END), length);
    const read = new Tokens(end, { at: Math.max(0, find(end, "startxref", 0)), reading: "strict" });
    read.next();
    if (!read.isKeyword("startxref") || read.next() !== "integer") throw unlike(length);
    if (latin1(end.subarray(read.end)) !== "\n%%EOF\n") throw unlike(length);
    return Number(read.text());
  }

  /** The stream at an offset. */
  #streamAt(at: number, type: string): StoredStream {
    const heading = new Tokens(this.#bytes.view(at, at + END), { reading: "strict" });
    heading.next();
    heading.next();
    heading.next();
    if (!heading.isKeyword("obj")) throw unlike(at);
    const from = at + heading.end;
    const { value, end, window } = objectAt(this.#work, this.#bytes, from);
    const data = value instanceof Dictionary ? dataBehind(window, end) : undefined;
    if (!(value instanceof Dictionary) || data === undefined) throw unlike(at);
    const named = value.get("Type");
    if (!(named instanceof Name) || named.value !== type) throw unlike(at);
    return { dictionary: value, start: from + data };
  }

  async #dataOf({ dictionary, start }: StoredStream): Promise<Uint8Array> {
    const [length, filter] = [integer(dictionary.get("Length")), dictionary.get("Filter")];
    this.#stored -= length;
    const end = start + length;
    if (this.#stored < 0 || dictionary.get("DecodeParms") !== undefined) throw unlike(start);
    const keyword = new Tokens(this.#bytes.view(end, end + END), { reading: "strict" });
    keyword.next();
    if (!keyword.isKeyword("endstream") || keyword.start > LINE_END) throw unlike(end);
    const data = this.#bytes.view(start, end).slice();
    if (filter === undefined) return data;
    if (!(filter instanceof Name) || filter.value !== "FlateDecode" || length > SHORT) throw unlike(start);
    const inflated = inflateShort(this.#work, data, length * USUAL_RATIO);
    if (inflated === undefined) throw unlike(start);
    await this.#work.pause();
    return inflated;
  }

  /** The objects that are not free, by their numbers. */
  #rowsIn(trailer: Dictionary, data: Uint8Array): Map<number, Row> {
    const meter = new ParseMeter(this.#work, "references");
    meter.bytes(data.length);
    const widths = numbers(trailer.get("W"));
    const [index = [0, integer(trailer.get("Size"))]] = [trailer.get("Index")].flatMap((list) =>
      list === undefined ? [] : [numbers(list)],
    );
    if (widths.length !== 3 || widths.some((width) => width > MOST_WIDTH) || widths[0] === 0) throw unlike(0);
    const rows = new Map<number, Row>();
    let at = 0;
    const field = (width = 0): number => {
      let value = 0;
      for (const end = at + width; at < end; at++) value = value * 256 + (data[at] ?? 0);
      return value;
    };
    for (let run = 0; run < index.length; run += 2) {
      const [first = 0, count = 0] = index.slice(run, run + 2);
      for (let number = first; number < first + count && at < data.length; number++) {
        meter.element();
        const [type, second, third] = [field(widths[0]), field(widths[1]), field(widths[2])];
        if (type === FREE) continue;
        if ((type !== PLAIN && type !== PACKED) || rows.has(number)) throw unlike(at);
        rows.set(
          number,
          type === PLAIN
            ? { container: 0, at: second, generation: third }
            : { container: second, at: third, generation: 0 },
        );
      }
    }
    if (at !== data.length) throw unlike(at);
    return rows;
  }

  #expectHeading(number: number, generation: number, at: number): void {
    const heading = `${number} ${generation} obj`;
    if (latin1(this.#bytes.view(at, at + heading.length)) !== heading) throw unlike(at);
  }

  async #packedIn(row: Row | undefined): Promise<Packed> {
    if (row === undefined || row.container !== 0) throw unlike(0);
    const stream = this.#streamAt(row.at, "ObjStm");
    const [count, first] = [integer(stream.dictionary.get("N")), integer(stream.dictionary.get("First"))];
    const data = await this.#dataOf(stream);
    const written: number[] = [];
    const index = new Tokens(data.subarray(0, first), { reading: "strict" });
    while (index.next() === "integer") written.push(Number(index.text()));
    if (index.kind !== undefined || written.length !== 2 * count) throw unlike(row.at);
    const objects = Array.from({ length: count }, (_, at) => ({
      number: written[2 * at] ?? 0,
      start: first + (written[2 * at + 1] ?? 0),
    }));
    return { data, objects };
  }
}

/** A file whose cross-references and object streams are read. */
export class WrittenFile {
  readonly #work: Work;
  readonly #bytes: EngineBytes;
  readonly #trailer: Dictionary;
  readonly #rows: ReadonlyMap<number, Row>;
  readonly #packed: ReadonlyMap<number, Packed>;
  readonly #read = new Map<number, StoredObject>();

  constructor(
    work: Work,
    bytes: EngineBytes,
    parts: { trailer: Dictionary; rows: ReadonlyMap<number, Row>; packed: ReadonlyMap<number, Packed> },
  ) {
    this.#work = work;
    this.#bytes = bytes;
    this.#trailer = parts.trailer;
    this.#rows = parts.rows;
    this.#packed = parts.packed;
  }

  /** The trailer. Its own strings are not read. @throws Malformed if an object below it cannot be read */
  get trailer(): ReadableObject {
    return new WrittenObject(this, { ...NULL, value: this.#trailer });
  }

  /** An object by its number; null if the file lacks it. @throws Malformed */
  object(number: number): StoredObject {
    const known = this.#read.get(number) ?? this.#object(number);
    this.#read.set(number, known);
    return known;
  }

  #object(number: number): StoredObject {
    const row = this.#rows.get(number);
    if (row === undefined) return NULL;
    const packed = this.#packed.get(row.container);
    if (packed) {
      const { value } = parse(this.#work, packed.data, packed.objects[row.at]?.start ?? 0);
      return { value, bytes: packed.data, isStream: false };
    }
    const { value, end, window } = objectAt(this.#work, this.#bytes, row.at + `${number} ${row.generation} obj`.length);
    return { value, bytes: window, isStream: value instanceof Dictionary && dataBehind(window, end) !== undefined };
  }
}

class WrittenObject implements ReadableObject {
  readonly #file: WrittenFile;
  readonly #stored: StoredObject;

  constructor(file: WrittenFile, stored: StoredObject) {
    this.#file = file;
    this.#stored = stored;
  }

  get #value(): Value {
    return this.#stored.value;
  }

  get length(): number {
    return Array.isArray(this.#value) ? this.#value.length : 0;
  }

  get(key: string | number): WrittenObject {
    const value = this.#value;
    const held =
      typeof key === "string"
        ? value instanceof Dictionary
          ? value.get(key)
          : undefined
        : Array.isArray(value)
          ? (value as readonly Value[])[key]
          : undefined;
    if (held instanceof Reference) return new WrittenObject(this.#file, this.#file.object(held.number));
    return new WrittenObject(this.#file, { ...this.#stored, value: held ?? null, isStream: false });
  }

  getInheritable(key: string, levels = MAX_DEPTH): WrittenObject {
    const own = this.get(key);
    if (own.#value !== null || levels === 0) return own;
    return this.get("Parent").getInheritable(key, levels - 1);
  }

  forEach(visit: (value: ReadableObject, key: string | number) => void): void {
    const value = this.#value;
    if (value instanceof Dictionary) for (const key of value.keys) visit(this.get(key), nameIn(key));
    else for (let index = 0; index < this.length; index++) visit(this.get(index), index);
  }

  isArray(): boolean {
    return Array.isArray(this.#value);
  }

  isDictionary(): boolean {
    return this.#value instanceof Dictionary;
  }

  isStream(): boolean {
    return this.#stored.isStream;
  }

  isString(): boolean {
    return this.#value instanceof StringSpan;
  }

  isName(): boolean {
    return this.#value instanceof Name;
  }

  asNumber(): number {
    const value = this.#value;
    return value instanceof Real ? value.value : typeof value === "number" ? value : 0;
  }

  asName(): string {
    return this.#value instanceof Name ? nameIn(this.#value.value) : "";
  }

  asByteString(): Uint8Array {
    return this.#value instanceof StringSpan ? this.#value.valueIn(this.#stored.bytes) : new Uint8Array();
  }
}

/** A name as MuPDF gives it, from one character for each byte. */
const nameIn = (bytes: string): string => utf8.decode(bytesOf(bytes));
const utf8 = new TextDecoder();

const unlike = (at: number): Malformed => new Malformed("is not as expected", at);

/** The object at an offset, and the bytes from there on that it was read from. */
function objectAt(work: Work, bytes: EngineBytes, at: number): { value: Value; end: number; window: Uint8Array } {
  const window = bytes.view(at, Math.min(bytes.length, at + MOST_OBJECT));
  return { ...parse(work, window, 0), window };
}

function parse(work: Work, bytes: Uint8Array, at: number): { value: Value; end: number } {
  const { value, end } = parseShort(bytes, at);
  work.spend((end - at) * BYTE_WORK);
  return { value, end };
}

/** Where the data of a stream begins, behind its dictionary; undefined if the dictionary is no stream. */
function dataBehind(bytes: Uint8Array, end: number): number | undefined {
  const next = tokens(bytes, end);
  next.next();
  if (!next.isKeyword("stream")) return undefined;
  const line = bytes[next.end] === CR ? next.end + 1 : next.end;
  if (bytes[line] !== LF) throw unlike(line);
  return line + 1;
}

function integer(value: Value | undefined): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw unlike(0);
}

function numbers(value: Value | undefined): number[] {
  if (!Array.isArray(value)) throw unlike(0);
  return (value as readonly Value[]).map(integer);
}
