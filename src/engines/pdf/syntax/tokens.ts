/**
 * The tokens of PDF syntax (ISO 32000-2, 7.2 and 7.3): of objects, of content, and of other programs in this syntax. All code that reads PDF bytes
 * uses them.
 */
import { latin1 } from "../../../bytes/latin1.ts";
import {
  BACKSLASH,
  CLASSES,
  CLOSE,
  CR,
  DELIMITER,
  GREATER,
  isDigit,
  isHexadecimal,
  isLetter,
  isOctal,
  isWhite,
  LESS,
  LF,
  NUMERIC,
  OPEN,
  PERCENT,
  SLASH,
  WHITE,
} from "./characters.ts";

/** The bytes from `start` up to `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * How bytes are read where readers differ.
 * - `strict`: a token has one reading, or it is `malformed`. Nothing is guessed.
 * - `objects`: as readers take the objects of a file. Chunks are parts of one text, and a token may continue in the next.
 * - `content`: as readers take content. A number ends where a letter begins, and a chunk is a stream: it ends a word, but not a string or a comment.
 *   A lone `>` is as good as two: were it none, all that follows would be in the dictionary that it may end.
 */
export type Reading = "strict" | "objects" | "content";

/**
 * `integer`, `real`: of strict reading. `number`: of the others, for whatever begins as a number. `word`: a keyword or an operator. `literal` and
 * `hex`: strings, delimiters included. `image`: the end of an inline image that an earlier stream of content began. `stray`: a delimiter without
 * its counterpart. `malformed`: of strict reading, bytes up to the next delimiter that are no token, or a string without an end.
 */
export type TokenKind =
  | "integer"
  | "real"
  | "number"
  | "word"
  | "name"
  | "literal"
  | "hex"
  | "["
  | "]"
  | "<<"
  | ">>"
  | "{"
  | "}"
  | "image"
  | "stray"
  | "malformed";

/** Constructs that a chunk leaves open. `<` and `>`: one of these, which the next chunk may double. */
type Unfinished = "comment" | "number" | "word" | "name" | "literal" | "hex" | "image" | "<" | ">";

const code = (character: string): number => character.charCodeAt(0);
const [NUMBER_SIGN, ZERO, THREE, DEL] = [code("#"), code("0"), code("3"), 127];
const [PLUS, MINUS, POINT] = [code("+"), code("-"), code(".")];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_BRACE] = [code("["), code("]"), code("{")];

/** The longest keyword has nine letters. A number that is longer may be cut off by readers. */
export const LONGEST_WORD = 64;

/** Longest text in bytes that is put together character by character, which is faster for short ones. */
const SHORT = 64;

/** The tokens from an offset on, read strictly. */
export const tokens = (bytes: Uint8Array, at: number): Tokens => new Tokens(bytes, { at });

/** A place in bytes, and the token before it. */
export class Tokens {
  /** Undefined at the end of the chunk. */
  kind: TokenKind | undefined;
  /** Where the token begins and ends in the chunk, in bytes. One that began in an earlier chunk begins so many bytes before this one. */
  start: number;
  end: number;
  /** Bytes of the longest comment between the last token and this one; 0 if there is none. */
  comment = 0;
  /** Whether there is a null character between them: white space, but not to all readers. */
  followsNull = false;
  /** The construct that the chunks read so far leave open. A string that the end of a stream cuts off is a token of content up to there. */
  unfinished: Unfinished | undefined;
  protected bytes: Uint8Array;
  readonly #isStrict: boolean;
  readonly #isContent: boolean;
  /** Open parentheses in an unfinished string. */
  #depth = 0;
  /** Bytes at the start of the next chunk that belong to an escape. */
  #escaped = 0;
  /** The beginning of a keyword in earlier chunks. */
  #before = "";

  constructor(bytes: Uint8Array = new Uint8Array(), { at = 0, reading = "strict" as Reading } = {}) {
    this.bytes = bytes;
    this.start = at;
    this.end = at;
    this.#isStrict = reading === "strict";
    this.#isContent = reading === "content";
  }

  /** Whether there is a comment between the last token and this one. */
  get followsComment(): boolean {
    return this.comment > 0;
  }

