/** Writes Type 1 fonts in the Compact Font Format, which is about half as large (Adobe Technical Note 5176). */
import { concat } from "../../bytes/concat.ts";
import { bytesOf } from "../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { integerOperand, writeIndex } from "../typesetting/cff.ts";
import { FIRST_OWN_STRING, STANDARD_ENCODING, STANDARD_STRINGS } from "../fonts/encoding.ts";
import { OutlineReader, UnknownOutline, type Outline } from "./type1-outline.ts";
import type { Type1Program } from "./type1-program.ts";
import { writeCharstring, type Widths } from "./type2-outline.ts";

/** Operators of dictionaries. Two-byte operators are `12 << 8 | second`. */
const [FONT_BBOX, FONT_MATRIX, CHARSET, ENCODING, CHAR_STRINGS, PRIVATE] = [5, (12 << 8) | 7, 15, 16, 17, 18];
const [DEFAULT_WIDTH, NOMINAL_WIDTH] = [20, 21];

/** Operators of the Private dictionary. The numbers of the first ones are written as differences. */
const DELTAS: ReadonlyMap<string, number> = new Map([
  ["BlueValues", 6],
  ["OtherBlues", 7],
  ["FamilyBlues", 8],
  ["FamilyOtherBlues", 9],
  ["StemSnapH", (12 << 8) | 12],
  ["StemSnapV", (12 << 8) | 13],
]);
const NUMBERS: ReadonlyMap<string, number> = new Map([
  ["StdHW", 10],
  ["StdVW", 11],
  ["BlueScale", (12 << 8) | 9],
  ["BlueShift", (12 << 8) | 10],
  ["BlueFuzz", (12 << 8) | 11],
  ["ForceBold", (12 << 8) | 14],
  ["LanguageGroup", (12 << 8) | 17],
]);
const USUAL_MATRIX = [0.001, 0, 0, 0.001, 0, 0];

/** Glyphs that a font can number. */
const MOST_GLYPHS = 65_535 - FIRST_OWN_STRING;

/** The font with only these glyphs, and `.notdef`. Undefined if an outline has anything unexpected. */
export function cffOf(program: Type1Program, names: Iterable<string>, meter: ParseMeter): Uint8Array | undefined {
  const reader = new OutlineReader(program, meter);
  const outlines = new Map<string, Outline>([[".notdef", { width: 0, steps: [] }]]);
  try {
    for (const name of new Set([...(program.outlines.has(".notdef") ? [".notdef"] : []), ...names])) {
      if (outlines.size > MOST_GLYPHS) throw new UnknownOutline();
      outlines.set(name, reader.draw(name));
    }
  } catch (error) {
    if (error instanceof UnknownOutline) return undefined;
    throw error;
  }
  return writeCff(program, outlines);
}

function writeCff(program: Type1Program, outlines: ReadonlyMap<string, Outline>): Uint8Array {
  const isStandard = program.encoding === STANDARD_ENCODING;
  const codes = new Map<string, number[]>();
  if (!isStandard) {
    for (const [code, name] of program.encoding) {
      if (outlines.has(name)) codes.set(name, [...(codes.get(name) ?? []), code]);
    }
  }
  const strings = new Strings();
  // Glyphs with a code come first, which the table of codes requires.
  const names = [...outlines.keys()].filter((name) => name !== ".notdef");
  const glyphs = [...names.filter((name) => codes.has(name)), ...names.filter((name) => !codes.has(name))];
  const widths = widthsOf([...outlines.values()].map(({ width }) => width));
  const shapes = writeIndex(
    [".notdef", ...glyphs].map((name) => writeCharstring(outlines.get(name) ?? { width: 0, steps: [] }, widths)),
  );
  const charset = Uint8Array.from([0, ...glyphs.flatMap((name) => u16(strings.numberOf(name)))]);
  const encoding = isStandard ? new Uint8Array() : encodingOf(glyphs, codes, strings);
  const hints = privateOf(program, widths);
  const head = concat([Uint8Array.of(1, 0, 4, 4), writeIndex([bytesOf(program.name)])]);
  const common = concat([
    entry(FONT_BBOX, program.bbox),
    program.fontMatrix.every((value, index) => value === USUAL_MATRIX[index])
      ? new Uint8Array()
      : entry(FONT_MATRIX, program.fontMatrix),
  ]);
  const beginning = (start: number): Uint8Array => {
    const [shapesAt, hintsAt] = [
      start + charset.length + encoding.length,
      start + charset.length + encoding.length + shapes.length,
    ];
    const top = concat([
      common,
      integerOperand(start),
      Uint8Array.of(CHARSET),
      ...(isStandard ? [] : [integerOperand(start + charset.length), Uint8Array.of(ENCODING)]),
      integerOperand(shapesAt),
      Uint8Array.of(CHAR_STRINGS),
      integerOperand(hints.length),
      integerOperand(hintsAt),
      Uint8Array.of(PRIVATE),
    ]);
    return concat([head, writeIndex([top]), writeIndex(strings.own.map(bytesOf)), Uint8Array.of(0, 0)]);
  };
  // Its length does not depend on the offsets in it.
  return concat([beginning(beginning(0).length), charset, encoding, shapes, hints]);
}

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

function privateOf({ hints }: Type1Program, { usual, nominal }: Widths): Uint8Array {
  const entries: Uint8Array[] = [];
  for (const [key, values] of hints) {
    const deltas = DELTAS.get(key);
    const number = NUMBERS.get(key);
    if (values.length === 0) continue;
    if (deltas !== undefined) {
      entries.push(
        entry(
          deltas,
          values.map((value, index) => value - (values[index - 1] ?? 0)),
        ),
      );
    } else if (number !== undefined) entries.push(entry(number, values.slice(0, 1)));
  }
  return concat([...entries, entry(DEFAULT_WIDTH, [usual]), entry(NOMINAL_WIDTH, [nominal])]);
}

function entry(operator: number, numbers: readonly number[]): Uint8Array {
  const name = operator > 255 ? [operator >> 8, operator & 255] : [operator];
  return Uint8Array.from([...numbers.flatMap(number), ...name]);
}

function number(value: number): number[] {
  if (!Number.isInteger(value)) return real(value);
  if (value >= -107 && value <= 107) return [value + 139];
  if (value >= -32_768 && value <= 32_767) return [28, (value >> 8) & 255, value & 255];
  return [...integerOperand(value)];
}

/** Digits of four bits each, and the end. */
function real(value: number): number[] {
  const text = String(Number(value.toPrecision(9)))
    .replace("e-", "c")
    .replace(/e\+?/, "b");
  const nibbles = [...Array.from(text, (character) => "0123456789.bc?-".indexOf(character)), 15];
  if (nibbles.length % 2 === 1) nibbles.push(15);
  return [30, ...nibbles.flatMap((nibble, at) => (at % 2 === 0 ? [(nibble << 4) | (nibbles[at + 1] ?? 15)] : []))];
}

const u16 = (value: number): number[] => [value >> 8, value & 255];
