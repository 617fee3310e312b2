/** Reads and writes TrueType fonts (OpenType 1.9: the table directory, glyf, loca, head, hhea, hmtx, maxp, cmap, and post). */
import { concat } from "../../../bytes/concat.ts";
import { latin1 } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { characterOfName, macCharacter } from "./encoding.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Glyph indices by character or code. */
export type CharacterMap = ReadonlyMap<number, number>;

/** A subtable of the `cmap` table. */
export interface EncodedMap {
  readonly platform: number;
  readonly encoding: number;
  readonly map: CharacterMap;
}

/** Offsets of the changed values in tables. */
export const HEAD = { checksum: 8, unitsPerEm: 18, bbox: [36, 38, 40, 42], locaFormat: 50 } as const;
export const HHEA_METRICS = 34;
/** Ascent, descent, gap, and largest and least distances. */
export const HHEA_LENGTHS = [4, 6, 8, 10, 12, 14, 16] as const;
export const MAXP_GLYPHS = 4;
const CHECKSUM = 0xb1b0afba;

/** The last of the 258 standard glyph names in a `post` table, which follow those of MacRomanEncoding. */
const LAST_OF_POST = "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ";
const STANDARD_NAMES = 258;
/** Versions of a `post` table: with the standard names, with more, and without any. */
const POST = { standard: 0x10000, named: 0x20000, nameless: 0x30000 } as const;

/** Codes that all tables of a font map, each time: several tables for all glyphs that a font can have. */
const MOST_MAPPED = 300_000;

// Flags of a component of a composite glyph.
const WORDS = 0x1;
const SCALE = 0x8;
const MORE_PARTS = 0x20;
const SCALE_XY = 0x40;
const MATRIX = 0x80;
const INSTRUCTIONS = 0x100;

/** A font in tables. Reading it may throw an UnknownFont, or a RangeError if a table is cut off. */
export class SfntFont {
  /** Of the file, in bytes. */
  readonly size: number;
  readonly tables: ReadonlyMap<string, DataView>;

