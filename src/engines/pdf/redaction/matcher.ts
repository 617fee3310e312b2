/** Finds what a request redacts in text: literal terms and patterns. */
import { RE2JS } from "re2js";
import type { Work } from "../../work.ts";
import { type FoldedText, fold, foldPieces, isFolded } from "./folded-text.ts";
import { type Preset, presetRules } from "./presets.ts";

export type Pattern = Preset | { readonly regex: string };

export interface Wanted {
  readonly terms: readonly string[];
  readonly ignoreCase: boolean;
  readonly patterns: readonly Pattern[];
}

/** From one index of a text to another. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A date as PDF writes it (ISO 32000-2, 7.9.4), whose digits are no number of anybody. */
const DATE = /^D:\d{4,14}/;

/** Fuel per character of text and term or pattern. */
const WORK = 4;

/** Fuel per character and character of a regular expression, whose automaton may be in as many states. */
const REGEX_WORK = 2;

/** Only the characters that the syntax has: with the flag `u`, other ones must not be escaped (ECMA-262, 22.2.1). */
const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** A line end may divide a word, with a hyphen or without. Writers leave spaces on either side of the hyphen. */
const LINE_END = String.raw`(?: ?-? ?\n ?)?`;

/**
 * A term as an expression over folded text: words may be divided at the end of a line, and any white space separates them. The
 * optional parts are not repeated, so that a search takes linear time.
 */
function expressionOf(term: string, ignoreCase: boolean): RegExp | undefined {
  const words = fold(term)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return undefined;
  const source = words.map((word) => Array.from(word, escape).join(LINE_END)).join(String.raw`[ \n]+`);
  // A letter without its accents is another letter.
  const end = /\p{M}$/u.test(words.at(-1) ?? "") ? "" : String.raw`(?!\p{M})`;
  return new RegExp(source + end, ignoreCase ? "giu" : "gu");
}

export class Matcher {
  readonly #terms: readonly RegExp[];
  readonly #patterns: readonly (readonly [cost: number, find: (text: string) => Range[]])[];
  readonly #work: Work;
  /** What was found so far, in the form in which it was found; and the terms. */
  readonly found: Set<string>;
  readonly ignoresCase: boolean;

  constructor(wanted: Wanted, work: Work) {
    const { terms, ignoreCase, patterns } = wanted;
    this.#work = work;
    this.ignoresCase = ignoreCase;
    this.#terms = terms.flatMap((term) => expressionOf(term, ignoreCase) ?? []);
    this.#patterns = patterns.map((pattern) =>
      typeof pattern === "string"
        ? [WORK, (text) => byPreset(pattern, text)]
        : [REGEX_WORK * pattern.regex.length, byRegex(pattern.regex)],
    );
    this.found = new Set(terms);
  }

  /** Whether there is anything to find. */
  get isEmpty(): boolean {
    return this.#terms.length + this.#patterns.length === 0;
  }

  /** Ranges of a string. They do not overlap. */
  inString(text: string): Range[] {
    if (text.length < 1 || this.isEmpty) return [];
    const options = { patterns: !DATE.test(text) };
    if (isFolded(text)) {
      const folded = {
        text,
        get origins() {
          return Array.from(text, (_, at) => at);
        },
      };
      return this.inFolded(folded, options);
    }
    const characters = Array.from(text);
    const starts: number[] = [];
    let at = 0;
    for (const character of characters) {
      starts.push(at);
      at += character.length;
    }
    starts.push(at);
    const ranges = this.inFolded(foldPieces(characters), options);
    return ranges.map(({ start, end }) => ({ start: starts[start] ?? 0, end: starts[end] ?? at }));
  }

  /** Whether anything is found in a string. */
  isIn(text: string): boolean {
    return this.inString(text).length > 0;
  }

  /** Ranges of the pieces of folded text. They do not overlap. */
  inFolded(folded: FoldedText, { patterns = true } = {}): Range[] {
    const { text } = folded;
    const ranges: Range[] = [];
    this.#work.spend(text.length * WORK * (1 + this.#terms.length));
    for (const term of this.#terms) {
      for (const match of text.matchAll(term)) ranges.push({ start: match.index, end: match.index + match[0].length });
    }
    if (patterns && this.#patterns.length > 0) {
      const taken: Range[] = [];
      for (const [form, unit] of formsOf(text)) {
        for (const [cost, find] of this.#patterns) {
          this.#work.spend(form.length * cost);
          for (const { start, end } of find(form)) {
            const range = { start: unit(start), end: unit(end - 1) + 1 };
            // Without its line ends, text that was found as it stands would run into what follows.
            if (taken.some((other) => other.start < range.end && range.start < other.end)) continue;
            ranges.push(range);
          }
        }
        taken.push(...ranges);
      }
    }
    if (ranges.length === 0) return ranges;
    const { origins } = folded;
    for (const { start, end } of ranges) this.found.add(text.slice(start, end).replaceAll("\n", " "));
    return joined(ranges.map(({ start, end }) => ({ start: origins[start] ?? 0, end: (origins[end - 1] ?? 0) + 1 })));
  }
}

/** The ways to read the line ends of a text, with the place in the text of each character. */
function formsOf(text: string): [string, (unit: number) => number][] {
  const spaced = text.replaceAll("\n", " ");
  if (spaced === text) return [[text, (unit) => unit]];
  return [[spaced, (unit) => unit], without(text, / ?\n ?/g), without(text, / ?-? ?\n ?/g)];
}

function without(text: string, removed: RegExp): [string, (unit: number) => number] {
  const units: number[] = [];
  let kept = "";
  let from = 0;
  const keep = (to: number): void => {
    for (let unit = from; unit < to; unit++) units.push(unit);
    kept += text.slice(from, to);
  };
  for (const match of text.matchAll(removed)) {
    keep(match.index);
    from = match.index + match[0].length;
  }
  keep(text.length);
  return [kept, (unit) => units[unit] ?? text.length];
}

function byPreset(preset: Preset, text: string): Range[] {
  const { candidates, accepted } = presetRules[preset];
  const ranges: Range[] = [];
  for (const match of text.matchAll(candidates)) {
    const length = accepted(match[0]);
    if (length > 0) ranges.push({ start: match.index, end: match.index + length });
  }
  return ranges;
}

/** What is wrong with an expression in RE2's syntax, or undefined. */
export function regexProblem(regex: string): string | undefined {
  try {
    RE2JS.compile(regex);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "";
    return `must be a regular expression in RE2 syntax: ${reason}`;
  }
}

function byRegex(regex: string): (text: string) => Range[] {
  const compiled = RE2JS.compile(regex);
  return (text) => {
    const ranges: Range[] = [];
    const matcher = compiled.matcher(text);
    while (matcher.find())
      if (matcher.end() > matcher.start()) ranges.push({ start: matcher.start(), end: matcher.end() });
    return ranges;
  };
}

/** The ranges in order, with those that overlap made one. */
function joined(ranges: readonly Range[]): Range[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}
