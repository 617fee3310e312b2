/** Runs expressions of requests step by step. RE2's own functions search a text in one piece, for as long as that takes. */
import { RE2JS } from "re2js";
import { limits } from "../../../../limits.ts";
import type { Steps } from "../../../steps.ts";
import type { Work } from "../../../work.ts";
import type { Range } from "./coverage.ts";

/** Fuel for an instruction that is looked at: up to 20 ns. */
const VISIT_WORK = 5;

/** Instructions between two turns. */
const VISITS = 100_000;

/** An instruction of a compiled expression. Its class has the numbers of operations. */
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  matchRune(rune: number): boolean;
  readonly constructor: unknown;
}

interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}

type Operation =
  | "ALT"
  | "ALT_MATCH"
  | "CAPTURE"
  | "EMPTY_WIDTH"
  | "FAIL"
  | "MATCH"
  | "NOP"
  | "RUNE"
  | "RUNE1"
  | "RUNE_ANY"
  | "RUNE_ANY_NOT_NL";

/** Conditions on a place of a text, as bits of an instruction (`EMPTY_...` in RE2). */
const [BEGIN_LINE, END_LINE, BEGIN_TEXT, END_TEXT, WORD_BOUNDARY, NO_WORD_BOUNDARY] = [1, 2, 4, 8, 16, 32];

const LINE_FEED = 10;
const LATIN = 256;
/** No character: the end of the text. */
const NONE = -1;

/** A range of characters in an expression, whose ends are characters or escapes of one. */
const RANGE = (() => {
  const end = String.raw`(\\x\{[\da-f]+\}|\\x[\da-f]{2}|\\[0-7]{1,3}|\\[^\da-oq-z]|\\[aftnrv]|[^\\])`;
  return new RegExp(`${end}-(?=${end})`, "giu");
})();

