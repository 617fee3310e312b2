/**
 * Parses the objects of a file that MuPDF has just written, in order. Not a general parser: anything that differs from
 * MuPDF's output is an error, never a guess.
 */
import { latin1 } from "../../bytes/latin1.ts";
import { readHexadecimal, readLiteral, type ReadString } from "../syntax/strings.ts";

/** A range of bytes of the file. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A string in the file. Its bytes are only read when they are needed: an object may have 100,000 strings. */
export class WrittenString implements Span {
  readonly #bytes: Uint8Array;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.start = start;
    this.end = this.#read().end ?? bytes.length;
  }

  get value(): Uint8Array<ArrayBuffer> {
    return this.#read().value;
  }

  #read(): ReadString {
    const { start } = this;
    return this.#bytes[start] === OPEN ? readLiteral(this.#bytes, start) : readHexadecimal(this.#bytes, start);
  }
}

export interface WrittenObject {
  readonly number: number;
  readonly generation: number;
  /** Offset of the object number. */
  readonly start: number;
  /** From after `obj` to after `stream` and its line end, or to before `endobj`. */
  readonly head: Span;
  /** The strings in the head, in order: their spans including delimiters. */
  readonly strings: readonly WrittenString[];
  /** The digits of the stream's `Length`. */
  readonly lengthDigits: Span | undefined;
  readonly stream: Span | undefined;
  /** Whether this is the cross-reference stream, which is always last. A file with a table has none. */
  readonly isXref: boolean;
}

const code = (character: string): number => character.charCodeAt(0);
const [OPEN, LESS, GREATER, SLASH] = ["(", "<", ">", "/"].map(code);
/** Keyword that starts a cross-reference table (ISO 32000-2, 7.5.4). */
const TABLE = "xref";
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const DELIMITERS = new Set(Array.from("()<>[]{}/%", code));

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;
const isRegular = (byte: number | undefined): boolean =>
  byte !== undefined && byte !== 0 && byte !== 12 && !isSpace(byte) && !DELIMITERS.has(byte);

/**
 * Iterates over the objects from offset `from`. Bytes before the last yielded object may be overwritten during iteration.
 * @throws Error if the file is not as expected
 */
export function* writtenObjects(bytes: Uint8Array, from: number): Generator<WrittenObject, void> {
  const reader = new Reader(bytes, from);
  while (!reader.isAtTable()) {
    const object = reader.object();
    yield object;
    if (object.isXref) return;
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Whether the cross-reference table follows. */
  isAtTable(): boolean {
    this.#skip();
    return latin1(this.#bytes.subarray(this.#at, this.#at + TABLE.length)) === TABLE;
  }

  object(): WrittenObject {
    this.#skip();
    const start = this.#at;
    const number = this.#integer();
    const generation = this.#integer();
    if (this.#word() !== "obj") throw this.#unexpected();
    const head = this.#head();
    if (head.isXref !== (head.type === "XRef")) throw this.#unexpected();
    return { number, generation, start, ...head };
  }

  #head() {
    const start = this.#at;
    const strings: WrittenString[] = [];
    let lengthDigits: Span | undefined;
    let type = "";
    let depth = 0;
    let key = "";
    for (;;) {
      this.#skip();
      const at = this.#at;
      const byte = this.#bytes[at];
      if (byte === OPEN || (byte === LESS && this.#bytes[at + 1] !== LESS)) {
        const string = new WrittenString(this.#bytes, at);
        strings.push(string);
        this.#at = string.end;
      } else if (byte === LESS || byte === GREATER) {
        depth += byte === LESS ? 1 : -1;
        this.#at += 2;
      } else if (byte === SLASH) {
        this.#at++;
        const name = this.#word();
        if (depth === 1 && key === "Type") type = name;
        key = name;
        continue;
      } else if (isRegular(byte)) {
        const word = this.#word();
        if (depth === 0 && word === "endobj") {
          return { head: { start, end: at }, strings, lengthDigits: undefined, stream: undefined, isXref: false, type };
        }
        if (depth === 0 && word === "stream") {
          if (!lengthDigits) throw this.#unexpected();
          const stream = this.#stream(Number(latin1(this.#bytes.subarray(lengthDigits.start, lengthDigits.end))));
          const isXref = type === "XRef";
          return { head: { start, end: stream.start }, strings, lengthDigits, stream, isXref, type };
        }
        if (depth === 1 && key === "Length") lengthDigits = { start: at, end: this.#at };
      } else if (byte === undefined) throw this.#unexpected();
      else this.#at++;
      key = "";
    }
  }

  #stream(length: number): Span {
    if (this.#bytes[this.#at] === CARRIAGE_RETURN) this.#at++;
    if (this.#bytes[this.#at] !== LINE_FEED) throw this.#unexpected();
    const start = this.#at + 1;
    this.#at = start + length;
    this.#skip();
    if (this.#word() !== "endstream") throw this.#unexpected();
    this.#skip();
    if (this.#word() !== "endobj") throw this.#unexpected();
    return { start, end: start + length };
  }

  #skip(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at++;
  }

  #word(): string {
    const start = this.#at;
    while (isRegular(this.#bytes[this.#at])) this.#at++;
    return latin1(this.#bytes.subarray(start, this.#at));
  }

  #integer(): number {
    const word = this.#word();
    if (!/^\d{1,10}$/.test(word)) throw this.#unexpected();
    this.#skip();
    return Number(word);
  }

  #unexpected(): Error {
    return new Error(`the written file is not as expected at byte ${this.#at}`);
  }
}
