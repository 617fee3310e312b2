/** Writes the entropy-coded data of a baseline JPEG (ISO/IEC 10918-1, F.1.2). */
import { codesOf, type HuffmanTable, optimalTable } from "./huffman.ts";

import { SAME, type ScanComponent } from "./symbols.ts";

const TABLES = 4;
/** Approximate size in bytes of the chunks passed on. */
const CHUNK = 64 * 1024;
/** Equal units whose symbols are written in one go. */
const UNITS_AT_ONCE = 64;

/**
 * The symbols of a baseline JPEG (F.1.2): sizes of differences, and sizes of coefficients with the zeros before them, the end of a block, and sixteen
 * zeros. libjpeg rejects tables with others.
 */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = [
  0x00,
  0xf0,
  ...Array.from({ length: 16 }, (_, zeros) =>
    Array.from({ length: 10 }, (__, size) => (zeros << 4) | (size + 1)),
  ).flat(),
];

/** The best tables for symbols. `open`: more may follow, so each possible symbol gets a code. */
export function tablesFor(
  symbols: Uint32Array,
  components: readonly ScanComponent[],
  { open }: { open: boolean },
): HuffmanTable[] {
  const counts = new Uint32Array(TABLES * 256);
  let same = 0;
  for (let at = 0; at < symbols.length; at++) {
    const symbol = symbols[at] ?? 0;
    if (symbol >= SAME) same += symbol - SAME;
    else counts[symbol >> 16] = (counts[symbol >> 16] ?? 0) + 1;
  }
  for (const { blocks, dc, ac } of components) {
    for (const table of [dc, ac]) counts[table << 8] = (counts[table << 8] ?? 0) + same * blocks;
  }
  if (open) {
    for (const { dc, ac } of components) {
      for (const symbol of DC_SYMBOLS) counts[(dc << 8) | symbol] = Math.max(1, counts[(dc << 8) | symbol] ?? 0);
      for (const symbol of AC_SYMBOLS) counts[(ac << 8) | symbol] = Math.max(1, counts[(ac << 8) | symbol] ?? 0);
    }
  }
  return Array.from({ length: TABLES }, (_, table) => optimalTable(counts.subarray(table << 8, (table + 1) << 8)));
}

/** Writes symbols with the codes of `tables`. */
export class SymbolWriter {
  /** By table and symbol: the code, with room for the symbol's extra bits below it. */
  readonly #codes = new Uint32Array(TABLES * 256);
  /** By table and symbol: the length in bits of both. */
  readonly #lengths = new Uint8Array(TABLES * 256);
  /** The symbols of units that repeat the one before, and how many of them are of one unit. */
  readonly #same: Uint32Array;
  readonly #unit: number;
  #out = new Uint8Array(CHUNK);
  #at = 0;
  /** Bits that do not fill a word yet: the upper ones, and how many of the 32 are free. */
  #word = 0;
  #free = 32;

  constructor(tables: readonly HuffmanTable[], components: readonly ScanComponent[]) {
    for (const [table, codes] of tables.map(codesOf).entries()) {
      for (const [symbol, code] of codes.entries()) {
        const count = symbol & 15;
        this.#codes[(table << 8) | symbol] = (code & 0xffff) << count;
        this.#lengths[(table << 8) | symbol] = (code >>> 16) + count;
      }
    }
    const unit = components.flatMap(({ blocks, dc, ac }) =>
      Array.from({ length: blocks * 2 }, (_, i) => ((i & 1 ? ac : dc) << 24) >>> 0),
    );
    this.#unit = unit.length;
    this.#same = Uint32Array.from({ length: UNITS_AT_ONCE * unit.length }, (_, at) => unit[at % unit.length] ?? 0);
  }

  /** Returns the complete chunks; the last bytes are kept. */
  write(symbols: Uint32Array): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < symbols.length; at++) {
      const symbol = symbols[at] ?? 0;
      if (symbol < SAME) continue;
      this.#put(symbols, from, at, chunks);
      for (let left = symbol - SAME; left > 0; left -= UNITS_AT_ONCE) {
        this.#put(this.#same, 0, Math.min(left, UNITS_AT_ONCE) * this.#unit, chunks);
      }
      from = at + 1;
    }
    this.#put(symbols, from, symbols.length, chunks);
    return chunks;
  }

  /** Pads the last byte with ones (F.1.2.3). */
  finish(): Uint8Array {
    const bytes = (39 - this.#free) >> 3;
    const word = this.#free < 32 ? this.#word | (0xffff_ffff >>> (32 - this.#free)) : 0;
    for (let shift = 24; shift > 24 - bytes * 8; shift -= 8) this.#byte((word >>> shift) & 0xff);
    return this.#take();
  }

  #take(): Uint8Array {
    const taken = this.#out.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  #byte(byte: number): void {
    this.#out[this.#at++] = byte;
    // A marker would follow (B.1.1.5).
    if (byte === 0xff) this.#out[this.#at++] = 0;
  }

  /** Writes symbols, none of which is `SAME`. Bits are gathered to words of 32, and most words have no byte to stuff. */
  #put(symbols: Uint32Array, start: number, end: number, chunks: Uint8Array[]): void {
    const codes = this.#codes;
    const lengths = this.#lengths;
    const out = this.#out;
    let word = this.#word;
    let free = this.#free;
    let to = this.#at;
    for (let at = start; at < end; at++) {
      const symbol = symbols[at] ?? 0;
      const bits = (codes[symbol >>> 16] ?? 0) | (symbol & 0xffff);
      const length = lengths[symbol >>> 16] ?? 0;
      if (length < free) {
        free -= length;
        word |= bits << free;
        continue;
      }
      const over = length - free;
      word |= bits >>> over;
      if ((word & 0x8080_8080 & ~(word + 0x0101_0101)) === 0) {
        out[to] = word >>> 24;
        out[to + 1] = word >>> 16;
        out[to + 2] = word >>> 8;
        out[to + 3] = word;
        to += 4;
      } else {
        this.#at = to;
        for (let shift = 24; shift >= 0; shift -= 8) this.#byte((word >>> shift) & 0xff);
        to = this.#at;
      }
      free = 32 - over;
      // A shift by 32 would be one by 0.
      word = over > 0 ? bits << free : 0;
      if (to + 16 <= CHUNK) continue;
      this.#at = to;
      chunks.push(this.#take());
      to = 0;
    }
    this.#word = word;
    this.#free = free;
    this.#at = to;
  }
}
