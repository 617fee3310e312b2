/** Removes the outlines of unused glyphs from Compact Font Format fonts (Adobe Technical Notes 5176 and 5177). */
import { latin1 } from "../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { FIRST_OWN_STRING, STANDARD_ENCODING, STANDARD_STRINGS } from "../fonts/encoding.ts";

const [ESCAPE, CHARSET, ENCODING, CHAR_STRINGS, REAL, ROS] = [12, 15, 16, 17, 30, 1230];
/** Operators of outlines. */
const [CALL_SUBR, CALL_GLOBAL] = [10, 29];
/** Shortest outline in bytes that is a path for certain. */
const SHORTEST_PATH = 16;
/** Operands of an operator in an outline (Technical Note 5177, appendix B). */
const MOST_OPERANDS = 48;
/** Bytes of a name (Technical Note 5176, 7), and of a dictionary. */
const [MOST_NAME, MOST_DICTIONARY] = [127, 16 * 1024];
/** A glyph without an outline. */
const END_CHAR = 14;

interface Index {
  /** Where the data of each item begins, and where that of the last one ends. */
  readonly offsets: readonly number[];
  /** Size of an offset in bytes. */
  readonly offSize: number;
  /** Where the offsets begin. */
  readonly start: number;
}

/**
 * The font of a CIDFont with only the outlines of these CIDs. Unused outlines are overwritten with zeros and everything else
 * stays in place, so nothing is renumbered. Undefined if the font has anything unexpected.
 * @throws RangeError if a table exceeds the font, as all functions here
 */
export function withoutUnusedCids(
  font: Uint8Array,
  used: ReadonlySet<number>,
  meter: ParseMeter,
): Uint8Array<ArrayBuffer> | undefined {
  const { top, outlines, view } = readFont(font, meter);
  if (!outlines) return undefined;
  const count = outlines.offsets.length - 1;
  const cids = top.has(ROS) ? readCharset(view, top.get(CHARSET)?.[0] ?? 0, count, meter) : undefined;
  if (top.has(ROS) && !cids) return undefined;
  return withoutOutlines(font, outlines, (glyph) => used.has(cids?.[glyph] ?? glyph), meter);
}

/** The glyphs of a font in which they have names. */
export interface NamedGlyphs {
  /** Glyph numbers by name. */
  readonly outlines: ReadonlyMap<string, number>;
  /** Names by code, in the encoding of the font itself. */
  readonly encoding: ReadonlyMap<number, string>;
}

/** Undefined if the font has CIDs, or a predefined table other than the standard ones. */
export function readNamedGlyphs(font: Uint8Array, meter: ParseMeter): NamedGlyphs | undefined {
  const { top, outlines, strings, view } = readFont(font, meter);
  if (!outlines || top.has(ROS)) return undefined;
  const count = outlines.offsets.length - 1;
  const charset = top.get(CHARSET)?.[0] ?? 0;
  const numbers =
    charset === 0 ? Array.from({ length: count }, (_, glyph) => glyph) : readCharset(view, charset, count, meter);
  if (!numbers || (charset === 0 && count > STANDARD_STRINGS.length)) return undefined;
  const nameOf = (number: number): string => {
    const own = number - FIRST_OWN_STRING;
    // Standard strings beyond those listed here are names of expert glyphs.
    if (own < 0) return STANDARD_STRINGS[number] ?? `expert ${number}`;
    const [from, to] = [strings.offsets[own], strings.offsets[own + 1]];
    // A number beyond the strings, or a string that spans many.
    if (from === undefined || to === undefined || to < from || to - from > MOST_NAME) throw new RangeError("no name");
    meter.bytes(to - from);
    return latin1(font.subarray(from, to));
  };
  meter.element(count);
  const names = numbers.map(nameOf);
  const encoding = readEncoding(view, top.get(ENCODING)?.[0] ?? 0, names, nameOf);
  return encoding && { outlines: new Map(names.map((name, glyph) => [name, glyph])), encoding };
}

/**
 * A font whose glyphs have names with only the outlines of these glyphs. Undefined if an outline may be composed of others,
 * which are found by codes.
 */
export function withoutUnusedNames(
  font: Uint8Array,
  used: ReadonlySet<number>,
  meter: ParseMeter,
): Uint8Array<ArrayBuffer> | undefined {
  const { outlines } = readFont(font, meter);
  if (!outlines) return undefined;
  for (const glyph of used) {
    if (mayBeComposed(font.subarray(outlines.offsets[glyph], outlines.offsets[glyph + 1]))) return undefined;
  }
  return withoutOutlines(font, outlines, (glyph) => used.has(glyph), meter);
}

function readFont(font: Uint8Array, meter: ParseMeter) {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const names = readIndex(view, view.getUint8(2), meter);
  const tops = readIndex(view, endOf(names), meter);
  const strings = readIndex(view, endOf(tops), meter);
  const top = readDictionary(view, tops.offsets[0] ?? 0, tops.offsets[1] ?? 0);
  const [at] = top.get(CHAR_STRINGS) ?? [];
  const outlines = tops.offsets.length !== 2 || at === undefined ? undefined : readIndex(view, at, meter);
  return { view, top, strings, outlines };
}

/**
 * Whether an outline may be an accented letter, composed of two others (Technical Note 5177, appendix C): its first operator
 * ends it and has their codes as operands, or is in a subroutine.
 */
