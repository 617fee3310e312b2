/** What the content streams of a page leave open when they end (ISO 32000-2, 7.8.2 and 8.4.2). */
import { inlineImageEnd } from "./inline-image-end.ts";

/** Bytes of a stream from one place up to another. */
export type Range = readonly [from: number, to: number];

const WHITE = 1;
const DELIMITER = 2;
const KINDS = new Uint8Array(256);
for (const character of "\0\t\n\f\r ") KINDS[character.charCodeAt(0)] = WHITE;
for (const character of "()<>[]{}/%") KINDS[character.charCodeAt(0)] = DELIMITER;

const code = (character: string): number => character.charCodeAt(0);
const [LF, CR, OPEN, CLOSE, ESCAPE] = [10, 13, code("("), code(")"), code("\\")];
const [LESS, GREATER, PERCENT, SLASH] = [code("<"), code(">"), code("%"), code("/")];
const [LEFT, RIGHT] = [code("["), code("]")];

const word = (text: string): number =>
  [0, 1, 2].reduce((value, place) => (value << 8) | (place < text.length ? text.charCodeAt(place) : 0), 0);
const [SAVE, RESTORE, BEGIN_TEXT, END_TEXT] = [word("q"), word("Q"), word("BT"), word("ET")];
const [MARK, MARK_WITH, END_MARK] = [word("BMC"), word("BDC"), word("EMC")];
const [IMAGE, IMAGE_DATA] = [word("BI"), word("ID")];
const WORDS = new Set([SAVE, RESTORE, BEGIN_TEXT, END_TEXT, MARK, MARK_WITH, END_MARK, IMAGE, IMAGE_DATA]);

/** Deepest nesting of arrays and dictionaries that is ended; readers give up before. */
const DEEPEST = 500;

/**
 * Reads the content streams of a page in order. They are one content: an array, a dictionary, a text object and, as readers
 * have it, even a string, a comment or an inline image may begin in one stream and end in another.
 */
export class ContentState {
  /** `q` without `Q`, `BMC` and `BDC` without `EMC`, `BT` without `ET`. */
  #saved = 0;
  #marked = 0;
  #inText = false;
  /** What ends the arrays and dictionaries that are open, outermost first. */
  #ends: string[] = [];
  /** Where there are no tokens. */
  #inside: "comment" | "literal" | "hex" | "image" | undefined;
  /** Parentheses that are open in a literal string. */
  #depth = 0;
  /** Where an inline image that is open began. */
  #image: { readonly stream: number; readonly from: number } | undefined;
  #streams = 0;
  readonly #blanked: Range[][] = [];

  /** Reads the next stream. */
  read(bytes: Uint8Array): void {
    this.#blanked.push([]);
    for (let at = 0; at < bytes.length;) at = this.#inside ? this.#skip(bytes, at) : this.#token(bytes, at);
    this.#streams++;
  }

  /** Operators and delimiters that end what is open, so that operators can follow. */
  get closing(): string {
    // A comment ends with its line.
    const token = { comment: "", literal: ")".repeat(this.#depth), hex: ">", image: "" }[this.#inside ?? "comment"];
    const operators = (this.#inText ? "ET " : "") + "EMC ".repeat(this.#marked) + "Q ".repeat(this.#saved);
    return `\n${this.#image ? "" : token}${this.#ends.toReversed().join("")} ${operators}`;
  }

  /**
   * What must be blanked in each stream before anything can stand around them: a `Q` with nothing to restore, which readers
   * pass over until a `q` is put before it, and an inline image that never ends.
   */
  get blanked(): readonly (readonly Range[])[] {
    const image = this.#image;
    if (!image) return this.#blanked;
    return this.#blanked.map((ranges, stream) =>
      stream < image.stream ? ranges : [...ranges, [stream === image.stream ? image.from : 0, Infinity]],
    );
  }

  /** Goes on in what has no tokens, to behind its end or that of the bytes. */
  #skip(bytes: Uint8Array, from: number): number {
    if (this.#inside === "comment") {
      for (let at = from; at < bytes.length; at++) {
        if (bytes[at] === LF || bytes[at] === CR) return this.#leave(at);
      }
    } else if (this.#inside === "literal") {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at];
        if (byte === ESCAPE) at++;
        else if (byte === OPEN) this.#depth++;
        else if (byte === CLOSE && --this.#depth === 0) return this.#leave(at + 1);
      }
    } else if (this.#inside === "hex") {
      const end = bytes.indexOf(GREATER, from);
      if (end >= 0) return this.#leave(end + 1);
    } else {
      const end = inlineImageEnd(bytes, from);
      if (end) {
        this.#image = undefined;
        return this.#leave(end.operator);
      }
    }
    return bytes.length;
  }

  #leave(at: number): number {
    this.#inside = undefined;
    return at;
  }

  #token(bytes: Uint8Array, start: number): number {
    const byte = bytes[start] ?? 0;
    let at = start + 1;
    if (byte === PERCENT) this.#inside = "comment";
    else if (byte === OPEN) {
      this.#inside = "literal";
      return start;
    } else if (byte === LESS && bytes[at] !== LESS) this.#inside = "hex";
    else if (byte === LEFT || byte === LESS) {
      if (this.#ends.length < DEEPEST) this.#ends.push(byte === LEFT ? "]" : ">>");
      if (byte === LESS) at++;
    } else if (byte === RIGHT || byte === GREATER) {
      this.#ends.pop();
      if (byte === GREATER && bytes[at] === GREATER) at++;
    } else if (byte === SLASH || KINDS[byte] === 0) {
      while (at < bytes.length && KINDS[bytes[at] ?? 0] === 0) at++;
      if (byte !== SLASH && at - start <= 3) this.#word(bytes, start, at);
    }
    return at;
  }

  #word(bytes: Uint8Array, start: number, end: number): void {
    let operator = 0;
    for (let place = 0; place < 3; place++) {
      operator = (operator << 8) | (start + place < end ? (bytes[start + place] ?? 0) : 0);
    }
    if (!WORDS.has(operator)) return;
    // Whoever writes an operator has ended the operands.
    this.#ends = [];
    if (operator === SAVE) this.#saved++;
    else if (operator === RESTORE) {
      if (this.#saved > 0) this.#saved--;
      else this.#blanked.at(-1)?.push([start, end]);
    } else if (operator === BEGIN_TEXT) this.#inText = true;
    else if (operator === END_TEXT) this.#inText = false;
    else if (operator === END_MARK) this.#marked = Math.max(0, this.#marked - 1);
    else if (operator === IMAGE) this.#image = { stream: this.#streams, from: start };
    else if (operator !== IMAGE_DATA) this.#marked++;
    else if (this.#image) this.#inside = "image";
  }
}
