/** Reads the ZIP archives that documents are (APPNOTE.TXT 6.3.10). */
import { Inflate } from "fflate";
import { concat } from "../../../bytes/concat.ts";
import type { InputBytes } from "../../memory/heap.ts";
import { archivedFileUnreadable } from "../../file-errors.ts";
import { archivedFileTooLarge, tooManyArchived } from "../../limit-errors.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { PdfEngine } from "../../pdf/mupdf/mupdf.ts";
import { limits } from "../../../limits.ts";

interface Entry {
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
  readonly encrypted: boolean;
}

const [END, CENTRAL, LOCAL] = [0x06054b50, 0x02014b50, 0x04034b50];
/** Those of ZIP64, and the bytes of its end record without extensions. */
const [END64, LOCATOR64, END64_BYTES] = [0x06064b50, 0x07064b50, 56];
/** Bytes of the end record, and how far before the end of a file it can begin: its comment has up to 64 KiB. */
const [END_BYTES, END_SEARCH] = [22, 65_557];
const [STORED, DEFLATED] = [0, 8];
/** Bytes inflated at a time: they expand to 1032 times as many at most. */
const STEP = 4 * 1024;

const decoder = new TextDecoder();

/** An archive in the arena, with its entries by name. */
export class Archive {
  readonly #engine: PdfEngine;
  readonly #bytes: InputBytes;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Inflated bytes of the texts that were read. */
  readonly #texts = new Map<string, number>();

  /** The form field, for errors. */
  readonly #field: string;

  private constructor(engine: PdfEngine, bytes: InputBytes, entries: ReadonlyMap<string, Entry>, field: string) {
    this.#engine = engine;
    this.#field = field;
    this.#bytes = bytes;
    this.#entries = entries;
  }

  /** Undefined if the file is no archive that can be read. */
  static open(engine: PdfEngine, bytes: InputBytes, field = "file"): Archive | undefined {
    const entries = centralDirectory(engine, bytes);
    return entries && new Archive(engine, bytes, entries, field);
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** The total size of all inflated entries, as declared. */
  get inflatedBytes(): number {
    return this.#entries.values().reduce((sum, { size }) => sum + size, 0);
  }

  /** The inflated bytes of all texts that were read, each counted once. */
  get textBytes(): number {
    return this.#texts.values().reduce((sum, bytes) => sum + bytes, 0);
  }

  get encrypted(): boolean {
    return this.#entries.values().some(({ encrypted }) => encrypted);
  }

  /**
   * The contents of an entry; undefined if there is none of that name.
   * @throws Refusal `invalid_file`, `limit_exceeded` (bytes, work, memory)
   */
  async read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const start = this.#dataOf(entry, name);
    // The same bytes may be those of many entries.
    new ParseMeter(this.#engine.work, "zip").bytes(entry.packed);
    const packed = this.#bytes.view(start, Math.min(start + entry.packed, this.#bytes.length)).slice();
    if (entry.encrypted || packed.length < entry.packed) throw archivedFileUnreadable(this.#field, name);
    this.#engine.claim(packed.length);
    try {
      if (entry.method === STORED) {
        this.#engine.countDecoded(packed.length);
        return packed;
      }
      if (entry.method !== DEFLATED) throw archivedFileUnreadable(this.#field, name);
      return await this.#inflated(packed, name);
    } finally {
      this.#engine.claim(-packed.length);
    }
  }

  /** The text of an entry: UTF-8, or UTF-16 with a byte order mark. */
  async readText(name: string): Promise<string | undefined> {
    const bytes = await this.read(name);
    if (bytes === undefined) return undefined;
    this.#texts.set(name, bytes.length);
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    return isUtf16 ? new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes) : decoder.decode(bytes);
  }

  async #inflated(packed: Uint8Array, name: string): Promise<Uint8Array<ArrayBuffer>> {
    const { work } = this.#engine;
    const chunks: Uint8Array[] = [];
    let length = 0;
    const stream = new Inflate((chunk) => {
      chunks.push(chunk);
      length += chunk.length;
    });
    for (let at = 0; at < packed.length; at += STEP) {
      const before = length;
      try {
        stream.push(packed.subarray(at, at + STEP), at + STEP >= packed.length);
      } catch {
        throw archivedFileUnreadable(this.#field, name);
      }
      this.#engine.countDecoded(length - before);
      if (length > limits.conversion.entryBytes) throw archivedFileTooLarge(name, length);
      await work.pause();
    }
    return concat(chunks);
  }

  #dataOf({ offset }: Entry, name: string): number {
    const view = viewOf(this.#bytes, offset, 30);
    if (view === undefined || view.getUint32(0, true) !== LOCAL) throw archivedFileUnreadable(this.#field, name);
    return offset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  }
}

/** A copy, so that the heap may move. */
function viewOf(bytes: InputBytes, start: number, length: number): DataView | undefined {
  if (start < 0 || start + length > bytes.length) return undefined;
  const copy = bytes.view(start, start + length).slice();
  return new DataView(copy.buffer, 0, copy.length);
}

/** Entries, bytes, and start of the directory, also where ZIP64 has them (4.3.14, 4.3.15). `end`: where the end record is in the tail; `at`: in the file. */
function placeOf(bytes: InputBytes, tail: DataView, end: number, at: number): readonly [number, number, number] {
  const locator = viewOf(bytes, at - 20, 20);
  const end64 =
    locator?.getUint32(0, true) === LOCATOR64
      ? viewOf(bytes, Number(locator.getBigUint64(8, true)), END64_BYTES)
      : undefined;
  if (end64?.getUint32(0, true) === END64) {
    const long = (offset: number): number => Number(end64.getBigUint64(offset, true));
    return [long(32), long(40), long(48)];
  }
  return [tail.getUint16(end + 10, true), tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
}

function centralDirectory(engine: PdfEngine, bytes: InputBytes): ReadonlyMap<string, Entry> | undefined {
  const from = Math.max(0, bytes.length - END_SEARCH);
  const tail = viewOf(bytes, from, bytes.length - from);
  let end = (tail?.byteLength ?? 0) - END_BYTES;
  while (end >= 0 && tail?.getUint32(end, true) !== END) end -= 1;
  if (tail === undefined || end < 0) return undefined;
  const [count, size, start] = placeOf(bytes, tail, end, from + end);
  const limit = limits.conversion.entries;
  if (count > limit) throw tooManyArchived(count);
  const meter = new ParseMeter(engine.work, "zip");
  meter.bytes(size);
  const directory = viewOf(bytes, start, size);
  if (directory === undefined) return undefined;
  const entries = new Map<string, Entry>();
  for (let at = 0, index = 0; index < count && at + 46 <= size; index++) {
    meter.element();
    if (directory.getUint32(at, true) !== CENTRAL) return undefined;
    const [nameLength, extra, comment] = [28, 30, 32].map((place) => directory.getUint16(at + place, true)) as [
      number,
      number,
      number,
    ];
    if (at + 46 + nameLength > size || nameLength > limits.conversion.nameBytes) return undefined;
    const name = decoder.decode(new Uint8Array(directory.buffer, at + 46, nameLength));
    entries.set(name.replaceAll("\\", "/"), {
      encrypted: (directory.getUint16(at + 8, true) & 1) !== 0,
      method: directory.getUint16(at + 10, true),
      packed: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      offset: directory.getUint32(at + 42, true),
    });
    at += 46 + nameLength + extra + comment;
  }
  return entries;
}
