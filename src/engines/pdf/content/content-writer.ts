/** Writes content with some of its operators replaced, and all its other bytes unchanged. */
import { concat } from "../../../bytes/concat.ts";
import { bytesOf } from "../../../bytes/latin1.ts";

/** Bytes of content, and their replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Pieces that are held before they are joined: millions of small ones would take ten times their bytes. */
const MOST_PIECES = 2_000;

export class ContentWriter {
  readonly #bytes: Uint8Array;
  readonly #written: Uint8Array[] = [];
  #pieces: Uint8Array[] = [];
  #copied = 0;
  #isChanged = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Replaces bytes after all that were replaced before. */
  replace(start: number, end: number, text: string): void {
    this.#isChanged = true;
    this.#pieces.push(this.#bytes.subarray(this.#copied, start), bytesOf(text));
    this.#copied = end;
    if (this.#pieces.length < MOST_PIECES) return;
    this.#written.push(concat(this.#pieces));
    this.#pieces = [];
  }

  /** The content; undefined if nothing was replaced. */
  result(): Uint8Array<ArrayBuffer> | undefined {
    if (!this.#isChanged) return undefined;
    return concat([...this.#written, ...this.#pieces, this.#bytes.subarray(this.#copied)]);
  }
}