  constructor(file: Uint8Array) {
    const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
    const tables = new Map<string, DataView>();
    for (let index = 0, count = view.getUint16(4); index < count; index++) {
      const at = 12 + index * 16;
      const [start, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (start + length > file.length) throw new UnknownFont();
      tables.set(latin1(file.subarray(at, at + 4)), new DataView(file.buffer, file.byteOffset + start, length));
    }
    this.size = file.length;
    this.tables = tables;
  }

  /** @throws UnknownFont if there is no such table */
  table(tag: string): DataView {
    const table = this.tables.get(tag);
    if (!table) throw new UnknownFont();
    return table;
  }

  get glyphCount(): number {
    return this.table("maxp").getUint16(MAXP_GLYPHS);
  }

  /** Whether `loca` has offsets of four bytes. */
  get isLong(): boolean {
    return this.table("head").getInt16(HEAD.locaFormat) === 1;
  }

  /** Glyphs with an entry of four bytes in `hmtx`. The others have the advance of the last one. */
  get metricCount(): number {
    return this.table("hhea").getUint16(HHEA_METRICS);
  }

  /** In thousandths of the font size, to which `thousandths` converts units of the font. */
  get metrics() {
    const [head, hhea] = [this.table("head"), this.table("hhea")];
    const scale = 1000 / head.getUint16(HEAD.unitsPerEm);
    const thousandths = (value: number): number => Math.round(value * scale);
    const [left, bottom, right, top] = HEAD.bbox.map((at) => thousandths(head.getInt16(at)));
    const bbox = [left ?? 0, bottom ?? 0, right ?? 0, top ?? 0] as const;
    return { bbox, ascent: thousandths(hhea.getInt16(4)), descent: thousandths(hhea.getInt16(6)), thousandths };
  }

  /** In units of the font. */
  advanceOf(glyph: number): number {
    return this.table("hmtx").getUint16(Math.min(glyph, this.metricCount - 1) * 4);
  }

  /** The outline of a glyph; empty if it has none. */
  outlineOf(glyph: number): Uint8Array {
    const [loca, glyf] = [this.table("loca"), this.table("glyf")];
    const offset = (place: number): number => (this.isLong ? loca.getUint32(place * 4) : loca.getUint16(place * 2) * 2);
    const [start, end] = [offset(glyph), offset(glyph + 1)];
    if (start > end || end > glyf.byteLength) throw new UnknownFont();
    return new Uint8Array(glyf.buffer, glyf.byteOffset + start, end - start);
  }

  /**
   * The subtables of the `cmap` table, without variation sequences, which one-byte codes cannot select. Those at the same place share a map.
   */
  encodedMaps(meter: ParseMeter): EncodedMap[] {
    const cmap = this.table("cmap");
    const known = new Map<number, CharacterMap>();
    const found: EncodedMap[] = [];
    const count = this.#mappedCounter(meter);
    for (let index = 0, tables = cmap.getUint16(2); index < tables; index++) {
      count(1);
      const at = 4 + index * 8;
      const start = cmap.getUint32(at + 4);
      if (cmap.getUint16(start) === 14) continue;
      const map =
        known.get(start) ?? readMap(new DataView(cmap.buffer, cmap.byteOffset + start, cmap.byteLength - start), count);
      known.set(start, map);
      found.push({ platform: cmap.getUint16(at), encoding: cmap.getUint16(at + 2), map });
    }
    return found;
  }

  /** The maps in the `cmap` table, each once. One in MacRomanEncoding is also returned by Unicode character. */
  characterMaps(meter: ParseMeter): CharacterMap[] {
    const found = this.encodedMaps(meter);
    const maps = new Set(found.map(({ map }) => map));
    if (maps.size === 0) throw new UnknownFont();
    const count = this.#mappedCounter(meter);
    const mac = new Set(found.flatMap(({ platform, map }) => (platform === 1 ? [map] : [])));
    const byCharacter = [...mac].map((map) => {
      count(map.size);
      return new Map([...map].map(([code, glyph]) => [macCharacter(code), glyph]));
    });
    return [...maps, ...byCharacter];
  }

  /** Counts the codes that are mapped. */
  #mappedCounter(meter: ParseMeter): (codes: number) => void {
    let mapped = 0;
    return (codes) => {
      mapped += codes;
      if (mapped > MOST_MAPPED) throw new UnknownFont();
      meter.element(codes);
    };
  }

  /** The names in the `post` table, if there is one: glyphs by their nonstandard names, and one glyph for each character that has a name. */
  namedGlyphs(meter: ParseMeter): {
    readonly byName: ReadonlyMap<string, readonly number[]>;
    readonly byCharacter: CharacterMap;
  } {
    const post = this.tables.get("post");
    const byName = new Map<string, number[]>();
    const byCharacter = new Map<number, number>();
    const version = post?.getUint32(0) ?? POST.nameless;
    const standard = (index: number, glyph: number): void => {
      if (index < 3) return;
      const character = index < 98 ? index + 29 : macCharacter(index + 30);
      byCharacter.set(index < 226 ? character : (LAST_OF_POST.codePointAt(index - 226) ?? 0), glyph);
    };
    if (version === POST.standard) for (let glyph = 0; glyph < STANDARD_NAMES; glyph++) standard(glyph, glyph);
    else if (post && version === POST.named) {
      const count = post.getUint16(32);
      meter.element(count);
      const names = ownNames(post).map(latin1);
      for (let glyph = 0; glyph < count; glyph++) {
        const index = post.getUint16(34 + glyph * 2);
        if (index < STANDARD_NAMES) standard(index, glyph);
        else {
          const name = names[index - STANDARD_NAMES] ?? "";
          const glyphs = byName.get(name) ?? [];
          glyphs.push(glyph);
          byName.set(name, glyphs);
          const character = characterOfName(name);
          if (character !== undefined && !byCharacter.has(character)) byCharacter.set(character, glyph);
        }
      }
    } else if (version !== POST.nameless) throw new UnknownFont();
    return { byName, byCharacter };
  }
}

