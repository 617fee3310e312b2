import { paeth } from "../flate/paeth.ts";

const SUB = 1;
const UP = 2;
const PAETH = 4;

/**
 * Filters rows as in PNG, which is PDF's predictor 15 (ISO 32000-2, 7.4.4.4): each with the filter that leaves the smallest
 * numbers (PNG 3rd edition, 12.7).
 */
export class RowFilter {
  readonly #distance: number;
  readonly #candidates: readonly [Uint8Array, Uint8Array, Uint8Array];
  readonly #above: Uint8Array;

  /** `bytes` per row; `distance`: bytes from a sample to its left neighbor. */
  constructor(bytes: number, distance: number) {
    const row = (filter: number): Uint8Array => {
      const result = new Uint8Array(1 + bytes);
      result[0] = filter;
      return result;
    };
    this.#distance = distance;
    this.#above = new Uint8Array(bytes);
    this.#candidates = [row(SUB), row(UP), row(PAETH)];
  }

  /** The next row, filtered and preceded by its filter byte; valid until the next call. */
  filter(line: Uint8Array): Uint8Array {
    const [sub, up, third] = this.#candidates;
    const [above, distance] = [this.#above, this.#distance];
    let [sumSub, sumUp, sumPaeth] = [0, 0, 0];
    for (let index = 0; index < line.length; index++) {
      const value = line[index] ?? 0;
      const left = index < distance ? 0 : (line[index - distance] ?? 0);
      const over = above[index] ?? 0;
      const corner = index < distance ? 0 : (above[index - distance] ?? 0);
      sumSub += magnitude((sub[index + 1] = value - left));
      sumUp += magnitude((up[index + 1] = value - over));
      sumPaeth += magnitude((third[index + 1] = value - paeth(left, over, corner)));
    }
    above.set(line);
    if (sumPaeth <= sumSub && sumPaeth <= sumUp) return third;
    return sumSub <= sumUp ? sub : up;
  }
}

/** Magnitude of a difference as a signed byte. */
function magnitude(difference: number): number {
  const byte = difference & 0xff;
  return byte < 128 ? byte : 256 - byte;
}
