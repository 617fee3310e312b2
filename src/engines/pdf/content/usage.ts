/** Counts the paintings and drawings of a content stream without executing it (ISO 32000-2, 7.8.2 and annex A). */
import type { Work } from "../../work.ts";
import type { Parameters } from "./graphics-state.ts";
import { Run, type Visitor } from "./processor.ts";
import { TolerantOperators } from "./tolerant-operators.ts";

/** Names of resources that are in effect together. "" means unknown, undefined means none. */
export interface PaintState {
  /** Patterns for filling and stroking. */
  readonly fill: string | undefined;
  readonly stroke: string | undefined;
  /** The graphics state parameters whose soft mask is in effect. */
  readonly mask: string | undefined;
  readonly font: string | undefined;
}

/** The paintings and drawings in one such state. */
export interface Usage extends PaintState {
  /** Painting operators, not counting drawn XObjects. */
  paints: number;
  /** Bytes of text shown. */
  shown: number;
  /** Number of times each XObject is drawn. */
  readonly draws: Map<string, number>;
}

/** Tells whether an ExtGState resource sets or clears a soft mask; undefined if neither. */
export type MaskOf = (name: string) => boolean | undefined;

/**
 * Counts the operations of content by their state. Content may come in several streams, one after the other. As in any reader, the end of inline
 * image data is a guess.
 */
export class ContentCounter implements Visitor<string, void, TolerantOperators> {
  readonly keeps = ["color", "mask", "font"] as const;
  readonly #maskOf: MaskOf;
  readonly #usages = new Map<string, Usage>();
  readonly #operators = new TolerantOperators();
  readonly #run = new Run(this, this.#operators);
  /** The state that was in effect last, and its usage. */
  #lastState: unknown;
  #last: Usage | undefined;

  constructor(maskOf: MaskOf) {
    this.#maskOf = maskOf;
  }

  /** The results. */
  get usages(): readonly Usage[] {
    return [...this.#usages.values()];
  }

  feed(content: Uint8Array, work: Work): Promise<void> {
    this.#operators.restart(content);
    return this.#run.read(work);
  }

  fontNamed(name: string): string {
    return name;
  }

  parametersNamed(name: string): Parameters<string> {
    return { mask: name === "" || this.#maskOf(name) };
  }

  paint(): void {
    this.#usage.paints++;
  }

  shade(): void {
    this.paint();
  }

  endImage(): void {
    this.paint();
  }

  show(): void {
    this.paint();
    this.#usage.shown += this.#operators.stringBytes;
  }

  draw(): void {
    const { draws } = this.#usage;
    const name = this.#operators.name() ?? "";
    draws.set(name, (draws.get(name) ?? 0) + 1);
  }

  get #usage(): Usage {
    const { state } = this.#run;
    const last = this.#last;
    if (last && this.#lastState === state) return last;
    this.#lastState = state;
    const fill = state.fill.pattern;
    const stroke = state.stroke.pattern;
    const { mask, font } = state;
    // Most states differ in other colors.
    if (last && last.fill === fill && last.stroke === stroke && last.mask === mask && last.font === font) return last;
    const key = `${fill}/${stroke}/${mask}/${font}`;
    const usage = this.#usages.get(key) ?? { fill, stroke, mask, font, paints: 0, shown: 0, draws: new Map() };
    this.#usages.set(key, usage);
    this.#last = usage;
    return usage;
  }
}
