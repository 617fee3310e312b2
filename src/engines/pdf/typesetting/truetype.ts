/** Subsets TrueType fonts to the glyphs that a document shows (OpenType 1.9: glyf, loca, hmtx, maxp). */

/** What is needed to embed a font (ISO 32000-2, 9.8). Lengths are in thousandths of the font size. */
export interface FontSubset {
  readonly data: Uint8Array;
  readonly widths: readonly number[];
  readonly bbox: readonly [number, number, number, number];
  readonly ascent: number;
  readonly descent: number;
}

const HEAD_LOCA_FORMAT = 50;
const HHEA_METRICS = 34;
const CHECKSUM = 0xb1b0afba;

// Flags of a component of a composite glyph.
const WORDS = 0x1;
const SCALE = 0x8;
const MORE_PARTS = 0x20;
const SCALE_XY = 0x40;
const MATRIX = 0x80;
const INSTRUCTIONS = 0x100;

/** Stands for an empty glyph of zero width. */
export const EMPTY = -1;

/**
 * A font in which glyph 0 is the original glyph 0, and glyph `n` is the original `glyphs[n - 1]`, followed by the components
 * of composite glyphs. Drops hints: they are invisible at the sizes of stamps, and need tables of their own.
 * @throws Error if the font is not TrueType
 */
export function subsetTrueType(font: Uint8Array, glyphs: readonly number[]): FontSubset {
  const tables = readTables(font);
  const table = (tag: string): DataView => {
    const found = tables.get(tag);
    if (!found) throw new Error(`the font has no table ${tag}`);
    return found;
  };
  const [head, hhea, hmtx, loca, glyf, maxp] = ["head", "hhea", "hmtx", "loca", "glyf", "maxp"].map(table) as [
    DataView,
    DataView,
    DataView,
    DataView,
    DataView,
    DataView,
  ];
  const long = head.getInt16(HEAD_LOCA_FORMAT) === 1;
  const metrics = hhea.getUint16(HHEA_METRICS);
  const offset = (glyph: number): number => (long ? loca.getUint32(glyph * 4) : loca.getUint16(glyph * 2) * 2);

  const originals = [0, ...glyphs];
  const places = new Map<number, number>();
  const placeOf = (glyph: number): number => {
    const place = places.get(glyph) ?? originals.push(glyph) - 1;
    places.set(glyph, place);
    return place;
  };
  const outlines: Uint8Array[] = [];
  // Components are appended while the list is traversed.
  for (let place = 0; place < originals.length; place++) {
    const glyph = originals[place] ?? 0;
    const start = offset(Math.max(glyph, 0));
    const end = glyph === EMPTY ? start : offset(glyph + 1);
    const outline = new Uint8Array(glyf.buffer, glyf.byteOffset + start, end - start);
    outlines.push(withoutHints(outline.slice(), placeOf));
  }

  const count = outlines.length;
  const newLoca = new DataView(new ArrayBuffer((count + 1) * 4));
  const newHmtx = new DataView(new ArrayBuffer(count * 4));
  const advance = (glyph: number): number => (glyph === EMPTY ? 0 : hmtx.getUint16(Math.min(glyph, metrics - 1) * 4));
  let at = 0;
  outlines.forEach((outline, place) => {
    const glyph = originals[place] ?? 0;
    newLoca.setUint32(place * 4, at);
    at += outline.length + (-outline.length & 3);
    newHmtx.setUint16(place * 4, advance(glyph));
    const bearing = glyph < metrics ? glyph * 4 + 2 : metrics * 4 + (glyph - metrics) * 2;
    if (glyph !== EMPTY) newHmtx.setInt16(place * 4 + 2, hmtx.getInt16(bearing));
  });
  newLoca.setUint32(count * 4, at);
  const newGlyf = new Uint8Array(at);
  outlines.forEach((outline, place) => newGlyf.set(outline, newLoca.getUint32(place * 4)));

  const changed = (view: DataView, change: (copy: DataView) => void): DataView => {
    const copy = new DataView(bytesOfView(view).slice().buffer);
    change(copy);
    return copy;
  };
  const data = writeTables([
    ["glyf", new DataView(newGlyf.buffer)],
    ["head", changed(head, (copy) => (copy.setInt16(HEAD_LOCA_FORMAT, 1), copy.setUint32(8, 0)))],
    ["hhea", changed(hhea, (copy) => copy.setUint16(HHEA_METRICS, count))],
    ["hmtx", newHmtx],
    ["loca", newLoca],
    ["maxp", changed(maxp, (copy) => copy.setUint16(4, count))],
  ]);
  const scale = 1000 / head.getUint16(18);
  const scaled = (value: number): number => Math.round(value * scale);
  return {
    data,
    widths: originals.slice(0, glyphs.length + 1).map((glyph) => scaled(advance(glyph))),
    bbox: [scaled(head.getInt16(36)), scaled(head.getInt16(38)), scaled(head.getInt16(40)), scaled(head.getInt16(42))],
    ascent: scaled(hhea.getInt16(4)),
    descent: scaled(hhea.getInt16(6)),
  };
}

const bytesOfView = (view: DataView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/**
 * The tables of a font file by tag.
 * @throws RangeError if a table exceeds the file
 */
export function readTables(font: Uint8Array): Map<string, DataView> {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength);
  const tables = new Map<string, DataView>();
  for (let index = 0, count = view.getUint16(4); index < count; index++) {
    const at = 12 + index * 16;
    const tag = String.fromCharCode(...font.subarray(at, at + 4));
    const [start, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    // The buffer may be a heap that holds more than this file.
    if (start + length > font.byteLength) throw new RangeError("a table exceeds the font file");
    tables.set(tag, new DataView(font.buffer, font.byteOffset + start, length));
  }
  return tables;
}

/** A glyph without instructions. The components of a composite glyph get their new indices. */
function withoutHints(outline: Uint8Array<ArrayBuffer>, placeOf: (glyph: number) => number): Uint8Array {
  if (outline.length < 10) return new Uint8Array(0);
  const view = new DataView(outline.buffer);
  const contours = view.getInt16(0);
  if (contours >= 0) {
    const at = 10 + contours * 2;
    const length = contours === 0 ? 0 : view.getUint16(at);
    if (length === 0) return outline;
    view.setUint16(at, 0);
    outline.copyWithin(at + 2, at + 2 + length);
    return outline.subarray(0, outline.length - length);
  }
  let at = 10;
  for (let flags = MORE_PARTS; flags & MORE_PARTS;) {
    flags = view.getUint16(at);
    view.setUint16(at, flags & ~INSTRUCTIONS);
    view.setUint16(at + 2, placeOf(view.getUint16(at + 2)));
    at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALE ? 2 : flags & SCALE_XY ? 4 : flags & MATRIX ? 8 : 0);
  }
  return outline.subarray(0, at);
}

/** Builds a font file from tables, sorted by tag. */
export function writeTables(tables: readonly (readonly [string, DataView])[]): Uint8Array<ArrayBuffer> {
  const headLength = 12 + tables.length * 16;
  const size = tables.reduce((sum, [, { byteLength }]) => sum + byteLength + (-byteLength & 3), headLength);
  const font = new Uint8Array(size);
  const view = new DataView(font.buffer);
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
  view.setUint32(headAt + 8, CHECKSUM - checksum(view, 0, size));
  return font;
}

function checksum(view: DataView, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}
