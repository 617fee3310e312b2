/**
 * Objects of PDF syntax (ISO 32000-2, 7.3) from their bytes. In strict reading, an object with two readings is `Malformed`, for code that must know
 * that every reader sees the same. A key that a dictionary has twice is reported. Streams are not read here, but their dictionaries are.
 */
import { latin1 } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { isDigit, isWhite } from "./characters.ts";
import { unescapeName } from "./names.ts";
import { readString } from "./strings.ts";
import { type ByteRange, type Reading, Tokens } from "./tokens.ts";

/** Bytes that are no object of one reading. */
export class Malformed extends Error {
  /** In bytes. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** A number with a decimal point or a superfluous sign, which no reference can have: all other integers are plain numbers. */
export class Real {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** `value`: with its `#` codes resolved, one character for each byte. */
export class Name {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** A string by its place, delimiters included: most are never looked at. */
export class StringSpan implements ByteRange {
  readonly start: number;
  readonly end: number;

  constructor(start: number, end: number) {
    this.start = start;
    this.end = end;
  }

  valueIn(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    return readString(bytes, this.start).value;
  }
}

export class Reference {
  readonly number: number;
  readonly generation: number;

  constructor(number: number, generation: number) {
    this.number = number;
    this.generation = generation;
  }
}

export type Value = null | boolean | number | Real | Name | StringSpan | Reference | readonly Value[] | Dictionary;

/** A dictionary with its entries in their written form. `null` is a value like any other. */
export class Dictionary {
  readonly keys: readonly string[];
  readonly values: readonly Value[];

  constructor(keys: readonly string[], values: readonly Value[]) {
    this.keys = keys;
    this.values = values;
  }

  /** The last value of a key. */
  get(key: string): Value | undefined {
    return this.values[this.keys.lastIndexOf(key)];
  }
}

export interface ParsedObject {
  readonly value: Value;
  /** Where the object ends, in bytes. */
  readonly end: number;
  /** The first key that a dictionary within it has twice, `#` codes being resolved. */
  readonly duplicateKey: string | undefined;
}

/** Objects have numbers up to this, and generations up to the other (annex C.1, 7.5.4): beyond them, readers differ. */
export const MOST_NUMBER = 8_388_607;
export const MOST_GENERATION = 65_535;
/** Offsets in a file have ten digits. */
const MOST_INTEGER = 10_000_000_000;
/** Tokens between two pauses. */
const SLICE = 2_048;

/** The arrays and dictionaries that are open. */
interface Container {
  readonly items: Value[];
  /** Undefined for an array. */
  readonly keys: string[] | undefined;
  /** Of a dictionary: whether a key is next. */
  awaitsKey: boolean;
}

/**
 * Parses the object at an offset, strictly. Comments before it and within it are refused: some readers end a reference there.
 * @param most arrays and dictionaries within each other
 * @throws Malformed; Refusal `limit_exceeded` (work)
 */
export async function parseObject(bytes: Uint8Array, at: number, meter: ParseMeter, most = 500): Promise<ParsedObject> {
  const parser = new ObjectParser(bytes, at, "strict", most);
  for (let charged = at; ;) {
    const isDone = parser.advance(SLICE);
    meter.bytes(parser.end - charged);
    meter.element(parser.takeCount());
    charged = parser.end;
    if (isDone) return parser.result();
    await meter.pause();
  }
}

/**
 * Parses a short object at an offset, in one piece: an operand, or a dictionary that we have written.
 * @throws Malformed
 */
export function parseShort(bytes: Uint8Array, at = 0, reading: "strict" | "content" = "strict"): ParsedObject {
  const parser = new ObjectParser(bytes, at, reading, 500);
  while (!parser.advance(SLICE));
  return parser.result();
}

class ObjectParser {
  readonly #bytes: Uint8Array;
  readonly #reading: Reading;
  readonly #tokens: Tokens;
  readonly #most: number;
  readonly #open: Container[] = [];
  readonly #names = new Map<string, Name>();
  #root: Container = { items: [], keys: undefined, awaitsKey: false };
  #count = 0;
  #end: number;
  #duplicateKey: string | undefined;

  constructor(bytes: Uint8Array, at: number, reading: Reading, most: number) {
    this.#bytes = bytes;
    this.#reading = reading;
    this.#tokens = new Tokens(bytes, { at, reading });
    this.#most = most;
    this.#end = at;
  }

  /** How far it has read, in bytes. */
  get end(): number {
    return this.#tokens.end;
  }

