/** Subsets of font programs. */
import type { ParseMeter } from "../../parse-meter.ts";
import { CffFont, CHAR_STRINGS, CHARSET, ENCODING, PRIVATE, UNIQUE_ID, writeCff, writeIndex, XUID } from "./cff.ts";
import {
  changed,
  inFinerUnits,
  bytesOfView,
  HEAD,
  HHEA_LENGTHS,
  HHEA_METRICS,
  MAXP_GLYPHS,
  namingOnly,
  partsOf,
  type SfntFont,
  viewOf,
  withoutHints,
  writeOutlines,
  writeTables,
} from "./sfnt.ts";
import { cffOf } from "./type1-to-cff.ts";
import { Type1Font } from "./type1.ts";
import { ifUnderstood, UnknownFont } from "./unknown-font.ts";

/**
 * Glyphs keep their numbers, and all others become empty. Everything that readers use to find glyphs stays, since readers differ in their methods
 * (ISO 32000-2, 9.6.5.4). `findsByCode`: whether they look up glyphs in the font.
 */
interface KeptGlyphs {
  readonly glyphs: ReadonlySet<number>;
  readonly findsByCode: boolean;
}

/**
 * Glyphs get new numbers: 0 stays, and after it come these glyphs or EMPTY in this order. Names, hints of TrueType, and the tables for finding glyphs
 * are left out.
 */
interface RenumberedGlyphs {
  readonly inOrder: readonly number[];
  /** Of a TrueType font: other advances of these glyphs, in thousandths of the font size. Units become finer where they need it. */
  readonly widths?: readonly number[];
  /** Of a TrueType font: the table for finding glyphs. */
  readonly cmap?: DataView;
}

type Kept = KeptGlyphs | RenumberedGlyphs;

/** The glyphs of a Type 1 font. */
interface KeptNames {
  readonly names: Iterable<string>;
}

/** Stands for an empty glyph of zero width. */
export const EMPTY = -1;

/** Tables needed to draw and find glyphs; and those used only for fonts with one-byte codes: in other fonts the PDF itself maps codes to glyphs. */
const KEPT = "OS/2,cmap,cvt ,fpgm,glyf,head,hhea,hmtx,loca,maxp,post,prep,vhea,vmtx".split(",");
const LOOKUPS = new Set(["cmap", "post"]);
/** Tables with images instead of outlines. */
const PICTURES = ["CBDT", "COLR", "SVG ", "sbix"];
/** Components of all composite glyphs. */
const MOST_PARTS = 200_000;

/** Operators of outlines (Adobe Technical Note 5177): the end, which is also a glyph without an outline, and calls of subroutines. */
const [END_CHAR, CALL_SUBR, CALL_GLOBAL] = [14, 10, 29];
const NO_OUTLINE = Uint8Array.of(END_CHAR);
/** Shortest outline in bytes that is a path for certain. */
const SHORTEST_PATH = 16;
/** Operands of an operator in an outline (Technical Note 5177, appendix B). */
const MOST_OPERANDS = 48;
/** Entries of a Top DICT that identify the original font, or are rewritten. */
const LEFT_OUT: ReadonlySet<number> = new Set([UNIQUE_ID, XUID, CHARSET, ENCODING, CHAR_STRINGS, PRIVATE]);

/**
 * The font with fewer glyphs. Undefined if the font is not understood: then its bytes must stay unchanged. A Type 1 font becomes the Compact Font
 * Format.
 */
export function subset(font: Type1Font, kept: KeptNames, meter: ParseMeter): Uint8Array<ArrayBuffer> | undefined;
export function subset(font: SfntFont | CffFont, kept: Kept, meter: ParseMeter): Uint8Array<ArrayBuffer> | undefined;
export function subset(
  font: Type1Font | SfntFont | CffFont,
  kept: KeptNames | Kept,
  meter: ParseMeter,
): Uint8Array<ArrayBuffer> | undefined {
  return ifUnderstood(() => {
    if (font instanceof Type1Font) return cffOf(font, (kept as KeptNames).names, meter);
    const numbers = kept as Kept;
    if ("inOrder" in numbers)
      return font instanceof CffFont ? renumberedCff(font, numbers.inOrder) : renumberedSfnt(font, numbers);
    return font instanceof CffFont ? blankedCff(font, numbers, meter) : blankedSfnt(font, numbers, meter);
  });
}

