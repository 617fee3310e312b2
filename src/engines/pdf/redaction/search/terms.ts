/** Finds literal terms in folded text, in time that grows with the text and not with how often a term begins in it. */
import type { Steps } from "../../../steps.ts";
import type { Work } from "../../../work.ts";
import type { Range } from "./coverage.ts";
import { fold } from "./folded-text.ts";

/** Fuel per character that is looked for, per one that is compared, and per one of a place that is verified. */
const [SEEK_WORK, COMPARE_WORK, VERIFY_WORK] = [1, 4, 4];

/** Fuel between two turns. */
const STRETCH = 500_000;

/** Characters at the beginning of a term that are looked for. */
const HEAD = 8;

/** Only the characters that the syntax has: with the flag `u`, other ones must not be escaped (ECMA-262, 22.2.1). */
const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** A line end may divide a word, with a hyphen or without. Writers leave spaces on either side of the hyphen. */
const LINE_END = String.raw`(?: ?-? ?[\n\u2029] ?)?`;

/** Characters allowed between the letters of a term: everything that `LINE_END` and the space between words match. */
const BETWEEN = new Set([" ", "-", "\n", "\u2029", "\ufdd1"]);

/** A text without the characters allowed between letters, in one case if case does not matter. */
export interface Letters {
  readonly text: string;
  /** By UTF-16 unit of the letters: its place in the text; undefined if they are the same. */
  readonly places: Int32Array | undefined;
}

const NEEDS_LETTERS = { exact: /[ \-\n\u2029\ufdd1]/, anyCase: /[^!-,.-@[-~]/ } as const;

/** At least as coarse as the case folding of expressions with `i` and `u` (ECMA-262, 22.2.2.7.3): matches are compared again. */
function inOneCase(character: string): string {
  const upper = character.toUpperCase();
  return (upper.length === character.length ? upper : character).toLowerCase();
}

/** The letters of a text. Takes time in proportion to it. */
export function lettersOf(text: string, ignoreCase: boolean): Letters {
  if (!(ignoreCase ? NEEDS_LETTERS.anyCase : NEEDS_LETTERS.exact).test(text)) return { text, places: undefined };
  const places: number[] = [];
  let letters = "";
  let at = 0;
  for (const character of text) {
    if (!BETWEEN.has(character)) {
      const letter = ignoreCase ? inOneCase(character) : character;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) places.push(at);
    }
    at += character.length;
  }
  return { text: letters, places: Int32Array.from(places) };
}

export class Term {
  /** Decides where the term is. The optional parts in it are not repeated, so that it takes linear time. */
  readonly #expression: RegExp;
  readonly #letters: string;
  /** By length of a part of the letters that was found: that of the longest beginning at its end (Knuth, Morris, and Pratt). */
  readonly #borders: Uint32Array;
  /** Where it begins with a character that is no letter: that character. */
  readonly #first: string | undefined;

  private constructor(words: readonly string[], ignoreCase: boolean) {
    const source = words.map((word) => Array.from(word, escape).join(LINE_END)).join(String.raw`[ \n\u2029\ufdd1]+`);
    // A letter without its accents is another letter.
    const end = /\p{M}$/u.test(words.at(-1) ?? "") ? "" : String.raw`(?!\p{M})`;
    this.#expression = new RegExp(source + end, ignoreCase ? "iuy" : "uy");
    this.#letters = lettersOf(words.join(""), ignoreCase).text;
    this.#borders = bordersOf(this.#letters);
    const first = words[0]?.charAt(0) ?? "";
    this.#first = BETWEEN.has(first) ? first : undefined;
  }

  /** Words may be divided at the end of a line, and any white space separates them. Undefined if it has none. */
  static of(term: string, ignoreCase: boolean): Term | undefined {
    const words = fold(term)
      .split(/\s+/)
      .filter((word) => word !== "");
    return words.length === 0 ? undefined : new Term(words, ignoreCase);
  }

  /** Where the term is in a text, from left to right. Places do not overlap. */
  *in(text: string, letters: Letters, work: Work): Steps<Range[]> {
    const ranges: Range[] = [];
    let [end, next] = [0, work.spent + STRETCH];
    work.spend(letters.text.length * SEEK_WORK);
    for (const start of this.#first === undefined ? this.#beginnings(letters) : placesOf(text, this.#first)) {
      if (start !== undefined && start >= end) {
        this.#expression.lastIndex = start;
        const [found] = this.#expression.exec(text) ?? [];
        work.spend((found?.length ?? this.#letters.length) * VERIFY_WORK);
        if (found !== undefined) {
          end = start + found.length;
          ranges.push({ start, end });
        }
      }
      work.spend(COMPARE_WORK);
      if (work.spent < next) continue;
      yield 0;
      next = work.spent + STRETCH;
    }
    return ranges;
  }

  /** Where all of its letters follow each other, by each letter that was compared: undefined where they do not. */
  *#beginnings({ text, places }: Letters): Generator<number | undefined, void> {
    const { length } = this.#letters;
    const head = this.#letters.slice(0, HEAD);
    let known = 0;
    for (let at = 0; at < text.length; at++) {
      if (known === 0) {
        at = text.indexOf(head, at);
        if (at < 0) return;
      }
      const unit = text.charCodeAt(at);
      while (known > 0 && unit !== this.#letters.charCodeAt(known)) known = this.#borders[known] ?? 0;
      if (unit === this.#letters.charCodeAt(known)) known++;
      if (known === length) {
        const start = at - length + 1;
        yield places ? places[start] : start;
        known = this.#borders[known] ?? 0;
      } else yield undefined;
    }
  }
}

function* placesOf(text: string, character: string): Generator<number, void> {
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) yield at;
}

function bordersOf(letters: string): Uint32Array {
  const borders = new Uint32Array(letters.length + 1);
  let border = 0;
  for (let at = 1; at < letters.length; at++) {
    while (border > 0 && letters[at] !== letters[border]) border = borders[border] ?? 0;
    if (letters[at] === letters[border]) border++;
    borders[at + 1] = border;
  }
  return borders;
}
