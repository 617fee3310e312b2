/** Decodes PackBits (TIFF 6.0, section 9): runs of a byte, and literal bytes. */

/** Output bytes of an input byte at most: two bytes give a run of 128. */
const MOST_RATIO = 64;
const NOTHING = -128;

/** One stream, which is decoded piece by piece. */
export class PackBits {
  /** Literal bytes that follow. */
  #literal = 0;
  /** How often the next byte is repeated; 0 if it is the head of a run. */
  #repeats = 0;
  #out = new Uint8Array();

  /** The bytes that a piece gives, valid until the next. */
  decode(piece: Uint8Array): Uint8Array {
    const most = (piece.length + 1) * MOST_RATIO;
    if (this.#out.length < most) this.#out = new Uint8Array(most);
    const out = this.#out;
    let filled = 0;
    for (let at = 0; at < piece.length;) {
      if (this.#literal > 0) {
        const part = piece.subarray(at, at + this.#literal);
        out.set(part, filled);
        filled += part.length;
        at += part.length;
        this.#literal -= part.length;
        continue;
      }
      const byte = piece[at++] ?? 0;
      if (this.#repeats > 0) {
        out.fill(byte, filled, (filled += this.#repeats));
        this.#repeats = 0;
        continue;
      }
      const head = (byte << 24) >> 24;
      if (head >= 0) this.#literal = head + 1;
      else if (head !== NOTHING) this.#repeats = 1 - head;
    }
    return out.subarray(0, filled);
  }
}
