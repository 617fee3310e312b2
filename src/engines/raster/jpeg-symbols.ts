/**
 * The symbols of a scan of a baseline JPEG as numbers: a symbol's table in bits 24 and 25, the symbol in 16 to 23, and the bits
 * behind it, as many as the symbol's lower half says, below. `SAME` is for units that are of the colour of the one before them,
 * as many as its lower bits say.
 */
import type { ScanComponent, ScanReader } from "./jpeg-scan-reader.ts";

export const SAME = 0x8000_0000;
/** Where a run is cut: its length has no more bits. */
const LONGEST_RUN = 0xff_ffff;
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