/** `count` gets the number of codes before they are mapped. */
function readMap(table: DataView, count: (codes: number) => void): CharacterMap {
  const map = new Map<number, number>();
  const format = table.getUint16(0);
  if (format === 0) {
    count(256);
    for (let code = 0; code < 256; code++) map.set(code, table.getUint8(6 + code));
  } else if (format === 4) readSegments(table, map, count);
  else if (format === 6) {
    const [first, codes] = [table.getUint16(6), table.getUint16(8)];
    count(codes);
    for (let index = 0; index < codes; index++) map.set(first + index, table.getUint16(10 + index * 2));
  } else if (format === 12) {
    for (let index = 0, groups = table.getUint32(12); index < groups; index++) {
      const at = 16 + index * 12;
      const [first, last, glyph] = [table.getUint32(at), table.getUint32(at + 4), table.getUint32(at + 8)];
      // No font has more glyphs.
      if (last < first || last - first > 0xffff) throw new UnknownFont();
      count(last - first + 1);
      for (let character = first; character <= last; character++) map.set(character, glyph + character - first);
    }
  } else throw new UnknownFont();
  return map;
}

/** Format 4: segments of characters, whose glyphs are consecutive or listed. */
function readSegments(table: DataView, map: Map<number, number>, count: (codes: number) => void): void {
  const segments = table.getUint16(6) / 2;
  for (let segment = 0; segment < segments; segment++) {
    const [ends, starts] = [14 + segment * 2, 16 + segments * 2 + segment * 2];
    const [deltas, ranges] = [starts + segments * 2, starts + segments * 4];
    const [first, last] = [table.getUint16(starts), table.getUint16(ends)];
    const [delta, range] = [table.getUint16(deltas), table.getUint16(ranges)];
    count(Math.max(1, last - first + 1));
    for (let character = first; character <= last && character < 0xffff; character++) {
      const at = ranges + range + (character - first) * 2;
      // Some fonts end before their last list does.
      const listed = range === 0 ? character : at + 2 <= table.byteLength ? table.getUint16(at) : 0;
      if (range === 0 || listed > 0) map.set(character, (listed + delta) & 0xffff);
    }
  }
}

/** The names after the standard ones in a `post` table, at most one for each glyph. */
function ownNames(post: DataView): Uint8Array[] {
  const names: Uint8Array[] = [];
  const count = post.getUint16(32);
  for (let at = 34 + count * 2; at < post.byteLength && names.length < count; at += 1 + post.getUint8(at)) {
    const length = Math.min(post.getUint8(at), post.byteLength - at - 1);
    names.push(new Uint8Array(post.buffer, post.byteOffset + at + 1, length));
  }
  return names;
}

/** A `post` table that names only these glyphs. */
export function namingOnly(post: DataView, isKept: (glyph: number) => boolean): DataView {
  if (post.getUint32(0) !== POST.named) return post;
  const all = ownNames(post);
  const names: Uint8Array[] = [];
  const indices: number[] = [];
  for (let glyph = 0, count = post.getUint16(32); glyph < count; glyph++) {
    const index = isKept(glyph) ? post.getUint16(34 + glyph * 2) : 0;
    const name = all[index - STANDARD_NAMES];
    indices.push(name ? STANDARD_NAMES + names.push(name) - 1 : index);
  }
  return viewOf(
    concat([
      new Uint8Array(post.buffer, post.byteOffset, 34),
      Uint8Array.from(indices.flatMap((index) => [index >> 8, index & 255])),
      ...names.flatMap((name) => [Uint8Array.of(name.length), name]),
    ]),
  );
}

