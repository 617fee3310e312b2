/** Writes Type 1 fonts in the Compact Font Format, which is about half as large (Adobe Technical Note 5176). */
import { concat } from "../../../bytes/concat.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import {
  DEFAULT_WIDTH,
  FONT_BBOX,
  FONT_MATRIX,
  NOMINAL_WIDTH,
  writeCff,
  writeCidCff,
  writeEntry,
  writeIndex,
} from "./cff.ts";
import { FIRST_OWN_STRING, STANDARD_ENCODING, STANDARD_STRINGS } from "./encoding.ts";
import { type Outline, OutlineReader } from "./type1-outlines.ts";
import type { Type1Font } from "./type1.ts";
import { writeCharstring, type Widths } from "./type2-outlines.ts";
import { UnknownFont } from "./unknown-font.ts";

/**
 * Operators by the entries of the Private dictionary that readers use to place outlines on pixels (Type 1, section 5), and those whose
 * numbers are written as differences.
 */
const HINTS = {
  BlueValues: 6,
  OtherBlues: 7,
  FamilyBlues: 8,
  FamilyOtherBlues: 9,
  StdHW: 10,
  StdVW: 11,
  BlueScale: (12 << 8) | 9,
  BlueShift: (12 << 8) | 10,
  BlueFuzz: (12 << 8) | 11,
  StemSnapH: (12 << 8) | 12,
  StemSnapV: (12 << 8) | 13,
  LanguageGroup: (12 << 8) | 17,
  ForceBold: (12 << 8) | 14,
} as const;
const DIFFERENCES = /Blues$|Values$|^StemSnap/;
export const USUAL_MATRIX = [0.001, 0, 0, 0.001, 0, 0];

/** Glyphs that a font can number. */
const MOST_GLYPHS = 65_535 - FIRST_OWN_STRING;

/**
 * The font with only these glyphs, and `.notdef`.
 * @throws UnknownFont if an outline has anything unexpected
 */
export function cffOf(font: Type1Font, names: Iterable<string>, meter: ParseMeter): Uint8Array<ArrayBuffer> {
  const reader = new OutlineReader(font, meter);
  const outlines = new Map<string, Outline>([[".notdef", { width: 0, steps: [] }]]);
  for (const name of new Set([...(font.outlines.has(".notdef") ? [".notdef"] : []), ...names])) {
    if (outlines.size > MOST_GLYPHS) throw new UnknownFont();
    outlines.set(name, reader.draw(name));
  }
  return writeNamedCff({
    name: font.name,
    bbox: font.bbox,
    fontMatrix: font.fontMatrix,
    outlines,
    encoding: font.encoding,
    hints: hintsOf(font),
  });
}

/** A font whose glyphs have names. */
export interface NamedOutlines {
  readonly name: string;
  readonly bbox: readonly number[];
  readonly fontMatrix: readonly number[];
  /** By name, with `.notdef`. */
  readonly outlines: ReadonlyMap<string, Outline>;
  /** Names by code. */
  readonly encoding: ReadonlyMap<number, string>;
  /** Entries of the Private DICT besides those about widths. */
  readonly hints: readonly Uint8Array[];
}

export function writeNamedCff(font: NamedOutlines): Uint8Array<ArrayBuffer> {
  const { outlines } = font;
  const isStandard = font.encoding === STANDARD_ENCODING;
  const codes = new Map<string, number[]>();
  if (!isStandard) {
    for (const [code, name] of font.encoding) {
      if (outlines.has(name)) codes.set(name, [...(codes.get(name) ?? []), code]);
    }
  }
  const strings = new Strings();
  // Glyphs with a code come first, which the table of codes requires.
  const others = [...outlines.keys()].filter((name) => name !== ".notdef");
  const glyphs = [...others.filter((name) => codes.has(name)), ...others.filter((name) => !codes.has(name))];
  const widths = widthsOf([...outlines.values()].map(({ width }) => width));
  const hints = privateDict(font.hints, widths);
  return writeCff({
    names: writeIndex([bytesOf(font.name)]),
    entries: topEntries(font),
    outlines: writeIndex(
      [".notdef", ...glyphs].map((name) => writeCharstring(outlines.get(name) ?? { width: 0, steps: [] }, widths)),
    ),
    charset: Uint8Array.from([0, ...glyphs.flatMap((name) => u16(strings.numberOf(name)))]),
    encoding: isStandard ? undefined : encodingOf(glyphs, codes, strings),
    strings: writeIndex(strings.own.map(bytesOf)),
    subroutines: writeIndex([]),
    hints: { size: hints.length, bytes: hints },
  });
}

