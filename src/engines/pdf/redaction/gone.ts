/** Tells which glyphs of a page should be gone: those that were part of a match, and those in a region. */
import type { Work } from "../../work.ts";
import type { RedactedBox } from "./annotations.ts";
import type { PageMatch, PlacedGlyph } from "./distinct-matches.ts";

/** How far from its place a glyph may be, in font sizes: the content is written anew with rounded numbers. */
const SAME_PLACE = 0.05;

/** How far inside a region the center of a glyph must be, in font sizes: MuPDF has the corners of some glyphs elsewhere. */
const INSIDE = 0.25;

/** Units of the page in which glyphs are looked up. */
const CELL = 4;

/** Beyond every page, in its units: a coordinate may be infinite. */
const FAR = 1e9;

/** Fuel per glyph, and per region or removed glyph that it is compared with. */
const [GLYPH_WORK, COMPARE_WORK] = [20, 0.5];

const cellOf = (value: number): number => Math.floor(value / CELL);

/** A key of a cell, which is the same number only for cells that are farther apart than a page is long. */
const cellAt = (column: number, row: number): number => column * 2 ** 22 + row;

export function goneFrom(
  matches: readonly PageMatch[],
  regions: readonly RedactedBox[],
  work: Work,
): (glyph: PlacedGlyph) => boolean {
  const cells = Map.groupBy(
    matches.flatMap(({ glyphs }) => glyphs).filter(({ character }) => character.trim() !== ""),
    ({ x, y }) => cellAt(cellOf(x), cellOf(y)),
  );
  return ({ character, x, y, size }) => {
    work.spend(GLYPH_WORK + regions.length * COMPARE_WORK);
    if (!(Math.abs(x) < FAR && Math.abs(y) < FAR)) return false;
    const reach = Math.min(SAME_PLACE * size, CELL);
    for (let column = cellOf(x - reach); column <= cellOf(x + reach); column++) {
      for (let row = cellOf(y - reach); row <= cellOf(y + reach); row++) {
        const near = cells.get(cellAt(column, row));
        if (near === undefined) continue;
        work.spend(near.length * COMPARE_WORK);
        if (near.some((gone) => gone.character === character && Math.hypot(gone.x - x, gone.y - y) <= reach))
          return true;
      }
    }
    const inset = INSIDE * size;
    return regions.some(
      ([left, bottom, right, top]) => x > left + inset && x < right - inset && y > bottom + inset && y < top - inset,
    );
  };
}
