/**
 * Reads the objects of a file that has just been written, in order. Not a general reader: anything that differs from
 * what MuPDF and our writer write is an error, never a guess.
 */
import { latin1 } from "../../../bytes/latin1.ts";
import { CR, isDigit, LF } from "../syntax/characters.ts";
import { StringSpan } from "../syntax/objects.ts";
import { type ByteRange, Tokens } from "../syntax/tokens.ts";

export interface WrittenObject {
  readonly number: number;
  readonly generation: number;
  /** From after `obj` to after `stream` and its line end, or to before `endobj`. */
  readonly head: ByteRange;
  /** The strings in the head, in order. Their bytes are only read when they are needed: an object may have 100,000 strings. */
  readonly strings: readonly StringSpan[];
  readonly stream: ByteRange | undefined;
  /** The `Type` of its dictionary, if it has one. */
  readonly type: string;
  /** Whether this is the cross-reference stream, which is always last. A file with a table has none. */
  readonly isXref: boolean;
}

/**
 * Iterates over the objects from offset `from`, which may be that of the header. Bytes before the last yielded object may be overwritten during iteration.
 * @throws Error if the file is not as expected
 */
export function* writtenObjects(bytes: Uint8Array, from: number): Generator<WrittenObject, void> {
  const reader = new Reader(bytes, from);
  for (let object = reader.object(); object; object = reader.object()) {
    yield object;
    if (object.isXref) return;
  }
}

class Reader {
  readonly #bytes: Uint8Array;
  #next: Tokens;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#next = this.#tokensAt(at);
  }

  /** The next object; undefined before the cross-reference table (7.5.4). */
  object(): WrittenObject | undefined {
    const next = this.#next;
    next.next();
    if (next.isKeyword("xref")) return undefined;
    const number = this.#integer();
    next.next();
    const generation = this.#integer();
    this.#expect("obj");
    return { number, generation, ...this.#head() };
  }

  #head(): Omit<WrittenObject, "number" | "generation"> {
    const next = this.#next;
    const start = next.end;
    const strings: StringSpan[] = [];
    let length: number | undefined;
    let [type, depth] = ["", 0];
    /** The key whose value is next. */
    let key: string | undefined;
    for (let kind = next.next(); ; kind = next.next()) {
      if (kind === undefined || kind === "stray") throw this.#unexpected();
      if (kind === "literal" || kind === "hex") strings.push(new StringSpan(next.start, next.end));
      else if (kind === "<<" || kind === "[") depth += 1;
      else if (kind === ">>" || kind === "]") depth -= 1;
      else if (kind === "number" && depth === 1 && key === "Length") length = Number(next.text(next.start, next.end));
      else if (depth === 0 && next.isKeyword("endobj")) {
        if (type === "XRef") throw this.#unexpected();
        const head = { start, end: next.start };
        return { head, strings, stream: undefined, type, isXref: false };
      } else if (depth === 0 && next.isKeyword("stream")) {
        if (length === undefined) throw this.#unexpected();
        const stream = this.#stream(length);
        const head = { start, end: stream.start };
        return { head, strings, stream, type, isXref: type === "XRef" };
      }
      const name = depth === 1 && kind === "name" ? next.text(next.start + 1) : undefined;
      if (key === "Type" && name !== undefined) type = name;
      key = key === undefined ? name : undefined;
    }
  }

  #stream(length: number): ByteRange {
    let { end } = this.#next;
    if (this.#bytes[end] === CR) end++;
    if (this.#bytes[end] !== LF) throw this.#unexpected();
    const start = end + 1;
    this.#next = this.#tokensAt(start + length);
    this.#expect("endstream");
    this.#expect("endobj");
    return { start, end: start + length };
  }

  /** What MuPDF writes has one reading, but for an empty name. */
  #tokensAt(at: number): Tokens {
    return new Tokens(this.#bytes, { at, reading: "objects" });
  }

  #integer(): number {
    const { start, end } = this.#next;
    const digits = this.#bytes.subarray(start, end);
    if (digits.length === 0 || digits.length > 10 || !digits.every(isDigit)) throw this.#unexpected();
    return Number(latin1(digits));
  }

  #expect(word: string): void {
    this.#next.next();
    if (!this.#next.isKeyword(word)) throw this.#unexpected();
  }

  #unexpected(): Error {
    return new Error(`the written file is not as expected at byte ${this.#next.start}`);
  }
}
