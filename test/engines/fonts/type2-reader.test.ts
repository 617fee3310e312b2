import { expect, test } from "vitest";
import { CffFont, CffIndex, writeIndex } from "../../../src/engines/pdf/fonts/cff.ts";
import { CffGlyphs } from "../../../src/engines/pdf/fonts/cff-glyphs.ts";
import type { Outline, Step } from "../../../src/engines/pdf/fonts/type1-outlines.ts";
import { cidCffOf } from "../../../src/engines/pdf/fonts/type1-to-cff.ts";
import { writeCharstring } from "../../../src/engines/pdf/fonts/type2-outlines.ts";
import { Type2Reader } from "../../../src/engines/pdf/fonts/type2-reader.ts";
import { UnknownFont } from "../../../src/engines/pdf/fonts/unknown-font.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

const index = (...items: readonly number[][]): CffIndex =>
  new CffIndex(writeIndex(items.map((item) => Uint8Array.from(item))), 0);
const NONE: { readonly global: CffIndex; readonly local: CffIndex | undefined } = { global: index(), local: undefined };
/** Operands between -107 and 107. */
const n = (...values: readonly number[]): number[] => values.map((value) => value + 139);
const read = (code: readonly number[], subroutines = NONE): Pick<Outline, "steps"> & { width: number | undefined } => {
  const { width, steps } = Type2Reader.outline(Uint8Array.from(code), subroutines, () => undefined);
  return { width, steps: steps.filter(({ kind }) => kind !== "stems") };
};
const curve = (...points: readonly number[]): Step => ({ kind: "curve", points });
const line = (...points: readonly number[]): Step => ({ kind: "line", points });

test.each<[name: string, code: readonly number[], steps: readonly Step[]]>([
  ["rlineto", [...n(1, 2, 3, 4), 5], [line(1, 2), line(4, 6)]],
  ["dotsection, which draws nothing", [12, 0, ...n(1, 2), 5], [line(1, 2)]],
  ["hlineto", [...n(1, 2, 3), 6], [line(1, 0), line(1, 2), line(4, 2)]],
  ["vlineto", [...n(1, 2), 7], [line(0, 1), line(2, 1)]],
  ["rrcurveto", [...n(1, 2, 3, 4, 5, 6), 8], [curve(1, 2, 4, 6, 9, 12)]],
  ["rcurveline", [...n(1, 1, 1, 1, 1, 1, 5, 6), 24], [curve(1, 1, 2, 2, 3, 3), line(8, 9)]],
  ["rlinecurve", [...n(5, 6, 1, 1, 1, 1, 1, 1), 25], [line(5, 6), curve(6, 7, 7, 8, 8, 9)]],
  ["vvcurveto", [...n(9, 1, 2, 3, 4), 26], [curve(9, 1, 11, 4, 11, 8)]],
  ["hhcurveto", [...n(9, 1, 2, 3, 4), 27], [curve(1, 9, 3, 12, 7, 12)]],
  ["vhcurveto", [...n(1, 2, 3, 4, 5), 30], [curve(0, 1, 2, 4, 6, 9)]],
  ["hvcurveto", [...n(1, 2, 3, 4, 5, 6, 7, 8), 31], [curve(1, 0, 3, 3, 3, 7), curve(3, 12, 9, 19, 17, 19)]],
  ["hflex", [...n(1, 2, 3, 4, 5, 6, 7), 12, 34], [curve(1, 0, 3, 3, 7, 3), curve(12, 3, 18, 0, 25, 0)]],
  ["flex", [...n(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50), 12, 35], [curve(1, 1, 2, 2, 3, 3), curve(4, 4, 5, 5, 6, 6)]],
  ["hflex1", [...n(1, 2, 3, 4, 5, 6, 7, 8, 9), 12, 36], [curve(1, 2, 4, 6, 9, 6), curve(15, 6, 22, 14, 31, 0)]],
  ["flex1", [...n(9, 1, 9, 1, 9, 1, 9, 1, 9, 1, 9), 12, 37], [curve(9, 1, 18, 2, 27, 3), curve(36, 4, 45, 5, 54, 0)]],
])("draws the paths of the operator %s", (_, code, steps) => {
  expect(read([...n(0), 22, ...code, 14]).steps.slice(1)).toEqual(steps);
});

