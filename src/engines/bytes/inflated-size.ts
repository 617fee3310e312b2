/**
 * Computes the inflated size of a deflate stream without inflating it, by reading its codes and adding up the lengths they
 * stand for (RFC 1950, RFC 1951). No output is kept.
 */

import type { Work } from "../work.ts";

/** Symbols read between two checks of the work budget. */
const STEP = 20_000;
/** Fuel per symbol and per step, and the number of symbols that take as long as reading a block's codes. */
const SYMBOL_WORK = 3;
const STEP_WORK = 20;
const CODES = 400;

/** Bits of a code that are looked up at once; longer codes are rare. */
const FAST = 10;
/** Bits of the longest code. */
const LONGEST = 15;

const END_OF_BLOCK = 256;
/** Meaning of the codes from 257 on: the base length, and the number of extra bits. */
const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
/** Extra bits after each distance code. */
const DISTANCE_BITS = Array.from({ length: 30 }, (_, code) => Math.max(0, (code >> 1) - 1));
/** The order in which a dynamic block lists the lengths of the codes for its code lengths. */
const CODE_LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A Huffman code (RFC 1951, 3.2.2). */
interface Code {
  /** Symbol and length, `symbol << 4 | length`, indexed by the next bits; 0 if the code is longer or invalid. */
  readonly fast: Uint16Array;
  /** Number of codes of each length. */
  readonly counts: Uint16Array;
  /** Symbols in the order of their codes. */
  readonly symbols: Uint16Array;
}

/**
 * The inflated size of a zlib stream in bytes; counting stops slightly past `most`. A damaged or truncated stream is counted as
 * far as it goes.
 */
export async function inflatedSize(work: Work, data: Uint8Array, most: number): Promise<number> {
  const counter = new Counter(data, most);
  while (counter.step()) {
    work.spend(counter.work());
    await work.pause();
  }
  return counter.size;
}

class Counter {
  size = 0;
  readonly #data: Uint8Array;
  readonly #most: number;
  /** Bits read so far; the two header bytes are skipped. */
  #at = 16;
  /** The codes of the current block. */
  #block: readonly [Code, Code] | undefined;
  #isLast = false;
  #symbols = 0;

  constructor(data: Uint8Array, most: number) {
    this.#data = data;
    this.#most = most;
  }

  /** Continues counting; false if nothing is left. */
  step(): boolean {
    return this.#block ? this.#coded(this.#block) : this.#header();
  }

  /** Fuel used since the last call. */
  work(): number {
    const symbols = this.#symbols;
    this.#symbols = 0;
    return STEP_WORK + symbols * SYMBOL_WORK;
  }

  #header(): boolean {
    this.#isLast = this.#bits(1) === 1;
    const type = this.#bits(2);
    if (type === 3 || this.#isOver()) return false;
    if (type === 0) return this.#stored() && !this.#isLast;
    this.#block = type === 1 ? FIXED : this.#codes();
    return this.#block !== undefined;
  }

