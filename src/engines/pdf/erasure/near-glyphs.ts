/** Looks up glyphs by where they stand: MuPDF and our own interpreter calculate their origins in different ways. */
import type { PlacedCode } from "./walk.ts";

interface Placed {
  readonly x: number;
  readonly y: number;
}

/** Units of the page in which glyphs are looked up. */
const CELL = 4;

/** How far apart the origins of the same glyph may be: in font sizes, and in units of the page. */
const [OF_SIZE, OF_PAGE] = [0.02, 0.02];

export class NearGlyphs<T extends Placed> {
  readonly #cells = new Map<string, T[]>();

  constructor(glyphs: Iterable<T>) {
    for (const glyph of glyphs) {
      const key = keyOf(cellOf(glyph.x), cellOf(glyph.y));
      const cell = this.#cells.get(key);
      if (cell) cell.push(glyph);
      else this.#cells.set(key, [glyph]);
    }
  }

  /** The glyphs that may be a code, with their distances in units of the page. */
  near({ x, y, size }: Pick<PlacedCode, "x" | "y" | "size">): { readonly glyph: T; readonly distance: number }[] {
    const reach = Math.min(CELL, OF_SIZE * size + OF_PAGE);
    const found: { glyph: T; distance: number }[] = [];
    for (let column = cellOf(x - reach); column <= cellOf(x + reach); column++) {
      for (let row = cellOf(y - reach); row <= cellOf(y + reach); row++) {
        for (const glyph of this.#cells.get(keyOf(column, row)) ?? []) {
          const distance = Math.hypot(glyph.x - x, glyph.y - y);
          if (distance <= reach) found.push({ glyph, distance });
        }
      }
    }
    return found;
  }
}

const cellOf = (value: number): number => Math.floor(value / CELL);
const keyOf = (column: number, row: number): string => `${column} ${row}`;
