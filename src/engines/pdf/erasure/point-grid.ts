/** Looks up things by their place on a page. */

/** Units of the page in which they are looked up. */
export const CELL = 4;

/** Beyond every page, in its units: content may have any number, and steps between the largest ones would never end. */
const FAR = 1e9;

export class PointGrid<T> {
  readonly #cells = new Map<number, T[]>();

  /** Adds a thing. A thing outside of every page is never found. */
  add(x: number, y: number, thing: T): void {
    if (!isOnPage(x, y)) return;
    const key = keyOf(cellOf(x), cellOf(y));
    const cell = this.#cells.get(key);
    if (cell) cell.push(thing);
    else this.#cells.set(key, [thing]);
  }

  /** The things of the cells that a square around a point touches: all that are within `reach` of it, and others. `reach`: no more than `CELL`. */
  *around(x: number, y: number, reach: number): Generator<readonly T[], void> {
    if (!isOnPage(x, y)) return;
    for (let column = cellOf(x - reach), last = cellOf(x + reach); column <= last; column++) {
      for (let row = cellOf(y - reach), lowest = cellOf(y + reach); row <= lowest; row++) {
        const cell = this.#cells.get(keyOf(column, row));
        if (cell) yield cell;
      }
    }
  }
}

const isOnPage = (x: number, y: number): boolean => Math.abs(x) < FAR && Math.abs(y) < FAR;
const cellOf = (value: number): number => Math.floor(value / CELL);
/** The same number only for cells that are farther apart than a page is long. */
const keyOf = (column: number, row: number): number => column * 2 ** 22 + row;
