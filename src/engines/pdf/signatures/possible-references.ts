/**
 * The references that any reader may see in an object as written. If the grammar of ISO 32000-2, 7.3, explains the object completely, those are its
 * references. Elsewhere readers guess, each in its own way: `99 0R`, `99 0.R`, and `4294967395 0 R` lead to object 99 in some. So each number in
 * such an object may be one of an object. Where not even the end of such an object is certain, it may lead to any object.
 */
import { latin1 } from "../../../bytes/latin1.ts";
import type { ParseMeter } from "../../parse-meter.ts";
import { isDigit, isRegular } from "../syntax/characters.ts";
import { MOST_GENERATION, MOST_NUMBER } from "../syntax/objects.ts";
import { LONGEST_WORD, type Tokens, tokens } from "../syntax/tokens.ts";
import { ANY, TRAILER } from "./references.ts";

/** An object as written, in the file or in its decoded object stream, or the trailer. */
export interface WrittenValue {
  /** `TRAILER` for the trailer. */
  readonly number: number;
  /** Identifies the bytes in all revisions of the file. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** Where its value begins; for an object of its own, its number. */
  readonly start: number;
  /** Where it ends at the latest. */
  readonly end: number;
  /** Whether its value is all that there is up to the end, without a number before it. */
  readonly isPacked: boolean;
}

/** How often each object may be referred to. */
type Counts = Map<number, number>;

/** Tokens between two pauses. */
const SLICE = 2_048;
/** Arrays and dictionaries within each other: readers give up at different depths. */
const MOST_DEPTH = 500;
/** Readers cut numbers to so many bits. */
const WORD = 2 ** 32;
const [PERIODS, VALUES] = [[".", "e", "E", "#"], new Set(["true", "false", "null"])];
const UNBALANCED = new Set([")", ">", "{", "}"].map((one) => one.charCodeAt(0)));

/** How often an object may refer to each other one; `ANY` alone, if it may refer to all. */
export async function possibleReferences(
  written: WrittenValue,
  meter: ParseMeter,
): Promise<ReadonlyMap<number, number>> {
  const { bytes, start, end, isPacked, number } = written;
  if (start >= end) return new Map([[ANY, 1]]);
  const grammar = new Grammar(bytes, end);
  let [from, isEnded] = [start, isPacked];
  const to = await eachToken(bytes.subarray(0, end), start, meter, (next, count) => {
    if (!isPacked && count <= 3) {
      from = next.end;
      return grammar.takeHeading(next, count, number);
    }
    if (!isPacked && (next.isKeyword("endobj") || next.isKeyword("stream"))) {
      isEnded = true;
      if (next.isKeyword("stream")) grammar.endDictionary();
      return false;
    }
    // The end of this object is missing, and the next one begins.
    if (!isPacked && next.isKeyword("obj")) {
      grammar.isSound = false;
      isEnded = true;
      return false;
    }
    grammar.take(next);
    return grammar.isBounded;
  });
  grammar.end();
  if (!isEnded || !grammar.isBounded || (isPacked && number !== TRAILER && runsOn(bytes, end, grammar)))
    return new Map([[ANY, 1]]);
  return grammar.isSound ? grammar.targets : numbersIn(bytes.subarray(0, to), from, meter);
}

/** Reads tokens until `take` returns false, or the bytes end. Returns where the last one begins. */
async function eachToken(
  bytes: Uint8Array,
  start: number,
  meter: ParseMeter,
  take: (next: Tokens, count: number) => boolean,
): Promise<number> {
  const next = tokens(bytes, start);
  let charged = start;
  for (let count = 1; next.next() && take(next, count); count++) {
    if (count % SLICE !== 0) continue;
    meter.bytes(next.end - charged);
    meter.element(SLICE);
    charged = next.end;
    await meter.pause();
  }
  meter.bytes(next.end - charged);
  return next.start;
}

/** Checks tokens against the grammar of one object. */
class Grammar {
  readonly targets: Counts = new Map();
  /** Whether each token is where the grammar has it. */
  isSound = true;
  /** Whether all readers find the same end. */
  isBounded = true;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  /** Whether each open value is a dictionary, and how many values each has; the first is for the object itself. */
  readonly #open: boolean[] = [];
  readonly #counts: number[] = [0];
  /** The last two tokens, where they are integers, how many there are in a row, and whether they have digits alone. */
  #before = 0;
  #last = 0;
  #integers = 0;
  #wasPlain = true;
  #isPlain = true;
  #awaitsReference = false;
  #isDictionary = false;

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** Whether the value is one integer. */
  get isInteger(): boolean {
    return this.#counts[0] === 1 && this.#integers === 1;
  }

