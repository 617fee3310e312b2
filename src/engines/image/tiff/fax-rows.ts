/** Decodes and encodes fax data (ITU-T T.4 and T.6). A row is the list of pixels at which its color changes: it begins with white. */
import { BadImage } from "../facts.ts";
import {
  END_OF_LINE,
  HORIZONTAL,
  LONG_RUN,
  LONGEST_RUN,
  MODE_CODES,
  PASS,
  RUN_CODES,
  runOf,
  VERTICAL,
} from "./fax-codes.ts";

/** The pixels at which the color changes, in ascending order. */
export class FaxRow {
  readonly #width: number;
  readonly #changes: Uint32Array;
  #count = 0;

  constructor(width: number) {
    this.#width = width;
    this.#changes = new Uint32Array(width + 1);
  }

  /** How many changes there are. */
  get count(): number {
    return this.#count;
  }

  /** Change `index`; the width after the last. */
  at(index: number): number {
    return index < this.#count ? (this.#changes[index] ?? 0) : this.#width;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Adds a change. Two at the same pixel are none. */
  add(pixel: number): void {
    if (this.#count > 0 && this.#changes[this.#count - 1] === pixel) this.#count--;
    else if (pixel < this.#width) this.#changes[this.#count++] = pixel;
  }

  /** The row as packed samples: 1 is black. */
  bits(): Uint8Array {
    const bytes = new Uint8Array(Math.ceil(this.#width / 8));
    for (let index = 0; index < this.#count; index += 2) {
      for (let x = this.at(index), end = this.at(index + 1); x < end; x++) {
        if ((x & 7) === 0 && x + 8 <= end) {
          bytes[x >> 3] = 0xff;
          x += 7;
        } else bytes[x >> 3] = (bytes[x >> 3] ?? 0) | (128 >> (x & 7));
      }
    }
    return bytes;
  }
}

/** Finds the change above that the next change of a row is measured from (T.6, 2.2.1): the first beyond `from` to the opposite color. */
class Above {
  readonly #row: FaxRow;
  #index = 0;

  constructor(row: FaxRow) {
    this.#row = row;
  }

  /** Its index. `color`: of the pixels from `from` on; 0 is white. */
  next(from: number, color: number): number {
    while (this.#index > 0 && this.#row.at(this.#index - 1) > from) this.#index--;
    while (this.#index < this.#row.count && this.#row.at(this.#index) <= from) this.#index++;
    return this.#index + ((this.#index ^ color) & 1);
  }
}

const CODE_BITS = 13;

/** The code that bits begin with: its value and its length in bits, or 0 if there is none. */
type CodeTable = Uint32Array;
const LENGTH_BITS = 4;

function tableOf(codes: readonly string[]): CodeTable {
  const table = new Uint32Array(1 << CODE_BITS);
  for (const [value, code] of codes.entries()) {
    const rest = CODE_BITS - code.length;
    const first = Number.parseInt(code, 2) << rest;
    table.fill((value << LENGTH_BITS) | code.length, first, first + (1 << rest));
  }
  return table;
}

const RUN_TABLES = RUN_CODES.map(tableOf);
const MODE_TABLE = tableOf(MODE_CODES);

const damaged = (): BadImage => new BadImage("is truncated or damaged: its fax data has an invalid code");

/** Codes of a row for each of its pixels, and bits of zeros before a marker: more are no fax. Rows are decoded without a pause. */
const [MOST_CODES, MOST_ZEROS] = [4, 1 << 16];
/** Zeros that can be read past the end, in bytes, before the data counts as truncated. */
const MOST_PAST_END = 4;

export interface FaxOptions {
  readonly width: number;
  /** `rows`: each row is by itself and begins at a byte. `g3`: each begins with a marker, whose last bit can mark a row that refers to the one above. */
  readonly coding: "rows" | "g3" | "g4";
  /** Of G3: whether the markers have that bit. */
  readonly isTwoDimensional: boolean;
}

/** Decodes the rows of one strip. */
export class FaxDecoder {
  readonly #options: FaxOptions;
  /** The next byte; undefined at the end. */
  readonly #next: () => number | undefined;
  #bits = 0;
  #count = 0;
  #pastEnd = 0;
  #row: FaxRow;
  #above: FaxRow;
  /** Codes that were read. */
  codes = 0;
  /** How many may have been read at the end of the row. */
  #mostCodes = 0;

  constructor(options: FaxOptions, next: () => number | undefined) {
    this.#options = options;
    this.#next = next;
    this.#row = new FaxRow(options.width);
    this.#above = new FaxRow(options.width);
  }

  /** The next row, which is valid until the next but one. @throws BadImage */
  row(): FaxRow {
    [this.#row, this.#above] = [this.#above, this.#row];
    this.#row.clear();
    const { width, coding, isTwoDimensional } = this.#options;
    this.#mostCodes = this.codes + (width + 1) * MOST_CODES;
    if (coding === "rows") this.#take(this.#count & 7);
    const hasMarker = coding === "g3" && this.#skipMarker();
    if (coding === "g3" && isTwoDimensional && !hasMarker) throw damaged();
    if (coding === "g4" || (hasMarker && isTwoDimensional && this.#bit() === 0)) this.#readTwoDimensional();
    else this.#readOneDimensional();
    return this.#row;
  }

  #readOneDimensional(): void {
    const { width } = this.#options;
    for (let at = 0, color = 0; at < width; color ^= 1) {
      at += this.#run(color);
      if (at > width) throw damaged();
      this.#row.add(at);
    }
  }

  #readTwoDimensional(): void {
    const { width } = this.#options;
    const above = new Above(this.#above);
    let color = 0;
    for (let from = -1; from < width;) {
      const index = above.next(from, color);
      const mode = this.#code(MODE_TABLE);
      if (mode === PASS) from = this.#above.at(index + 1);
      else if (mode === HORIZONTAL) {
        const first = Math.max(0, from) + this.#run(color);
        const second = first + this.#run(color ^ 1);
        if (second > width) throw damaged();
        this.#row.add(first);
        this.#row.add(second);
        from = second;
      } else {
        const change = this.#above.at(index) + mode - VERTICAL;
        if (change < Math.max(0, from) || change > width) throw damaged();
        this.#row.add(change);
        from = change;
        color ^= 1;
      }
    }
  }

  #run(color: number): number {
    let run = 0;
    for (;;) {
      const place = this.#code(RUN_TABLES[color] ?? MODE_TABLE);
      run += runOf(place);
      if (run > this.#options.width) throw damaged();
      if (place < LONG_RUN) return run;
    }
  }

  #code(table: CodeTable): number {
    if (++this.codes > this.#mostCodes) throw damaged();
    const entry = table[this.#peek(CODE_BITS)] ?? 0;
    if (entry === 0) throw damaged();
    this.#take(entry & ((1 << LENGTH_BITS) - 1));
    return entry >> LENGTH_BITS;
  }

  /** Skips a marker and the zeros before it, if there is one. */
  #skipMarker(): boolean {
    const least = END_OF_LINE.length - 1;
    if (this.#peek(least) !== 0) return false;
    this.#take(least);
    for (let zeros = 0; this.#bit() === 0; zeros++) if (zeros > MOST_ZEROS) throw damaged();
    return true;
  }

  #bit(): number {
    const bit = this.#peek(1);
    this.#take(1);
    return bit;
  }

  #peek(count: number): number {
    while (this.#count < count) {
      const byte = this.#next();
      if (byte === undefined && ++this.#pastEnd > MOST_PAST_END) throw damaged();
      this.#bits = ((this.#bits << 8) | (byte ?? 0)) & 0xff_ffff;
      this.#count += 8;
    }
    return (this.#bits >>> (this.#count - count)) & ((1 << count) - 1);
  }

  #take(count: number): void {
    this.#count -= count;
  }
}

interface CodeBits {
  readonly value: number;
  readonly length: number;
}

const bitsOf = (code: string): CodeBits => ({ value: Number.parseInt(code, 2), length: code.length });
const RUN_BITS = RUN_CODES.map((codes) => codes.map(bitsOf));
const MODE_BITS = MODE_CODES.map(bitsOf);
const END_BITS = bitsOf(END_OF_LINE);

/** Bytes that are written at once. */
const WRITTEN = 16 * 1024;

/** Encodes rows as fax G4. */
export class FaxEncoder {
  readonly #width: number;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #out = new Uint8Array(WRITTEN);
  #filled = 0;
  #bits = 0;
  #count = 0;

  constructor(width: number, write: (bytes: Uint8Array) => void) {
    this.#width = width;
    this.#write = write;
  }

  /** `above`: the row before; an empty one before the first. */
  row(row: FaxRow, above: FaxRow): void {
    const reference = new Above(above);
    let index = 0;
    for (let from = -1; from < this.#width;) {
      const color = index & 1;
      const change = row.at(index);
      const place = reference.next(from, color);
      const offset = change - above.at(place);
      if (above.at(place + 1) < change) {
        this.#put(MODE_BITS[PASS]);
        from = above.at(place + 1);
      } else if (Math.abs(offset) <= VERTICAL) {
        this.#put(MODE_BITS[VERTICAL + offset]);
        from = change;
        index++;
      } else {
        const second = row.at(index + 1);
        this.#put(MODE_BITS[HORIZONTAL]);
        this.#run(color, change - Math.max(0, from));
        this.#run(color ^ 1, second - change);
        from = second;
        index += 2;
      }
    }
  }

  end(): void {
    this.#put(END_BITS);
    this.#put(END_BITS);
    this.#put({ value: 0, length: 7 });
    this.#write(this.#out.subarray(0, this.#filled));
  }

  #run(color: number, length: number): void {
    const codes = RUN_BITS[color] ?? [];
    let rest = length;
    for (; rest > LONGEST_RUN; rest -= LONGEST_RUN) this.#put(codes.at(-1));
    if (rest >= LONG_RUN) this.#put(codes[LONG_RUN - 1 + (rest >> 6)]);
    this.#put(codes[rest & (LONG_RUN - 1)]);
  }

  #put(code: CodeBits | undefined): void {
    if (!code) throw new Error("there is no such code");
    this.#bits = ((this.#bits << code.length) | code.value) & 0xff_ffff;
    this.#count += code.length;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#out[this.#filled++] = this.#bits >>> this.#count;
      if (this.#filled < WRITTEN) continue;
      this.#write(this.#out);
      this.#filled = 0;
    }
  }
}
