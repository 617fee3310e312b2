/**
 * Measures objects as they are in a file, before MuPDF parses them: it keeps dictionaries sorted by moving their entries, and an object is parsed in
 * one piece, during which no other request runs.
 */
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";

/** Tokens, and bytes, that MuPDF parses in about 10 ms: what has more is loaded in a call that can be suspended. */
export const LARGE = { tokens: 30_000, bytes: 256 * 1024 };

/** What is being read. `LESS` and `GREATER`: one of these characters, which may be followed by another. */
const [BETWEEN, TOKEN, NAME, STRING, ESCAPE, HEXADECIMAL, COMMENT, LESS, GREATER] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
] as const;

/** Kinds of characters (ISO 32000-2, 7.2.3). */
const [REGULAR, SPACE, DELIMITER] = [0, 1, 2] as const;
const KINDS = new Uint8Array(256);
for (const space of [0, 9, 10, 12, 13, 32]) KINDS[space] = SPACE;
for (const delimiter of "()<>[]{}/%") KINDS[delimiter.charCodeAt(0)] = DELIMITER;

const code = (character: string): number => character.charCodeAt(0);
const [PERCENT, OPEN, CLOSE, SLASH, BACKSLASH] = [code("%"), code("("), code(")"), code("/"), code("\\")] as const;
const [LESS_THAN, GREATER_THAN, OPEN_ARRAY, CLOSE_ARRAY] = [code("<"), code(">"), code("["), code("]")] as const;
const [LINE_FEED, CARRIAGE_RETURN, REFERENCE] = [10, 13, code("R")] as const;

/** Whether a byte continues a name, number, or keyword. */
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && KINDS[byte] === REGULAR;

/** The largest of what is limited. */
export type Measures = Record<keyof typeof limits.syntax, number>;

const PROBLEMS: Record<keyof Measures, string> = {
  tokens: "The PDF has an object that is too large.",
  dictionaryEntries: "The PDF has a dictionary with too many entries.",
  arrayItems: "The PDF has an array with too many items.",
  stringBytes: "The PDF has a string that is too long.",
  commentBytes: "The PDF has a comment that is too long.",
  nesting: "The PDF has arrays or dictionaries that are nested too deeply.",
};

/** Reads the syntax of objects (ISO 32000-2, 7.3) in chunks, and measures them. */
export class SyntaxReader {
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
  #state: number = BETWEEN;
  /** Bytes of the current token; parentheses that are open in a string. */
  #length = 0;
  #parentheses = 0;
  /** The character that a token begins with. */
  #first = 0;
  /** Items of the open array or dictionary so far, a reference being one, and at most. At the outermost level, objects. */
  #items = 0;
  #mostItems = Infinity;
  #isDictionary = false;
  /** Items of those around it, those of arrays as a negative number. */
  readonly #outer: number[] = [];

  /** `most`: what is refused beyond. */
  constructor(most: Measures = limits.syntax) {
    this.#most = most;
  }

  /** Forgets what is open: another object follows. */
  begin(): void {
    if (this.tokens > this.largest.tokens) this.largest.tokens = this.tokens;
    this.#state = BETWEEN;
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
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      switch (this.#state) {
        case BETWEEN:
          if (this.#items > 0 && this.#outer.length === 0) return at;
          at += 1;
          this.#start(byte);
          break;
        case TOKEN:
        case NAME: {
          const start = at;
          while (at < bytes.length && KINDS[bytes[at] ?? 0] === REGULAR) at++;
          this.#length += at - start;
          if (at < bytes.length) this.#endToken();
          break;
        }
        case COMMENT: {
          const start = at;
          while (at < bytes.length && bytes[at] !== LINE_FEED && bytes[at] !== CARRIAGE_RETURN) at++;
          this.#length += at - start;
          this.#measure("commentBytes", this.#length);
          if (at < bytes.length) this.#state = BETWEEN;
          break;
        }
        case HEXADECIMAL: {
          const start = at;
          while (at < bytes.length && bytes[at] !== GREATER_THAN) at++;
          this.#length += at - start;
          this.#measure("stringBytes", this.#length / 2);
          if (at < bytes.length) this.#endItem();
          at += 1;
          break;
        }
        case STRING:
          at = this.#readString(bytes, at);
          break;
        case ESCAPE:
          this.#state = STRING;
          this.#length += 1;
          at += 1;
          break;
        case LESS:
          if (byte === LESS_THAN) this.#push(true);
          else this.#state = HEXADECIMAL;
          if (byte === LESS_THAN) at += 1;
          break;
        default:
          this.#state = BETWEEN;
          if (byte === GREATER_THAN) {
            this.#pop();
            at += 1;
          }
      }
    }
    return bytes.length;
  }

  #start(byte: number): void {
    const kind = KINDS[byte];
    if (kind === SPACE) return;
    this.#length = 0;
    if (kind === REGULAR) {
      this.#state = TOKEN;
      this.#first = byte;
      this.#length = 1;
    } else if (byte === SLASH) this.#state = NAME;
    else if (byte === PERCENT) this.#state = COMMENT;
    else if (byte === OPEN) {
      this.#state = STRING;
      this.#parentheses = 1;
    } else if (byte === LESS_THAN) this.#state = LESS;
    else if (byte === GREATER_THAN) this.#state = GREATER;
    else if (byte === OPEN_ARRAY) this.#push(false);
    else if (byte === CLOSE_ARRAY) this.#pop();
  }

  #readString(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at++];
      if (byte === BACKSLASH) {
        this.#state = ESCAPE;
        break;
      }
      if (byte === OPEN) this.#parentheses += 1;
      else if (byte === CLOSE && --this.#parentheses === 0) {
        this.#endItem();
        break;
      }
    }
    this.#length += at - from;
    this.#measure("stringBytes", this.#length);
    return at;
  }

  #endToken(): void {
    // A reference is one item: two numbers and the keyword.
    if (this.#state === TOKEN && this.#first === REFERENCE && this.#length === 1) {
      this.#items = Math.max(0, this.#items - 2);
    }
    this.#endItem();
  }

  #endItem(): void {
    this.#state = BETWEEN;
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
    this.#state = BETWEEN;
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
    if (value > limit) throw new Refusal("limit_exceeded", PROBLEMS[name], { limit, actual: Math.ceil(value) });
  }
}
