/** Reads and writes fonts in the Compact Font Format (Adobe Technical Note 5176). */
import { concat } from "../../../bytes/concat.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { EXPERT_STRINGS, FIRST_OWN_STRING, STANDARD_ENCODING, STANDARD_STRINGS } from "./encoding.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Operators of a DICT; those of two bytes are `ESCAPE << 8 | second`. */
const ESCAPE = 12;
export const FONT_BBOX = 5;
export const [UNIQUE_ID, XUID] = [13, (ESCAPE << 8) | 14];
export const [CHARSET, ENCODING, CHAR_STRINGS, PRIVATE] = [15, 16, 17, 18];
export const FONT_MATRIX = (ESCAPE << 8) | 7;
export const SUBRS = 19;
const ROS = (ESCAPE << 8) | 30;
export const [FD_ARRAY, FD_SELECT] = [(ESCAPE << 8) | 36, (ESCAPE << 8) | 37];
const CID_COUNT = (ESCAPE << 8) | 34;
/** Entries of the Private DICT about subroutines and widths. */
export const [DEFAULT_WIDTH, NOMINAL_WIDTH] = [20, 21];
const NO_HINTS = new Set([SUBRS, DEFAULT_WIDTH, NOMINAL_WIDTH]);
/** First byte of an operand that is a real number. */
const REAL = 30;

/** Bytes of a name (section 7), and of a DICT. */
const [MOST_NAME, MOST_DICT] = [127, 16 * 1024];

/** The glyphs of a font in which they have names. */
export interface NamedGlyphs {
  /** Glyph numbers by name. */
  readonly outlines: ReadonlyMap<string, number>;
  /** Names by code, in the encoding of the font itself. */
  readonly encoding: ReadonlyMap<number, string>;
}

/** A font without the tables of OpenType around it. Reading it may throw an UnknownFont, or a RangeError if a table is cut off. */
export class CffFont {
  readonly bytes: Uint8Array;
  readonly names: CffIndex;
  /** The Top DICT. */
  readonly top: ReadonlyMap<number, DictEntry>;
  readonly strings: CffIndex;
  /** The CharStrings, by glyph number. */
  readonly outlines: CffIndex;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.names = this.indexAt(this.#view.getUint8(2));
    const tops = this.indexAt(this.names.end);
    if (tops.count !== 1) throw new UnknownFont();
    this.strings = this.indexAt(tops.end);
    this.top = readDict(tops.item(0));
    const [outlines] = this.numbersOf(CHAR_STRINGS);
    if (outlines === undefined) throw new UnknownFont();
    this.outlines = this.indexAt(outlines);
  }

  /** Whether glyphs have CIDs instead of names. */
  get isCidKeyed(): boolean {
    return this.top.has(ROS);
  }

  /** The operands of an operator in the Top DICT; none if it is not there. */
  numbersOf(operator: number): readonly number[] {
    return this.top.get(operator)?.numbers ?? [];
  }

  indexAt(start: number): CffIndex {
    return new CffIndex(this.bytes, start);
  }

  /** The font with other outlines, of which there are as many and which are not longer together. Everything else stays in place. */
  withOutlines(outlines: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const { start, end, offSize } = this.outlines;
    const written = writeIndex(outlines, offSize);
    if (written.length > end - start) throw new UnknownFont();
    const font = this.bytes.slice();
    font.fill(0, start, end).set(written, start);
    return font;
  }

  /** The CID of each glyph, or the number of its name if the font is not keyed by CID. */
  charset(meter: ParseMeter): number[] {
    const { count } = this.outlines;
    const [start = 0] = this.numbersOf(CHARSET);
    meter.element(count);
    // ISOAdobe. The other two predefined ones are those of experts.
    if (start === 0 && !this.isCidKeyed && count <= STANDARD_STRINGS.length)
      return Array.from({ length: count }, (_, glyph) => glyph);
    const format = this.#view.getUint8(start);
    if (start <= 2 || format > 2) throw new UnknownFont();
    const numbers = [0];
    for (let at = start + 1; numbers.length < count; at += 2 + format) {
      const first = this.#view.getUint16(at);
      const left = format === 0 ? 0 : format === 1 ? this.#view.getUint8(at + 2) : this.#view.getUint16(at + 2);
      for (let number = first; number <= first + left && numbers.length < count; number++) numbers.push(number);
    }
    return numbers;
  }

