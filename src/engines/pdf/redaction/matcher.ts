/** Finds the literal terms and patterns of a request in text. */
import { atOnceWithin, inTurns, type Steps } from "../../steps.ts";
import type { Work } from "../../work.ts";
import { MatchCoverage, type Range } from "./search/coverage.ts";
import { Expression } from "./search/expression.ts";
import { ENDS, type FoldedText, foldPieces, isFolded } from "./search/folded-text.ts";
import { type Preset, presetRules } from "./presets.ts";
import { lettersOf, Term } from "./search/terms.ts";

export type Pattern = Preset | { readonly regex: string };

export interface WantedText {
  readonly terms: readonly string[];
  readonly ignoreCase: boolean;
  readonly patterns: readonly Pattern[];
}

/** A date as PDF writes it (ISO 32000-2, 7.9.4), whose digits are no number of anybody. */
const DATE = /^D:\d{4,14}/;

/** Fuel per character of text that is read in some form. */
const WORK = 4;

/** A preset, or an expression of the request. */
type Sought = { readonly preset: Preset } | { readonly expression: Expression };

export class Matcher {
  readonly #terms: readonly Term[];
  readonly #patterns: readonly Sought[];
  readonly #work: Work;
  /** All matches so far, in the form of the text in which they were found, and the terms. */
  readonly found: Set<string>;
  readonly ignoresCase: boolean;