  /** One of the three tokens before the value of an object. Returns whether it is. */
  takeHeading(next: Tokens, count: number, number: number): boolean {
    const isNumber = next.kind === "integer" && isDigit(this.#bytes[next.start]);
    if (next.followsNull) this.isSound = false;
    if (count === 3) this.isBounded = next.isKeyword("obj");
    else this.isBounded = isNumber && (count === 2 || number === TRAILER || Number(next.text()) === number);
    return this.isBounded;
  }

  take(next: Tokens): void {
    const { kind, start, end } = next;
    const isReference = next.isKeyword("R");
    if (next.followsNull || (this.#awaitsReference && !isReference)) this.isSound = false;
    this.#awaitsReference = false;
    this.#isDictionary = kind === ">>";
    if (isReference) {
      this.#endReference();
      return;
    }
    if (kind === "integer") {
      [this.#before, this.#last] = [this.#last, Number(next.text())];
      this.#integers += 1;
      [this.#wasPlain, this.#isPlain] = [this.#isPlain, isDigit(this.#bytes[start])];
    } else [this.#before, this.#last, this.#integers] = [0, 0, 0];
    if (kind === "[" || kind === "<<") {
      this.#open.push(kind === "<<");
      this.#counts.push(0);
      if (this.#open.length > MOST_DEPTH) this.isBounded = false;
    } else if (kind === "]" || kind === ">>") this.#close(kind === ">>");
    else {
      if (kind === "malformed") this.#takeMalformed(start, end);
      else if (kind === "word" && !VALUES.has(next.text())) this.isSound = false;
      else if (kind === "name" && !next.isAscii) noteNumbers(this.#bytes, start, end, this.targets);
      this.#add(kind === "name", kind === "integer");
    }
  }

  /** The data of a stream follow. */
  endDictionary(): void {
    if (!this.#isDictionary) this.isSound = false;
  }

  end(): void {
    if (this.#open.length > 0) this.isBounded = false;
    if (this.#counts[0] !== 1 || this.#awaitsReference) this.isSound = false;
  }

  #endReference(): void {
    const [number, generation] = [this.#before, this.#last];
    const isInRange = number > 0 && number <= MOST_NUMBER && generation <= MOST_GENERATION;
    if (this.#integers < 2 || !this.#wasPlain || !this.#isPlain || !isInRange) this.isSound = false;
    if (this.#integers >= 2 && number > 0) this.targets.set(number, (this.targets.get(number) ?? 0) + 1);
    const top = this.#counts.length - 1;
    this.#counts[top] = (this.#counts[top] ?? 0) - 1;
    [this.#before, this.#last, this.#integers] = [0, 0, 0];
  }

  #takeMalformed(start: number, end: number): void {
    this.isSound = false;
    const first = this.#bytes[start] ?? 0;
    const isEndless = end === this.#end && !isRegular(first);
    if (UNBALANCED.has(first) || isEndless || (isRegular(first) && end - start > LONGEST_WORD)) this.isBounded = false;
  }

  #close(isDictionary: boolean): void {
    if (this.#open.pop() !== isDictionary) this.isBounded = false;
    if (isDictionary && (this.#counts.at(-1) ?? 0) % 2 !== 0) this.isSound = false;
    this.#counts.pop();
    if (this.isBounded) this.#add(false, false);
  }

  #add(isName: boolean, isInteger: boolean): void {
    const top = this.#counts.length - 1;
    const count = this.#counts[top] ?? 0;
    if (this.#open.at(-1) === true && count % 2 === 0 && !isName) {
      // The second integer of a reference is where a key would be.
      if (isInteger && this.#integers === 2) this.#awaitsReference = true;
      else this.isSound = false;
    }
    this.#counts[top] = count + 1;
  }
}

/** Whether readers may read on behind an object of an object stream: in the middle of a word, or where an integer and the next objects make a reference. */
function runsOn(bytes: Uint8Array, end: number, { isInteger }: Grammar): boolean {
  if (isRegular(bytes[end - 1]) && isRegular(bytes[end])) return true;
  if (!isInteger) return false;
  const next = tokens(bytes, end);
  const kind = next.next() === "integer" ? next.next() : next.kind;
  return kind === "malformed" || (kind === "word" && !VALUES.has(next.text()));
}

/**
 * All numbers between two places, but for those in strings and names that all readers see as such. There is no reference in them, whatever is
 * beside them, and honest files have names such as `F4` there.
 */
async function numbersIn(bytes: Uint8Array, start: number, meter: ParseMeter): Promise<Counts> {
  const counts: Counts = new Map();
  let from = start;
  await eachToken(bytes, start, meter, (next) => {
    const isText = (next.kind === "name" && next.isAscii) || next.kind === "literal" || next.kind === "hex";
    // With comments, which are between tokens.
    noteNumbers(bytes, from, isText ? next.start : next.end, counts);
    if (next.kind === "real" || next.kind === "malformed") noteOddNumber(bytes, next, counts);
    from = next.end;
    return true;
  });
  return counts;
}

function note(value: number, counts: Counts): void {
  if (value > 0 && value <= MOST_NUMBER) counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** The digits between two places: those in a row, and those of a word together, since readers skip the bytes between them (`9-9`). */
function noteNumbers(bytes: Uint8Array, from: number, to: number, counts: Counts): void {
  let [value, joined, runs] = [0, 0, 0];
  let isIn = false;
  for (let at = from; at <= to; at++) {
    const byte = at < to ? (bytes[at] ?? 0) : 0;
    if (isDigit(byte)) {
      const digit = byte - 48;
      if (!isIn) runs += 1;
      value = ((isIn ? value : 0) * 10 + digit) % WORD;
      joined = (joined * 10 + digit) % WORD;
      isIn = true;
      continue;
    }
    if (isIn) note(value, counts);
    isIn = false;
    if (isRegular(byte)) continue;
    if (runs > 1) note(joined, counts);
    [joined, runs] = [0, 0];
  }
}

/** Numbers with a point, an exponent, or a base: readers round them. */
function noteOddNumber(bytes: Uint8Array, { start, end }: Tokens, counts: Counts): void {
  if (end - start > LONGEST_WORD) return;
  const text = latin1(bytes.subarray(start, end));
  if (!PERIODS.some((one) => text.includes(one))) return;
  const sign = text.indexOf("#");
  const value = sign > 0 ? Number.parseInt(text.slice(sign + 1), Number(text.slice(0, sign))) : Number.parseFloat(text);
  for (const one of new Set([Math.floor(value), Math.ceil(value)])) note(Math.abs(one) % WORD, counts);
}
