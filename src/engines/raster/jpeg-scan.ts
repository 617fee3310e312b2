/** Reading and writing the entropy-coded data of a baseline JPEG (ISO/IEC 10918-1, F.1.2 and F.2.2). */
import { codesOf, type HuffmanTable, lookup, optimalTable } from "./huffman.ts";

/** What the symbols of a scan are handed to. */
export interface SymbolSink {
  /** A symbol of the table `table`, and the `count` bits behind it. */
  put(table: number, symbol: number, bits: number, count: number): void;
}

/** A component as its scan codes it: blocks of a unit, and the tables, by their number in the list of tables. */
export interface ScanComponent {
  readonly blocks: number;
  readonly dc: number;
  readonly ac: number;
}

/** Takes bits from entropy-coded data; behind its end there are only ones. */
class BitReader {
  readonly #data: Uint8Array;
  #at = 0;
  #buffer = 0;
  #held = 0;

  constructor(data: Uint8Array) {
    this.#data = data;
  }

  /** The next symbol, by the table of `lookup`. */
  symbol(table: Uint16Array): number {
    if (this.#held <= 16) this.#fill();
    const found = table[(this.#buffer >>> (this.#held - 16)) & 0xffff] ?? 0;
    if (found === 0) throw new Error("the scan of a band is damaged");
    this.#held -= found >> 8;
    return found & 0xff;
  }

  /** The next `count` bits, 1 to 16. */
  bits(count: number): number {
    if (this.#held <= 16) this.#fill();
    this.#held -= count;
    return (this.#buffer >>> this.#held) & ((1 << count) - 1);
  }

  #fill(): void {
    while (this.#held <= 16) {
      const byte = this.#data[this.#at] ?? 0xff;
      // A zero is stuffed behind each 0xFF.
      this.#at += byte === 0xff ? 2 : 1;
      this.#buffer = (this.#buffer << 8) | byte;
      this.#held += 8;
    }
  }
}

/**
 * Walks a scan of `units` units and hands its symbols to `sink`; `before` are the components' last DC values of what the scan
 * is to follow: the first difference of each is taken to them. Gives the last DC values of the scan itself.
 */
export function walkScan(
  data: Uint8Array,
  scan: { units: number; components: readonly ScanComponent[]; tables: readonly HuffmanTable[] },
  before: readonly number[],
  sink: SymbolSink,
): number[] {
  const { units, components } = scan;
  const lookups = scan.tables.map(lookup);
  const last = components.map(() => 0);
  const reader = new BitReader(data);
  for (let unit = 0; unit < units; unit++) {
    for (let index = 0; index < components.length; index++) {
      const component = components[index];
      const dcTable = component && lookups[component.dc];
      const acTable = component && lookups[component.ac];
      if (!dcTable || !acTable) throw new Error("the scan names a table that is not there");
      const { blocks, dc, ac } = component;
      for (let block = 0; block < blocks; block++) {
        const size = reader.symbol(dcTable);
        const bits = size === 0 ? 0 : reader.bits(size);
        const value = (last[index] ?? 0) + valueOf(bits, size);
        if (unit === 0 && block === 0) putDifference(sink, dc, value - (before[index] ?? 0));
        else sink.put(dc, size, bits, size);
        last[index] = value;
        for (let coefficient = 1; coefficient < 64; coefficient++) {
          const coded = reader.symbol(acTable);
          const count = coded & 15;
          sink.put(ac, coded, count === 0 ? 0 : reader.bits(count), count);
          // The end of the block.
          if (coded === 0) break;
          coefficient += coded >> 4;
        }
      }
    }
  }
  return last;
}

/** The number that `size` bits stand for (F.2.2.1, EXTEND). */
const valueOf = (bits: number, size: number): number =>
  size === 0 || bits >= 1 << (size - 1) ? bits : bits - (1 << size) + 1;

function putDifference(sink: SymbolSink, table: number, difference: number): void {
  const size = 32 - Math.clz32(Math.abs(difference));
  sink.put(table, size, difference < 0 ? difference + (1 << size) - 1 : difference, size);
}

/** Counts symbols, and makes the best table for them. */
export class SymbolCounts implements SymbolSink {
  readonly #counts: Uint32Array[];

  constructor(tables: number) {
    this.#counts = Array.from({ length: tables }, () => new Uint32Array(256));
  }

  put(table: number, symbol: number): void {
    const counts = this.#counts[table];
    if (counts) counts[symbol] = (counts[symbol] ?? 0) + 1;
  }

  /** `open`: symbols that have not come yet may still come, so each gets a code. */
  tables({ open }: { open: boolean }): HuffmanTable[] {
    return this.#counts.map((counts) => optimalTable(open ? counts.map((count) => count + 1) : counts));
  }
}

/** Writes symbols as codes of `tables`. */
export class SymbolWriter implements SymbolSink {
  /** By table and symbol: the code, and its length in the upper half. */
  readonly #codes: Uint32Array[];
  #out = new Uint8Array(64 * 1024);
  #at = 0;
  #buffer = 0;
  #held = 0;

  constructor(tables: readonly HuffmanTable[]) {
    this.#codes = tables.map(codesOf);
  }

  put(table: number, symbol: number, bits: number, count: number): void {
    const code = this.#codes[table]?.[symbol] ?? 0;
    this.#write(code & 0xffff, code >>> 16);
    if (count > 0) this.#write(bits, count);
  }

  /** What is written and was not taken yet; the last bits wait for a whole byte. */
  take(): Uint8Array {
    const taken = this.#out.slice(0, this.#at);
    this.#at = 0;
    return taken;
  }

  /** Fills the last byte with ones (F.1.2.3). */
  finish(): Uint8Array {
    if (this.#held > 0) this.#write((1 << (8 - this.#held)) - 1, 8 - this.#held);
    return this.take();
  }

  #write(bits: number, count: number): void {
    this.#buffer = (this.#buffer << count) | bits;
    this.#held += count;
    while (this.#held >= 8) {
      this.#held -= 8;
      const byte = (this.#buffer >>> this.#held) & 0xff;
      if (this.#at + 2 > this.#out.length) {
        const grown = new Uint8Array(this.#out.length * 2);
        grown.set(this.#out);
        this.#out = grown;
      }
      this.#out[this.#at++] = byte;
      if (byte === 0xff) this.#out[this.#at++] = 0;
    }
  }
}
