/** The operators of a content stream, with the places of their operands (ISO 32000-2, 7.8.2). */
import { inlineImageEnd } from "./inline-image-end.ts";
import { unescapeName } from "../objects/names.ts";

const code = (character: string): number => character.charCodeAt(0);
const [OPEN, CLOSE, BACKSLASH, LESS, GREATER, SLASH, PERCENT] = ["(", ")", "\\", "<", ">", "/", "%"].map(code);
const [BRACKET, END_BRACKET, BRACE, END_BRACE] = ["[", "]", "{", "}"].map(code);

/** 0: regular, 1: white space, 2: delimiter (7.2.3). */
const KIND = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) KIND[byte] = 1;
for (const byte of Array.from("()<>[]{}/%", code)) KIND[byte] = 2;

/** Operands of one operator that are remembered; no operator has more but `scn` of many colourants. */
const MOST_OPERANDS = 64;

/** A place in the bytes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Walks a content stream: `next()` goes to the next operator, whose name and operands can then be asked for. */
export class ContentTokens {
  readonly #bytes: Uint8Array;
  #at = 0;
  readonly #starts = new Int32Array(MOST_OPERANDS);
  readonly #ends = new Int32Array(MOST_OPERANDS);
  /** Where the operator's first operand, or itself, begins, and where it ends. */
  start = 0;
  end = 0;
  /** The operator; `BI` for a whole inline image, whose entries are the operands. */
  operator = "";
  count = 0;
  /** Of an inline image: its data. */
  data: Span = { start: 0, end: 0 };

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Goes to the next operator; false at the end. Operands that no operator follows are passed over. */
  next(): boolean {
    const bytes = this.#bytes;
    this.count = 0;
    this.start = -1;
    for (;;) {
      this.#skip();
      const at = this.#at;
      if (at >= bytes.length) return false;
      if (this.start < 0) this.start = at;
      const byte = bytes[at] ?? 0;
      if (KIND[byte] === 0 && !isNumberStart(byte)) {
        const word = this.#word();
        if (word === "true" || word === "false" || word === "null") this.#operand(at);
        else {
          this.operator = word;
          if (word === "BI") this.#inlineImage();
          this.end = this.#at;
          return true;
        }
      } else {
        this.#value();
        this.#operand(at);
      }
    }
  }

  operand(index: number): Span | undefined {
    return index < 0 || index >= this.count
      ? undefined
      : { start: this.#starts[index] ?? 0, end: this.#ends[index] ?? 0 };
  }

  /** An operand as a number, `undefined` where it is none. */
  number(index: number): number | undefined {
    const span = this.operand(index);
    if (!span) return undefined;
    const value = Number.parseFloat(ascii(this.#bytes, span));
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

  /** An operand as a name without its slash, one character a byte, `undefined` where it is none. */
  name(index: number): string | undefined {
    const span = this.operand(index);
    if (!span || this.#bytes[span.start] !== SLASH) return undefined;
    const name = ascii(this.#bytes, { start: span.start + 1, end: span.end });
    return unescapeName(name);
  }

  /** The text of an operand, one character a byte. */
  text(index: number): string {
    const span = this.operand(index);
    return span ? ascii(this.#bytes, span) : "";
  }

  #operand(start: number): void {
    if (this.count >= MOST_OPERANDS) return;
    this.#starts[this.count] = start;
    this.#ends[this.count] = this.#at;
    this.count++;
  }

  #skip(): void {
    const bytes = this.#bytes;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at] ?? 0;
      if (byte === PERCENT) {
        while (this.#at < bytes.length && bytes[this.#at] !== 10 && bytes[this.#at] !== 13) this.#at++;
      } else if (KIND[byte] !== 1) return;
    }
  }

  #word(): string {
    const start = this.#at;
    while (this.#at < this.#bytes.length && KIND[this.#bytes[this.#at] ?? 0] === 0) this.#at++;
    return ascii(this.#bytes, { start, end: this.#at });
  }

  /** Goes behind one value: a number, a name, a string, an array or a dictionary. */
  #value(): void {
    const bytes = this.#bytes;
    let depth = 0;
    do {
      if (depth > 0) this.#skip();
      const byte = bytes[this.#at];
      if (byte === undefined) return;
      if (byte === OPEN) this.#literal();
      else if (byte === LESS && bytes[this.#at + 1] !== LESS) {
        const end = bytes.indexOf(GREATER ?? 0, this.#at);
        this.#at = end < 0 ? bytes.length : end + 1;
      } else if (byte === LESS || byte === BRACKET || byte === BRACE) {
        depth++;
        this.#at += byte === LESS ? 2 : 1;
      } else if (byte === GREATER || byte === END_BRACKET || byte === END_BRACE) {
        depth--;
        this.#at += byte === GREATER && bytes[this.#at + 1] === GREATER ? 2 : 1;
      } else {
        this.#at++;
        if (KIND[byte] === 0 || byte === SLASH) {
          while (this.#at < bytes.length && KIND[bytes[this.#at] ?? 0] === 0) this.#at++;
        }
      }
    } while (depth > 0);
  }

  #literal(): void {
    const bytes = this.#bytes;
    let depth = 0;
    do {
      const byte = bytes[this.#at++];
      if (byte === BACKSLASH) this.#at++;
      else if (byte === OPEN) depth++;
      else if (byte === CLOSE) depth--;
    } while (depth > 0 && this.#at < bytes.length);
  }

  /** From behind `BI` to behind `EI`: the entries become the operands. */
  #inlineImage(): void {
    const bytes = this.#bytes;
    this.count = 0;
    for (;;) {
      this.#skip();
      const at = this.#at;
      if (at >= bytes.length) return;
      if (KIND[bytes[at] ?? 0] === 0 && !isNumberStart(bytes[at] ?? 0)) {
        const word = this.#word();
        if (word === "ID") break;
      } else this.#value();
      this.#operand(at);
    }
    // One character of white space stands before the data (8.9.7).
    const start = this.#at + 1;
    const end = inlineImageEnd(bytes, start) ?? { data: bytes.length, operator: bytes.length };
    this.data = { start, end: end.data };
    this.#at = end.operator;
  }
}

function isNumberStart(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

function ascii(bytes: Uint8Array, { start, end }: Span): string {
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
