/** What a content stream paints and draws, counted without doing it (ISO 32000-2, 7.8.2 and annex A). */

import { inlineImageEnd } from "./inline-image-end.ts";

/** Names of resources that are in force together. "" is one that cannot be told, undefined is none. */
export interface PaintState {
  /** Patterns that fill and stroke. */
  readonly fill: string | undefined;
  readonly stroke: string | undefined;
  /** The graphics state parameters whose soft mask is in force. */
  readonly mask: string | undefined;
  readonly font: string | undefined;
}

/** What is done in one such state. */
export interface Usage extends PaintState {
  /** Painting operators, drawing of XObjects left out. */
  paints: number;
  /** Bytes of text shown. */
  shown: number;
  /** How often each XObject is drawn. */
  readonly draws: Map<string, number>;
}

const PAINTS: ReadonlyMap<string, "path" | "text"> = new Map([
  ...["f", "F", "f*", "S", "s", "B", "B*", "b", "b*", "sh", "EI"].map((word) => [word, "path"] as const),
  ...["Tj", "TJ", "'", '"'].map((word) => [word, "text"] as const),
]);
const FILL_COLOURS = new Set(["g", "rg", "k", "cs", "sc"]);
const STROKE_COLOURS = new Set(["G", "RG", "K", "CS", "SC"]);
/** Longest operator, in bytes. */
const MOST_OPERATOR = 3;
/** Longest name that is told from others: a reader may cut longer ones. */
const MOST_NAME = 120;

const [REGULAR, SPACE, DELIMITER] = [0, 1, 2];
const classes = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) classes[code] = SPACE;
for (const character of "()<>[]{}/%") classes[character.charCodeAt(0)] = DELIMITER;

const INITIAL: PaintState = { fill: undefined, stroke: undefined, mask: undefined, font: undefined };

/** Says of the name of an ExtGState resource whether it sets a soft mask or takes it away; undefined where it does neither. */
export type MaskOf = (name: string) => boolean | undefined;

/**
 * Counts what content does, by the state in which it does it. Content may come in several streams, one after the other. Where
 * the data of an inline image ends is a guess, as it is for every reader.
 */
export class ContentCounter {
  readonly #maskOf: MaskOf;
  readonly #usages = new Map<string, Usage>();
  readonly #saved: PaintState[] = [];
  #state = INITIAL;
  #usage = this.#usageOf(INITIAL);
  /** Since the last operator: the name given, how many there were, and the bytes of strings. */
  #name = "";
  #names = 0;
  #strings = 0;

  constructor(maskOf: MaskOf) {
    this.#maskOf = maskOf;
  }

  /** What was done. */
  get usages(): readonly Usage[] {
    return [...this.#usages.values()];
  }

  feed(content: Uint8Array): void {
    for (let at = 0; at < content.length; at++) {
      const code = content[at] ?? 0;
      if (classes[code] === SPACE) continue;
      if (code === 0x28) {
        const end = endOfString(content, at);
        this.#strings += end - at;
        at = end;
      } else if (code === 0x25) {
        while (at < content.length && content[at] !== 10 && content[at] !== 13) at++;
      } else if (code === 0x3c && content[at + 1] === 0x3c) {
        at++;
      } else if (code === 0x3c) {
        const end = content.indexOf(0x3e, at);
        this.#strings += ((end < 0 ? content.length : end) - at) >> 1;
        at = end < 0 ? content.length : end;
      } else if (code === 0x2f) {
        const end = endOfWord(content, at + 1);
        this.#name = end - at > MOST_NAME ? "" : nameAt(content, at + 1, end);
        this.#names++;
        at = end - 1;
      } else if (classes[code] === REGULAR) {
        const end = endOfWord(content, at);
        // Behind a number an operator may follow at once.
        let start = at;
        while (start < end && isNumeric(content[start] ?? 0)) start++;
        const word = end - start <= MOST_OPERATOR ? textAt(content, start, end) : "";
        if (word !== "") this.#operator(word);
        else if (end > start) this.#names = 0;
        at = (word === "ID" ? (inlineImageEnd(content, end + 1)?.data ?? content.length) : end) - 1;
      }
    }
  }

  #operator(word: string): void {
    const state = this.#state;
    // Of two names one reader takes the first, another the last.
    const name = this.#names === 1 ? this.#name : "";
    const painted = PAINTS.get(word);
    if (painted !== undefined) {
      this.#usage.paints++;
      if (painted === "text") this.#usage.shown += this.#strings;
    } else if (word === "Do") this.#usage.draws.set(name, (this.#usage.draws.get(name) ?? 0) + 1);
    else if (word === "q") this.#saved.push(state);
    else if (word === "Q") this.#change(this.#saved.pop() ?? state);
    else if (word === "scn") this.#change({ ...state, fill: this.#names > 0 ? name : undefined });
    else if (word === "SCN") this.#change({ ...state, stroke: this.#names > 0 ? name : undefined });
    else if (FILL_COLOURS.has(word) && state.fill !== undefined) this.#change({ ...state, fill: undefined });
    else if (STROKE_COLOURS.has(word) && state.stroke !== undefined) this.#change({ ...state, stroke: undefined });
    else if (word === "Tf") this.#change({ ...state, font: name });
    else if (word === "gs") {
      const sets = name === "" || this.#maskOf(name);
      if (sets !== undefined) this.#change({ ...state, mask: sets ? name : undefined });
    }
    this.#names = 0;
    this.#strings = 0;
  }

  #change(state: PaintState): void {
    this.#state = state;
    this.#usage = this.#usageOf(state);
  }

  #usageOf(state: PaintState): Usage {
    const key = `${state.fill}/${state.stroke}/${state.mask}/${state.font}`;
    let usage = this.#usages.get(key);
    if (usage === undefined) this.#usages.set(key, (usage = { ...state, paints: 0, shown: 0, draws: new Map() }));
    return usage;
  }
}

/** Where a string ends, whose parenthesis opens at `at`. */
function endOfString(content: Uint8Array, at: number): number {
  let depth = 0;
  for (let index = at; index < content.length; index++) {
    const code = content[index];
    if (code === 0x5c) index++;
    else if (code === 0x28) depth++;
    else if (code === 0x29 && --depth === 0) return index;
  }
  return content.length;
}

function endOfWord(content: Uint8Array, from: number): number {
  let end = from;
  while (end < content.length && classes[content[end] ?? 0] === REGULAR) end++;
  return end;
}

const isNumeric = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b;

function textAt(content: Uint8Array, from: number, to: number): string {
  let word = "";
  for (let at = from; at < to; at++) word += String.fromCharCode(content[at] ?? 0);
  return word;
}

/** A name; "" where it is not plain: a number sign stands for another character, and beyond ASCII names are bytes. */
function nameAt(content: Uint8Array, from: number, to: number): string {
  for (let at = from; at < to; at++) if ((content[at] ?? 0) > 0x7e || content[at] === 0x23) return "";
  return textAt(content, from, to);
}
