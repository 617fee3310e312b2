/** The matches of a page, which is read in several orders: one that is found in two of them is one match. */
import type { Work } from "../../work.ts";
import { CELL, PointGrid } from "../erasure/point-grid.ts";
import type { WantedGlyph } from "../erasure/erase-glyphs.ts";
import type { Quad } from "../text/glyphs.ts";

/** A run of glyphs on one line. */
export interface GlyphRun {
  /** Their characters. */
  readonly text: string;
  /** Unit vector of the line, in units of the page, y up. */
  readonly direction: readonly [number, number];
  /** All of the glyphs, in units of the page. */
  readonly box: Quad;
  /** The middle of the glyphs. It touches neither other lines nor adjacent glyphs. */
  readonly middle: Quad;
  /** Largest font size, in units of the page. */
  readonly size: number;
}

/** A glyph in its place on the page: its first character, its center, and its font size, in units of the page. */
export interface PlacedGlyph {
  readonly character: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** The glyphs to erase for it. */
  readonly wanted: readonly WantedGlyph[];
}

export interface PageMatch {
  readonly text: string;
  readonly marks: readonly GlyphRun[];
  readonly glyphs: readonly PlacedGlyph[];
}

/** How far apart the places of one glyph may be in two readings, and of one that is drawn again for bold type or a shadow, in font sizes. */
const [SAME, AGAIN] = [0.02, 0.15];

/** Fuel per glyph, and per glyph that it is compared with. */
const [GLYPH_WORK, COMPARE_WORK] = [20, 0.5];

interface Known {
  readonly character: string;
  readonly x: number;
  readonly y: number;
  /** Index of the match that it is a part of. */
  readonly match: number;
}

export class DistinctMatches {
  readonly #work: Work;
  readonly #matches: PageMatch[] = [];
  readonly #grid = new PointGrid<Known>();

  constructor(work: Work) {
    this.#work = work;
  }

  get count(): number {
    return this.#matches.length;
  }

  all(): readonly PageMatch[] {
    return this.#matches;
  }

  /**
   * Adds a match, unless all of its glyphs are already parts of others. One that shares glyphs with another match, or repeats it with a small offset, becomes a
   * part of it. `replaces`: whether it takes the place of a match of the same glyphs.
   */
  add(match: PageMatch, { replaces }: { readonly replaces: boolean }): void {
    const visible = match.glyphs.filter(({ character }) => character.trim() !== "");
    const glyphs = visible.length > 0 ? visible : match.glyphs;
    const near = glyphs.map((glyph) => this.#near(glyph));
    const same = near.map((found) => found.filter(({ isSame }) => isSame).map(({ known }) => known.match));
    const shared = same.flat();
    const isShared = same.every((found) => found.length > 0);
    const [of = near.every((found) => found.length > 0) ? near[0]?.[0]?.known.match : undefined] = shared;
    if (of === undefined) {
      this.#note(glyphs, this.#matches.push(match) - 1);
      return;
    }
    const known = this.#matches[of];
    if (known === undefined) return;
    const size = known.glyphs.filter(({ character }) => character.trim() !== "").length;
    const isAll = shared.filter((one) => one === of).length >= size;
    if (isShared && !(replaces && isAll)) return;
    this.#matches[of] = isAll
      ? match
      : { text: known.text, marks: [...known.marks, ...match.marks], glyphs: [...known.glyphs, ...match.glyphs] };
    if (!isShared)
      this.#note(
        glyphs.filter((_, at) => same[at]?.length === 0),
        of,
      );
  }

  #note(glyphs: readonly PlacedGlyph[], match: number): void {
    for (const { character, x, y } of glyphs) this.#grid.add(x, y, { character, x, y, match });
  }

  #near({ character, x, y, size }: PlacedGlyph): { readonly known: Known; readonly isSame: boolean }[] {
    const reach = Math.min(AGAIN * size, CELL);
    this.#work.spend(GLYPH_WORK);
    const found: { known: Known; isSame: boolean }[] = [];
    for (const cell of this.#grid.around(x, y, reach)) {
      this.#work.spend(cell.length * COMPARE_WORK);
      for (const known of cell) {
        const distance = Math.hypot(known.x - x, known.y - y);
        if (known.character === character && distance <= reach) found.push({ known, isSame: distance <= SAME * size });
      }
    }
    return found;
  }
}
