/** Tracks what the content streams of a page leave open at their end (ISO 32000-2, 7.8.2 and 8.4.2). */
import { ContentLexer } from "./lexer.ts";
import type { Work } from "../../work.ts";

/** The bytes of a stream from one offset up to another. */
type ByteRange = readonly [from: number, to: number];

const word = (text: string): number =>
  [0, 1, 2].reduce((value, place) => (value << 8) | (place < text.length ? text.charCodeAt(place) : 0), 0);
const [SAVE, RESTORE, BEGIN_TEXT, END_TEXT] = [word("q"), word("Q"), word("BT"), word("ET")];
const [MARK, MARK_WITH, END_MARK] = [word("BMC"), word("BDC"), word("EMC")];
const [IMAGE, IMAGE_DATA] = [word("BI"), word("ID")];
const WORDS = new Set([SAVE, RESTORE, BEGIN_TEXT, END_TEXT, MARK, MARK_WITH, END_MARK, IMAGE, IMAGE_DATA]);

/** Closing delimiters of arrays and dictionaries by the first byte of the opening one. Readers of content ignore braces. */
const CLOSING: Readonly<Record<number, string>> = { 0x5b: "]", 0x3c: ">>" };
const END_BRACE = 0x7d;

/** Maximum nesting of arrays and dictionaries that is closed. Readers give up earlier. */
const DEEPEST = 500;

/**
 * Reads the content streams of a page in order. They form one content: an array, dictionary, or text object and, as readers
 * interpret it, even a string, comment, or inline image may begin in one stream and end in another.
 */
export class ContentState {
  /** Unmatched `q`, `BMC` and `BDC`, and `BT`. */
  #saved = 0;
  #marked = 0;
  #inText = false;
  /** Closing delimiters of the open arrays and dictionaries, outermost first. */
  #ends: string[] = [];
  readonly #lexer = new ContentLexer();
  /** Where an open inline image began. */
  #image: { readonly stream: number; readonly from: number } | undefined;
  #streams = 0;
  readonly #blanked: ByteRange[][] = [];

  /** Reads the next stream. Others have their turn meanwhile. */
  async read(bytes: Uint8Array, work: Work): Promise<void> {
    this.#blanked.push([]);
    const lexer = this.#lexer;
    lexer.feed(bytes);
    for (let token = lexer.next(); token; token = lexer.next()) {
      if (lexer.isDue) await work.rest();
      const { start, end } = lexer;
      if (token === "word") this.#word(bytes, start, end);
      else if (token === "image") this.#image = undefined;
      else if (token === "open") {
        const closing = CLOSING[bytes[start] ?? 0];
        if (closing !== undefined && this.#ends.length < DEEPEST) this.#ends.push(closing);
      } else if (token === "close" && bytes[start] !== END_BRACE) this.#ends.pop();
    }
    this.#streams++;
  }

  /** Operators and delimiters that close what is open, so that operators can follow. */
  get closing(): string {
    // A comment ends at the end of its line.
    const token = { comment: "", literal: ")".repeat(this.#lexer.depth), hex: ">", image: "" }[
      this.#lexer.unfinished ?? "comment"
    ];
    const operators = (this.#inText ? "ET " : "") + "EMC ".repeat(this.#marked) + "Q ".repeat(this.#saved);
    return `\n${this.#image ? "" : token}${this.#ends.toReversed().join("")} ${operators}`;
  }

  /**
   * What must be blanked in each stream before anything can be put around them: a `Q` with nothing to restore, which readers
   * ignore until a `q` precedes it, and an inline image that never ends.
   */
  get blanked(): readonly (readonly ByteRange[])[] {
    const image = this.#image;
    if (!image) return this.#blanked;
    return this.#blanked.map((ranges, stream) =>
      stream < image.stream ? ranges : [...ranges, [stream === image.stream ? image.from : 0, Infinity]],
    );
  }

  #word(bytes: Uint8Array, start: number, end: number): void {
    if (end - start > 3) return;
    let operator = 0;
    for (let place = 0; place < 3; place++) {
      operator = (operator << 8) | (start + place < end ? (bytes[start + place] ?? 0) : 0);
    }
    if (!WORDS.has(operator)) return;
    // An operator ends all open operands.
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
    else if (this.#image) {
      this.#lexer.image();
      if (!this.#lexer.unfinished) this.#image = undefined;
    }
  }
}