/** A font whose glyphs have CIDs. */
export interface CidOutlines extends Pick<NamedOutlines, "name" | "bbox" | "fontMatrix" | "hints"> {
  /** By CID. CID 0 stands for a missing glyph. */
  readonly outlines: ReadonlyMap<number, Outline>;
  /** The character collection. */
  readonly registry: string;
  readonly ordering: string;
  readonly supplement: number;
}

export function cidCffOf({ outlines, ...font }: CidOutlines): Uint8Array<ArrayBuffer> {
  const cids = [...outlines.keys()].filter((cid) => cid > 0).toSorted((a, b) => a - b);
  const all = [outlines.get(0) ?? { width: 0, steps: [] }, ...cids.flatMap((cid) => outlines.get(cid) ?? [])];
  const widths = widthsOf(all.map(({ width }) => width));
  return writeCidCff({
    names: writeIndex([bytesOf(font.name)]),
    registry: font.registry,
    ordering: font.ordering,
    supplement: font.supplement,
    entries: topEntries(font),
    cids,
    outlines: writeIndex(all.map((outline) => writeCharstring(outline, widths))),
    hints: privateDict(font.hints, widths),
  });
}

function topEntries({ bbox, fontMatrix }: Pick<NamedOutlines, "bbox" | "fontMatrix">): Uint8Array[] {
  const isUsual = fontMatrix.every((value, index) => value === USUAL_MATRIX[index]);
  return [writeEntry(FONT_BBOX, bbox), ...(isUsual ? [] : [writeEntry(FONT_MATRIX, fontMatrix)])];
}

const privateDict = (hints: readonly Uint8Array[], { usual, nominal }: Widths): Uint8Array =>
  concat([...hints, writeEntry(DEFAULT_WIDTH, [usual]), writeEntry(NOMINAL_WIDTH, [nominal])]);

/** Numbers of strings, some of which every reader knows. */
class Strings {
  readonly own: string[] = [];
  readonly #numbers = new Map(STANDARD_STRINGS.map((name, number) => [name, number] as const));

  numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? FIRST_OWN_STRING + this.own.push(name) - 1;
    this.#numbers.set(name, number);
    return number;
  }
}

/** The code of each glyph in their order (format 0), and further codes of the same glyphs. */
function encodingOf(
  glyphs: readonly string[],
  codes: ReadonlyMap<string, readonly number[]>,
  strings: Strings,
): Uint8Array {
  const coded = glyphs.filter((name) => codes.has(name));
  const more = coded.flatMap((name) => (codes.get(name) ?? []).slice(1).map((code) => [code, name] as const));
  return Uint8Array.from([
    more.length > 0 ? 0x80 : 0,
    coded.length,
    ...coded.map((name) => codes.get(name)?.[0] ?? 0),
    ...(more.length > 0
      ? [more.length, ...more.flatMap(([code, name]) => [code, ...u16(strings.numberOf(name))])]
      : []),
  ]);
}

/** The most frequent width need not be written; the others are short when written relative to their mean. */
function widthsOf(all: readonly number[]): Widths {
  const counts = new Map<number, number>();
  for (const width of all) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [usual = 0] = [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [0, 0] as const);
  const others = all.filter((width) => width !== usual);
  return { usual, nominal: Math.round(others.reduce((sum, width) => sum + width, 0) / Math.max(1, others.length)) };
}

/** Entries of a Private DICT. */
export function hintsOf(font: Type1Font): Uint8Array[] {
  return Object.entries(HINTS).flatMap(([key, operator]) => {
    const values = font.hint(key) ?? [];
    if (values.length === 0) return [];
    const differences = values.map((value, index) => value - (values[index - 1] ?? 0));
    return [writeEntry(operator, DIFFERENCES.test(key) ? differences : values.slice(0, 1))];
  });
}

const u16 = (value: number): number[] => [value >> 8, value & 255];
