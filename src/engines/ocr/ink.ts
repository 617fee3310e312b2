/** Finds the lines of a page by their ink alone: Tesseract's own layout analysis loses some. */
import type { PixelBox } from "./tesseract-results.ts";

/** Pixels of the side of a cell, the unit in which ink is counted. */
const CELL = 3;
/** By how many gray levels ink is darker than the paper. */
const CONTRAST = 64;
/** The paper's gray level is that of most of these pixels: one out of so many in a row. */
const SAMPLED = 16;
/** How often an area is cut, first into rows, then into columns, and so on: pages are not nested deeper. */
const DEEPEST = 8;

/** The ink of a picture, in cells: where it is, and how much of it has been read. */
export class Ink {
  readonly #width: number;
  readonly #columns: number;
  readonly #rows: number;
  /** The darkest gray level of each cell; 255 in cells that were read. */
  readonly #darkest: Uint8Array;
  readonly #levels = new Uint32Array(256);
  #limit: number | undefined;

  /** Pixels. */
  constructor(width: number, height: number) {
    this.#width = width;
    [this.#columns, this.#rows] = [Math.ceil(width / CELL), Math.ceil(height / CELL)];
    this.#darkest = new Uint8Array(this.#columns * this.#rows).fill(255);
  }

  /** Adds whole rows of gray pixels, of which the first is at this offset from the picture's first pixel. */
  add(pixels: Uint8Array, at: number): void {
    const [width, columns, darkest, levels] = [this.#width, this.#columns, this.#darkest, this.#levels];
    for (let start = 0; start < pixels.length; start += width) {
      let cell = Math.floor((at + start) / width / CELL) * columns;
      const end = start + width;
      for (let first = start; first < end; first += CELL, cell++) {
        const last = Math.min(first + CELL, end);
        let dark = darkest[cell] ?? 255;
        for (let pixel = first; pixel < last; pixel++) {
          const level = pixels[pixel] ?? 255;
          if (level < dark) dark = level;
        }
        darkest[cell] = dark;
      }
      for (let pixel = start; pixel < end; pixel += SAMPLED) levels[pixels[pixel] ?? 255]!++;
    }
  }

  /**
   * The boxes of the ink, cut along white rows and columns: lines, or parts of a line that are further apart than the line is high. Ink without white
   * rows in it that is higher than a line (`highest`, in pixels) is cut along columns that are `gutter` pixels wide.
   */
  strips(highest: number, gutter: number): PixelBox[] {
    const strips: PixelBox[] = [];
    const tallest = highest / CELL;
    const cut = (box: PixelBox, depth: number): void => {
      const rows = this.#runs(box, "rows", 1);
      for (const [top, bottom] of rows) {
        const band: PixelBox = [box[0], top, box[2], bottom];
        const height = bottom - top;
        const columns = this.#runs(band, "columns", height > tallest ? gutter / CELL : height);
        for (const [left, right] of columns) {
          const part: PixelBox = [left, top, right, bottom];
          // One of several parts may have white rows of its own.
          if (columns.length > 1 && depth < DEEPEST) cut(part, depth + 1);
          else strips.push(part.map((cell) => cell * CELL) as unknown as PixelBox);
        }
      }
    };
    cut([0, 0, this.#columns, this.#rows], 1);
    return strips;
  }

  /** The share of rows that have ink. */
  get inkedRows(): number {
    const runs = this.#runs([0, 0, this.#columns, this.#rows], "rows", 1);
    return runs.reduce((sum, [from, to]) => sum + to - from, 0) / this.#rows;
  }

  /** The number of cells in a box that have ink. */
  within(box: PixelBox): number {
    let count = 0;
    this.#each(box, (cell) => (count += this.#has(cell) ? 1 : 0));
    return count;
  }

  /** The width in pixels of the columns of a box that have ink, but none in the boxes of `words`. */
  unread(box: PixelBox, words: readonly PixelBox[]): number {
    const [left, top, right, bottom] = this.#cells(box);
    const inside = words.map((word) => this.#cells(word));
    let columns = 0;
    for (let x = left; x < right; x++) {
      if (inside.some(([from, , to]) => x >= from - 1 && x <= to)) continue;
      for (let y = top; y < bottom; y++) {
        if (!this.#has(y * this.#columns + x)) continue;
        columns++;
        break;
      }
    }
    return columns * CELL;
  }

  #each(box: PixelBox, visit: (cell: number) => void): void {
    const [left, top, right, bottom] = this.#cells(box);
    for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) visit(y * this.#columns + x);
  }

  #cells([left, top, right, bottom]: PixelBox): PixelBox {
    return [
      Math.max(0, Math.floor(left / CELL)),
      Math.max(0, Math.floor(top / CELL)),
      Math.min(this.#columns, Math.ceil(right / CELL)),
      Math.min(this.#rows, Math.ceil(bottom / CELL)),
    ];
  }

  #has(cell: number): boolean {
    this.#limit ??= this.#levels.indexOf(Math.max(...this.#levels)) - CONTRAST;
    return (this.#darkest[cell] ?? 255) < this.#limit;
  }

  /** The rows or columns of a box (in cells) that have ink, as runs between gaps of at least so many. */
  #runs([left, top, right, bottom]: PixelBox, of: "rows" | "columns", gap: number): [from: number, to: number][] {
    const [from, to] = of === "rows" ? [top, bottom] : [left, right];
    const inked = new Uint8Array(to - from);
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        if (this.#has(y * this.#columns + x)) inked[(of === "rows" ? y : x) - from] = 1;
      }
    }
    const runs: [number, number][] = [];
    for (let at = 0; at < inked.length; at++) {
      if (inked[at] === 0) continue;
      const last = runs.at(-1);
      if (last && from + at - last[1] < gap) last[1] = from + at + 1;
      else runs.push([from + at, from + at + 1]);
    }
    return runs;
  }
}