  /** @throws UnknownFont also if glyphs have CIDs, or a predefined table other than the standard ones */
  namedGlyphs(meter: ParseMeter): NamedGlyphs {
    if (this.isCidKeyed) throw new UnknownFont();
    const nameOf = (number: number): string => {
      const own = number - FIRST_OWN_STRING;
      if (own < 0) return STANDARD_STRINGS[number] ?? EXPERT_STRINGS[number - STANDARD_STRINGS.length] ?? "";
      const name = this.strings.item(own);
      // One string may be the name of many glyphs.
      if (name.length > MOST_NAME) throw new UnknownFont();
      meter.bytes(name.length);
      return latin1(name);
    };
    meter.element(this.outlines.count);
    const names = this.charset(meter).map(nameOf);
    const encoding = this.#readEncoding(names, nameOf);
    return { outlines: new Map(names.map((name, glyph) => [name, glyph])), encoding };
  }

  /** Names by code, in the encoding of the font itself. */
  #readEncoding(names: readonly string[], nameOf: (number: number) => string): ReadonlyMap<number, string> {
    const [start = 0] = this.numbersOf(ENCODING);
    if (start === 0) return STANDARD_ENCODING;
    const view = this.#view;
    const kind = view.getUint8(start);
    const format = kind & 0x7f;
    // That of experts, or one that is not known.
    if (start === 1 || format > 1) throw new UnknownFont();
    const encoding = new Map<number, string>();
    const count = view.getUint8(start + 1);
    let [at, glyph] = [start + 2, 1];
    for (let item = 0; item < count; item++) {
      const first = view.getUint8(at++);
      const left = format === 1 ? view.getUint8(at++) : 0;
      for (let code = first; code <= first + left; code++) encoding.set(code, names[glyph++] ?? ".notdef");
    }
    const more = kind & 0x80 ? view.getUint8(at++) : 0;
    for (let item = 0; item < more; item++, at += 3) encoding.set(view.getUint8(at), nameOf(view.getUint16(at + 1)));
    return encoding;
  }

  /** Entries of the Private DICT about hints, in their written form. */
  get hintEntries(): Uint8Array[] {
    const [size = 0, start = 0] = this.numbersOf(PRIVATE);
    const dict = readDict(this.bytes.subarray(start, start + size));
    return [...dict].flatMap(([operator, { bytes }]) => (NO_HINTS.has(operator) ? [] : [bytes]));
  }

  /** The Private DICT, its size, and its subroutines, whose offset is relative to its start. */
  get hints(): { readonly size: number; readonly bytes: Uint8Array } {
    const [size = 0, start = 0] = this.numbersOf(PRIVATE);
    const [subroutines] = readDict(this.bytes.subarray(start, start + size)).get(SUBRS)?.numbers ?? [];
    const end =
      subroutines === undefined ? start + size : Math.max(start + size, this.indexAt(start + subroutines).end);
    return { size, bytes: this.bytes.subarray(start, end) };
  }
}

/** An INDEX: a list of byte strings. */
export class CffIndex {
  readonly #font: Uint8Array;
  readonly count: number;
  /** Where it begins and ends in the font. */
  readonly start: number;
  readonly end: number;
  /** Size of an offset in bytes. */
  readonly offSize: number;

  constructor(font: Uint8Array, start: number) {
    this.#font = font;
    this.start = start;
    this.count = this.#number(start, 2);
    this.offSize = this.count === 0 ? 0 : this.#number(start + 2, 1);
    if (this.offSize > 4) throw new UnknownFont();
    this.end = this.count === 0 ? start + 2 : this.#place(this.count);
  }

  /** @throws UnknownFont if there is no such item, or it exceeds the font */
  item(index: number): Uint8Array {
    if (index < 0 || index >= this.count) throw new UnknownFont();
    const [from, to] = [this.#place(index), this.#place(index + 1)];
    if (to < from || to > this.#font.length) throw new UnknownFont();
    return this.#font.subarray(from, to);
  }

  #place(index: number): number {
    return (
      this.start +
      2 +
      (this.count + 1) * this.offSize +
      this.#number(this.start + 3 + index * this.offSize, this.offSize)
    );
  }

  #number(at: number, size: number): number {
    let number = 0;
    for (let byte = at; byte < at + size; byte++) {
      const next = this.#font[byte];
      if (next === undefined) throw new UnknownFont();
      number = number * 256 + next;
    }
    return number;
  }
}

