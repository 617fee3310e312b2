/** Iterates over the operators of a content stream with the spans of their operands (ISO 32000-2, 7.8.2). */
import { unescapeName } from "../syntax/names.ts";
import type { ByteRange, TokenKind } from "../syntax/tokens.ts";
import { ContentLexer } from "./lexer.ts";
import { operatorAt, UNKNOWN } from "./operator-table.ts";

/** Most operands that are kept per operator. Only `scn` with many colorants has more. */
const MOST_OPERANDS = 64;

/** Bytes of an operator that are read. The longest one has three. */
const MOST_OPERATOR = 16;

/** Whether a token begins or ends an array, a dictionary, or a procedure. */
const opens = (token: TokenKind): boolean => token === "[" || token === "<<" || token === "{";
const closes = (token: TokenKind): boolean => token === "]" || token === ">>" || token === "}";

const isValue = (word: string): boolean => word === "true" || word === "false" || word === "null";

/** `next()` advances to the next operator, whose name and operands can then be read. */
export class ContentOperators {
  readonly #bytes: Uint8Array;
  readonly #lexer: ContentLexer;
  readonly #starts = new Int32Array(MOST_OPERANDS);
  readonly #ends = new Int32Array(MOST_OPERANDS);
  /** Start of the operator's first operand (or of the operator itself), and end of the operator. */
  start = 0;
  end = 0;
  /** The operator. `BI` represents a whole inline image whose entries are the operands. */
  operator = "";
  /** The same in the table. */
  entry = UNKNOWN;
  count = 0;
  /** The data of an inline image. */
  data: ByteRange = { start: 0, end: 0 };

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#lexer = new ContentLexer(bytes);
  }

  /** As `ContentLexer.isDue`. */
  get isDue(): boolean {
    return this.#lexer.isDue;
  }

  /** Advances to the next operator; false at the end. Skips trailing operands without an operator. */
  next(): boolean {
    const lexer = this.#lexer;
    this.count = 0;
    this.start = -1;
    for (let token = lexer.next(); token; token = lexer.next()) {
      const { start } = lexer;
      if (this.start < 0) this.start = start;
      if (token !== "word") {
        if (token === "number") this.#operand(start, lexer.end);
        else this.#value(token);
        continue;
      }
      const entry = operatorAt(this.#bytes, start, lexer.end) ?? UNKNOWN;
      const word = entry.name || lexer.text(start, Math.min(lexer.end, start + MOST_OPERATOR));
      if (isValue(word)) {
        this.#value(token);
        continue;
      }
      if (word === "BI" && !this.#inlineImage()) {
        this.start = -1;
        continue;
      }
      this.operator = word;
      this.entry = entry;
      this.end = lexer.end;
      return true;
    }
    return false;
  }

  operand(index: number): ByteRange | undefined {
    return index < 0 || index >= this.count
      ? undefined
      : { start: this.#starts[index] ?? 0, end: this.#ends[index] ?? 0 };
  }

  /** An operand as a number, or undefined if it is not one. */
  number(index: number): number | undefined {
    const span = this.operand(index);
    if (!span) return undefined;
    const value = Number.parseFloat(this.#lexer.text(span.start, span.end));
    return Number.isFinite(value) ? value : undefined;
  }

  /** All operands that are numbers. */
  numbers(): number[] {
    const list: number[] = [];
    for (let index = 0; index < this.count; index++) {
      const value = this.number(index);
      if (value !== undefined) list.push(value);
    }
    return list;
  }

  /** An operand as a name without its slash, one character per byte, or undefined if it is not one. */
  name(index: number): string | undefined {
    const text = this.text(index);
    return text.startsWith("/") ? unescapeName(text.slice(1)) : undefined;
  }

  /** The text of an operand, one character per byte. */
  text(index: number): string {
    const span = this.operand(index);
    return span ? this.#lexer.text(span.start, span.end) : "";
  }

  /** Skips the value that a token begins and records it as an operand. One that is not closed ends at the next operator. */
  #value(token: TokenKind): void {
    const lexer = this.#lexer;
    const { start } = lexer;
    let depth = token !== "number" && opens(token) ? 1 : 0;
    while (depth > 0) {
      const inner = lexer.next();
      if (inner === undefined) break;
      if (inner === "word" && this.#endsValue()) {
        lexer.end = lexer.start;
        break;
      }
      if (opens(inner)) depth++;
      else if (closes(inner)) depth--;
    }
    this.#operand(start, lexer.end);
  }

  /** Whether a word is an operator that no array has. Some writers set spacing within the array of `TJ`. */
  #endsValue(): boolean {
    const family = operatorAt(this.#bytes, this.#lexer.start, this.#lexer.end)?.family;
    return family !== undefined && family !== "textState";
  }

  #operand(start: number, end: number): void {
    if (this.count >= MOST_OPERANDS) return;
    this.#starts[this.count] = start;
    this.#ends[this.count] = end;
    this.count++;
  }

  /**
   * Reads from after `BI` to after `EI`. The entries become the operands. Without an `ID` there is no image: returns false, and reading continues
   * after `BI`.
   */
  #inlineImage(): boolean {
    const lexer = this.#lexer;
    const begin = lexer.end;
    this.count = 0;
    for (let token = lexer.next(); token; token = lexer.next()) {
      if (lexer.isKeyword("ID")) {
        this.data = lexer.image();
        return true;
      }
      if (token === "word" && !isValue(lexer.text())) break;
      this.#value(token);
    }
    lexer.end = begin;
    this.count = 0;
    return false;
  }
}
