/** The structure that TIFF files and EXIF data share: directories of tagged values (TIFF 6.0, section 2). */
import { tag } from "./facts.ts";

/** A value of a directory. Undefined parts of it lie outside the file. */
export interface TiffEntry {
  /** The type of its numbers: 1 to 13. */
  readonly type: number;
  /** How many numbers it has, as it claims. */
  readonly count: number;
  /** Offset of the first. */
  readonly at: number;
}

export interface TiffDirectory {
  readonly entries: ReadonlyMap<number, TiffEntry>;
  /** Offset of the next directory; 0 after the last. */
  readonly next: number;
}

const SHORT = 3;
const LONG = 4;
const RATIONAL = 5;
/** Bytes of a number, by its type. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 13: 4 };
const ENTRY_BYTES = 12;
const INLINE_BYTES = 4;

/** Reads numbers of the file without trusting any of its offsets or counts. */
export class TiffStructure {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly isLittleEndian: boolean;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.isLittleEndian = tag(bytes, 0, 2) === "II";
  }

  /** Undefined if the bytes do not begin with a byte order. */
  static of(bytes: Uint8Array): TiffStructure | undefined {
    const order = tag(bytes, 0, 2);
    return bytes.length >= 8 && (order === "II" || order === "MM") ? new TiffStructure(bytes) : undefined;
  }

  /** 42 for a TIFF, 43 for a BigTIFF. */
  get version(): number {
    return this.#view.getUint16(2, this.isLittleEndian);
  }

  /** Offset of the first directory. */
  get first(): number {
    return this.#view.getUint32(4, this.isLittleEndian);
  }

  /**
   * The entries with these tags among up to `most` of a directory, and how many entries it has; the first with a tag counts. Undefined if the
   * directory begins outside the file. `next` is undefined if its end lies outside.
   */
  directory(
    at: number,
    most: number,
    tags: ReadonlySet<number>,
  ): (Omit<TiffDirectory, "next"> & { readonly count: number; readonly next: number | undefined }) | undefined {
    if (!this.#isInside(at, 2)) return undefined;
    const all = this.#view.getUint16(at, this.isLittleEndian);
    const entries = new Map<number, TiffEntry>();
    for (let index = 0; index < Math.min(all, most); index++) {
      const place = at + 2 + index * ENTRY_BYTES;
      if (!this.#isInside(place, ENTRY_BYTES)) break;
      const name = this.#view.getUint16(place, this.isLittleEndian);
      if (tags.has(name) && !entries.has(name)) entries.set(name, this.#entry(place));
    }
    const end = at + 2 + all * ENTRY_BYTES;
    return {
      entries,
      count: Math.min(all, most),
      next: this.#isInside(end, 4) ? this.#view.getUint32(end, this.isLittleEndian) : undefined,
    };
  }

  #entry(place: number): TiffEntry {
    const type = this.#view.getUint16(place + 2, this.isLittleEndian);
    const count = this.#view.getUint32(place + 4, this.isLittleEndian);
    const isInline = (SIZES[type] ?? Infinity) * count <= INLINE_BYTES;
    return { type, count, at: isInline ? place + 8 : this.#view.getUint32(place + 8, this.isLittleEndian) };
  }

  /** The unsigned number `index` of an entry; undefined if there is none, or it lies outside the file. */
  number(entry: TiffEntry | undefined, index = 0): number | undefined {
    if (!entry || index >= entry.count) return undefined;
    const size = SIZES[entry.type] ?? 0;
    const at = entry.at + index * size;
    if (size === 0 || !this.#isInside(at, size)) return undefined;
    if (size === 1) return this.#bytes[at];
    if (entry.type === SHORT) return this.#view.getUint16(at, this.isLittleEndian);
    if (entry.type === RATIONAL) {
      return this.#view.getUint32(at, this.isLittleEndian) / this.#view.getUint32(at + 4, this.isLittleEndian);
    }
    return entry.type === LONG || entry.type === 13 ? this.#view.getUint32(at, this.isLittleEndian) : undefined;
  }

  /** Where the bytes of an entry are; undefined if they are not all in the file. */
  range(entry: TiffEntry | undefined): { readonly start: number; readonly end: number } | undefined {
    if (!entry) return undefined;
    const length = (SIZES[entry.type] ?? 0) * entry.count;
    return length > 0 && this.#isInside(entry.at, length) ? { start: entry.at, end: entry.at + length } : undefined;
  }

  #isInside(at: number, length: number): boolean {
    return at + length <= this.#bytes.length;
  }
}