  /** Whether a name has no bytes outside of ASCII, some of which PDFium takes for white space. */
  get isAscii(): boolean {
    for (let at = this.start; at < this.end; at++) if ((this.bytes[at] ?? 0) > DEL) return false;
    return true;
  }

  /** Continues in the next chunk, from an offset in it. Not for strict reading. */
  feed(bytes: Uint8Array, at = 0): void {
    const isKept = this.unfinished === "word" && this.end - this.start <= LONGEST_WORD;
    this.#before = isKept ? this.text() : "";
    this.start = this.#isContent ? at : this.start - this.bytes.length + at;
    this.bytes = bytes;
    this.end = at;
  }

  /** Forgets the open construct. */
  reset(): void {
    this.unfinished = undefined;
    this.comment = 0;
  }

  /** Advances to the next token; undefined at the end of the chunk. */
  next(): TokenKind | undefined {
    const { bytes, unfinished } = this;
    if (unfinished === undefined) {
      this.comment = 0;
      this.followsNull = false;
    } else if (unfinished === "comment") this.end = this.#comment(this.end);
    else return (this.kind = this.#resume(unfinished));
    const { length } = bytes;
    let at = this.end;
    let byte = 0;
    let kind = 0;
    for (; at < length; at++) {
      byte = bytes[at] ?? 0;
      kind = CLASSES[byte] ?? 0;
      if (kind === WHITE) {
        if (byte === 0) this.followsNull = true;
      } else if (byte === PERCENT) {
        this.start = at;
        at = this.#comment(at) - 1;
      } else break;
    }
    if (at >= length) {
      if (this.unfinished === undefined || this.#isStrict) this.start = length;
      this.end = length;
      return (this.kind = undefined);
    }
    this.start = at;
    if (kind === NUMERIC && this.#isContent) {
      do at++;
      while (at < length && CLASSES[bytes[at] ?? 0] === NUMERIC);
      this.end = at;
      return (this.kind = "number");
    }
    if (kind !== DELIMITER) return (this.kind = this.#regular(at + 1, kind === NUMERIC ? "number" : "word"));
    return (this.kind = this.#delimited(at + 1, byte));
  }

  /** Whether the token is this keyword. */
  isKeyword(word: string): boolean {
    return this.kind === "word" && this.end - this.start === word.length && this.text() === word;
  }

  /** Bytes of the chunk in their written form, one character for each: the token, unless others are named. */
  text(start = this.start, end = this.end): string {
    const { bytes } = this;
    if (start < 0) return this.#before + this.text(0, end);
    if (end - start > SHORT) return latin1(bytes.subarray(start, end));
    let text = "";
    for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
    return text;
  }

  /** The place where content continues after an inline image that it began in an earlier stream. */
  protected imageEnd(): TokenKind | undefined {
    throw new Error("only content has inline images");
  }

  #delimited(at: number, byte: number): TokenKind | undefined {
    if (byte === SLASH) return this.#regular(at, "name");
    if (byte === OPEN) {
      this.#depth = 1;
      return this.#literal(at);
    }
    if (byte === LESS || byte === GREATER) return this.#angle(at, byte);
    this.end = at;
    if (byte === OPEN_ARRAY) return "[";
    return byte === CLOSE_ARRAY ? "]" : this.#odd(byte === CLOSE ? "stray" : byte === OPEN_BRACE ? "{" : "}");
  }

  #resume(unfinished: Exclude<Unfinished, "comment">): TokenKind | undefined {
    const { end } = this;
    if (end >= this.bytes.length) return undefined;
    switch (unfinished) {
      case "literal":
        return this.#literal(end + this.#escaped);
      case "hex":
        return this.#hexadecimal(end);
      case "<":
      case ">":
        return this.#angle(end, unfinished === "<" ? LESS : GREATER);
      case "image":
        return this.imageEnd();
      default:
        return this.#regular(end, unfinished);
    }
  }

  /** The token continues in the next chunk. */
  #open(what: Unfinished): undefined {
    this.unfinished = what;
    this.end = this.bytes.length;
  }

  #odd(kind: TokenKind): TokenKind {
    return this.#isStrict ? "malformed" : kind;
  }