function codeOf(character: string): number {
  const hexadecimal = /^\\x\{?([\da-f]+)/i.exec(character)?.[1];
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  const octal = /^\\([0-7]+)/.exec(character)?.[1];
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return character.replace(/^\\(?=.)/u, "").codePointAt(0) ?? 0;
}

/** The characters in the ranges of an expression, if it ignores case: RE2 looks up the other case of each. */
function foldedCharacters(regex: string): number {
  if (!/\(\?[a-zA-Z]*i/.test(regex)) return 0;
  let count = 0;
  for (const [, from = "", to = ""] of regex.matchAll(RANGE)) count += Math.max(0, codeOf(to) - codeOf(from));
  return count;
}

const count = (value: number): string => value.toLocaleString("en-US");

/** The problem of the first invalid expression of a request, and its index. Takes up to 100 ms. */
export function regexIssue(
  regexes: readonly (string | undefined)[],
): { readonly index: number; readonly issue: string } | undefined {
  const most = limits.redaction;
  let [classes, all] = [0, 0];
  for (const [index, regex] of regexes.entries()) {
    if (regex === undefined) continue;
    const at = (issue: string) => ({ index, issue });
    classes += regex.match(/\\p/gi)?.length ?? 0;
    if (classes > most.regexClasses)
      return at(`must have fewer Unicode classes: up to ${count(most.regexClasses)} in all expressions`);
    if (foldedCharacters(regex) > most.regexFoldedCharacters)
      return at(`must have smaller ranges to ignore case: up to ${count(most.regexFoldedCharacters)} characters`);
    let size = 0;
    try {
      size = RE2JS.compile(regex).programSize();
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
      return at(`must be a regular expression in RE2 syntax: ${reason}`);
    }
    all += size;
    if (size > most.regexInstructions)
      return at(
        `must have fewer repetitions: it has ${count(size)} steps with them written out, and may have ${count(most.regexInstructions)}`,
      );
    if (all > most.allRegexInstructions)
      return at(`is one too many: all expressions may have ${count(most.allRegexInstructions)} steps together`);
  }
  return undefined;
}

/** Threads of a search in order of preference: where each is in the program, and where its match begins. */
class Threads {
  readonly at: Int32Array;
  readonly starts: Int32Array;
  size = 0;
  /** By instruction: the generation in which it was reached. */
  readonly #reached: Int32Array;
  #generation = 1;

  constructor(size: number) {
    this.at = new Int32Array(size);
    this.starts = new Int32Array(size);
    this.#reached = new Int32Array(size);
  }

  clear(): void {
    this.size = 0;
    this.#generation++;
  }

  /** Returns whether an instruction is reached for the first time. */
  reach(at: number): boolean {
    if (this.#reached[at] === this.#generation) return false;
    this.#reached[at] = this.#generation;
    return true;
  }

  push(at: number, start: number): void {
    this.at[this.size] = at;
    this.starts[this.size++] = start;
  }
}

export class Expression {
  readonly #program: Program;
  readonly #operations: Readonly<Record<Operation, number>>;
  /** Whether a match may begin with a character of Latin-1; undefined where one may be empty. */
  readonly #beginnings: readonly boolean[] | undefined;
  readonly #hasPlaces: boolean;
  readonly #stack: Int32Array;
  #visits = 0;

  constructor(regex: string) {
    this.#program = RE2JS.compile(regex).re2().prog as Program;
    const { inst } = this.#program;
    this.#operations = inst[0]?.constructor as unknown as Readonly<Record<Operation, number>>;
    this.#stack = new Int32Array(inst.length + 1);
    this.#hasPlaces = inst.some(({ op }) => op === this.#operations.EMPTY_WIDTH);
    this.#beginnings = this.#firstCharacters();
  }

  /** The matches of a text from left to right, as RE2 finds them: of those that begin first, the one that is preferred. None is empty. */
  *in(text: string, work: Work): Steps<Range[]> {
    const ranges: Range[] = [];
    const size = this.#program.inst.length;
    let [now, next] = [new Threads(size), new Threads(size)];
    this.#visits = 0;
    for (let from = 0; from <= text.length;) {
      let match: Range | undefined;
      now.clear();
      for (let at = from; ;) {
        if (now.size === 0) {
          if (match) break;
          const skipped = at;
          at = this.#nextBeginning(text, at);
          this.#visits += (at - skipped) >> 2;
        }
        if (match === undefined) this.#add(now, this.#program.start, at, this.#placeAt(text, at));
        const rune = text.codePointAt(at) ?? NONE;
        const width = rune === NONE ? 0 : rune > 0xffff ? 2 : 1;
        next.clear();
        match = this.#step(now, next, text, { at, rune, width }) ?? match;
        [now, next] = [next, now];
        if (this.#visits >= VISITS) {
          work.spend(this.#visits * VISIT_WORK);
          this.#visits = 0;
          yield 0;
        }
        if (width === 0) break;
        at += width;
      }
      if (match === undefined) break;
      if (match.end > match.start) ranges.push(match);
      from = match.end > match.start ? match.end : match.end + ((text.codePointAt(match.end) ?? 0) > 0xffff ? 2 : 1);
    }
    work.spend(this.#visits * VISIT_WORK);
    return ranges;
  }

  /** Moves threads over a character. Returns the match of the first that has one: those after it end. */
  #step(
    now: Threads,
    next: Threads,
    text: string,
    { at, rune, width }: { readonly at: number; readonly rune: number; readonly width: number },
  ): Range | undefined {
    const { inst } = this.#program;
    const place = this.#placeAt(text, at + width);
    this.#visits += now.size + 1;
    for (let index = 0; index < now.size; index++) {
      const instruction = inst[now.at[index] ?? 0];
      const start = now.starts[index] ?? 0;
      if (instruction === undefined) continue;
      if (instruction.op === this.#operations.MATCH) return { start, end: at };
      if (width > 0 && this.#accepts(instruction, rune)) this.#add(next, instruction.out, start, place);
    }
    return undefined;
  }

  #accepts(instruction: Instruction, rune: number): boolean {
    const { RUNE, RUNE1, RUNE_ANY, RUNE_ANY_NOT_NL } = this.#operations;
    switch (instruction.op) {
      case RUNE1:
        return instruction.runes[0] === rune;
      case RUNE:
        return instruction.matchRune(rune);
      case RUNE_ANY:
        return true;
      case RUNE_ANY_NOT_NL:
        return rune !== LINE_FEED;
      default:
        return false;
    }
  }

  /** Adds a thread at an instruction, and where it can go from there without a character. */
  #add(threads: Threads, first: number, start: number, place: number): void {
    const { inst } = this.#program;
    const { ALT, ALT_MATCH, CAPTURE, NOP, EMPTY_WIDTH, FAIL } = this.#operations;
    const stack = this.#stack;
    let depth = 0;
    stack[depth++] = first;
    while (depth > 0) {
      let pc = stack[--depth] ?? 0;
      while (pc !== 0 && threads.reach(pc)) {
        this.#visits++;
        const instruction = inst[pc];
        if (instruction === undefined) break;
        const { op, out, arg } = instruction;
        if (op === ALT || op === ALT_MATCH) {
          stack[depth++] = arg;
          pc = out;
        } else if (op === NOP || op === CAPTURE) pc = out;
        else if (op === EMPTY_WIDTH) pc = (arg & ~place) === 0 ? out : 0;
        else {
          if (op !== FAIL) threads.push(pc, start);
          break;
        }
      }
    }
  }

  #nextBeginning(text: string, from: number): number {
    if (this.#beginnings === undefined) return from;
    let at = from;
    while (at < text.length) {
      const unit = text.charCodeAt(at);
      if (unit >= LATIN || this.#beginnings[unit] === true) break;
      at++;
    }
    return at;
  }

  #firstCharacters(): readonly boolean[] | undefined {
    const threads = new Threads(this.#program.inst.length);
    const everyPlace = BEGIN_LINE | END_LINE | BEGIN_TEXT | END_TEXT | WORD_BOUNDARY | NO_WORD_BOUNDARY;
    this.#add(threads, this.#program.start, 0, everyPlace);
    const first = Array.from(threads.at.subarray(0, threads.size), (at) => this.#program.inst[at]);
    if (first.some((instruction) => instruction?.op === this.#operations.MATCH)) return undefined;
    return Array.from({ length: LATIN }, (_, rune) =>
      first.some((instruction) => instruction !== undefined && this.#accepts(instruction, rune)),
    );
  }

  /** The conditions that hold between two characters. */
  #placeAt(text: string, at: number): number {
    if (!this.#hasPlaces) return 0;
    const before = at > 0 ? text.charCodeAt(at - 1) : NONE;
    const after = at < text.length ? text.charCodeAt(at) : NONE;
    return (
      (before === NONE ? BEGIN_TEXT | BEGIN_LINE : 0) |
      (before === LINE_FEED ? BEGIN_LINE : 0) |
      (after === NONE ? END_TEXT | END_LINE : 0) |
      (after === LINE_FEED ? END_LINE : 0) |
      (isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY)
    );
  }
}

/** Whether a character is one of ASCII words: `\w`. */
const isWord = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f || (unit >= 0x61 && unit <= 0x7a);