/** Writes an INDEX, whose offsets have as few bytes as possible, or so many. */
export function writeIndex(items: readonly Uint8Array[], offSize?: number): Uint8Array {
  if (items.length === 0) return Uint8Array.of(0, 0);
  const end = items.reduce((sum, { length }) => sum + length, 1);
  const size = offSize ?? (end < 0x100 ? 1 : end < 0x1_0000 ? 2 : 4);
  const head = new Uint8Array(3 + (items.length + 1) * size);
  head.set([items.length >> 8, items.length & 255, size]);
  let [at, offset] = [3, 1];
  for (let item = 0; item <= items.length; item++) {
    for (let shift = size - 1; shift >= 0; shift--) head[at++] = Math.floor(offset / 256 ** shift);
    offset += items[item]?.length ?? 0;
  }
  return concat([head, ...items]);
}

export interface DictEntry {
  readonly numbers: readonly number[];
  /** Operands and operator in their written form. */
  readonly bytes: Uint8Array;
}

/** The entries of a DICT by their operators, of which the last counts. */
export function readDict(dict: Uint8Array): Map<number, DictEntry> {
  if (dict.length > MOST_DICT) throw new UnknownFont();
  const entries = new Map<number, DictEntry>();
  const view = new DataView(dict.buffer, dict.byteOffset, dict.byteLength);
  let [start, numbers]: [number, number[]] = [0, []];
  for (let at = 0; at < dict.length;) {
    const byte = view.getUint8(at++);
    if (byte <= 21) {
      const operator = byte === ESCAPE ? (ESCAPE << 8) | view.getUint8(at++) : byte;
      entries.set(operator, { numbers, bytes: dict.subarray(start, at) });
      [start, numbers] = [at, []];
    } else if (byte === REAL) {
      const first = at;
      let digits = view.getUint8(at++);
      while (digits >> 4 !== END && (digits & 15) !== END) digits = view.getUint8(at++);
      numbers.push(realOf(dict.subarray(first, at)));
    } else if (byte === 28 || byte === 29) {
      numbers.push(byte === 28 ? view.getInt16(at) : view.getInt32(at));
      at += byte === 28 ? 2 : 4;
    } else if (byte <= 246) numbers.push(byte - 139);
    else if (byte <= 250) numbers.push((byte - 247) * 256 + view.getUint8(at++) + 108);
    else numbers.push(-(byte - 251) * 256 - view.getUint8(at++) - 108);
  }
  return entries;
}

/** The characters of a real number by their digits of four bits; the last one ends it. */
const REAL_DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "e", "e-", "", "-"] as const;
const END = 15;

/** A real number (table 5); NaN if it is none. */
function realOf(bytes: Uint8Array): number {
  let text = "";
  for (const byte of bytes) {
    for (const digit of [byte >> 4, byte & 15]) {
      if (digit === END) return text === "" ? Number.NaN : Number(text);
      text += REAL_DIGITS[digit] ?? "";
    }
  }
  return Number.NaN;
}

/** Writes an entry of a DICT. */
export function writeEntry(operator: number, numbers: readonly number[]): Uint8Array {
  const name = operator > 255 ? [operator >> 8, operator & 255] : [operator];
  return Uint8Array.from([...numbers.flatMap(operand), ...name]);
}

function operand(value: number): number[] {
  if (!Number.isInteger(value)) return real(value);
  if (value >= -107 && value <= 107) return [value + 139];
  if (value >= -32_768 && value <= 32_767) return [28, (value >> 8) & 255, value & 255];
  return longOperand(value);
}

/** An integer, always in five bytes. */
const longOperand = (value: number): number[] => [
  29,
  value >>> 24,
  (value >>> 16) & 255,
  (value >>> 8) & 255,
  value & 255,
];

/** Digits of four bits each, and the end. */
function real(value: number): number[] {
  const text = String(Number(value.toPrecision(9)))
    .replace("e-", "c")
    .replace(/e\+?/, "b");
  const nibbles = [...Array.from(text, (character) => "0123456789.bc?-".indexOf(character)), 15];
  if (nibbles.length % 2 === 1) nibbles.push(15);
  return [REAL, ...nibbles.flatMap((nibble, at) => (at % 2 === 0 ? [(nibble << 4) | (nibbles[at + 1] ?? 15)] : []))];
}

