/** Which forms are being drawn, one in the other (ISO 32000-2, 8.10.1). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { objectNumber } from "../objects/objects.ts";

export class Nesting {
  readonly #drawing = new Set<number>();
  #depth = 0;

  /** Whether a form draws itself, which readers refuse. */
  isCyclic(form: PDFObject): boolean {
    return this.#drawing.has(objectNumber(form));
  }

  /** `levels`: for how many forms it counts. */
  isTooDeep(levels = 1): boolean {
    return this.#depth + levels > limits.contents.nesting;
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
