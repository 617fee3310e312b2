/** Matrices and boxes of pages, as PDF has them (ISO 32000-2, 8.3). */

/** The sides of a page that readers accept, in points (ISO 32000-2, annex C). */
export const [SHORTEST_SIDE, LONGEST_SIDE] = [3, 14_400] as const;

/** A transformation matrix: two numbers map x, two map y, and two translate (8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

/** Left, bottom, right, and top in units of the page, with the origin and the axes of its default user space: y up. */
export type PageBox = readonly [number, number, number, number];

/** `[x0, y0, x1, y1]` in points, origin top-left of the visible page: y down. */
export type VisibleBox = [number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Applies `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

/** Undoes a matrix. Of one that maps everything to a line or a point, all zeros: there is no inverse, and no number becomes infinite. */
export function inverse([a, b, c, d, e, f]: Matrix): Matrix {
  const area = a * d - b * c;
  if (area === 0) return [0, 0, 0, 0, 0, 0];
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

/** Where a matrix maps a point. */
export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** The box around a box that a matrix turns. */
export function boxAround([x0, y0, x1, y1]: PageBox, matrix: Matrix): VisibleBox {
  const corners = [apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x0, y1), apply(matrix, x1, y1)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Rounded to hundredths: finer parts of a point are visible at no size. */
export const hundredths = (value: number): number => Math.round(value * 100) / 100;
