/** Draws the outlines of Type 1 fonts (Adobe Type 1 Font Format, chapters 6 and 8). */
import type { ParseMeter } from "../../parse-meter.ts";
import { STANDARD_ENCODING } from "./encoding.ts";
import type { Type1Font } from "./type1.ts";
import { UnknownFont } from "./unknown-font.ts";

/** A stem: where it begins, and its width. A width of -20 or -21 marks an edge. */
export type Stem = readonly [number, number];

export interface Stems {
  readonly horizontal: Stem[];
  readonly vertical: Stem[];
}

/** Points are absolute, in units of the font: x and y of one, or of three for a curve. */
export type Step =
  | { readonly kind: "move" | "line" | "curve"; readonly points: readonly number[] }
  /** From here on, other stems apply. */
  | { readonly kind: "stems"; readonly stems: Stems };

export interface Outline {
  readonly width: number;
  readonly steps: readonly Step[];
}

/** Most instructions in one outline, including those of its subroutines, and how deep these may call each other. */
const [MOST_STEPS, MOST_DEPTH] = [20_000, 12];
/** The same for all outlines of a font. */
const MOST_OF_FONT = 500_000;

type Outlines = Pick<Type1Font, "outlines" | "subroutines">;

/** Draws the outlines of one font. */
export class OutlineReader {
  readonly #font: Outlines;
  readonly #meter: ParseMeter;
  #left = MOST_OF_FONT;

  constructor(font: Outlines, meter: ParseMeter) {
    this.#font = font;
    this.#meter = meter;
  }

  /** @throws UnknownFont */
  draw(name: string): Outline {
    const pen = new Pen(this.#font, Math.min(MOST_STEPS, this.#left));
    const outline = pen.draw(name);
    this.#left -= pen.count;
    this.#meter.element(1 + pen.count);
    return outline;
  }
}

class Pen {
  readonly #font: Outlines;
  readonly #most: number;
  readonly #steps: Step[] = [];
  #width = 0;
  #left = 0;
  #x = 0;
  #y = 0;
  /** Added to all coordinates: the position of an accent. */
  #shift: readonly [number, number] = [0, 0];
  #stems: Stems = { horizontal: [], vertical: [] };
  #isDrawing = false;
  #stack: number[] = [];
  /** Values that PostScript procedures have returned. */
  #returned: number[] = [];
  /** Points of a flex so far (8.3). */
  #flex: [number, number][] | undefined;
  /** Instructions so far. */
  count = 0;

  constructor(font: Outlines, most: number) {
    this.#font = font;
    this.#most = most;
  }

