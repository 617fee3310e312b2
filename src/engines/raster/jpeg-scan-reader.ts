/** Reading the entropy-coded data of a baseline JPEG (ISO/IEC 10918-1, F.2.2). */
import { type HuffmanTable, lookup } from "./huffman.ts";

/** A component as its scan codes it: blocks of a unit, and the tables, by their number in the list of tables. */
export interface ScanComponent {
  readonly blocks: number;
  readonly dc: number;
  readonly ac: number;
}

/** Takes symbols from entropy-coded data; behind its end there are only ones. */
export class ScanReader {
  readonly #data: Uint8Array;
  readonly #components: readonly ScanComponent[];
  readonly #lookups: readonly Uint16Array[];
  /** The last DC value of each component. */
  readonly #last = new Int32Array(4);
  #at = 0;
  #buffer = 0;
  #held = 0;

  constructor(data: Uint8Array, components: readonly ScanComponent[], tables: readonly HuffmanTable[]) {
    this.#data = data;
    this.#components = components;
    this.#lookups = tables.map(lookup);
  }

  /** The DC value of the next block, in quantisation steps. */
  dc(component: number): number {
    this.#fill();
    const found =
      this.#lookups[this.#components[component]?.dc ?? 0]?.[(this.#buffer >>> (this.#held - 16)) & 0xffff] ?? 0;
    if (found === 0) throw new Error("the scan of a part is damaged");
    this.#held -= found >> 8;
    const size = found & 0xff;
    this.#fill();
    this.#held -= size;
    const bits = (this.#buffer >>> this.#held) & ((1 << size) - 1);
    // F.2.2.1, EXTEND.
    const difference = size === 0 || bits >= 1 << (size - 1) ? bits : bits - (1 << size) + 1;
    return (this.#last[component] = (this.#last[component] ?? 0) + difference);
  }

  /** Writes the other symbols of the block to `list` from `to` on, as of the table `table`; gives where they end. */
  coefficients(component: number, table: number, list: Uint32Array, to: number): number {
    const found = this.#lookups[this.#components[component]?.ac ?? 2];
    if (!found) throw new Error("the scan names a table that is not there");
    const data = this.#data;
    let [at, buffer, held] = [this.#at, this.#buffer, this.#held];
    for (let coefficient = 1; coefficient < 64; coefficient++) {
      while (held <= 16) {
        const byte = at < data.length ? (data[at] ?? 0) : 0xff;
        // A zero is stuffed behind each 0xFF.
        at += byte === 0xff ? 2 : 1;
        buffer = (buffer << 8) | byte;
        held += 8;
      }
      const entry = found[(buffer >>> (held - 16)) & 0xffff] ?? 0;
      if (entry === 0) throw new Error("the scan of a part is damaged");
      held -= entry >> 8;
      const symbol = entry & 0xff;
      if (symbol === 0) {
        // The end of the block.
        list[to++] = table << 24;
        break;
      }
      const count = symbol & 15;
      while (held < count) {
        const byte = at < data.length ? (data[at] ?? 0) : 0xff;
        at += byte === 0xff ? 2 : 1;
        buffer = (buffer << 8) | byte;
        held += 8;
      }
      held -= count;
      list[to++] = (table << 24) | (symbol << 16) | ((buffer >>> held) & ((1 << count) - 1));
      coefficient += symbol >> 4;
    }
    [this.#at, this.#buffer, this.#held] = [at, buffer, held];
    return to;
  }

  #fill(): void {
    while (this.#held <= 16) {
      const byte = this.#at < this.#data.length ? (this.#data[this.#at] ?? 0) : 0xff;
      this.#at += byte === 0xff ? 2 : 1;
      this.#buffer = (this.#buffer << 8) | byte;
      this.#held += 8;
    }
  }
}
