/** Operands of operators that we write into content streams (ISO 32000-2, 7.8.2). */
import type { PDFObject } from "mupdf";

/** Red, green, and blue, 0 to 1. */
export type Color = readonly [number, number, number];

/** Returns the name of a resource where the operators will be placed. */
export type NameResource = (category: "Font" | "XObject" | "ExtGState" | "ColorSpace", object: PDFObject) => string;

/** A number with as many digits as are visible. */
const number = (value: number): string => String(Math.round(value * 1e4) / 1e4 || 0);

export const numbers = (...values: readonly number[]): string => values.map(number).join(" ");

export const fill = (color: Color): string => `${numbers(...color)} rg`;