test("the first operator has the width as one operand more than it takes", () => {
  expect(read([...n(7, 1), 22, 14]).width).toBe(7);
  expect(read([...n(1), 22, 14]).width).toBeUndefined();
  expect(read([...n(7), 14]).width).toBe(7);
  expect(read([...n(7, 1, 2), 1, ...n(1), 22, 14]).width).toBe(7);
});

test("stems apply where the masks say so, whose size follows from their number", () => {
  const code = [...n(10, 20), 18, ...n(30, 40), 19, 0x40, ...n(1, 2), 21, 19, 0x80, ...n(3), 6, 14];
  const { steps } = Type2Reader.outline(Uint8Array.from(code), NONE, () => undefined);
  expect(steps).toEqual([
    { kind: "stems", stems: { horizontal: [], vertical: [[30, 40]] } },
    { kind: "move", points: [1, 2] },
    { kind: "stems", stems: { horizontal: [[10, 20]], vertical: [] } },
    line(4, 2),
  ]);
});

test("subroutines are called by numbers with a bias, and end where they return", () => {
  const subroutines = { global: index([...n(2), 6, 11]), local: index([...n(0), 22, 11]) };
  expect(read([...n(-107), 10, ...n(-107), 29, ...n(3), 7, 14], subroutines).steps).toEqual([
    { kind: "move", points: [0, 0] },
    line(2, 0),
    line(2, 3),
  ]);
});

test("an accented letter is drawn of its parts", () => {
  const parts: Record<string, number[]> = { a: [...n(0), 22, ...n(5), 6, 14], acute: [...n(1), 22, ...n(2), 7, 14] };
  const code = Uint8Array.from([...n(10, 20), 236, 247, 86, 14]);
  const { steps } = Type2Reader.outline(code, NONE, (name) => Uint8Array.from(parts[name] ?? []));
  expect(steps).toEqual([
    { kind: "move", points: [0, 0] },
    line(5, 0),
    { kind: "move", points: [11, 20] },
    line(11, 22),
  ]);
});

test.each<[name: string, code: readonly number[]]>([
  ["no end", [...n(0), 22]],
  ["a subroutine that is missing", [...n(5), 10, 14]],
  ["an operator that is unknown", [...n(0), 22, ...n(1), 12, 9, 14]],
])("refuses an outline with %s", (_, code) => {
  expect(() => read(code)).toThrow(UnknownFont);
});

test("endless calls are refused", () => {
  const subroutines = { global: index(), local: index([...n(-107), 10]) };
  expect(() => read([...n(-107), 10], subroutines)).toThrow(UnknownFont);
});

test("reads what is written", () => {
  const steps: Step[] = [{ kind: "move", points: [10, -20] }, line(300, 1500), curve(1, 2.5, 3, 4, 5, 6)];
  const { width, steps: found } = read([...writeCharstring({ width: 640, steps }, { usual: 500, nominal: 600 })]);
  expect([width, found]).toEqual([40, steps]);
});

test("a font keyed by CID has its outlines and widths by CID", () => {
  const meter = new ParseMeter(unlimitedWork(), "font");
  const outlines = new Map<number, Outline>([
    [700, { width: 640, steps: [{ kind: "move", points: [1, 2] }, line(3, 4)] }],
    [5, { width: 500, steps: [] }],
  ]);
  const font = new CffFont(
    cidCffOf({
      name: "ABCDEF+Test",
      bbox: [0, 0, 9, 9],
      fontMatrix: [0.001, 0, 0, 0.001, 0, 0],
      hints: [],
      outlines,
      registry: "Adobe",
      ordering: "Japan1",
      supplement: 6,
    }),
  );
  const glyphs = new CffGlyphs(font, meter);
  expect([font.isCidKeyed, font.charset(meter)]).toEqual([true, [0, 5, 700]]);
  expect([0, 1, 2].map((glyph) => glyphs.of(glyph))).toEqual([0, 500, 640]);
  expect(glyphs.outlineOf(2, () => undefined).steps.filter(({ kind }) => kind !== "stems")).toEqual(
    outlines.get(700)?.steps,
  );
});
