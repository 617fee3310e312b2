/** Looks up glyphs by their places: MuPDF and our own interpreter calculate their origins in different ways. */
import { CELL, PointGrid } from "./point-grid.ts";
import type { PlacedCode } from "./choice.ts";

interface Placed {
  readonly x: number;
  readonly y: number;
}

/** How far apart the origins of the same glyph may be: in font sizes, and in units of the page. */
const [OF_SIZE, OF_PAGE] = [0.02, 0.02];

export class NearGlyphs<T extends Placed> {
  readonly #grid = new PointGrid<T>();

  constructor(glyphs: Iterable<T>) {
    for (const glyph of glyphs) this.#grid.add(glyph.x, glyph.y, glyph);
  }

  /** The glyphs that may be a code, with their distances in units of the page. */
  near({ x, y, size }: Pick<PlacedCode, "x" | "y" | "size">): { readonly glyph: T; readonly distance: number }[] {
    const reach = Math.min(CELL, OF_SIZE * size + OF_PAGE);
    const found: { glyph: T; distance: number }[] = [];
    for (const cell of this.#grid.around(x, y, reach)) {
      for (const glyph of cell) {
        const distance = Math.hypot(glyph.x - x, glyph.y - y);
        if (distance <= reach) found.push({ glyph, distance });
      }
    }
    return found;
  }
}
