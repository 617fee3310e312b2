/** Tells which glyphs of a page should be gone: those that were part of a match, and those in a region. */
import type { Work } from "../../work.ts";
import { CELL, PointGrid } from "../erasure/point-grid.ts";
import type { RedactedBox } from "./annotations.ts";
import type { PageMatch, PlacedGlyph } from "./distinct-matches.ts";

/** How far from its place a glyph may be, in font sizes: the content is written anew with rounded numbers. */
const SAME_PLACE = 0.05;

/** How far inside a region the center of a glyph must be, in font sizes: MuPDF has the corners of some glyphs elsewhere. */
const INSIDE = 0.25;

/** Fuel per glyph, and per region or removed glyph that it is compared with. */
const [GLYPH_WORK, COMPARE_WORK] = [20, 0.5];

export function goneFrom(
  matches: readonly PageMatch[],
  regions: readonly RedactedBox[],
  work: Work,
): (glyph: PlacedGlyph) => boolean {
  const grid = new PointGrid<PlacedGlyph>();
  for (const glyph of matches.flatMap(({ glyphs }) => glyphs))
    if (glyph.character.trim() !== "") grid.add(glyph.x, glyph.y, glyph);
  return ({ character, x, y, size }) => {
    work.spend(GLYPH_WORK + regions.length * COMPARE_WORK);
    const reach = Math.min(SAME_PLACE * size, CELL);
    for (const near of grid.around(x, y, reach)) {
      work.spend(near.length * COMPARE_WORK);
      if (near.some((gone) => gone.character === character && Math.hypot(gone.x - x, gone.y - y) <= reach)) return true;
    }
    const inset = INSIDE * size;
    return regions.some(
      ([left, bottom, right, top]) => x > left + inset && x < right - inset && y > bottom + inset && y < top - inset,
    );
  };
}