function mayBeComposed(outline: Uint8Array): boolean {
  let operands = 0;
  for (let at = 0; at < outline.length; operands++) {
    const byte = outline[at++] ?? 0;
    if (byte === 28) at += 2;
    else if (byte >= 247 && byte <= 254) at += 1;
    else if (byte === 255) at += 4;
    if (operands > MOST_OPERANDS) return true;
    if (byte === 28 || byte >= 32) continue;
    if (byte === END_CHAR) return operands >= 4;
    return (byte === CALL_SUBR || byte === CALL_GLOBAL) && (operands > 4 || outline.length < SHORTEST_PATH);
  }
  return true;
}

function withoutOutlines(
  font: Uint8Array,
  outlines: Index,
  isUsed: (glyph: number) => boolean,
  meter: ParseMeter,
): Uint8Array<ArrayBuffer> | undefined {
  const count = outlines.offsets.length - 1;
  meter.bytes(font.length);
  meter.element(count);
  const result = new Uint8Array(font);
  const written = new DataView(result.buffer);
  const data = outlines.offsets[0] ?? 0;
  const end = endOf(outlines);
  result.fill(0, data, end);
  let to = data;
  for (let glyph = 0; glyph < count; glyph++) {
    writeOffset(written, outlines, glyph, to - data + 1);
    const [from = 0, until = 0] = [outlines.offsets[glyph], outlines.offsets[glyph + 1]];
    if (until < from || until > font.length) return undefined;
    if (glyph === 0 || isUsed(glyph)) {
      result.set(font.subarray(from, until), to);
      to += until - from;
    } else if (until > from) result[to++] = END_CHAR;
  }
  writeOffset(written, outlines, count, to - data + 1);
  return result;
}

function readIndex(view: DataView, start: number, meter: ParseMeter): Index {
  const count = view.getUint16(start);
  if (count === 0) return { offsets: [start + 2], offSize: 0, start: start + 2 };
  const offSize = view.getUint8(start + 2);
  if (offSize > 4) throw new RangeError("no size of an offset");
  meter.element(count);
  const base = start + 3 + (count + 1) * offSize - 1;
  const offsets: number[] = [];
  for (let item = 0; item <= count; item++) {
    let offset = 0;
    for (let byte = 0; byte < offSize; byte++) offset = offset * 256 + view.getUint8(start + 3 + item * offSize + byte);
    offsets.push(base + offset);
  }
  return { offsets, offSize, start: start + 3 };
}

const endOf = ({ offsets }: Index): number => offsets.at(-1) ?? 0;

function writeOffset(view: DataView, { start, offSize }: Index, item: number, offset: number): void {
  for (let byte = 0; byte < offSize; byte++) {
    view.setUint8(start + item * offSize + byte, Math.floor(offset / 256 ** (offSize - 1 - byte)) % 256);
  }
}

/** The operands of each operator in a dictionary. Two-byte operators are 1200 and up. Skips real numbers. */
function readDictionary(view: DataView, start: number, end: number): Map<number, number[]> {
  const entries = new Map<number, number[]>();
  if (end - start > MOST_DICTIONARY) throw new RangeError("no dictionary");
  let operands: number[] = [];
  for (let at = start; at < end;) {
    const byte = view.getUint8(at++);
    if (byte <= 21) {
      entries.set(byte === ESCAPE ? 1200 + view.getUint8(at++) : byte, operands);
      operands = [];
    } else if (byte === REAL) {
      while ((view.getUint8(at++) & 0xf) !== 0xf && (view.getUint8(at - 1) & 0xf0) !== 0xf0);
      operands.push(Number.NaN);
    } else if (byte === 28 || byte === 29) {
      operands.push(byte === 28 ? view.getInt16(at) : view.getInt32(at));
      at += byte === 28 ? 2 : 4;
    } else if (byte <= 246) operands.push(byte - 139);
    else if (byte <= 250) operands.push((byte - 247) * 256 + view.getUint8(at++) + 108);
    else operands.push(-(byte - 251) * 256 - view.getUint8(at++) - 108);
  }
  return entries;
}

/** Names by code, in the encoding of the font. Undefined for that of experts, or one in an unknown format. */
function readEncoding(
  view: DataView,
  start: number,
  names: readonly string[],
  nameOf: (number: number) => string,
): ReadonlyMap<number, string> | undefined {
  if (start === 0) return STANDARD_ENCODING;
  if (start === 1) return undefined;
  const encoding = new Map<number, string>();
  const format = view.getUint8(start);
  const count = view.getUint8(start + 1);
  let [at, glyph] = [start + 2, 1];
  if ((format & 0x7f) > 1) return undefined;
  for (let item = 0; item < count; item++) {
    const first = view.getUint8(at++);
    const left = (format & 0x7f) === 1 ? view.getUint8(at++) : 0;
    for (let code = first; code <= first + left; code++) encoding.set(code, names[glyph++] ?? ".notdef");
  }
  const more = format & 0x80 ? view.getUint8(at++) : 0;
  for (let item = 0; item < more; item++, at += 3) encoding.set(view.getUint8(at), nameOf(view.getUint16(at + 1)));
  return encoding;
}

/** The CID or string of each glyph. Undefined for a predefined charset. */
function readCharset(view: DataView, start: number, count: number, meter: ParseMeter): number[] | undefined {
  if (start <= 2) return undefined;
  meter.element(count);
  const cids = [0];
  const format = view.getUint8(start);
  for (let at = start + 1; cids.length < count;) {
    const first = view.getUint16(at);
    at += 2;
    let left = 0;
    if (format > 2) return undefined;
    if (format === 1) left = view.getUint8(at);
    if (format === 2) left = view.getUint16(at);
    at += format;
    for (let cid = first; cid <= first + left && cids.length < count; cid++) cids.push(cid);
  }
  return cids;
}
