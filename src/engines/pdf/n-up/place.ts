import type { Matrix, PageBox } from "../../geometry.ts";

/** Where a page is now. */
export interface SheetPlace {
  /** Object numbers of the sheet, and of the form that draws the page. */
  readonly sheet: number;
  readonly form: number;
  /** Maps units of the page to points of the sheet. */
  readonly toSheet: Matrix;
  /** Points of the sheet per unit of the page. */
  readonly scale: number;
  /** Clockwise degrees by which the page was turned for display. */
  readonly rotation: number;
  /** The visible page in its own units, and on the sheet. */
  readonly from: PageBox;
  readonly box: PageBox;
}

/** Where a point is on the sheet. */
export const at = ([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] => [
  digits(a * x + c * y + e),
  digits(b * x + d * y + f),
];

/** A number with as many digits as positions need. */
export const digits = (value: number): number => Math.round(value * 1e4) / 1e4;

/** The smallest box around a box that is moved. */
export function moved([x0, y0, x1, y1]: PageBox, matrix: Matrix): PageBox {
  const [[ax, ay], [bx, by]] = [at(matrix, x0, y0), at(matrix, x1, y1)];
  return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
}
