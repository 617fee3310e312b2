/** The part of the encoder that handles each block of 8 by 8, in WebAssembly: wasm/jpeg-kernel.ts writes the module. */
import module from "../../../../wasm/generated/jpeg-kernel.wasm";
import { ZIGZAG } from "./tables.ts";

interface Exports {
  readonly memory: WebAssembly.Memory;
  look(pixels: number, stride: number, color: number): number;
  gray(pixels: number, stride: number, light: number): void;
  color(pixels: number, stride: number, light: number, blue: number, red: number): void;
  halfAcross(left: number, right: number, to: number): void;
  halfDown(top: number, bottom: number, to: number): void;
  block(samples: number, factors: number, order: number, to: number, table: number): number;
}

/** Bytes of a block of samples. */
export const BLOCK_BYTES = 256;
/** Offsets in the memory: the constant tables, the symbols of a block, the blocks of a unit, rows of pixels. */
const [FACTORS, ORDER, SYMBOLS] = [0, BLOCK_BYTES, 2 * BLOCK_BYTES];
export const [LIGHT, BLUE, RED] = [4 * BLOCK_BYTES, 8 * BLOCK_BYTES, 12 * BLOCK_BYTES];
/** Where the symbols of a block begin, in words. */
export const FIRST_SYMBOL = SYMBOLS / 4;
export const PIXELS = 16 * BLOCK_BYTES;

/** Bytes of a page of memory. */
const PAGE = 64 * 1024;

/** Coefficients are column by column in the kernel. */
const byColumns = (place: number): number => ((place & 7) << 3) | (place >> 3);

/** An instance with a memory of its own. */
export class BlockKernel {
  readonly run: Exports;
  /** Views of the memory, until it grows. */
  bytes: Uint8Array;
  words: Uint32Array;
  /** Coefficients of blocks, after `run.block`. */
  coefficients: Int32Array;

  constructor() {
    this.run = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    [this.bytes, this.words, this.coefficients] = this.#views();
    this.words.set(
      Array.from(ZIGZAG, (place) => byColumns(place) * 4),
      ORDER / 4,
    );
  }

  /** Makes room for bytes of pixels. */
  reserve(bytes: number): void {
    const missing = PIXELS + bytes - this.bytes.length;
    if (missing <= 0) return;
    this.run.memory.grow(Math.ceil(missing / PAGE));
    [this.bytes, this.words, this.coefficients] = this.#views();
  }

  /** Factors that turn transformed values into coefficients in quantization steps: row by row, for the next blocks. */
  setFactors(factors: Float32Array): void {
    const view = new Float32Array(this.bytes.buffer, FACTORS, 64);
    for (const [place, factor] of factors.entries()) view[byColumns(place)] = factor;
  }

  /**
   * Transforms the block at `samples`, where its first coefficient then is. The symbols of the others are in `words` from `FIRST_SYMBOL` on; returns
   * where they end.
   */
  symbolsOf(samples: number, table: number): number {
    return this.run.block(samples, FACTORS, ORDER, SYMBOLS, table << 24) >> 2;
  }

  #views(): [Uint8Array, Uint32Array, Int32Array] {
    const { buffer } = this.run.memory;
    return [new Uint8Array(buffer), new Uint32Array(buffer), new Int32Array(buffer)];
  }
}
