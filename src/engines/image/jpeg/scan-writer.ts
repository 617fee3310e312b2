/** Writes the entropy-coded data of a baseline JPEG (ISO/IEC 10918-1, F.1.2). */
import { codesOf, type HuffmanTable, optimalTable } from "./huffman.ts";

import { SAME, type ScanComponent } from "./symbols.ts";

const TABLES = 4;
/** Approximate size in bytes of the chunks passed on. */
const CHUNK = 64 * 1024;

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
  if (open) for (let at = 0; at < counts.length; at++) counts[at] = (counts[at] ?? 0) + 1;
  return Array.from({ length: TABLES }, (_, table) => optimalTable(counts.subarray(table << 8, (table + 1) << 8)));
}

/** Writes symbols with the codes of `tables`. */
export class SymbolWriter {
  /** By table and symbol: the code, and its length in the upper half. */
  readonly #codes = new Uint32Array(TABLES * 256);
  /** The tables of the symbols of a unit that repeats the one before. */
  readonly #same: readonly number[];
  #out = new Uint8Array(CHUNK);
  #at = 0;
  #buffer = 0;
  #held = 0;

  constructor(tables: readonly HuffmanTable[], components: readonly ScanComponent[]) {
    for (const [index, table] of tables.entries()) this.#codes.set(codesOf(table), index << 8);
    this.#same = components.flatMap(({ blocks, dc, ac }) =>
      Array.from({ length: blocks * 2 }, (_, i) => (i & 1 ? ac : dc)),
    );
  }

  /** Returns the complete chunks; the last bytes are kept. */
  write(symbols: Uint32Array): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    const codes = this.#codes;
    for (let at = 0; at < symbols.length; at++) {
      const symbol = symbols[at] ?? 0;
      if (symbol >= SAME) {
        for (let left = symbol - SAME; left > 0; left--) {
          if (this.#at + 128 > CHUNK) chunks.push(this.#take());
          for (const table of this.#same) {
            const code = codes[table << 8] ?? 0;
            this.#put(code & 0xffff, code >>> 16);
          }
        }
        continue;
      }
      if (this.#at + 16 > CHUNK) chunks.push(this.#take());
      const code = codes[symbol >> 16] ?? 0;
      const length = code >>> 16;
      const count = (symbol >> 16) & 15;
      if (length + count <= 24) this.#put(((code & 0xffff) << count) | (symbol & 0xffff), length + count);
      else {
        this.#put(code & 0xffff, length);
        this.#put(symbol & 0xffff, count);
      }
    }
    return chunks;
  }

  /** Pads the last byte with ones (F.1.2.3). */
  finish(): Uint8Array {
    if (this.#held > 0) this.#put((1 << (8 - this.#held)) - 1, 8 - this.#held);
    return this.#take();
  }

  #take(): Uint8Array {
    const taken = this.#out.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  /** At most 24 bits, in addition to up to 7 pending ones. */
  #put(bits: number, count: number): void {
    this.#buffer = (this.#buffer << count) | bits;
    this.#held += count;
    while (this.#held >= 8) {
      this.#held -= 8;
      const byte = (this.#buffer >>> this.#held) & 0xff;
      this.#out[this.#at++] = byte;
      if (byte === 0xff) this.#out[this.#at++] = 0;
    }
  }
}
