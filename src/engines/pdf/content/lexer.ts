/** The lexer of content streams (ISO 32000-2, 7.2 and 7.8.2). All code that reads content uses it. */
import { latin1 } from "../../bytes/latin1.ts";
import { inlineImageEnd } from "./inline-image-end.ts";

/**
 * `word`: an operator, or `true`, `false`, or `null`. `open` and `close`: delimiters of arrays, dictionaries, and
 * procedures. `literal` and `hex`: complete strings. `image`: the end of an inline image that began in an earlier stream.
 * `stray`: an unmatched closing parenthesis.
 */
export type Token = "number" | "word" | "name" | "literal" | "hex" | "open" | "close" | "image" | "stray";

/** The bytes from `start` up to `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const code = (character: string): number => character.charCodeAt(0);
const [LF, CR, OPEN, CLOSE, ESCAPE] = [10, 13, code("("), code(")"), code("\\")];
const [LESS, GREATER, PERCENT, SLASH] = [code("<"), code(">"), code("%"), code("/")];

/** Character classes (7.2.3). */
const [REGULAR, WHITE, DELIMITER, NUMERIC] = [0, 1, 2, 3];
const KIND = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") KIND[code(character)] = WHITE;
for (const character of "()<>[]{}/%") KIND[code(character)] = DELIMITER;
/** An operator may follow directly after one of these, which end a number. */
for (const character of "0123456789+-.") KIND[code(character)] = NUMERIC;

const isRegular = (byte: number | undefined): boolean =>
  byte !== undefined && (KIND[byte] === REGULAR || KIND[byte] === NUMERIC);

/** Bytes of a stream after which others should have their turn: 5 to 10 ms. */
const STRETCH = 256 * 1024;

/** Longest text in bytes that is put together character by character, which is faster for short ones. */
const SHORT = 64;

/**
 * Tokenizes content. The streams of a page form one content: as readers interpret it, a string, comment, or inline image may
 * begin in one stream and end in another.
 */
export class ContentLexer {
  /** Where the last token begins and ends in its stream. */
  start = 0;
  end = 0;
  /** The construct left open by the streams read so far. */
  unfinished: "comment" | "literal" | "hex" | "image" | undefined;
  /** Open parentheses in an unfinished literal string. */
  depth = 0;
  #bytes: Uint8Array;
  #stretchEnd = STRETCH;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = bytes;
  }

  /** True each time that so much was read that the reader should let others have their turn (`Work.rest`). */
  get isDue(): boolean {
    if (this.end < this.#stretchEnd) return false;
    this.#stretchEnd = this.end + STRETCH;
    return true;
  }

  /** Continues in the next stream. */
  feed(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.end = 0;
    this.#stretchEnd = STRETCH;
  }

  /**
   * Advances to the next token; undefined at the end of the stream. A string cut off by the end of the stream is a token up
   * to there.
   */
  next(): Token | undefined {
    const bytes = this.#bytes;
    this.start = this.end;
    if (this.unfinished === "comment") this.#comment();
    else if (this.unfinished && this.start < bytes.length) return this.#resume(this.unfinished);
    while (KIND[bytes[this.end] ?? 0] === WHITE || bytes[this.end] === PERCENT) {
      if (this.end >= bytes.length) return undefined;
      if (bytes[this.end] === PERCENT) this.#comment();
      else this.end++;
    }
    const at = this.end;
    this.start = at;
    const byte = bytes[at] ?? 0;
    if (KIND[byte] === NUMERIC) {
      while (KIND[bytes[this.end] ?? 0] === NUMERIC) this.end++;
      return "number";
    }
    if (KIND[byte] === REGULAR) return this.#regular("word");
    this.end++;
    if (byte === SLASH) return this.#regular("name");
    if (byte === OPEN) return this.#literal(at);
    if (byte === CLOSE) return "stray";
    const isDouble = (byte === LESS || byte === GREATER) && bytes[at + 1] === byte;
    if (byte === LESS && !isDouble) return this.#hexadecimal(at);
    if (isDouble) this.end++;
    // Only these remain; the others were handled above.
    return byte === LESS || byte === code("[") || byte === code("{") ? "open" : "close";
  }

  /**
   * After `ID`: advances past the `EI` of the inline image and returns the span of its data. One whitespace character
   * precedes the data (8.9.7). Without an `EI`, the rest of the stream is data, and `unfinished` says so.
   */
  image(): Span {
    const start = this.end + 1;
    return { start, end: this.#imageEnd(start) ?? this.#bytes.length };
  }

  /** Text of the stream, one character per byte. */
  text(start: number, end: number): string {
    if (end - start > SHORT) return latin1(this.#bytes.subarray(start, end));
    let text = "";
    for (let at = start; at < end; at++) text += String.fromCharCode(this.#bytes[at] ?? 0);
    return text;
  }

  #regular<T extends Token>(token: T): T {
    while (isRegular(this.#bytes[this.end])) this.end++;
    return token;
  }

  /** Advances to the end of the line, which ends a comment. */
  #comment(): void {
    const bytes = this.#bytes;
    while (this.end < bytes.length && bytes[this.end] !== LF && bytes[this.end] !== CR) this.end++;
    this.unfinished = this.end < bytes.length ? undefined : "comment";
  }

  #resume(inside: "literal" | "hex" | "image"): Token | undefined {
    if (inside === "literal") return this.#literal(this.start);
    if (inside === "hex") return this.#hexadecimal(this.start);
    return this.#imageEnd(this.start) === undefined ? undefined : "image";
  }

  #literal(from: number): Token {
    const bytes = this.#bytes;
    this.unfinished = "literal";
    this.end = bytes.length;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === ESCAPE) at++;
      else if (byte === OPEN) this.depth++;
      else if (byte === CLOSE && --this.depth === 0) {
        this.unfinished = undefined;
        this.end = at + 1;
        break;
      }
    }
    return "literal";
  }

  #hexadecimal(from: number): Token {
    const end = this.#bytes.indexOf(GREATER, from);
    this.unfinished = end < 0 ? "hex" : undefined;
    this.end = end < 0 ? this.#bytes.length : end + 1;
    return "hex";
  }

  #imageEnd(from: number): number | undefined {
    const found = inlineImageEnd(this.#bytes, from);
    this.unfinished = found ? undefined : "image";
    this.end = found?.operator ?? this.#bytes.length;
    return found?.data;
  }
}