  /** To the end of the line. Returns where it is. */
  #comment(from: number): number {
    const { bytes, start } = this;
    let at = from;
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
    if (at - start > this.comment) this.comment = at - start;
    this.unfinished = at < bytes.length ? undefined : "comment";
    return at;
  }

  /** A name, a number, or a keyword: regular characters. */
  #regular(from: number, kind: "name" | "number" | "word"): TokenKind | undefined {
    const { bytes } = this;
    const { length } = bytes;
    let at = from;
    while (at < length && (CLASSES[bytes[at] ?? 0] ?? 0) < WHITE) at++;
    this.end = at;
    if (this.#isContent) return kind;
    if (this.#isStrict) return kind === "name" ? this.#strictName() : this.#strictWord();
    this.unfinished = at < length ? undefined : kind;
    return at < length ? kind : undefined;
  }

  /** A literal string (7.3.4.2). Strictly, its octal codes are those of one byte. */
  #literal(from: number): TokenKind | undefined {
    const { bytes } = this;
    const { length } = bytes;
    let depth = this.#depth;
    let isSound = true;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at];
      if (byte === BACKSLASH) {
        const first = bytes[++at] ?? 0;
        if (first > THREE && isOctal(first) && isOctal(bytes[at + 1]) && isOctal(bytes[at + 2])) isSound = false;
      } else if (byte === OPEN) depth++;
      else if (byte === CLOSE && --depth === 0) {
        this.unfinished = undefined;
        this.end = at + 1;
        return isSound ? "literal" : this.#odd("literal");
      }
    }
    this.#depth = depth;
    this.#escaped = this.#isContent ? 0 : at - length;
    return this.#cutOff("literal");
  }

  /** `<<`, `>>`, or a hexadecimal string. `at`: after the first one. */
  #angle(at: number, byte: typeof LESS | typeof GREATER): TokenKind | undefined {
    const { bytes } = this;
    if (at >= bytes.length && !this.#isStrict && !this.#isContent) return this.#open(byte === LESS ? "<" : ">");
    this.unfinished = undefined;
    if (bytes[at] === byte) {
      this.end = at + 1;
      return byte === LESS ? "<<" : ">>";
    }
    if (byte === LESS) return this.#hexadecimal(at);
    this.end = at;
    return this.#isContent ? ">>" : this.#odd("stray");
  }

  /** A hexadecimal string (7.3.4.3), from its digits on. */
  #hexadecimal(from: number): TokenKind | undefined {
    const { bytes } = this;
    const end = bytes.indexOf(GREATER, from);
    if (end < 0) return this.#cutOff("hex");
    this.unfinished = undefined;
    this.end = end + 1;
    for (let at = from; this.#isStrict && at < end; at++)
      if (!isHexadecimal(bytes[at]) && !isWhite(bytes[at])) return "malformed";
    return "hex";
  }

  #cutOff(kind: "literal" | "hex"): TokenKind | undefined {
    this.#open(kind);
    if (!this.#isStrict) return this.#isContent ? kind : undefined;
    this.unfinished = undefined;
    return "malformed";
  }

  /** A name (7.3.5): it may contain bytes outside of ASCII, but neither control characters nor the code 0. */
  #strictName(): TokenKind {
    const { bytes, start, end } = this;
    for (let at = start + 1; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x20 || byte === DEL) return "malformed";
      if (byte !== NUMBER_SIGN) continue;
      const [high, low] = [bytes[at + 1], bytes[at + 2]];
      if (!isHexadecimal(high) || !isHexadecimal(low) || (high === ZERO && low === ZERO)) return "malformed";
    }
    return end > start + 1 ? "name" : "malformed";
  }

  /** A number (7.3.3), or a keyword, which has letters alone. */
  #strictWord(): TokenKind {
    const { bytes, start, end } = this;
    let [digits, points, signs, letters] = [0, 0, 0, 0];
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (isDigit(byte)) digits += 1;
      else if (byte === POINT) points += 1;
      else if ((byte === PLUS || byte === MINUS) && at === start) signs += 1;
      else if (isLetter(byte)) letters += 1;
      else return "malformed";
    }
    const length = end - start;
    if (length > LONGEST_WORD) return "malformed";
    if (letters === length) return "word";
    if (letters > 0 || digits === 0 || points > 1) return "malformed";
    return digits + signs === length ? "integer" : "real";
  }
}