/** The components of a composite glyph: where each begins in the outline, and its glyph. */
export function* partsOf(
  outline: Uint8Array,
): Generator<{ readonly at: number; readonly glyph: number; readonly end: number }> {
  const view = viewOf(outline);
  if (outline.length < 10 || view.getInt16(0) >= 0) return;
  for (let [at, flags] = [10, MORE_PARTS]; flags & MORE_PARTS;) {
    flags = view.getUint16(at);
    const end = at + 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & SCALE_XY ? 4 : flags & MATRIX ? 8 : 0);
    yield { at, glyph: view.getUint16(at + 2), end };
    at = end;
  }
}

/** A glyph without instructions. The components of a composite glyph get the indices that `placeOf` gives them. */
export function withoutHints(outline: Uint8Array, placeOf: (glyph: number) => number): Uint8Array {
  if (outline.length < 10) return new Uint8Array();
  const copy = outline.slice();
  const view = viewOf(copy);
  const contours = view.getInt16(0);
  if (contours >= 0) {
    const at = 10 + contours * 2;
    const length = contours === 0 ? 0 : view.getUint16(at);
    if (length === 0) return copy;
    view.setUint16(at, 0);
    copy.copyWithin(at + 2, at + 2 + length);
    return copy.subarray(0, copy.length - length);
  }
  let last = 10;
  for (const { at, glyph, end } of partsOf(outline)) {
    view.setUint16(at, view.getUint16(at) & ~INSTRUCTIONS);
    view.setUint16(at + 2, placeOf(glyph));
    last = end;
  }
  return copy.subarray(0, last);
}

// Flags of a point of a simple glyph.
const [ON_CURVE, X_BYTE, Y_BYTE, REPEAT, X_SAME, Y_SAME] = [0x1, 0x2, 0x4, 0x8, 0x10, 0x20];
/** Flag of a component: its place is a distance, not a point. */
const DISTANCE = 0x2;

/** A glyph without instructions in finer units: all coordinates are multiplied. */
export function inFinerUnits(outline: Uint8Array, factor: number): Uint8Array {
  if (outline.length < 10) return outline;
  const view = viewOf(outline);
  const contours = view.getInt16(0);
  const values: number[] = [contours];
  for (let at = 2; at < 10; at += 2) values.push(view.getInt16(at) * factor);
  if (contours < 0) {
    for (const { at, glyph, end } of partsOf(outline)) {
      const flags = view.getUint16(at);
      const isWide = (flags & WORDS) !== 0;
      const places = isWide
        ? [view.getInt16(at + 4), view.getInt16(at + 6)]
        : [view.getInt8(at + 4), view.getInt8(at + 5)];
      values.push(flags | WORDS, glyph, ...places.map((place) => (flags & DISTANCE ? place * factor : place)));
      for (let rest = at + (isWide ? 8 : 6); rest < end; rest += 2) values.push(view.getInt16(rest));
    }
    return bytesOfView(words(values));
  }
  for (let contour = 0; contour < contours; contour++) values.push(view.getUint16(10 + contour * 2));
  const points = contours === 0 ? 0 : (values.at(-1) ?? 0) + 1;
  let at = 10 + contours * 2;
  at += 2 + view.getUint16(at);
  const flags: number[] = [];
  while (flags.length < points) {
    const flag = view.getUint8(at++);
    const times = flag & REPEAT ? view.getUint8(at++) + 1 : 1;
    for (let time = 0; time < times; time++) flags.push(flag);
  }
  const read = (short: number, same: number): number[] =>
    flags.slice(0, points).map((flag) => {
      if (flag & short) return (flag & same ? 1 : -1) * view.getUint8(at++) * factor;
      if (flag & same) return 0;
      at += 2;
      return view.getInt16(at - 2) * factor;
    });
  const [x, y] = [read(X_BYTE, X_SAME), read(Y_BYTE, Y_SAME)];
  // All coordinates have two bytes.
  return concat([
    bytesOfView(words([...values, 0])),
    Uint8Array.from(flags.slice(0, points), (flag) => flag & ON_CURVE),
    bytesOfView(words([...x, ...y])),
  ]);
}

