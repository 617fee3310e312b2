/**
 * Finds a boundary delimiter (RFC 2046, section 5.1.1) in windows of a body. Its only line break is at its start, which makes
 * the search linear: matched bytes cannot contain another start. Elsewhere it skips as in Boyer-Moore-Horspool, up to the
 * delimiter's length per step.
 */
export class BoundarySearch {
  readonly bytes: Uint8Array;
  readonly #skip: Uint8Array;

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
    const { length } = this.bytes;
    this.#skip = new Uint8Array(256).fill(length);
    this.bytes.subarray(0, -1).forEach((byte, index) => (this.#skip[byte] = length - 1 - index));
  }

  /** Index of the first occurrence entirely within `window[from, to)`, or -1. */
  find(window: Uint8Array, from: number, to: number): number {
    const { bytes } = this;
    const skip = this.#skip;
    const { length } = bytes;
    const last = bytes[length - 1];
    for (let at = from; at + length <= to;) {
      const end = window[at + length - 1] as number;
      let equal = 0;
      if (end === last) {
        while (equal < length && window[at + equal] === bytes[equal]) equal += 1;
        if (equal === length) return at;
      }
      at += Math.max(equal, skip[end] as number);
    }
    return -1;
  }
}
