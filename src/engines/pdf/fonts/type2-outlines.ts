/** Writes outlines of Compact Font Format fonts (Adobe Technical Note 5177). */
import type { Outline, Stem, Step, Stems } from "./type1-outlines.ts";

export interface Widths {
  /** The width that is not written. */
  readonly usual: number;
  /** Other widths are written as differences from this one. */
  readonly nominal: number;
}

/** Most operands of one operator. */
const MOST_OPERANDS = 48;
/** Most stems of an outline; more are left out, since they only help on coarse pixels. */
const MOST_STEMS = 22;

const OPERATORS = {
  hstem: 1,
  vstem: 3,
  rlineto: 5,
  hlineto: 6,
  vlineto: 7,
  rrcurveto: 8,
  endchar: 14,
  hstemhm: 18,
  hintmask: 19,
  rmoveto: 21,
  hmoveto: 22,
  vmoveto: 4,
  vvcurveto: 26,
  hhcurveto: 27,
  vhcurveto: 30,
  hvcurveto: 31,
} as const;

export function writeCharstring({ width, steps }: Outline, { usual, nominal }: Widths): Uint8Array {
  const writer = new Writer(width === usual ? [] : [width - nominal]);
  writer.write(steps);
  return Uint8Array.from(writer.bytes);
}

class Writer {
  readonly bytes: number[] = [];
  /** The width, which precedes the operands of the first operator. */
  #width: readonly number[];
  #x = 0;
  #y = 0;

  constructor(width: readonly number[]) {
    this.#width = width;
  }

  write(steps: readonly Step[]): void {
    const groups = steps.flatMap((step) => (step.kind === "stems" ? [step.stems] : [])).filter(hasAny);
    const all = { horizontal: union(groups, "horizontal"), vertical: union(groups, "vertical") };
    const fit = all.horizontal.length <= MOST_STEMS && all.vertical.length <= MOST_STEMS;
    // Stems that apply to a part of the outline need masks, and so do stems that overlap.
    const isMasked = fit && groups.length > 1;
    if (fit) this.#stems(all, isMasked);
    const relative: number[][] = [];
    // Before the first part, too: a mask ends the list of vertical stems.
    let mask: Stems | undefined = isMasked ? { horizontal: [], vertical: [] } : undefined;
    const flush = (): void => {
      this.#paths(relative);
      relative.length = 0;
    };
    for (const step of steps) {
      if (step.kind === "stems") {
        if (isMasked && hasAny(step.stems)) mask = step.stems;
        continue;
      }
      if (mask) {
        flush();
        this.#mask(mask, all);
        mask = undefined;
      }
      const deltas: number[] = [];
      for (let at = 0; at < step.points.length; at += 2) {
        // Rounded in the written form, so that errors do not add up.
        const [x, y] = [rounded(step.points[at] ?? 0), rounded(step.points[at + 1] ?? 0)];
        deltas.push(x - this.#x, y - this.#y);
        [this.#x, this.#y] = [x, y];
      }
      if (step.kind === "move") {
        flush();
        this.#move(deltas);
      } else relative.push(deltas);
    }
    flush();
    this.#operator("endchar", []);
  }

  #stems({ horizontal, vertical }: Stems, isMasked: boolean): void {
    if (horizontal.length > 0) this.#operator(isMasked ? "hstemhm" : "hstem", deltasOf(horizontal));
    if (vertical.length === 0) return;
    // Directly before the first mask, the operator of vertical stems is left out.
    if (isMasked) this.#operands([...this.#takeWidth(), ...deltasOf(vertical)]);
    else this.#operator("vstem", deltasOf(vertical));
  }

  #mask(stems: Stems, all: Stems): void {
    const bits = [
      ...all.horizontal.map((stem) => has(stems.horizontal, stem)),
      ...all.vertical.map((stem) => has(stems.vertical, stem)),
    ];
    this.bytes.push(OPERATORS.hintmask);
    for (let at = 0; at < bits.length; at += 8) {
      this.bytes.push(bits.slice(at, at + 8).reduce((byte, bit, index) => byte | (bit ? 128 >> index : 0), 0));
    }
  }