  constructor(wanted: WantedText, work: Work) {
    const { terms, ignoreCase, patterns } = wanted;
    this.#work = work;
    this.ignoresCase = ignoreCase;
    this.found = new Set(terms);
    this.#terms = [...this.found].flatMap((term) => Term.of(term, ignoreCase) ?? []);
    this.#patterns = patterns.map((pattern) =>
      typeof pattern === "string" ? { preset: pattern } : { expression: new Expression(pattern.regex) },
    );
  }

  /** Whether there is anything to find. */
  get isEmpty(): boolean {
    return this.#terms.length + this.#patterns.length === 0;
  }

  /** Ranges of a string. They do not overlap. At once: where the string may be long, use `searchString`. */
  inString(text: string): Range[] {
    return atOnceWithin(this.#work, this.stepsIn(text));
  }

  /** The same, yielding to other requests. */
  searchString(text: string): Promise<Range[]> {
    return inTurns(this.#work, this.stepsIn(text));
  }

  /** Whether anything is found in a string, at once. */
  isIn(text: string): boolean {
    return this.inString(text).length > 0;
  }

  /** Whether anything is found in one of the strings, yielding to other requests. */
  async isInAny(texts: readonly string[]): Promise<boolean> {
    for (const text of texts) if ((await this.searchString(text)).length > 0) return true;
    return false;
  }

  /** Ranges of the pieces of folded text, whose line feeds are the ends of lines that continue. They do not overlap. */
  inFolded(folded: FoldedText): Promise<Range[]> {
    return inTurns(this.#work, this.#inFolded(folded, true));
  }

  /** The same, step by step. */
  *stepsIn(text: string): Steps<Range[]> {
    if (text.length < 1 || this.isEmpty) return [];
    const patterns = !DATE.test(text);
    if (isFolded(text)) {
      const folded = {
        text: text.replaceAll("\n", ENDS.line),
        get origins() {
          return Array.from(text, (_, at) => at);
        },
      };
      return yield* this.#inFolded(folded, patterns);
    }
    this.#work.spend(text.length * WORK);
    const characters = Array.from(text);
    const starts: number[] = [];
    let at = 0;
    for (const character of characters) {
      starts.push(at);
      at += character.length;
    }
    starts.push(at);
    const folded = foldPieces(characters);
    // Whoever wrote a line feed ended a line, and had no measure from which text has to continue.
    const ranges = yield* this.#inFolded({ ...folded, text: folded.text.replaceAll("\n", ENDS.line) }, patterns);
    return ranges.map(({ start, end }) => ({ start: starts[start] ?? 0, end: starts[end] ?? at }));
  }

  *#inFolded(folded: FoldedText, patterns: boolean): Steps<Range[]> {
    const { text } = folded;
    this.#work.spend(text.length * WORK);
    const coverage = new MatchCoverage(text.length);
    if (this.#terms.length > 0) {
      const letters = lettersOf(text, this.ignoresCase);
      for (const term of this.#terms) {
        for (const range of yield* term.in(text, letters, this.#work)) {
          coverage.add(range);
          this.found.add(withSpaces(text.slice(range.start, range.end)));
        }
        yield 0;
      }
    }
    if (patterns && this.#patterns.length > 0) yield* this.#addPatterns(text, coverage);
    if (coverage.isEmpty) return [];
    const { origins } = folded;
    const covered = new MatchCoverage((origins.at(-1) ?? 0) + 1);
    for (const { start, end } of coverage.ranges())
      covered.add({ start: origins[start] ?? 0, end: (origins[end - 1] ?? 0) + 1 });
    return covered.ranges();
  }

  /**
   * Adds the matches of patterns. Each pattern reads the text in several forms. A match in one form is not found again in the next as a part of
   * something longer: without its line ends, a match would continue into the text after it.
   */
  *#addPatterns(text: string, coverage: MatchCoverage): Steps<void> {
    const forms = new Map<string, Form[]>();
    const formsFor = (pattern: Sought): Form[] => {
      const kind = "expression" in pattern ? "expression" : pattern.preset === "url" ? "url" : "preset";
      let known = forms.get(kind);
      if (known === undefined) {
        this.#work.spend(FORMS * text.length * WORK);
        known = "preset" in pattern ? formsOfPreset(text, pattern.preset) : formsOfExpression(text);
        forms.set(kind, known);
      }
      return known;
    };
    const rounds = Math.max(...this.#patterns.map((pattern) => formsFor(pattern).length));
    for (let round = 0; round <= rounds; round++) {
      const found = new MatchCoverage(text.length);
      for (const pattern of this.#patterns) {
        const last =
          round === rounds && "preset" in pattern ? yield* this.#unfinished(pattern.preset, text) : undefined;
        const form = round === rounds ? last?.form : formsFor(pattern)[round];
        if (form === undefined) continue;
        this.#work.spend(form.text.length);
        const own =
          last?.ranges ??
          ("preset" in pattern
            ? yield* this.#byPreset(pattern.preset, form.text)
            : yield* pattern.expression.in(form.text, this.#work));
        for (const { start, end } of own) {
          const range = { start: form.at(start), end: form.at(end - 1) + 1 };
          if (!coverage.isFree(range)) continue;
          found.add(range);
          this.found.add(withSpaces(text.slice(range.start, range.end)));
        }
        yield 0;
      }
      coverage.addAll(found);
    }
  }

  /** Candidates for a preset in a text, which is searched part by part. */
  *#candidates(preset: Preset, text: string): Steps<Candidate[]> {
    const { candidates, longest, work } = presetRules[preset];
    const found: Candidate[] = [];
    for (let from = 0; from < text.length;) {
      const to = afterPair(text, from + PART);
      const start = afterPair(text, Math.max(0, from - BESIDE));
      const part = text.slice(start, to + longest + BESIDE);
      this.#work.spend(part.length * work.character);
      candidates.lastIndex = from - start;
      from = to;
      for (let match = candidates.exec(part); match; match = candidates.exec(part)) {
        const at = start + match.index;
        if (at >= to) break;
        found.push({ text: match[0], at });
        this.#work.spend(work.candidate);
        from = Math.max(to, at + match[0].length);
      }
      yield 0;
    }
    return found;
  }

  *#byPreset(preset: Preset, text: string): Steps<Range[]> {
    const { accepted } = presetRules[preset];
    const ranges: Range[] = [];
    for (const [index, candidate] of (yield* this.#candidates(preset, text)).entries()) {
      const end = candidate.at + candidate.text.length;
      const length = accepted(candidate.text, {
        before: text.slice(Math.max(0, candidate.at - BESIDE), candidate.at),
        after: text.slice(end, end + BESIDE),
      });
      if (length > 0) ranges.push({ start: candidate.at, end: candidate.at + length });
      if (index % CANDIDATES === CANDIDATES - 1) yield 0;
    }
    return ranges;
  }

  /** A match that begins at the end of a line, is incomplete there, and continues in the next line, wherever that line ends. */
  *#unfinished(preset: Preset, text: string): Steps<{ ranges: Range[]; form: Form } | undefined> {
    const { unfinished: how, accepted } = presetRules[preset];
    if (how === undefined || !text.includes(ENDS.line)) return undefined;
    this.#work.spend(text.length * WORK);
    const plain = text.replaceAll(/[\ufdd2\ufdd1]/g, "\n");
    const form: Form =
      how.joins === "joined"
        ? without(plain, / ?\u2029 ?/g)
        : { text: plain.replaceAll(ENDS.line, " "), at: (unit) => unit };
    const ranges: Range[] = [];
    for (const candidate of yield* this.#candidates(preset, form.text)) {
      if (!how.begins.test(candidate.text)) continue;
      this.#work.spend(candidate.text.length * UNIT_WORK);
      const lineEnds: number[] = [];
      for (let unit = 1; unit < candidate.text.length; unit++) {
        if (text.slice(form.at(candidate.at + unit - 1), form.at(candidate.at + unit) + 1).includes(ENDS.line))
          lineEnds.push(unit);
      }
      yield 0;
      const [first, second = candidate.text.length] = lineEnds.filter(
        (unit, at) => unit !== (lineEnds[at - 1] ?? -1) + 1,
      );
      if (first === undefined) continue;
      const length = accepted(candidate.text.slice(0, second), { before: "", after: "" });
      if (length > first) ranges.push({ start: candidate.at, end: candidate.at + length });
    }
    return { ranges, form };
  }
}

/** Most forms in which a pattern reads a text. */
const FORMS = 4;

/** Characters on either side of a candidate that may tell that it is something else. */
const BESIDE = 48;

/** Characters of a text that are searched for a preset at once, and candidates that are looked at at once. */
const [PART, CANDIDATES] = [16_000, 1_000];

/** Fuel per character of a candidate that may continue in the next line. */
const UNIT_WORK = 20;

/** A possible match of a preset, and its beginning. */
interface Candidate {
  readonly text: string;
  readonly at: number;
}

/** The same place in a text, or the one after a surrogate pair that it would divide. */
function afterPair(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at;
}

/** A text with its line ends and cells as a pattern reads them, and the place in the text of each character. */
interface Form {
  readonly text: string;
  at(unit: number): number;
}

/** Texts that end, which no pattern reads as white space: line feeds. */
const ended = (text: string): string => text.replaceAll(/[\u2029\ufdd2\ufdd1]/g, "\n");
const withSpaces = (text: string): string => text.replaceAll(/[\n\u2029\ufdd2\ufdd1]/g, " ");

/** Places where an address is divided between lines: after a slash or another sign that continues it, or before one. */
const BROKEN_ADDRESS = /(?<=[/?&=_#%~-]) ?\n ?| ?\n ?(?=[/?&=#%~.])/g;

/**
 * The forms in which a preset reads a text: a line that continues is followed by a space, by the rest of a word, or by the rest of a hyphenated word.
 * Other lines and cells end the text.
 */
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
 * The forms in which an expression of the request reads a text. In the first, lines and cells end a match. In the others, their ends are white space
 * or nothing, depending on the span that the request allows.
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
