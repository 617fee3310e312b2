/** The outlines of a font program by the glyph numbers with which MuPDF draws them. */
import type { ParseMeter } from "../../../parse-meter.ts";
import { CffFont, FONT_BBOX, FONT_MATRIX } from "../../fonts/cff.ts";
import { CffGlyphs } from "../../fonts/cff-glyphs.ts";
import { type Outline, OutlineReader } from "../../fonts/type1-outlines.ts";
import { hintsOf, USUAL_MATRIX } from "../../fonts/type1-to-cff.ts";
import { Type1Font, withoutSegments } from "../../fonts/type1.ts";

/** The first bytes of TrueType. */
const TRUE_TYPE = [0x00010000, 0x74727565];

export const isTrueType = ({ buffer, length }: Uint8Array): boolean =>
  length > 4 && TRUE_TYPE.includes(new DataView(buffer).getUint32(0));

/** Outlines are in units of the font. */
export interface GlyphSource {
  /** By glyph number; empty if glyphs have CIDs. */
  readonly names: readonly string[];
  /** @throws UnknownFont */
  outlineOf(glyph: number): Outline;
  readonly bbox: readonly number[];
  readonly matrix: readonly number[];
  /** Entries of a Private DICT. */
  readonly hints: readonly Uint8Array[];
}

/** @throws UnknownFont, or RangeError if a table is cut off */
export function glyphSourceOf(program: Uint8Array, meter: ParseMeter): GlyphSource {
  meter.bytes(program.length);
  return program[0] === 0x25 || program[0] === 0x80
    ? type1Source(new Type1Font(withoutSegments(program), meter), meter)
    : cffSource(new CffFont(program), meter);
}

function cffSource(font: CffFont, meter: ParseMeter): GlyphSource {
  const glyphs = new CffGlyphs(font, meter);
  const numbers = font.isCidKeyed ? undefined : font.namedGlyphs(meter).outlines;
  // MuPDF gives the CID, and FreeType looks for its glyph.
  const byCid = font.isCidKeyed ? new Map(font.charset(meter).map((cid, glyph) => [cid, glyph])) : undefined;
  const names: string[] = [];
  for (const [name, glyph] of numbers ?? []) names[glyph] = name;
  const matrix = font.numbersOf(FONT_MATRIX);
  return {
    names,
    outlineOf: (glyph) => glyphs.outlineOf(byCid ? (byCid.get(glyph) ?? 0) : glyph, (part) => numbers?.get(part)),
    bbox: font.numbersOf(FONT_BBOX),
    matrix: matrix.length === 6 ? matrix : USUAL_MATRIX,
    hints: font.isCidKeyed ? [] : font.hintEntries,
  };
}

function type1Source(font: Type1Font, meter: ParseMeter): GlyphSource {
  const reader = new OutlineReader(font, meter);
  const names = [...font.outlines.keys()];
  // FreeType numbers them in the order of the file, and exchanges the first one with this one.
  const place = names.indexOf(".notdef");
  if (place < 0) names.unshift(".notdef");
  else [names[0], names[place]] = [".notdef", names[0] ?? ""];
  return {
    names,
    outlineOf: (glyph) => {
      const name = names[glyph] ?? "";
      return place < 0 && glyph === 0 ? { width: 0, steps: [] } : reader.draw(name);
    },
    bbox: font.bbox,
    matrix: font.fontMatrix,
    hints: hintsOf(font),
  };
}