/** With their components. */
function blankedSfnt(font: SfntFont, { glyphs, findsByCode }: KeptGlyphs, meter: ParseMeter): Uint8Array<ArrayBuffer> {
  if (PICTURES.some((tag) => font.tables.has(tag))) throw new UnknownFont();
  const { glyphCount: count, metricCount: metrics } = font;
  meter.bytes(font.size);
  meter.element(count);

  const outlines: (Uint8Array | undefined)[] = Array.from({ length: count });
  const pending = [0, ...glyphs];
  let [bytes, components] = [0, 0];
  for (let glyph = pending.pop(); glyph !== undefined; glyph = pending.pop()) {
    if (glyph >= count || outlines[glyph]) continue;
    const outline = font.outlineOf(glyph);
    outlines[glyph] = outline;
    // Outlines that overlap would be written once for each glyph.
    if ((bytes += outline.length) > font.table("glyf").byteLength) throw new UnknownFont();
    for (const part of partsOf(outline)) {
      if (++components > MOST_PARTS) throw new UnknownFont();
      meter.element();
      pending.push(part.glyph);
    }
  }

  const hmtx = bytesOfView(font.table("hmtx"));
  const newHmtx = new Uint8Array(hmtx.length);
  for (let glyph = 0; glyph < count; glyph++) {
    // The last full entry applies to all glyphs after it.
    if (!outlines[glyph] && glyph !== metrics - 1) continue;
    const [at, length] = glyph < metrics ? [glyph * 4, 4] : [metrics * 4 + (glyph - metrics) * 2, 2];
    if (at + length > hmtx.length) throw new UnknownFont();
    newHmtx.set(hmtx.subarray(at, at + length), at);
  }
  const { glyf, loca } = writeOutlines(outlines, font.isLong ? 4 : 2);
  const post = font.tables.get("post");
  const rewritten = new Map([
    ["glyf", glyf],
    // The checksum of the file must be computed again.
    ["head", changed(font.table("head"), (copy) => copy.setUint32(HEAD.checksum, 0))],
    ["hmtx", viewOf(newHmtx)],
    ["loca", loca],
    ["post", post && namingOnly(post, (glyph) => outlines[glyph] !== undefined)],
  ]);
  const tables = KEPT.filter((tag) => findsByCode || !LOOKUPS.has(tag)).flatMap((tag) => {
    const table = rewritten.get(tag) ?? font.tables.get(tag);
    return table ? [[tag, table] as const] : [];
  });
  // So would tables that overlap.
  if (tables.reduce((sum, [, { byteLength }]) => sum + byteLength, 0) > 2 * font.size) throw new UnknownFont();
  return writeTables(tables);
}

/** Units of the font size that widths need, which must be right to a thousandth. */
const LEAST_UNITS = 500;

