/** Operands of operators that we write into content streams (ISO 32000-2, 7.8.2). */
import type { PDFObject } from "mupdf";

/** A transformation matrix: two numbers map x, two map y, and two translate (8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number];

/** Red, green, and blue, 0 to 1. */
export type Color = readonly [number, number, number];

/** Returns the name of a resource where the operators will be placed. */
export type NameResource = (category: "Font" | "XObject" | "ExtGState", object: PDFObject) => string;

/** A number with as many digits as are visible. */
const number = (value: number): string => String(Math.round(value * 1e4) / 1e4 || 0);

export const numbers = (...values: readonly number[]): string => values.map(number).join(" ");

/** Applies `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [g, h, i, j, k, l] = second;
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l];
}

export const fill = (color: Color): string => `${numbers(...color)} rg`;