function words(values: readonly number[]): DataView {
  const table = new DataView(new ArrayBuffer(values.length * 2));
  for (const [at, value] of values.entries()) table.setUint16(at * 2, value & 0xffff);
  return table;
}

/** The tables `glyf` and `loca` with these outlines. Offsets have `unit` bytes, two or four, and each outline begins at a multiple of them. */
export function writeOutlines(
  outlines: readonly (Uint8Array | undefined)[],
  unit: number,
): { readonly glyf: DataView; readonly loca: DataView } {
  const loca = new DataView(new ArrayBuffer((outlines.length + 1) * unit));
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let place = 0; place <= outlines.length; place++) {
    if (unit === 4) loca.setUint32(place * 4, at);
    else loca.setUint16(place * 2, at / 2);
    const outline = outlines[place];
    if (!outline) continue;
    const padding = (unit - (outline.length % unit)) % unit;
    parts.push(outline, new Uint8Array(padding));
    at += outline.length + padding;
  }
  return { glyf: viewOf(concat(parts)), loca };
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export const bytesOfView = (view: DataView): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** A copy of a table with changes. */
export function changed(table: DataView, change: (copy: DataView) => void): DataView {
  const copy = viewOf(bytesOfView(table).slice());
  change(copy);
  return copy;
}

/** Builds a font file from tables, sorted by tag. */
export function writeTables(tables: readonly (readonly [string, DataView])[]): Uint8Array<ArrayBuffer> {
  const headLength = 12 + tables.length * 16;
  const size = tables.reduce((sum, [, { byteLength }]) => sum + byteLength + (-byteLength & 3), headLength);
  const font = new Uint8Array(size);
  const view = viewOf(font);
  const power = 31 - Math.clz32(tables.length);
  view.setUint32(0, 0x10000);
  view.setUint16(4, tables.length);
  view.setUint16(6, 16 << power);
  view.setUint16(8, power);
  view.setUint16(10, tables.length * 16 - (16 << power));
  let [at, headAt] = [headLength, 0];
  tables.forEach(([tag, table], index) => {
    const entry = 12 + index * 16;
    for (let letter = 0; letter < 4; letter++) font[entry + letter] = tag.charCodeAt(letter);
    font.set(bytesOfView(table), at);
    const end = at + table.byteLength + (-table.byteLength & 3);
    view.setUint32(entry + 4, checksum(view, at, end));
    view.setUint32(entry + 8, at);
    view.setUint32(entry + 12, table.byteLength);
    if (tag === "head") headAt = at;
    at = end;
  });
  view.setUint32(headAt + HEAD.checksum, CHECKSUM - checksum(view, 0, size));
  return font;
}

function checksum(view: DataView, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

/** The first code of symbols in the private use area, by which symbolic fonts map them. */
const FIRST_SYMBOL = 0xf000;

/** A `cmap` table with one subtable, for symbols (platform 3, encoding 0): glyphs by codes of one byte. */
export function symbolMap(glyphs: ReadonlyMap<number, number>): DataView {
  const codes = [...glyphs.keys()].toSorted((a, b) => a - b);
  // A segment for each code, and the one that ends the list.
  const count = codes.length + 1;
  const table = new DataView(new ArrayBuffer(12 + 16 + count * 8));
  const head = [0, 1, 3, 0, 0, 12, 4, 16 + count * 8, 0, count * 2];
  const power = 31 - Math.clz32(count);
  head.push(2 << power, power, count * 2 - (2 << power));
  for (const [index, value] of head.entries()) table.setUint16(index * 2, value);
  const starts = 26 + count * 2 + 2;
  for (const [index, code] of [...codes, 0x0fff].entries()) {
    const character = FIRST_SYMBOL + code;
    table.setUint16(26 + index * 2, character);
    table.setUint16(starts + index * 2, character);
    const glyph = glyphs.get(code) ?? 0;
    table.setUint16(starts + (count + index) * 2, (glyph - character) & 0xffff);
  }
  return table;
}
