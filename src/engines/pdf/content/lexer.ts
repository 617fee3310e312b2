/** The tokens of content streams (ISO 32000-2, 7.8.2), with what only content has: inline images, and streams that form one content. */
import { type ByteRange, Tokens, type TokenKind } from "../syntax/tokens.ts";
import { inlineImageEnd } from "./inline-image-end.ts";

/** Bytes of a stream after which others should have their turn: 5 to 10 ms. */
const STRETCH = 256 * 1024;

/**
 * Tokenizes content. The streams of a page form one content: as readers interpret it, a string, comment, or inline image may
 * begin in one stream and end in another.
 */
export class ContentLexer extends Tokens {
  #stretchEnd = STRETCH;

  constructor(bytes?: Uint8Array) {
    super(bytes, { reading: "content" });
  }

  /** True each time that so much was read that the reader should let others have their turn (`Work.rest`). */
  get isDue(): boolean {
    if (this.end < this.#stretchEnd) return false;
    this.#stretchEnd = this.end + STRETCH;
    return true;
  }

  /** Continues in the next stream. */
  override feed(bytes: Uint8Array): void {
    super.feed(bytes);
    this.#stretchEnd = STRETCH;
  }

  /**
   * After `ID`: advances past the `EI` of the inline image and returns the range of its data. One whitespace character
   * precedes the data (8.9.7). Without an `EI`, the rest of the stream is data, and `unfinished` says so.
   */
  image(): ByteRange {
    const start = this.end + 1;
    return { start, end: this.#dataEnd(start) ?? this.bytes.length };
  }

  protected override imageEnd(): TokenKind | undefined {
    return this.#dataEnd(this.end) === undefined ? undefined : "image";
  }

  #dataEnd(from: number): number | undefined {
    const found = inlineImageEnd(this.bytes, from);
    this.unfinished = found ? undefined : "image";
    this.end = found?.operator ?? this.bytes.length;
    return found?.data;
  }
}
