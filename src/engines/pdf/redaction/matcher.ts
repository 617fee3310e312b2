/** Finds what a request redacts in text: literal terms and patterns. */
import { RE2JS } from "re2js";
import type { Work } from "../../work.ts";
import { ENDS, type FoldedText, fold, foldPieces, isFolded } from "./folded-text.ts";
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
const LINE_END = String.raw`(?: ?-? ?[\n\u2029] ?)?`;

/**
 * A term as an expression over folded text: words may be divided at the end of a line, and any white space separates them. The
 * optional parts are not repeated, so that a search takes linear time.
 */
function expressionOf(term: string, ignoreCase: boolean): RegExp | undefined {
  const words = fold(term)
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return undefined;
  const source = words.map((word) => Array.from(word, escape).join(LINE_END)).join(String.raw`[ \n\u2029\ufdd1]+`);
  // A letter without its accents is another letter.
  const end = /\p{M}$/u.test(words.at(-1) ?? "") ? "" : String.raw`(?!\p{M})`;
  return new RegExp(source + end, ignoreCase ? "giu" : "gu");
}

/** A pattern, with its fuel per character of text. */
interface Sought {
  readonly cost: number;
  readonly pattern: { readonly preset: Preset } | { readonly find: (text: string) => Range[] };
}

export class Matcher {
  readonly #terms: readonly RegExp[];
  readonly #patterns: readonly Sought[];
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
        ? { cost: WORK, pattern: { preset: pattern } }
        : { cost: REGEX_WORK * pattern.regex.length, pattern: { find: byRegex(pattern.regex) } },
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
        text: text.replaceAll("\n", ENDS.line),
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
    const folded = foldPieces(characters);
    // Whoever wrote a line feed ended a line, and had no measure that text has to go on from.
    const ranges = this.inFolded({ ...folded, text: folded.text.replaceAll("\n", ENDS.line) }, options);
    return ranges.map(({ start, end }) => ({ start: starts[start] ?? 0, end: starts[end] ?? at }));
  }

  /** Whether anything is found in a string. */
  isIn(text: string): boolean {
    return this.inString(text).length > 0;
  }

  /** Whether anything is found in the pieces of folded text. */
  isInFolded(folded: FoldedText): boolean {
    return this.inFolded(folded).length > 0;
  }

  /** Ranges of the pieces of folded text, whose line feeds are the ends of lines that go on. They do not overlap. */
  inFolded(folded: FoldedText, { patterns = true } = {}): Range[] {
    const { text } = folded;
    const ranges: Range[] = [];
    this.#work.spend(text.length * WORK * (1 + this.#terms.length));
    for (const term of this.#terms) {
      for (const match of text.matchAll(term)) ranges.push({ start: match.index, end: match.index + match[0].length });
    }
    if (patterns && this.#patterns.length > 0) this.#addPatterns(text, ranges);
    if (ranges.length === 0) return ranges;
    const { origins } = folded;
    for (const { start, end } of ranges) this.found.add(withSpaces(text.slice(start, end)));
    return joined(ranges.map(({ start, end }) => ({ start: origins[start] ?? 0, end: (origins[end - 1] ?? 0) + 1 })));
  }

  /**
   * Adds what patterns find. Each reads the text in several forms, and what it finds in one is not found again as a part of something else in the next: without its
   * line ends, it would run into what follows.
   */
  #addPatterns(text: string, ranges: Range[]): void {
    const taken = new Uint8Array(text.length);
    for (const { start, end } of ranges) taken.fill(1, start, end);
    const all = this.#patterns.map(({ pattern }) =>
      "preset" in pattern ? formsOfPreset(text, pattern.preset) : formsOfExpression(text),
    );
    const rounds = Math.max(...all.map((forms) => forms.length));
    for (let round = 0; round <= rounds; round++) {
      const found: Range[] = [];
      for (const [index, { cost, pattern }] of this.#patterns.entries()) {
        const last = round === rounds && "preset" in pattern ? unfinished(pattern.preset, text) : undefined;
        const form = round === rounds ? last?.form : all[index]?.[round];
        if (form === undefined) continue;
        this.#work.spend(form.text.length * cost);
        const own =
          last?.ranges ?? ("preset" in pattern ? byPreset(pattern.preset, form.text) : pattern.find(form.text));
        for (const { start, end } of own) {
          const range = { start: form.at(start), end: form.at(end - 1) + 1 };
          if (!taken.subarray(range.start, range.end).includes(1)) found.push(range);
        }
      }
      for (const range of found) {
        taken.fill(1, range.start, range.end);
        ranges.push(range);
      }
    }
  }
}