  #isOver(): boolean {
    return this.#at > this.#data.length * 8 || this.size > this.#most;
  }

  #stored(): boolean {
    this.#at = (this.#at + 7) & ~7;
    const length = this.#bits(16);
    this.#at += 16;
    const left = Math.max(0, this.#data.length - (this.#at >> 3));
    this.size += Math.min(length, left);
    this.#at += length * 8;
    return !this.#isOver();
  }

  #coded([literals, distances]: readonly [Code, Code]): boolean {
    for (let left = STEP; left > 0; left--) {
      if (this.#isOver()) return false;
      this.#symbols++;
      const symbol = this.#symbol(literals);
      if (symbol < END_OF_BLOCK) {
        if (symbol < 0) return false;
        this.size++;
        continue;
      }
      if (symbol === END_OF_BLOCK) {
        this.#block = undefined;
        return !this.#isLast;
      }
      const index = symbol - END_OF_BLOCK - 1;
      const length = LENGTHS[index];
      if (length === undefined) return false;
      this.size += length + this.#bits(LENGTH_BITS[index] ?? 0);
      const distance = DISTANCE_BITS[this.#symbol(distances)];
      if (distance === undefined) return false;
      this.#at += distance;
    }
    return true;
  }

  /** Reads the codes at the start of a dynamic block (3.2.7). */
  #codes(): readonly [Code, Code] | undefined {
    this.#symbols += CODES;
    const literals = this.#bits(5) + 257;
    const distances = this.#bits(5) + 1;
    const count = this.#bits(4) + 4;
    const own = new Uint8Array(CODE_LENGTH_ORDER.length);
    for (const place of CODE_LENGTH_ORDER.slice(0, count)) own[place] = this.#bits(3);
    const code = codeOf(own);
    const lengths = new Uint8Array(literals + distances);
    for (let at = 0; at < lengths.length;) {
      const symbol = this.#symbol(code);
      if (symbol < 0 || this.#isOver()) return undefined;
      if (symbol < 16) {
        lengths[at++] = symbol;
        continue;
      }
      const value = symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
      const times = symbol === 16 ? 3 + this.#bits(2) : symbol === 17 ? 3 + this.#bits(3) : 11 + this.#bits(7);
      lengths.fill(value, at, at + times);
      at += times;
    }
    return [codeOf(lengths.subarray(0, literals)), codeOf(lengths.subarray(literals))];
  }

  /** The next symbol; -1 if there is none. */
  #symbol({ fast, counts, symbols }: Code): number {
    const bits = this.#peek();
    const entry = fast[bits & ((1 << FAST) - 1)] ?? 0;
    if (entry !== 0) {
      this.#at += entry & 15;
      return entry >> 4;
    }
    // Bit by bit: codes of the same length are consecutive numbers.
    for (let length = 1, code = 0, first = 0, index = 0; length <= LONGEST; length++) {
      code |= (bits >>> (length - 1)) & 1;
      const count = counts[length] ?? 0;
      if (code - first < count) {
        this.#at += length;
        return symbols[index + code - first] ?? -1;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return -1;
  }

  #bits(count: number): number {
    const bits = this.#peek() & ((1 << count) - 1);
    this.#at += count;
    return bits;
  }

  /** The next bits, at least 25, least significant first; zeros past the end. */
  #peek(): number {
    const data = this.#data;
    const byte = this.#at >> 3;
    const low = (data[byte] ?? 0) | ((data[byte + 1] ?? 0) << 8);
    return (low | ((data[byte + 2] ?? 0) << 16) | ((data[byte + 3] ?? 0) << 24)) >>> (this.#at & 7);
  }
}

/** Builds the code with these lengths by symbol; 0 marks a symbol that does not occur. */
function codeOf(lengths: Uint8Array): Code {
  const counts = new Uint16Array(LONGEST + 1);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  /** For each length, the first code and the index of its symbol. */
  const codes = new Uint32Array(LONGEST + 2);
  const places = new Uint16Array(LONGEST + 2);
  for (let length = 1; length <= LONGEST; length++) {
    codes[length + 1] = ((codes[length] ?? 0) + (counts[length] ?? 0)) << 1;
    places[length + 1] = (places[length] ?? 0) + (counts[length] ?? 0);
  }
  const symbols = new Uint16Array(lengths.length);
  const fast = new Uint16Array(1 << FAST);
  for (const [symbol, length] of lengths.entries()) {
    if (length === 0) continue;
    const code = codes[length] ?? 0;
    codes[length] = code + 1;
    const place = places[length] ?? 0;
    places[length] = place + 1;
    symbols[place] = symbol;
    if (length > FAST) continue;
    // Codes are stored with their first bit lowest; the bits after a short one can be anything.
    const step = 1 << length;
    for (let at = reversed(code, length); at < fast.length; at += step) fast[at] = (symbol << 4) | length;
  }
  return { fast, counts, symbols };
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let index = 0; index < length; index++) bits |= ((code >> index) & 1) << (length - 1 - index);
  return bits;
}

/** The fixed codes, for blocks without their own (3.2.6). */
const FIXED = [
  codeOf(Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8))),
  codeOf(new Uint8Array(30).fill(5)),
] as const;