  /** Tokens since the last time. */
  takeCount(): number {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  result(): ParsedObject {
    const [value] = this.#root.items;
    if (value === undefined) throw this.#malformed("has no value");
    return { value, end: this.#end, duplicateKey: this.#duplicateKey };
  }

  /** Reads up to so many tokens. Returns whether the object is complete. */
  advance(slice: number): boolean {
    const next = this.#tokens;
    for (let count = 0; count < slice; count++) {
      next.next();
      this.#count += 1;
      const isOutermost = this.#open.length === 0 && this.#root.items.length > 0;
      if (isOutermost) return this.#isComplete();
      if (next.followsComment && this.#reading === "strict") throw this.#malformed("has a comment in it");
      this.#take(next);
      this.#end = next.end;
      const [value] = this.#root.items;
      // An integer may begin a reference.
      if (this.#open.length === 0 && value !== undefined && typeof value !== "number") return true;
    }
    return false;
  }

  /** After an integer at the outermost level: whether no reference begins with it. */
  #isComplete(): boolean {
    const { start, end, kind, followsComment } = this.#tokens;
    if ((kind !== "integer" && kind !== "number") || followsComment) return true;
    const generation = this.#number(start, end);
    const after = new Tokens(this.#bytes, { at: end, reading: this.#reading });
    after.next();
    if (!after.isKeyword("R") || after.followsComment) return true;
    const [number] = this.#root.items;
    this.#root.items[0] = this.#reference(number ?? null, generation);
    this.#end = after.end;
    return true;
  }

  #take(token: Tokens): void {
    const { kind, start, end } = token;
    const container = this.#open.at(-1) ?? this.#root;
    if (container.awaitsKey) {
      if (kind === ">>") this.#close(container);
      else if (kind === "name") {
        container.keys?.push(this.#nameAt(start, end).value);
        container.awaitsKey = false;
      } else if (kind === "integer" || kind === "number" || kind === "word") this.#continueReference(container, token);
      else if (kind === undefined) throw this.#malformed("has no end");
      else throw this.#malformed("has a dictionary with a value in place of a key");
      return;
    }
    switch (kind) {
      case "integer":
      case "real":
      case "number":
        this.#add(container, this.#number(start, end));
        break;
      case "name":
        this.#add(container, this.#nameAt(start, end));
        break;
      case "literal":
      case "hex":
        if (token.unfinished) throw this.#malformed("has no end");
        this.#add(container, new StringSpan(start, end));
        break;
      case "word":
        this.#keyword(container, token);
        break;
      case "[":
      case "<<":
        if (this.#open.length >= this.#most) throw this.#malformed("has containers that are nested too deeply");
        this.#open.push({ items: [], keys: kind === "<<" ? [] : undefined, awaitsKey: kind === "<<" });
        break;
      case "]":
        if (this.#open.length === 0 || container.keys) throw this.#malformed("has brackets that do not match");
        this.#close(container);
        break;
      default:
        throw this.#malformed(kind === undefined ? "has no end" : "is malformed");
    }
  }

  /** Where a dictionary awaits a key: its last value may be a reference, which has two more tokens. */
  #continueReference(container: Container, token: Tokens): void {
    const { items, keys = [] } = container;
    const isNumber = token.kind !== "word" && items.length === keys.length && typeof items.at(-1) === "number";
    if (isNumber) {
      items.push(this.#number(token.start, token.end));
      return;
    }
    if (!token.isKeyword("R") || items.length !== keys.length + 1)
      throw this.#malformed("has a dictionary with a value in place of a key");
    this.#endReference(items);
  }

  #keyword(container: Container, token: Tokens): void {
    const word = token.text();
    if (word === "R" && container.keys === undefined) this.#endReference(container.items);
    else if (word === "null") this.#add(container, null);
    else if (word === "true" || word === "false") this.#add(container, word === "true");
    else throw this.#malformed("has a word that is no value");
  }

  #endReference(items: Value[]): void {
    const [number, generation] = items.splice(-2);
    items.push(this.#reference(number ?? null, generation ?? null));
  }

  #reference(number: Value, generation: Value): Reference {
    if (typeof number !== "number" || typeof generation !== "number")
      throw this.#malformed("has a malformed reference");
    const isSound = number > 0 && number <= MOST_NUMBER && generation >= 0 && generation <= MOST_GENERATION;
    if (!isSound) throw this.#malformed("has a reference to what no object can be");
    return new Reference(number, generation);
  }

  #add(container: Container, value: Value): void {
    container.items.push(value);
    if (container.keys) container.awaitsKey = true;
  }

  #close(container: Container): void {
    const { keys, items } = container;
    this.#open.pop();
    if (keys && items.length !== keys.length) throw this.#malformed("has a dictionary with a value in place of a key");
    if (keys) this.#duplicateKey ??= twiceIn(keys);
    this.#add(this.#open.at(-1) ?? this.#root, keys ? new Dictionary(keys, items) : items);
  }

  /** Each name is kept once. */
  #nameAt(start: number, end: number): Name {
    const written = latin1(this.#bytes.subarray(start + 1, end));
    const known = this.#names.get(written);
    if (known) return known;
    const name = new Name(written.includes("#") ? unescapeName(written) : written);
    this.#names.set(written, name);
    return name;
  }

  #number(start: number, end: number): number | Real {
    const text = latin1(this.#bytes.subarray(start, end));
    const value = Number(text);
    if (Number.isNaN(value)) throw this.#malformed("has a malformed number");
    if (text.includes(".")) return new Real(value);
    if (Math.abs(value) >= MOST_INTEGER) throw this.#malformed("has a number that is too large");
    return text.startsWith("+") || Object.is(value, -0) ? new Real(value) : value;
  }

  #malformed(message: string): Malformed {
    return new Malformed(message, this.#tokens.start);
  }
}

/** The first key that is there twice. */
function twiceIn(keys: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return keys.find((key) => seen.size === seen.add(key).size);
}

/** The object number before the keyword `obj` that ends here; 0 if there is none. */
export function numberBefore(bytes: Uint8Array, end: number): number {
  const heading = headingBefore(bytes, end - "obj".length);
  if (heading === undefined) return 0;
  const next = new Tokens(bytes, { at: heading });
  return next.next() === "integer" ? Number(next.text()) : 0;
}

/** Where a number and a generation begin that precede the keyword `obj`; undefined if they do not. */
export function headingBefore(bytes: Uint8Array, keyword: number): number | undefined {
  let at = keyword;
  const before = (isIn: (byte: number | undefined) => boolean): number => {
    const end = at;
    while (at > 0 && isIn(bytes[at - 1])) at -= 1;
    return end - at;
  };
  before(isWhite);
  if (before(isDigit) === 0 || before(isWhite) === 0 || before(isDigit) === 0) return undefined;
  return at;
}
