/**
 * Measures the objects of a file in their stored form, before MuPDF parses them. MuPDF keeps dictionaries sorted by moving their entries, and
 * an object is parsed in one piece, during which no other request runs.
 */
import { limits } from "../../../limits.ts";
import { objectTooLarge } from "../../limit-errors.ts";
import { type TokenKind, Tokens } from "../syntax/tokens.ts";

/** Tokens, and bytes, that MuPDF parses in about 10 ms: a larger object is loaded in a call that can be suspended. */
export const LARGE = { tokens: 30_000, bytes: 256 * 1024 };

/** The largest of each limited measure. */
export type Measures = Record<keyof typeof limits.syntax, number>;

/** Measures objects (ISO 32000-2, 7.3) in chunks, as readers take them. */
export class ObjectMeter {
  readonly largest: Measures = {
    tokens: 0,
    dictionaryEntries: 0,
    arrayItems: 0,
    stringBytes: 0,
    commentBytes: 0,
    nesting: 0,
  };
  /** Tokens of the current object. */
  tokens = 0;
  readonly #most: Measures;
  readonly #next = new Tokens(undefined, { reading: "objects" });
  /** Items of the open array or dictionary so far, a reference being one, and at most. At the outermost level, objects. */
  #items = 0;
  #mostItems = Infinity;
  #isDictionary = false;
  /** Items of those around it, those of arrays as a negative number. */
  readonly #outer: number[] = [];

  /** `most`: anything beyond is refused. */
  constructor(most: Measures = limits.syntax) {
    this.#most = most;
  }

  /** Forgets open constructs: another object follows. */
  begin(): void {
    if (this.tokens > this.largest.tokens) this.largest.tokens = this.tokens;
    this.#next.reset();
    this.#outer.length = 0;
    this.#isDictionary = false;
    this.#items = 0;
    this.#mostItems = Infinity;
    this.tokens = 0;
  }

  /**
   * Reads on. Returns where the first object that is complete ends, or the length of the bytes.
   * @throws Refusal `limit_exceeded`
   */
  read(bytes: Uint8Array, from = 0): number {
    const next = this.#next;
    next.feed(bytes, from);
    while (this.#items === 0 || this.#outer.length > 0) {
      const kind = next.next();
      if (next.comment > 0) this.#measure("commentBytes", next.comment - 1);
      if (kind === undefined) {
        const length = next.end - next.start - 1;
        if (next.unfinished === "literal") this.#measure("stringBytes", length);
        else if (next.unfinished === "hex") this.#measure("stringBytes", length / 2);
        return bytes.length;
      }
      this.#take(kind, next);
    }
    return next.end;
  }

  #take(kind: TokenKind, next: Tokens): void {
    if (kind === "[" || kind === "<<") this.#push(kind === "<<");
    else if (kind === "]" || kind === ">>") this.#pop();
    else if (kind !== "stray" && kind !== "{" && kind !== "}") {
      if (kind === "literal") this.#measure("stringBytes", next.end - next.start - 1);
      else if (kind === "hex") this.#measure("stringBytes", (next.end - next.start - 2) / 2);
      // A reference is one item: two numbers and the keyword.
      else if (kind === "word" && next.isKeyword("R")) this.#items = Math.max(0, this.#items - 2);
      this.#endItem();
    }
  }

  #endItem(): void {
    this.tokens += 1;
    this.#items += 1;
    if (this.#items > this.#mostItems) this.#measureItems();
    if (this.tokens > this.#most.tokens) this.#measure("tokens", this.tokens);
  }

  #push(isDictionary: boolean): void {
    this.#outer.push(this.#isDictionary ? this.#items : -1 - this.#items);
    this.#measure("nesting", this.#outer.length);
    this.#enter(isDictionary, 0);
  }

  #pop(): void {
    const outer = this.#outer.pop();
    if (outer !== undefined) {
      this.#measureItems();
      this.#enter(outer >= 0, outer >= 0 ? outer : -1 - outer);
    }
    this.#endItem();
  }

  #enter(isDictionary: boolean, items: number): void {
    this.#isDictionary = isDictionary;
    this.#items = items;
    // The last two items may become one, with the keyword that follows.
    this.#mostItems = 2 + (isDictionary ? 2 * this.#most.dictionaryEntries : this.#most.arrayItems);
  }

  #measureItems(): void {
    if (this.#isDictionary) this.#measure("dictionaryEntries", this.#items / 2);
    else this.#measure("arrayItems", this.#items);
  }

  #measure(name: keyof Measures, value: number): void {
    if (value <= this.largest[name]) return;
    this.largest[name] = value;
    const limit = this.#most[name];
    if (value > limit) throw objectTooLarge(name, limit, Math.ceil(value));
  }
}
