import { expect, test } from "vitest";
import { drawnOutlines } from "../../../src/engines/pdf/archive/fonts/outlines.ts";
import type { GlyphSource } from "../../../src/engines/pdf/archive/fonts/glyph-source.ts";

/** A triangle that is as wide as its glyph, with a stem. */
const source = (width: number): GlyphSource => ({
  names: [".notdef", "a"],
  outlineOf: () => ({
    width,
    steps: [
      { kind: "stems", stems: { horizontal: [[0, 20]], vertical: [] } },
      { kind: "move", points: [0, 0] },
      { kind: "line", points: [width, 0] },
      { kind: "line", points: [width, 700] },
    ],
  }),
  bbox: [0, -100, width, 700],
  matrix: [0.001, 0, 0, 0.001, 0, 0],
  hints: [Uint8Array.of(1)],
});

const code = (width: number, shown: number) => ({
  drawn: { glyph: 1, text: "a", advance: shown, ink: [0, shown] as const },
  width: shown,
});

test("an outline that MuPDF does not stretch stays, with its hints", () => {
  const { outlines, fontMatrix, bbox, box, hints } = drawnOutlines(source(500), [code(500, 500)]);
  expect(outlines).toEqual([source(500).outlineOf(1)]);
  expect([fontMatrix, bbox, box, hints]).toEqual([
    [0.001, 0, 0, 0.001, 0, 0],
    [0, -100, 500, 700],
    [0, -100, 500, 700],
    [Uint8Array.of(1)],
  ]);
});

test("stretched outlines are in tenths of a unit, since readers move points to whole units", () => {
  const { outlines, fontMatrix, bbox, box, hints } = drawnOutlines(source(333), [code(333, 273)]);
  const points = outlines.map(({ steps }) => steps.flatMap((step) => (step.kind === "stems" ? [] : step.points)));
  expect(outlines.map(({ width }) => width)).toEqual([2730]);
  expect(points).toEqual([[0, 0, 2730, 0, 2730, 7000]]);
  expect(fontMatrix.slice(0, 4)).toEqual([0.0001, 0, 0, 0.0001]);
  expect([bbox, box, hints]).toEqual([[0, -1000, 3330, 7000], [0, -100, 333, 700], []]);
});

test("outlines whose points would be too far apart keep their units", () => {
  const { outlines, fontMatrix } = drawnOutlines(source(5000), [code(5000, 4000)]);
  expect(outlines[0]?.steps.at(-1)).toEqual({ kind: "line", points: [4000, 700] });
  expect(fontMatrix[0]).toBe(0.001);
});
