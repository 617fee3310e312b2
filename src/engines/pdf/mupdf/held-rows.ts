import type { PdfEngine } from "./mupdf.ts";

/** Rows of bytes in an engine's heap, where they count toward the request's memory: zeros until they are written. */
export class HeldRows implements Disposable {
  readonly #engine: PdfEngine;
  readonly #pointer: number;
  readonly #stride: number;
  readonly #length: number;

  /** @throws Refusal `limit_exceeded`, `overloaded` (memory) */
  constructor(engine: PdfEngine, stride: number, count: number) {
    this.#engine = engine;
    this.#stride = stride;
    this.#length = stride * count;
    try {
      this.#pointer = engine.lib._wasm_malloc(this.#length);
    } catch (error) {
      throw engine.explain(error);
    }
    engine.lib.HEAPU8.fill(0, this.#pointer, this.#pointer + this.#length);
  }

  /** Writes a part of a row from byte `at` on; what exceeds the row is left out. */
  put(y: number, bytes: Uint8Array, at = 0): void {
    const part = bytes.subarray(0, this.#stride - at);
    this.#engine.lib.HEAPU8.set(part, this.#pointer + y * this.#stride + at);
  }

  /** A copy of a row. */
  row(y: number): Uint8Array {
    return this.#slice(y * this.#stride, (y + 1) * this.#stride);
  }

  /** A copy of the first rows. */
  rows(count: number): Uint8Array {
    return this.#slice(0, count * this.#stride);
  }

  #slice(start: number, end: number): Uint8Array {
    return this.#engine.lib.HEAPU8.slice(this.#pointer + start, this.#pointer + end);
  }

  [Symbol.dispose](): void {
    this.#engine.lib._wasm_free(this.#pointer);
  }
}
