/**
 * The tokens of PDF syntax (ISO 32000-2, 7.2 and 7.3) as the bytes say them: each has one reading, or it is `malformed`. Nothing is guessed or repaired here, since
 * readers differ in how they do that.
 */
import { latin1 } from "../../bytes/latin1.ts";

/** `malformed`: bytes up to the next delimiter that are no token, or a string without an end. `end`: no more bytes. */
export type TokenKind =
  | "integer"
  | "real"
  | "name"
  | "literal"
  | "hexadecimal"
  | "keyword"
  | "["
  | "]"
  | "<<"
  | ">>"
  | "malformed"
  | "end";

const code = (character: string): number => character.charCodeAt(0);
const [LF, CR, BACKSLASH, NUMBER_SIGN, DEL] = [10, 13, code("\\"), code("#"), 127];
const [OPEN, CLOSE, LESS, GREATER, SLASH, PERCENT] = ["(", ")", "<", ">", "/", "%"].map(code);
const [OPEN_ARRAY, CLOSE_ARRAY, PLUS, MINUS, POINT] = ["[", "]", "+", "-", "."].map(code);
const [ZERO, SEVEN, NINE, THREE] = ["0", "7", "9", "3"].map(code) as [number, number, number, number];

/** Kinds of characters (7.2.3). */
const [REGULAR, WHITE, DELIMITER] = [0, 1, 2];
const KINDS = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") KINDS[code(character)] = WHITE;
for (const character of "()<>[]{}/%") KINDS[code(character)] = DELIMITER;

export const isWhite = (byte: number | undefined): boolean => byte !== undefined && KINDS[byte] === WHITE;
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && KINDS[byte] === REGULAR;
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;
const isOctal = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= SEVEN;
const isHexadecimal = (byte: number): boolean =>
  isDigit(byte) || (byte >= code("A") && byte <= code("F")) || (byte >= code("a") && byte <= code("f"));

/** The longest keyword has nine letters. A number that is longer may be cut off by readers. */
export const LONGEST_WORD = 64;

/** The tokens from an offset on. */
export const tokens = (bytes: Uint8Array, at: number): Tokens => new Tokens(bytes, at);

/** A place in bytes, and the token before it. */
export class Tokens {
  kind: TokenKind = "end";
  /** Where the token begins and ends, in bytes. */
  start: number;
  end: number;
  /** Whether there is a comment between the last token and this one. */
  followsComment = false;
  /** Whether there is a null character between them: white space, but not to all readers. */
  followsNull = false;
  /** Whether a name has no bytes outside of ASCII, some of which PDFium takes for white space. */
  isAscii = true;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.start = at;
    this.end = at;
  }

  /** Advances to the next token. */
  next(): TokenKind {
    this.#skip();
    const bytes = this.#bytes;
    const at = this.end;
    this.start = at;
    if (at >= bytes.length) return this.#is("end", at);
    const byte = bytes[at];
    if (byte === SLASH) return this.#name();
    if (byte === OPEN) return this.#literal();
    if (byte === LESS) return bytes[at + 1] === LESS ? this.#is("<<", at + 2) : this.#hexadecimal();
    if (byte === GREATER) return bytes[at + 1] === GREATER ? this.#is(">>", at + 2) : this.#is("malformed", at + 1);
    if (byte === OPEN_ARRAY) return this.#is("[", at + 1);
    if (byte === CLOSE_ARRAY) return this.#is("]", at + 1);
    return isRegular(byte) ? this.#word() : this.#is("malformed", at + 1);
  }

  /** Whether the token is this keyword. */
  isKeyword(word: string): boolean {
    return this.kind === "keyword" && this.end - this.start === word.length && this.text() === word;
  }

  /** The token as it is written, one character for each byte. */
  text(): string {
    return latin1(this.#bytes.subarray(this.start, this.end));
  }

  #is(kind: TokenKind, end: number): TokenKind {
    this.kind = kind;
    this.end = end;
    return kind;
  }

  /** White space and comments. */
  #skip(): void {
    const bytes = this.#bytes;
    let at = this.end;
    this.followsComment = false;
    this.followsNull = false;
    for (; at < bytes.length; at++) {
      if (bytes[at] === 0) this.followsNull = true;
      if (bytes[at] === PERCENT) {
        this.followsComment = true;
        while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
      } else if (!isWhite(bytes[at])) break;
    }
    this.end = at;
  }

  /** A name (7.3.5): bytes outside of ASCII may be in it as they are, control characters may not, nor the code 0. */
  #name(): TokenKind {
    const bytes = this.#bytes;
    let at = this.start + 1;
    let isSound = true;
    this.isAscii = true;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (!isRegular(byte)) break;
      if (byte > DEL) this.isAscii = false;
      if (byte < 0x20 || byte === DEL) isSound = false;
      if (byte !== NUMBER_SIGN) continue;
      const [high, low] = [bytes[at + 1] ?? 0, bytes[at + 2] ?? 0];
      isSound &&= isHexadecimal(high) && isHexadecimal(low) && !(high === ZERO && low === ZERO);
    }
    return this.#is(isSound && at > this.start + 1 ? "name" : "malformed", at);
  }

  /** A literal string (7.3.4.2): its parentheses are balanced, and octal codes are those of one byte. */
  #literal(): TokenKind {
    const bytes = this.#bytes;
    let depth = 0;
    let isSound = true;
    for (let at = this.start; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BACKSLASH) {
        at += 1;
        const first = bytes[at] ?? 0;
        if (first > THREE && isOctal(first) && isOctal(bytes[at + 1]) && isOctal(bytes[at + 2])) isSound = false;
      } else if (byte === OPEN) depth += 1;
      else if (byte === CLOSE && --depth === 0) return this.#is(isSound ? "literal" : "malformed", at + 1);
    }
    return this.#is("malformed", bytes.length);
  }

  /** A hexadecimal string (7.3.4.3). */
  #hexadecimal(): TokenKind {
    const bytes = this.#bytes;
    let isSound = true;
    for (let at = this.start + 1; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === GREATER) return this.#is(isSound ? "hexadecimal" : "malformed", at + 1);
      if (!isHexadecimal(byte) && !isWhite(byte)) isSound = false;
    }
    return this.#is("malformed", bytes.length);
  }

  /** A number (7.3.3) or a keyword, which has letters alone. */
  #word(): TokenKind {
    const bytes = this.#bytes;
    let at = this.start;
    let [digits, points, signs, letters, others] = [0, 0, 0, 0, 0];
    for (; isRegular(bytes[at]); at++) {
      const byte = bytes[at] ?? 0;
      if (isDigit(byte)) digits += 1;
      else if (byte === POINT) points += 1;
      else if ((byte === PLUS || byte === MINUS) && at === this.start) signs += 1;
      else if ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)) letters += 1;
      else others += 1;
    }
    const length = at - this.start;
    if (length > LONGEST_WORD || others > 0) return this.#is("malformed", at);
    if (letters === length) return this.#is("keyword", at);
    if (letters > 0 || digits === 0 || points > 1) return this.#is("malformed", at);
    return this.#is(digits + signs === length ? "integer" : "real", at);
  }
}
