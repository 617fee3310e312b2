/** Counts what a content stream paints and draws without executing it (ISO 32000-2, 7.8.2 and annex A). */
import type { Work } from "../../work.ts";
import { ContentLexer } from "./lexer.ts";

/** Names of resources that are in effect together. "" means unknown, undefined means none. */
export interface PaintState {
  /** Patterns for filling and stroking. */
  readonly fill: string | undefined;
  readonly stroke: string | undefined;
  /** The graphics state parameters whose soft mask is in effect. */
  readonly mask: string | undefined;
  readonly font: string | undefined;
}

/** What is painted and drawn in one such state. */
export interface Usage extends PaintState {
  /** Painting operators, not counting drawn XObjects. */
  paints: number;
  /** Bytes of text shown. */
  shown: number;
  /** Number of times each XObject is drawn. */
  readonly draws: Map<string, number>;
}

const PAINTS: ReadonlyMap<string, "path" | "text"> = new Map([
  ...["f", "F", "f*", "S", "s", "B", "B*", "b", "b*", "sh", "EI"].map((word) => [word, "path"] as const),
  ...["Tj", "TJ", "'", '"'].map((word) => [word, "text"] as const),
]);
const FILL_COLORS = new Set(["g", "rg", "k", "cs", "sc"]);
const STROKE_COLORS = new Set(["G", "RG", "K", "CS", "SC"]);
/** Longest operator in bytes. */
const MOST_OPERATOR = 3;
/** Longest name in bytes that is distinguished: readers may truncate longer ones. */
const MOST_NAME = 120;

const INITIAL: PaintState = { fill: undefined, stroke: undefined, mask: undefined, font: undefined };

/** Tells whether an ExtGState resource sets or clears a soft mask; undefined if neither. */
export type MaskOf = (name: string) => boolean | undefined;

/**
 * Counts what content does, by the state in which it does it. Content may come in several streams, one after the other. As
 * in any reader, the end of inline image data is a guess.
 */
export class ContentCounter {
  readonly #maskOf: MaskOf;
  readonly #usages = new Map<string, Usage>();
  readonly #saved: PaintState[] = [];
  #state = INITIAL;
  #usage = this.#usageOf(INITIAL);
  /** Since the last operator: the name operand, the number of names, and the bytes of strings. */
  #name = "";
  #names = 0;
  #strings = 0;

  constructor(maskOf: MaskOf) {
    this.#maskOf = maskOf;
  }

  /** The results. */
  get usages(): readonly Usage[] {
    return [...this.#usages.values()];
  }

  async feed(content: Uint8Array, work: Work): Promise<void> {
    const lexer = new ContentLexer(content);
    for (let token = lexer.next(); token; token = lexer.next()) {
      if (lexer.isDue) await work.rest();
      const { start, end } = lexer;
      if (token === "literal") this.#strings += end - start - 1;
      else if (token === "hex") this.#strings += (end - start - 1) >> 1;
      else if (token === "name") {
        this.#name = end - start > MOST_NAME ? "" : plain(lexer.text(start + 1, end));
        this.#names++;
      } else if (token === "word") {
        const word = end - start > MOST_OPERATOR ? undefined : lexer.text(start, end);
        if (word === undefined) this.#names = 0;
        else this.#operator(word);
        if (word !== "ID") continue;
        lexer.image();
        if (!lexer.unfinished) this.#operator("EI");
      }
    }
  }

  #operator(word: string): void {
    const state = this.#state;
    // With two names, some readers use the first and others the last.
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
    else if (FILL_COLORS.has(word) && state.fill !== undefined) this.#change({ ...state, fill: undefined });
    else if (STROKE_COLORS.has(word) && state.stroke !== undefined) this.#change({ ...state, stroke: undefined });
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

/** A name, or "" if it is not plain ASCII or contains escapes. */
function plain(name: string): string {
  return /^[^#\x7f-\xff]*$/.test(name) ? name : "";
}
