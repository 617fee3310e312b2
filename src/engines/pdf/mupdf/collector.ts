import { joinedBytes } from "../../memory/joined-bytes.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "./mupdf.ts";

const BLOCK = 256 * 1024;

/**
 * Collects bytes during production, in blocks of an engine's heap, where they count toward the request's memory. They last
 * as long as the lease.
 */
export class Collector {
  readonly #engine: PdfEngine;
  readonly #blocks: number[] = [];
  #length = 0;

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /** @throws Refusal `limit_exceeded`, `overloaded` (memory). */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const used = this.#length % BLOCK;
      if (used === 0) this.#blocks.push(this.#block());
      const piece = bytes.subarray(at, at + BLOCK - used);
      this.#engine.lib.HEAPU8.set(piece, (this.#blocks.at(-1) ?? 0) + used);
      this.#length += piece.length;
      at += piece.length;
    }
  }

  get bytes(): EngineBytes {
    const { lib } = this.#engine;
    return joinedBytes(
      this.#blocks.map((pointer, index) => {
        const length = Math.min(BLOCK, this.#length - index * BLOCK);
        return {
          length,
          view: (start, end) => lib.HEAPU8.subarray(pointer + start, pointer + Math.min(end, length)),
          free: () => undefined,
        };
      }),
    );
  }

  #block(): number {
    try {
      return this.#engine.lib._wasm_malloc(BLOCK);
    } catch (error) {
      throw this.#engine.explain(error);
    }
  }
}