/** The tables of a font that is written. */
export interface CffTables {
  /** INDEXes. */
  readonly names: Uint8Array;
  readonly strings: Uint8Array;
  readonly subroutines: Uint8Array;
  readonly outlines: Uint8Array;
  /** Entries of the Top DICT besides those that point to tables. */
  readonly entries: readonly Uint8Array[];
  readonly charset: Uint8Array;
  /** Not needed for StandardEncoding, or with CIDs. */
  readonly encoding?: Uint8Array | undefined;
  /** The Private DICT, its size, and its subroutines. */
  readonly hints: { readonly size: number; readonly bytes: Uint8Array };
}

export function writeCff({
  entries,
  names,
  strings,
  subroutines,
  charset,
  encoding,
  outlines,
  hints,
}: CffTables): Uint8Array<ArrayBuffer> {
  const tables = [charset, encoding ?? new Uint8Array(), outlines, hints.bytes];
  const beginning = (start: number): Uint8Array => {
    const places = tables.map((_, index) => tables.slice(0, index).reduce((sum, { length }) => sum + length, start));
    const pointers = [CHARSET, ENCODING, CHAR_STRINGS, PRIVATE].flatMap((operator, index) => {
      if (operator === ENCODING && !encoding) return [];
      return [...(operator === PRIVATE ? longOperand(hints.size) : []), ...longOperand(places[index] ?? 0), operator];
    });
    const top = writeIndex([concat([...entries, Uint8Array.from(pointers)])]);
    return concat([Uint8Array.of(1, 0, 4, 4), names, top, strings, subroutines]);
  };
  // Its length does not depend on the offsets in it.
  return concat([beginning(beginning(0).length), ...tables]);
}

/** A font whose glyphs have CIDs. */
export interface CidTables {
  /** INDEX of one name. */
  readonly names: Uint8Array;
  readonly registry: string;
  readonly ordering: string;
  readonly supplement: number;
  /** Entries of the Top DICT. */
  readonly entries: readonly Uint8Array[];
  /** The CID of each glyph after the first one, ascending. */
  readonly cids: readonly number[];
  readonly outlines: Uint8Array;
  /** The Private DICT, without subroutines. */
  readonly hints: Uint8Array;
}

/** Writes a font keyed by CID with one Font DICT (sections 18 and 19). */
export function writeCidCff(font: CidTables): Uint8Array<ArrayBuffer> {
  const { cids, hints, outlines } = font;
  const charset = Uint8Array.from([0, ...cids.flatMap((cid) => [cid >> 8, cid & 255])]);
  const glyphs = cids.length + 1;
  // One range of glyphs with the first Font DICT.
  const select = Uint8Array.of(3, 0, 1, 0, 0, 0, glyphs >> 8, glyphs & 255);
  const tables = (start: number): Uint8Array[] => {
    const hintsAt = start + charset.length + select.length + outlines.length;
    const dict = Uint8Array.from([...longOperand(hints.length), ...longOperand(hintsAt), PRIVATE]);
    return [charset, select, outlines, hints, writeIndex([dict])];
  };
  const beginning = (start: number): Uint8Array => {
    const ends = [charset, select, outlines, hints].reduce<number[]>(
      (places, { length }) => [...places, (places.at(-1) ?? 0) + length],
      [start],
    );
    const [charsetAt = 0, selectAt = 0, outlinesAt = 0, , arrayAt = 0] = ends;
    const entry = (operator: number, place: number): Uint8Array =>
      Uint8Array.from([...longOperand(place), ...(operator > 255 ? [operator >> 8, operator & 255] : [operator])]);
    const top = concat([
      writeEntry(ROS, [FIRST_OWN_STRING, FIRST_OWN_STRING + 1, font.supplement]),
      ...font.entries,
      writeEntry(CID_COUNT, [(cids.at(-1) ?? 0) + 1]),
      entry(CHARSET, charsetAt),
      entry(FD_SELECT, selectAt),
      entry(CHAR_STRINGS, outlinesAt),
      entry(FD_ARRAY, arrayAt),
    ]);
    return concat([
      Uint8Array.of(1, 0, 4, 4),
      font.names,
      writeIndex([top]),
      writeIndex([bytesOf(font.registry), bytesOf(font.ordering)]),
      writeIndex([]),
    ]);
  };
  // Its length does not depend on the offsets in it.
  const { length } = beginning(0);
  return concat([beginning(length), ...tables(length)]);
}
