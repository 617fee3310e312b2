/** Decodes LZW as in TIFF (TIFF 6.0, section 13) and GIF (GIF89a, appendix F). */

export interface LzwOptions {
  /** The order in which the bits of a code are packed into bytes: `msb` as in TIFF, `lsb` as in GIF. */
  readonly order: "msb" | "lsb";
  /** Bits of a symbol: 8 in TIFF. */
  readonly symbolBits: number;
  /** Whether codes grow by a bit one code earlier than needed, as in TIFF. */
  readonly isEarly: boolean;
}

/** Thrown for a code that the table does not have. */
export class DamagedLzw extends Error {
  override readonly name = "DamagedLzw";
}

const MOST_BITS = 12;
const TABLE = 1 << MOST_BITS;
/** Bytes of output that are yielded at once; a code gives up to `TABLE` of them. */
const CHUNK = 32 * 1024;
const NONE = -1;

/** One stream, which is decoded piece by piece. */
export class Lzw {
  readonly #options: LzwOptions;
  readonly #clear: number;
  /** Of each code: the code before its last byte, that byte, its first byte, and how many bytes it gives. */
  readonly #before = new Uint16Array(TABLE);
  readonly #last = new Uint8Array(TABLE);
  readonly #first = new Uint8Array(TABLE);
  readonly #length = new Uint16Array(TABLE);
  readonly #out = new Uint8Array(CHUNK);
  #filled = 0;
  #bits = 0;
  #count = 0;
  #width: number;
  #next: number;
  #previous = NONE;
  #hasEnded = false;

  constructor(options: LzwOptions) {
    this.#options = options;
    this.#clear = 1 << options.symbolBits;
    for (let symbol = 0; symbol < this.#clear; symbol++) {
      this.#last[symbol] = this.#first[symbol] = symbol;
      this.#length[symbol] = 1;
    }
    this.#width = options.symbolBits + 1;
    this.#next = this.#clear + 2;
  }

  /** Whether the end code was read: whatever follows is ignored. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * The bytes that a piece of the stream gives. Each chunk is valid until the next.
   * @throws DamagedLzw
   */
  *decode(piece: Uint8Array): Generator<Uint8Array, void> {
    const isMsb = this.#options.order === "msb";
    for (const byte of piece) {
      if (this.#hasEnded) break;
      this.#bits = isMsb ? (this.#bits << 8) | byte : this.#bits | (byte << this.#count);
      this.#count += 8;
      // A code of at least two bits: a byte can end several of them.
      while (this.#count >= this.#width && !this.#hasEnded) {
        this.#count -= this.#width;
        const mask = (1 << this.#width) - 1;
        const code = (isMsb ? this.#bits >>> this.#count : this.#bits) & mask;
        this.#bits = isMsb ? this.#bits & ((1 << this.#count) - 1) : this.#bits >>> this.#width;
        this.#take(code);
        if (this.#filled > CHUNK - TABLE) {
          yield this.#out.subarray(0, this.#filled);
          this.#filled = 0;
        }
      }
    }
    if (this.#filled > 0) yield this.#out.subarray(0, this.#filled);
    this.#filled = 0;
  }

  #take(code: number): void {
    if (code === this.#clear) {
      this.#width = this.#options.symbolBits + 1;
      this.#next = this.#clear + 2;
      this.#previous = NONE;
    } else if (code === this.#clear + 1) this.#hasEnded = true;
    else {
      if (this.#previous === NONE ? code >= this.#clear : code > this.#next || (code === this.#next && code >= TABLE)) {
        throw new DamagedLzw("a code is not in the table");
      }
      if (this.#previous !== NONE && this.#next < TABLE) this.#add(code);
      this.#write(code);
      this.#previous = code;
    }
  }

  #add(code: number): void {
    const [next, previous] = [this.#next, this.#previous];
    // The next code itself begins and ends with the first byte of the one before.
    const first = this.#first[code === next ? previous : code] ?? 0;
    this.#before[next] = previous;
    this.#last[next] = first;
    this.#first[next] = this.#first[previous] ?? 0;
    this.#length[next] = (this.#length[previous] ?? 0) + 1;
    this.#next++;
    const needed = this.#next + (this.#options.isEarly ? 1 : 0);
    if (needed >= 1 << this.#width && this.#width < MOST_BITS) this.#width++;
  }

  #write(code: number): void {
    const length = this.#length[code] ?? 0;
    let at = this.#filled + length;
    this.#filled = at;
    for (let left = length, part = code; left > 0; left--) {
      this.#out[--at] = this.#last[part] ?? 0;
      part = this.#before[part] ?? 0;
    }
  }
}