  draw(name: string): Outline {
    this.#begin(name);
    return { width: this.#width, steps: this.#steps };
  }

  #begin(name: string): void {
    const code = this.#font.outlines.get(name);
    if (!code) throw new UnknownFont();
    [this.#x, this.#y, this.#left, this.#isDrawing] = [0, 0, 0, false];
    this.#stack = [];
    this.#newStems();
    if (!this.#run(code, 0)) throw new UnknownFont();
  }

  /** Returns whether the outline has ended. */
  #run(code: Uint8Array, depth: number): boolean {
    if (depth > MOST_DEPTH) throw new UnknownFont();
    for (let at = 0; at < code.length;) {
      if (++this.count > this.#most) throw new UnknownFont();
      const byte = code[at++] ?? 0;
      const next = (): number => code[at++] ?? 0;
      if (byte >= 32) {
        if (byte <= 246) this.#stack.push(byte - 139);
        else if (byte <= 250) this.#stack.push((byte - 247) * 256 + next() + 108);
        else if (byte <= 254) this.#stack.push(-(byte - 251) * 256 - next() - 108);
        else this.#stack.push((next() << 24) | (next() << 16) | (next() << 8) | next());
      } else if (byte === 10) {
        const subroutine = this.#font.subroutines.get(this.#stack.pop() ?? -1);
        if (!subroutine) throw new UnknownFont();
        if (this.#run(subroutine, depth + 1)) return true;
      } else if (byte === 11) return false;
      else if (byte === 14) return true;
      else if (byte === 12) {
        if (this.#escaped(next())) return true;
      } else this.#plain(byte);
    }
    return false;
  }

  #plain(operator: number): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = this.#stack;
    this.#stack = [];
    if (operator === 1) this.#stems.horizontal.push([a + this.#shift[1], b]);
    else if (operator === 3) this.#stems.vertical.push([a + this.#left + this.#shift[0], b]);
    else if (operator === 4) this.#move(0, a);
    else if (operator === 5) this.#line(a, b);
    else if (operator === 6) this.#line(a, 0);
    else if (operator === 7) this.#line(0, a);
    else if (operator === 8) this.#curve(a, b, c, d, e, f);
    else if (operator === 9) this.#isDrawing = false;
    else if (operator === 13) this.#metrics(a, 0, b);
    else if (operator === 21) this.#move(a, b);
    else if (operator === 22) this.#move(a, 0);
    else if (operator === 30) this.#curve(0, a, b, c, d, 0);
    else if (operator === 31) this.#curve(a, 0, b, c, 0, d);
    else throw new UnknownFont();
  }

  /** Operators of two bytes. Returns whether the outline has ended. */
  #escaped(operator: number): boolean {
    const stack = this.#stack;
    if (operator === 12) {
      const [divisor = 1, number = 0] = [stack.pop(), stack.pop()];
      stack.push(number / divisor);
    } else if (operator === 16) this.#procedure();
    else if (operator === 17) stack.push(this.#returned.pop() ?? 0);
    else if (operator === 6) {
      const [bearing = 0, x = 0, y = 0, base = 0, accent = 0] = stack;
      this.#compose([x - bearing + this.#left, y], base, accent);
      return true;
    } else {
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = stack;
      this.#stack = [];
      const stems = [
        [a, b],
        [c, d],
        [e, f],
      ] as const;
      if (operator === 1) {
        for (const [at, width] of stems) this.#stems.vertical.push([at + this.#left + this.#shift[0], width]);
      } else if (operator === 2) {
        for (const [at, width] of stems) this.#stems.horizontal.push([at + this.#shift[1], width]);
      } else if (operator === 7) {
        if (d !== 0) throw new UnknownFont();
        this.#metrics(a, b, c);
      } else if (operator !== 0 && operator !== 33) throw new UnknownFont();
    }
    return false;
  }

  /** Calls one of the procedures that every font has (8.3, 8.1): flex, and the replacement of stems. */
  #procedure(): void {
    const [number = -1, count = 0] = [this.#stack.pop(), this.#stack.pop()];
    const operands = this.#stack.splice(Math.max(0, this.#stack.length - count));
    this.#returned = [];
    if (number === 1) this.#flex = [];
    else if (number === 2) this.#flex?.push([this.#x, this.#y]);
    else if (number === 0) {
      const points = this.#flex;
      this.#flex = undefined;
      // The first is only a reference point.
      const [, one, two, three, four, five, six] = points ?? [];
      if (points?.length !== 7 || !one || !two || !three || !four || !five || !six) throw new UnknownFont();
      this.#push("curve", [...one, ...two, ...three]);
      this.#push("curve", [...four, ...five, ...six]);
      this.#returned = [operands[2] ?? 0, operands[1] ?? 0];
    } else if (number === 3) {
      this.#newStems();
      this.#returned = [operands[0] ?? 3];
    } else if (number === 12 || number === 13) {
      // Counters of stems, which are only hints.
    } else throw new UnknownFont();
  }

  #newStems(): void {
    this.#stems = { horizontal: [], vertical: [] };
    this.#steps.push({ kind: "stems", stems: this.#stems });
  }

  #metrics(x: number, y: number, width: number): void {
    [this.#x, this.#y, this.#left, this.#width] = [x, y, x, width];
  }

  /** An accented letter: a letter, and an accent with its origin at a place (6.4, `seac`). */
  #compose(place: readonly [number, number], base: number, accent: number): void {
    const [letter, mark] = [STANDARD_ENCODING.get(base), STANDARD_ENCODING.get(accent)];
    if (letter === undefined || mark === undefined || this.#shift[0] !== 0 || this.#shift[1] !== 0) {
      throw new UnknownFont();
    }
    const width = this.#width;
    this.#begin(letter);
    this.#shift = place;
    this.#begin(mark);
    this.#width = width;
  }

  #push(kind: "move" | "line" | "curve", points: readonly number[]): void {
    const [dx, dy] = this.#shift;
    this.#steps.push({ kind, points: points.map((value, index) => value + (index % 2 === 0 ? dx : dy)) });
  }

  #move(dx: number, dy: number): void {
    this.#x += dx;
    this.#y += dy;
    if (this.#flex) return;
    this.#isDrawing = true;
    this.#push("move", [this.#x, this.#y]);
  }

  #line(dx: number, dy: number): void {
    this.#start();
    this.#x += dx;
    this.#y += dy;
    this.#push("line", [this.#x, this.#y]);
  }

  #curve(dx1: number, dy1: number, dx2: number, dy2: number, dx3: number, dy3: number): void {
    this.#start();
    const [x1, y1] = [this.#x + dx1, this.#y + dy1];
    const [x2, y2] = [x1 + dx2, y1 + dy2];
    [this.#x, this.#y] = [x2 + dx3, y2 + dy3];
    this.#push("curve", [x1, y1, x2, y2, this.#x, this.#y]);
  }

  /** A path that does not begin with a move begins at the current point. */
  #start(): void {
    if (!this.#isDrawing) this.#move(0, 0);
  }
}
