/**
 * Reading and writing the entropy-coded data of a baseline JPEG (ISO/IEC 10918-1, F.1.2 and F.2.2). In between the symbols lie
 * as numbers in a list: a symbol's table in bits 24 and 25, the symbol in 16 to 23, and the bits behind it, as many as the
 * symbol's lower half says, below. `SAME` is for units that are of the colour of the one before them, as many as its lower bits
 * say.
 */
import { codesOf, type HuffmanTable, lookup, optimalTable } from "./huffman.ts";

/** A component as its scan codes it: blocks of a unit, and the tables, by their number in the list of tables. */
export interface ScanComponent {
  readonly blocks: number;
  readonly dc: number;
  readonly ac: number;
}

const SAME = 0x8000_0000;
/** A JPEG has at most 65,535 pixels each way, but a run is cut before it would need more bits. */
const LONGEST_RUN = 0xff_ffff;
const TABLES = 4;
/** Bytes of what is written that are handed on at a time. */
const CHUNK = 64 * 1024;
const FIRST_SYMBOLS = 128 * 1024;

/** The symbols of a scan, in its order. */
export class Symbols {
  readonly #components: readonly ScanComponent[];
  readonly #most: number;
  /** The last DC value of each component. */
  readonly #last: Int32Array;
  /** The most numbers that a unit can take. */
  readonly #ofUnit: number;
  #list = new Uint32Array(FIRST_SYMBOLS);
  #length = 0;

  /** `most`: numbers that it holds; 4 bytes each. */
  constructor(components: readonly ScanComponent[], most: number) {
    this.#components = components;
    this.#most = most;
    this.#last = new Int32Array(components.length);
    this.#ofUnit = components.reduce((sum, { blocks }) => sum + blocks * 64, 0);
  }

  /** Those that are held; good until the next unit. */
  get held(): Uint32Array {
    return this.#list.subarray(0, this.#length);
  }

  /** Whether there is no room for another unit. */
  get full(): boolean {
    return this.#length + this.#ofUnit > this.#most;
  }

  clear(): void {
    this.#length = 0;
  }

  /** Appends a unit of one colour: of each component the DC value, in quantisation steps. */
  flat(values: Int32Array): void {
    this.#makeRoom();
    if (values.every((value, index) => value === this.#last[index])) {
      const before = this.#length > 0 ? (this.#list[this.#length - 1] ?? 0) : 0;
      if (before >= SAME && before < SAME + LONGEST_RUN) this.#list[this.#length - 1] = before + 1;
      else this.#list[this.#length++] = SAME + 1;
      return;
    }
    for (const [index, { blocks, dc, ac }] of this.#components.entries()) {
      const value = values[index] ?? 0;
      for (let block = 0; block < blocks; block++) {
        this.#difference(dc, value - (this.#last[index] ?? 0));
        this.#list[this.#length++] = ac << 24;
        this.#last[index] = value;
      }
    }
  }

  /** Appends the next unit of a scan that was encoded by itself. It has the first `coded` components; the others are 0. */
  drawn(reader: ScanReader, coded: number): void {
    this.#makeRoom();
    for (let index = 0; index < this.#components.length; index++) {
      const component = this.#components[index];
      if (!component) break;
      const { blocks, dc, ac } = component;
      for (let block = 0; block < blocks; block++) {
        const value = index < coded ? reader.dc(index) : 0;
        this.#difference(dc, value - (this.#last[index] ?? 0));
        this.#last[index] = value;
        if (index < coded) this.#length = reader.coefficients(index, ac, this.#list, this.#length);
        else this.#list[this.#length++] = ac << 24;
      }
    }
  }

  #difference(table: number, difference: number): void {
    const size = 32 - Math.clz32(Math.abs(difference));
    const bits = difference < 0 ? difference + (1 << size) - 1 : difference;
    this.#list[this.#length++] = (table << 24) | (size << 16) | bits;
  }

  #makeRoom(): void {
    if (this.#length + this.#ofUnit <= this.#list.length) return;
    const grown = new Uint32Array(this.#list.length * 2);
    grown.set(this.#list);
    this.#list = grown;
  }
}

/** Takes symbols from entropy-coded data; behind its end there are only ones. */
export class ScanReader {
  readonly #data: Uint8Array;
  readonly #components: readonly ScanComponent[];
  readonly #lookups: readonly Uint16Array[];
  /** The last DC value of each component. */
  readonly #last = new Int32Array(TABLES);
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

/** The best tables for symbols. `open`: others may still come, so each gets a code. */
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

/** Writes symbols as codes of `tables`. */
export class SymbolWriter {
  /** By table and symbol: the code, and its length in the upper half. */
  readonly #codes = new Uint32Array(TABLES * 256);
  /** The tables of the symbols of a unit that is the same as the one before. */
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

  /** Gives what is whole; the last bytes wait. */
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

  /** Fills the last byte with ones (F.1.2.3). */
  finish(): Uint8Array {
    if (this.#held > 0) this.#put((1 << (8 - this.#held)) - 1, 8 - this.#held);
    return this.#take();
  }

  #take(): Uint8Array {
    const taken = this.#out.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  /** At most 24 bits: up to 7 others wait. */
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