  #move([dx = 0, dy = 0]: readonly number[]): void {
    if (dy === 0) this.#operator("hmoveto", [dx]);
    else if (dx === 0) this.#operator("vmoveto", [dy]);
    else this.#operator("rmoveto", [dx, dy]);
  }

  /** Lines (two numbers) and curves (six), as many as possible with one operator. */
  #paths(steps: readonly (readonly number[])[]): void {
    for (let at = 0; at < steps.length;) {
      const kind = kindOf(steps[at] ?? []);
      const isAlternating = kind in AFTER;
      const operands: number[] = [];
      let expected = kind;
      for (; at < steps.length; at++) {
        const step = steps[at] ?? [];
        const used = operandsOf(step, expected);
        if (kindOf(step) !== expected || operands.length + used.length > MOST_OPERANDS) break;
        operands.push(...used);
        if (isAlternating) expected = AFTER[expected] ?? expected;
      }
      this.#operator(kind, operands);
    }
  }

  #operator(name: keyof typeof OPERATORS, operands: readonly number[]): void {
    this.#operands([...this.#takeWidth(), ...operands]);
    this.bytes.push(OPERATORS[name]);
  }

  #takeWidth(): readonly number[] {
    const width = this.#width;
    this.#width = [];
    return width;
  }

  #operands(numbers: readonly number[]): void {
    for (const number of numbers) this.#number(number);
  }

  #number(number: number): void {
    const value = rounded(number);
    if (!Number.isInteger(value)) {
      const fixed = Math.round(value * 65_536);
      this.bytes.push(255, (fixed >> 24) & 255, (fixed >> 16) & 255, (fixed >> 8) & 255, fixed & 255);
    } else if (value >= -107 && value <= 107) this.bytes.push(value + 139);
    else if (value >= 108 && value <= 1131) this.bytes.push(247 + ((value - 108) >> 8), (value - 108) & 255);
    else if (value >= -1131 && value <= -108) this.bytes.push(251 + ((-value - 108) >> 8), (-value - 108) & 255);
    else this.bytes.push(28, (value >> 8) & 255, value & 255);
  }
}

type PathKind = "rlineto" | "hlineto" | "vlineto" | "rrcurveto" | "hhcurveto" | "vvcurveto" | "hvcurveto" | "vhcurveto";

/** Kinds that alternate within the operands of one operator. */
const AFTER: Readonly<Partial<Record<PathKind, PathKind>>> = {
  hlineto: "vlineto",
  vlineto: "hlineto",
  hvcurveto: "vhcurveto",
  vhcurveto: "hvcurveto",
};

function kindOf([dx1 = 0, dy1 = 0, ...rest]: readonly number[]): PathKind {
  if (rest.length === 0) return dy1 === 0 ? "hlineto" : dx1 === 0 ? "vlineto" : "rlineto";
  const [, , dx3 = 0, dy3 = 0] = rest;
  if (dy1 === 0) return dx3 === 0 ? "hvcurveto" : dy3 === 0 ? "hhcurveto" : "rrcurveto";
  if (dx1 === 0) return dy3 === 0 ? "vhcurveto" : dx3 === 0 ? "vvcurveto" : "rrcurveto";
  return "rrcurveto";
}

function operandsOf(step: readonly number[], kind: PathKind): readonly number[] {
  const [dx1 = 0, dy1 = 0, dx2 = 0, dy2 = 0, dx3 = 0, dy3 = 0] = step;
  if (kind === "hlineto") return [dx1];
  if (kind === "vlineto") return [dy1];
  if (kind === "rlineto" || kind === "rrcurveto") return step;
  const first = kind === "hvcurveto" || kind === "hhcurveto" ? dx1 : dy1;
  return [first, dx2, dy2, kind === "hvcurveto" || kind === "vvcurveto" ? dy3 : dx3];
}

/** As precise as a number in an outline can be. */
const rounded = (value: number): number => Math.round(value * 65_536) / 65_536;

const hasAny = ({ horizontal, vertical }: Stems): boolean => horizontal.length + vertical.length > 0;

const has = (stems: readonly Stem[], [at, width]: Stem): boolean =>
  stems.some((stem) => stem[0] === at && stem[1] === width);

/** All stems of one direction, each once, in the order that is required: from the lowest. */
function union(groups: readonly Stems[], direction: keyof Stems): Stem[] {
  const found = new Map<string, Stem>();
  for (const group of groups) for (const stem of group[direction]) found.set(stem.join(" "), stem);
  return [...found.values()].sort((a, b) => a[0] - b[0] || a[0] + a[1] - b[0] - b[1]);
}

/** Each edge relative to the one before. */
function deltasOf(stems: readonly Stem[]): number[] {
  let last = 0;
  return stems.flatMap(([at, width]) => {
    const deltas = [at - last, width];
    last = at + width;
    return deltas;
  });
}
