/** Which forms are being drawn, one in the other (ISO 32000-2, 8.10.1). */
import type { PDFObject } from "mupdf";
import { objectNumber } from "../objects/objects.ts";

/**
 * Maximum nesting of drawn content, and of resources. MuPDF, which draws it, overflows its stack at some 30 patterns, each of which counts as several
 * forms. Real ones stay below 20.
 */
export const MOST_NESTED = 100;

export class Nesting {
  readonly #drawing = new Set<number>();
  #depth = 0;

  /** Whether a form draws itself, which readers refuse. */
  isCyclic(form: PDFObject): boolean {
    return this.#drawing.has(objectNumber(form));
  }

  /** `levels`: for how many forms it counts. */
  isTooDeep(levels = 1): boolean {
    return this.#depth + levels > MOST_NESTED;
  }

  /** Draws a form. */
  async within<T>(form: PDFObject, draw: () => Promise<T>, levels = 1): Promise<T> {
    const number = objectNumber(form);
    this.#drawing.add(number);
    this.#depth += levels;
    try {
      return await draw();
    } finally {
      this.#drawing.delete(number);
      this.#depth -= levels;
    }
  }
}
