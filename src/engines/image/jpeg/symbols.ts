/**
 * The symbols of a baseline JPEG scan, packed into numbers. Bits 24 and 25 hold a symbol's table, bits 16 to 23 the symbol, and the bits below them
 * its extra bits, whose count is in the symbol's lower half. `SAME` represents units of the same color as the one before them; its lower bits give
 * their number.
 */

export const SAME = 0x8000_0000;
/** Maximum run length: the field has no more bits. */
const LONGEST_RUN = 0xff_ffff;
/** Enough for most pages of text at 150 dpi: each time the list grows, it is copied. */
const FIRST_SYMBOLS = 512 * 1024;
/** A component as coded by its scan: blocks per unit, and its tables by number: DC 0, DC 1, AC 0, AC 1. */
export interface ScanComponent {
  readonly blocks: number;
  readonly dc: number;
  readonly ac: number;
}

/** The symbols of a scan, in order. */
export class Symbols implements Disposable {
  readonly #spare: Uint32Array<ArrayBuffer>[];
  readonly #components: readonly ScanComponent[];
  readonly #most: number;
  /** The last DC value of each component. */
  readonly #last: Int32Array;
  /** Maximum number of entries per unit. */
  readonly #ofUnit: number;
  #list: Uint32Array<ArrayBuffer>;
  #length = 0;

  /** `most`: capacity in entries of 4 bytes; `spare`: where it takes the memory for its list, and returns it to. */
  constructor(components: readonly ScanComponent[], most: number, spare: Uint32Array<ArrayBuffer>[]) {
    this.#spare = spare;
    this.#list = spare.pop() ?? new Uint32Array(FIRST_SYMBOLS);
    this.#components = components;
    this.#most = most;
    this.#last = new Int32Array(components.length);
    this.#ofUnit = components.reduce((sum, { blocks }) => sum + blocks * 64, 0);
  }

  /** The symbols held; valid until the next unit. */
  get held(): Uint32Array {
    return this.#list.subarray(0, this.#length);
  }

  /** Whether this many units are sure to fit. */
  hasRoom(units: number): boolean {
    return this.#length + this.#ofUnit * units <= this.#most;
  }

  clear(): void {
    this.#length = 0;
  }

  [Symbol.dispose](): void {
    this.#spare.push(this.#list);
  }

  /** Appends a unit of one color: the DC value of each component, in quantization steps. */
  flat(values: Int32Array): void {
    let same = true;
    for (let index = 0; index < this.#components.length; index++) same &&= values[index] === this.#last[index];
    if (!same) {
      for (let index = 0; index < this.#components.length; index++) {
        const blocks = this.#components[index]?.blocks ?? 0;
        for (let block = 0; block < blocks; block++) this.flatBlock(index, values[index] ?? 0);
      }
      return;
    }
    this.#makeRoom();
    const before = this.#length > 0 ? (this.#list[this.#length - 1] ?? 0) : 0;
    if (before >= SAME && before < SAME + LONGEST_RUN) this.#list[this.#length - 1] = before + 1;
    else this.#list[this.#length++] = SAME + 1;
  }

  /** Appends a block of a component that has only a DC value. */
  flatBlock(component: number, value: number): void {
    this.#makeRoom();
    this.#dc(component, value);
    this.#list[this.#length++] = (this.#components[component]?.ac ?? 0) << 24;
  }

  /** Appends a block of a component: its DC value, in quantization steps, and the symbols [start, end) of the other coefficients. */
  block(component: number, value: number, symbols: Uint32Array, start: number, end: number): void {
    this.#makeRoom();
    this.#dc(component, value);
    const list = this.#list;
    let to = this.#length;
    // Most blocks have few: a view of them would take longer than to copy them.
    for (let at = start; at < end; at++) list[to++] = symbols[at] ?? 0;
    this.#length = to;
  }

  #dc(component: number, value: number): void {
    const difference = value - (this.#last[component] ?? 0);
    this.#last[component] = value;
    const size = 32 - Math.clz32(Math.abs(difference));
    const bits = difference < 0 ? difference + (1 << size) - 1 : difference;
    this.#list[this.#length++] = ((this.#components[component]?.dc ?? 0) << 24) | (size << 16) | bits;
  }

  /** Makes room for another unit. */
  #makeRoom(): void {
    if (this.#length + this.#ofUnit <= this.#list.length) return;
    const grown = new Uint32Array(this.#list.length * 2);
    grown.set(this.#list);
    this.#list = grown;
  }
}