/** The components of composite glyphs follow the glyphs. */
function renumberedSfnt(font: SfntFont, { inOrder, widths, cmap }: RenumberedGlyphs): Uint8Array<ArrayBuffer> {
  const unitsPerEm = font.table("head").getUint16(HEAD.unitsPerEm);
  const factor = widths && unitsPerEm < LEAST_UNITS ? Math.ceil(1000 / Math.max(1, unitsPerEm)) : 1;
  const originals = [0, ...inOrder];
  const places = new Map<number, number>();
  const placeOf = (glyph: number): number => {
    const place = places.get(glyph) ?? originals.push(glyph) - 1;
    places.set(glyph, place);
    return place;
  };
  // Components are appended while the list is traversed.
  const outlines: Uint8Array[] = [];
  for (const glyph of originals) {
    const outline = glyph === EMPTY ? new Uint8Array() : withoutHints(font.outlineOf(glyph), placeOf);
    outlines.push(factor === 1 ? outline : inFinerUnits(outline, factor));
  }

  const { metricCount: metrics } = font;
  const hmtx = new DataView(new ArrayBuffer(originals.length * 4));
  originals.forEach((glyph, place) => {
    if (glyph === EMPTY) return;
    const width = widths?.[place - 1];
    const advance = width === undefined ? font.advanceOf(glyph) * factor : (width * unitsPerEm * factor) / 1000;
    hmtx.setUint16(place * 4, Math.round(advance));
    const bearing = glyph < metrics ? glyph * 4 + 2 : metrics * 4 + (glyph - metrics) * 2;
    hmtx.setInt16(place * 4 + 2, font.table("hmtx").getInt16(bearing) * factor);
  });
  const { glyf, loca } = writeOutlines(outlines, 4);
  const enlarge = (copy: DataView, at: number): void => copy.setInt16(at, copy.getInt16(at) * factor);
  return writeTables([
    ...(cmap ? [["cmap", cmap] as const] : []),
    ["glyf", glyf],
    [
      "head",
      changed(font.table("head"), (copy) => {
        copy.setInt16(HEAD.locaFormat, 1);
        copy.setUint32(HEAD.checksum, 0);
        for (const at of [HEAD.unitsPerEm, ...HEAD.bbox]) enlarge(copy, at);
      }),
    ],
    [
      "hhea",
      changed(font.table("hhea"), (copy) => {
        copy.setUint16(HHEA_METRICS, originals.length);
        for (const at of HHEA_LENGTHS) enlarge(copy, at);
      }),
    ],
    ["hmtx", hmtx],
    ["loca", loca],
    ["maxp", changed(font.table("maxp"), (copy) => copy.setUint16(MAXP_GLYPHS, originals.length))],
  ]);
}

/** Each table stays in its place. */
function blankedCff(font: CffFont, { glyphs, findsByCode }: KeptGlyphs, meter: ParseMeter): Uint8Array<ArrayBuffer> {
  const { outlines } = font;
  meter.bytes(font.bytes.length);
  meter.element(outlines.count);
  return font.withOutlines(
    Array.from({ length: outlines.count }, (_, glyph) => {
      const outline = outlines.item(glyph);
      const isKept = glyph === 0 || glyphs.has(glyph);
      // The parts of a composed glyph are found by codes, which are not looked up here.
      if (findsByCode && glyphs.has(glyph) && mayBeComposed(outline)) throw new UnknownFont();
      return isKept || outline.length === 0 ? outline : NO_OUTLINE;
    }),
  );
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

/** Glyph names are dropped, since a CIDFont does not need them (ISO 32000-2, 9.7.4.2). */
function renumberedCff(font: CffFont, glyphs: readonly number[]): Uint8Array<ArrayBuffer> {
  if (font.isCidKeyed) throw new UnknownFont();
  const { bytes, names, strings, top } = font;
  const bytesOf = ({ start, end }: { readonly start: number; readonly end: number }): Uint8Array =>
    bytes.subarray(start, end);
  return writeCff({
    names: bytesOf(names),
    strings: bytesOf(strings),
    subroutines: bytesOf(font.indexAt(strings.end)),
    entries: [...top].flatMap(([operator, entry]) => (LEFT_OUT.has(operator) ? [] : [entry.bytes])),
    // One range of names, starting at the first.
    charset: Uint8Array.of(2, 0, 1, (glyphs.length - 1) >> 8, (glyphs.length - 1) & 255),
    outlines: writeIndex([0, ...glyphs].map((glyph) => (glyph === EMPTY ? NO_OUTLINE : font.outlines.item(glyph)))),
    hints: font.hints,
  });
}
