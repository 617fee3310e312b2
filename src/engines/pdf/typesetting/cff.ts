/** Subsets Compact Font Format programs to the glyphs that a document shows (Adobe Technical Note 5176). */
import { concat } from "../../bytes/concat.ts";
import { EMPTY } from "./truetype.ts";

/** Operators of a Top DICT and a Private DICT. Two-byte operators are `12 << 8 | second`. */
const [UNIQUE_ID, FONT_BBOX, XUID, ROS] = [13, 5, (12 << 8) | 14, (12 << 8) | 30];
const [CHARSET, ENCODING, CHAR_STRINGS, PRIVATE] = [15, 16, 17, 18];
const SUBRS = 19;
/** Entries that identify the original font, or are rewritten. */
const LEFT_OUT: ReadonlySet<number> = new Set([UNIQUE_ID, XUID, CHARSET, ENCODING, CHAR_STRINGS, PRIVATE]);

/** An empty charstring: `endchar`. */
const NOTHING = Uint8Array.of(14);

export interface CffSubset {
  readonly data: Uint8Array;
  /** In units of the font, thousandths of its size. */
  readonly bbox: readonly [number, number, number, number];
}

/**
 * A font in which glyph 0 is the original glyph 0, and glyph `n` is the original `glyphs[n - 1]`. Glyph names are dropped,
 * since a CIDFont does not need them (ISO 32000-2, 9.7.4.2).
 * @throws Error if the font is CID-keyed
 */
export function subsetCff(font: Uint8Array, glyphs: readonly number[]): CffSubset {
  const names = readIndex(font, font[2] ?? 0);
  const tops = readIndex(font, names.end);
  const strings = readIndex(font, tops.end);
  const subroutines = readIndex(font, strings.end);
  const top = readDict(tops.items[0] ?? new Uint8Array());
  const numbersOf = (operator: number): readonly number[] =>
    top.find((entry) => entry.operator === operator)?.numbers ?? [];
  if (numbersOf(ROS).length > 0) throw new Error("a font that is keyed by CID cannot be cut down");
  const charStrings = readIndex(font, numbersOf(CHAR_STRINGS)[0] ?? 0).items;
  const [privateSize = 0, privateAt = 0] = numbersOf(PRIVATE);
  const chosen = [0, ...glyphs].map((glyph) => (glyph === EMPTY ? NOTHING : (charStrings[glyph] ?? NOTHING)));

  const kept = top.filter(({ operator }) => !LEFT_OUT.has(operator)).map(({ bytes }) => bytes);
  const written = writeIndex(chosen);
  // One range of names, starting at the first.
  const charset = Uint8Array.of(2, 0, 1, (glyphs.length - 1) >> 8, (glyphs.length - 1) & 255);
  const beginning = (places: readonly [number, number, number]): Uint8Array =>
    concat([
      Uint8Array.of(1, 0, 4, 4),
      font.subarray(font[2] ?? 0, names.end),
      writeIndex([
        concat([
          ...kept,
          ...[[places[0]], [places[1]], [privateSize, places[2]]].flatMap((operands, index) => [
            ...operands.map(integerOperand),
            Uint8Array.of([CHARSET, CHAR_STRINGS, PRIVATE][index] ?? 0),
          ]),
        ]),
      ]),
      font.subarray(tops.end, subroutines.end),
    ]);
  // Its length does not depend on the offsets in it.
  const start = beginning([0, 0, 0]).length;
  const places = [start, start + charset.length, start + charset.length + written.length] as const;
  const bbox = numbersOf(FONT_BBOX);
  return {
    data: concat([
      beginning(places),
      charset,
      written,
      font.subarray(privateAt, privateEnd(font, privateAt, privateSize)),
    ]),
    bbox: [bbox[0] ?? 0, bbox[1] ?? 0, bbox[2] ?? 0, bbox[3] ?? 0],
  };
}

/** End of the Private DICT and its subroutines, whose offset is relative to its start. */
function privateEnd(font: Uint8Array, at: number, size: number): number {
  const subrs = readDict(font.subarray(at, at + size)).find(({ operator }) => operator === SUBRS)?.numbers[0];
  return subrs === undefined ? at + size : Math.max(at + size, readIndex(font, at + subrs).end);
}

/** Reads an INDEX. */
function readIndex(font: Uint8Array, at: number): { readonly items: Uint8Array[]; readonly end: number } {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const count = view.getUint16(at);
  if (count === 0) return { items: [], end: at + 2 };
  const size = view.getUint8(at + 2);
  const data = at + 2 + (count + 1) * size;
  const place = (item: number): number => {
    let value = 0;
    for (let byte = 0; byte < size; byte++) value = value * 256 + view.getUint8(at + 3 + item * size + byte);
    return data + value;
  };
  const items = Array.from({ length: count }, (_, item) => font.subarray(place(item), place(item + 1)));
  return { items, end: place(count) };
}

/** Writes an INDEX, whose offsets have as few bytes as possible. */
export function writeIndex(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return Uint8Array.of(0, 0);
  const end = items.reduce((sum, { length }) => sum + length, 1);
  const size = end < 0x100 ? 1 : end < 0x1_0000 ? 2 : 4;
  const head = new Uint8Array(3 + (items.length + 1) * size);
  const view = new DataView(head.buffer);
  view.setUint16(0, items.length);
  view.setUint8(2, size);
  let at = 1;
  [...items, new Uint8Array()].forEach((item, index) => {
    if (size === 1) view.setUint8(3 + index, at);
    else if (size === 2) view.setUint16(3 + index * 2, at);
    else view.setUint32(3 + index * 4, at);
    at += item.length;
  });
  return concat([head, ...items]);
}

interface DictEntry {
  readonly operator: number;
  readonly numbers: readonly number[];
  /** Raw operands and operator. */
  readonly bytes: Uint8Array;
}

/** Reads a DICT. Skips real numbers, which are not needed here. */
function readDict(dict: Uint8Array): DictEntry[] {
  const entries: DictEntry[] = [];
  let [start, numbers]: [number, number[]] = [0, []];
  for (let at = 0; at < dict.length;) {
    const byte = dict[at++] ?? 0;
    const next = (): number => dict[at++] ?? 0;
    if (byte <= 21) {
      const operator = byte === 12 ? (12 << 8) | next() : byte;
      entries.push({ operator, numbers, bytes: dict.subarray(start, at) });
      [start, numbers] = [at, []];
    } else if (byte === 28) numbers.push((((next() << 8) | next()) << 16) >> 16);
    else if (byte === 29) numbers.push((next() << 24) | (next() << 16) | (next() << 8) | next());
    else if (byte === 30) {
      while (at < dict.length && (next() & 15) !== 15);
    } else if (byte <= 246) numbers.push(byte - 139);
    else if (byte <= 250) numbers.push((byte - 247) * 256 + next() + 108);
    else numbers.push(-(byte - 251) * 256 - next() - 108);
  }
  return entries;
}

/** A five-byte integer operand. */
export const integerOperand = (value: number): Uint8Array =>
  Uint8Array.of(29, value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