/** A text with its line ends and cells as a pattern reads them, and the place in the text of each character. */
interface Form {
  readonly text: string;
  at(unit: number): number;
}

/** Texts that end, which no pattern reads as white space: line feeds. */
const ended = (text: string): string => text.replaceAll(/[\u2029\ufdd2\ufdd1]/g, "\n");
const withSpaces = (text: string): string => text.replaceAll(/[\n\u2029\ufdd2\ufdd1]/g, " ");

/** Where an address is broken: behind a stroke or another sign that it goes on, or before one. */
const BROKEN_ADDRESS = /(?<=[/?&=_#%~-]) ?\n ?| ?\n ?(?=[/?&=#%~.])/g;

/** The ways in which a preset reads a text: a line that goes on is followed by a space, by the rest of a word, or by that of a word with a hyphen. Other lines, and cells, end. */
const formsOfPreset = (text: string, preset: Preset): Form[] => {
  const same = (other: string): Form => ({ text: other, at: (unit) => unit });
  if (!text.includes("\n")) return [same(ended(text))];
  const [broken, joined, whole] = [BROKEN_ADDRESS, / ?\n ?/g, / ?-? ?\n ?/g].map((ends) => without(text, ends));
  const first = preset === "url" && broken ? broken : same(text);
  return [first, joined, whole].flatMap((form) =>
    form ? [{ ...form, text: ended(form.text.replaceAll("\n", " ")) }] : [],
  );
};

/**
 * The ways in which an expression of the request reads a text: lines and cells end where what they have is all of it; else they are white space, or nothing, as the
 * request says what it spans.
 */
const formsOfExpression = (text: string): Form[] => {
  const first = { text: ended(text.replaceAll("\n", " ")), at: (unit: number) => unit };
  const spaced = text.replaceAll(/[\n\u2029\ufdd1]/g, " ").replaceAll(ENDS.apart, "\n");
  if (spaced === first.text) return [first];
  return [
    first,
    { text: spaced, at: (unit) => unit },
    ...[/ ?[\n\u2029] ?/g, / ?-? ?[\n\u2029] ?/g].map((ends) => {
      const form = without(text, ends);
      return { ...form, text: form.text.replaceAll(ENDS.cell, " ").replaceAll(ENDS.apart, "\n") };
    }),
  ];
};

function without(text: string, removed: RegExp): Form {
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
  return { text: kept, at: (unit) => units[unit] ?? text.length };
}

/** Characters on either side of a candidate that may tell that it is something else. */
const BESIDE = 48;

function byPreset(preset: Preset, text: string): Range[] {
  const { candidates, accepted } = presetRules[preset];
  const ranges: Range[] = [];
  for (const match of text.matchAll(candidates)) {
    const end = match.index + match[0].length;
    const length = accepted(match[0], {
      before: text.slice(Math.max(0, match.index - BESIDE), match.index),
      after: text.slice(end, end + BESIDE),
    });
    if (length > 0) ranges.push({ start: match.index, end: match.index + length });
  }
  return ranges;
}

/** What begins at the end of a line, is not complete there, and goes on in the next line, wherever the line ends. */
function unfinished(preset: Preset, text: string): { ranges: Range[]; form: Form } | undefined {
  const { unfinished: how, candidates, accepted } = presetRules[preset];
  if (how === undefined || !text.includes(ENDS.line)) return undefined;
  const plain = text.replaceAll(/[\ufdd2\ufdd1]/g, "\n");
  const form: Form =
    how.joins === "joined"
      ? without(plain, / ?\u2029 ?/g)
      : { text: plain.replaceAll(ENDS.line, " "), at: (unit) => unit };
  const ranges: Range[] = [];
  for (const match of form.text.matchAll(candidates)) {
    if (!how.begins.test(match[0])) continue;
    const lineEnds: number[] = [];
    for (let unit = 1; unit < match[0].length; unit++) {
      if (text.slice(form.at(match.index + unit - 1), form.at(match.index + unit) + 1).includes(ENDS.line))
        lineEnds.push(unit);
    }
    const [first, second = match[0].length] = lineEnds.filter((unit, at) => unit !== (lineEnds[at - 1] ?? -1) + 1);
    if (first === undefined) continue;
    const length = accepted(match[0].slice(0, second), { before: "", after: "" });
    if (length > first) ranges.push({ start: match.index, end: match.index + length });
  }
  return { ranges, form };
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
