/** The tokens of content streams (ISO 32000-2, 7.8.2), including constructs of content only: inline images, and streams that form one content. */
import { isWhite, LESS, OPEN } from "../syntax/characters.ts";
import { type ByteRange, Tokens, type TokenKind } from "../syntax/tokens.ts";

/** Bytes after an `EI` that must look like content for it to be the end. */
const LOOK_AHEAD = 24;

/** Bytes of a stream after which a reader should yield to other requests: 5 to 10 ms. */
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

  /** True each time that so much was read that the reader should yield to other requests (`Work.rest`). */
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
   * After `ID`: advances past the `EI` of the inline image and returns the range of its data. One whitespace character precedes the data (8.9.7).
   * Without an `EI`, the rest of the stream is data, and `unfinished` is set.
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

/**
 * The end of the data of an inline image and of its `EI`, or undefined if there is none. Only `EI` marks it, and that can occur in the data
 * as well (8.9.7). The standard requires whitespace before it; some writers omit it.
 */
function inlineImageEnd(bytes: Uint8Array, start: number): { data: number; operator: number } | undefined {
  return endAfter(bytes, start, isWhite) ?? endAfter(bytes, start, () => true);
}

function endAfter(
  bytes: Uint8Array,
  start: number,
  mayPrecede: (byte: number | undefined) => boolean,
): { data: number; operator: number } | undefined {
  for (let at = bytes.indexOf(0x45, start); at >= 0; at = bytes.indexOf(0x45, at + 1)) {
    if (bytes[at + 1] !== 0x49) continue;
    const after = bytes[at + 2];
    if (after !== undefined && !isWhite(after)) continue;
    if (at > start && !mayPrecede(bytes[at - 1])) continue;
    if (!looksLikeContent(bytes, at + 2)) continue;
    return { data: at > start && isWhite(bytes[at - 1]) ? at - 1 : at, operator: at + 2 };
  }
  return undefined;
}

/** Whether bytes can be content, which is text: any other byte this early belongs to image data. */
function looksLikeContent(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < Math.min(bytes.length, from + LOOK_AHEAD); at++) {
    const byte = bytes[at] ?? 0;
    // Strings may contain any bytes.
    if (byte === OPEN || byte === LESS) return true;
    if (byte > 0x7e || (byte < 0x20 && !isWhite(byte)) || byte === 0) return false;
  }
  return true;
}
