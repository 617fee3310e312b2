/** Reads outlines of Compact Font Format fonts (Adobe Technical Note 5177). */
import type { CffIndex } from "./cff.ts";
import { STANDARD_ENCODING } from "./encoding.ts";
import type { Outline, Stem, Stems, Step } from "./type1-outlines.ts";
import { UnknownFont } from "./unknown-font.ts";

/** Subroutines within each other (appendix B), bytes of a glyph up to its first operator, and instructions of an outline. */
const [MOST_CALLS, MOST_BEFORE_PATH, MOST_INSTRUCTIONS] = [10, 400, 20_000];
/** Operands of an operator (appendix B), with a width. */
const MOST_OPERANDS = 513;

interface Subroutines {
  readonly global: CffIndex;
  readonly local: CffIndex | undefined;
}

const STEMS = new Set([1, 3, 18, 23]);
const MASKS = new Set([19, 20]);
const VERTICAL_STEMS = new Set([3, 23]);
/** Operands of the operators that move. */
const MOVES: ReadonlyMap<number, number> = new Map([
  [4, 1],
  [21, 2],
  [22, 1],
]);
const END_CHAR = 14;
/** `dotsection`, which is a hint of Type 1 and does nothing (appendix A). */
const DOT_SECTION = 0xc00;

/** Reads one CharString. */
export class Type2Reader {
  readonly #subroutines: Subroutines;
  readonly #isWidthOnly: boolean;
  readonly #steps: Step[] = [];
  readonly #stems: Stems = { horizontal: [], vertical: [] };
  #stack: number[] = [];
  #width: number | undefined;
  #hasWidth = false;
  #hasMask = false;
  #x = 0;
  #y = 0;
  /** The codes in StandardEncoding of the letter and the accent that a glyph is composed of, and the place of the accent (appendix C). */
  #parts: { readonly letter: number; readonly accent: number; readonly place: readonly [number, number] } | undefined;
  /** Instructions so far. */
  count = 0;

  private constructor(subroutines: Subroutines, isWidthOnly: boolean) {
    this.#subroutines = subroutines;
    this.#isWidthOnly = isWidthOnly;
  }

  /** The width as the CharString has it, which is relative; undefined if it has none. `count`: instructions that were read. */
  static width(
    code: Uint8Array,
    subroutines: Subroutines,
  ): { readonly width: number | undefined; readonly count: number } {
    const reader = new Type2Reader(subroutines, true);
    reader.#run(code, 0);
    return { width: reader.#width, count: reader.count };
  }

  /**
   * The outline, whose width is relative, as the CharString has it: undefined if it has none.
   * @param glyphNamed the CharString of a part of a composed glyph
   * @throws UnknownFont
   */
  static outline(
    code: Uint8Array,
    subroutines: Subroutines,
    glyphNamed: (name: string) => Uint8Array | undefined,
  ): { readonly width: number | undefined; readonly steps: Outline["steps"]; readonly count: number } {
    const reader = new Type2Reader(subroutines, false);
    if (reader.#run(code, 0) !== true) throw new UnknownFont();
    const parts = reader.#parts;
    if (!parts) {
      if (!reader.#hasMask) reader.#steps.unshift({ kind: "stems", stems: reader.#stems });
      return { width: reader.#width, steps: reader.#steps, count: reader.count };
    }
    const steps: Step[] = [];
    let { count } = reader;
    for (const [part, [dx, dy]] of [
      [parts.letter, [0, 0]],
      [parts.accent, parts.place],
    ] as const) {
      const own = glyphNamed(STANDARD_ENCODING.get(part) ?? "");
      if (!own) throw new UnknownFont();
      const drawn = new Type2Reader(subroutines, false);
      if (drawn.#run(own, 0) !== true || drawn.#parts) throw new UnknownFont();
      count += drawn.count;
      for (const step of drawn.#steps)
        if (step.kind !== "stems")
          steps.push({ kind: step.kind, points: step.points.map((value, at) => value + (at % 2 === 0 ? dx : dy)) });
    }
    return { width: reader.#width, steps, count };
  }

  /** True: the outline has ended, or its width is known and nothing else is wanted. Otherwise, the subroutine has returned. */
  #run(code: Uint8Array, depth: number): boolean {
    if (depth > MOST_CALLS) throw new UnknownFont();
    const stack = (): number[] => this.#stack;
    for (let at = 0; at < code.length;) {
      if (++this.count > (this.#isWidthOnly ? MOST_BEFORE_PATH : MOST_INSTRUCTIONS)) throw new UnknownFont();
      const byte = code[at++] ?? 0;
      const next = (): number => code[at++] ?? 0;
      if (byte >= 32 || byte === 28) {
        if (this.#stack.length >= MOST_OPERANDS) throw new UnknownFont();
        if (byte === 28) stack().push(((next() << 24) | (next() << 16)) >> 16);
        else if (byte <= 246) stack().push(byte - 139);
        else if (byte <= 250) stack().push((byte - 247) * 256 + next() + 108);
        else if (byte <= 254) stack().push(-(byte - 251) * 256 - next() - 108);
        else stack().push(((next() << 24) | (next() << 16) | (next() << 8) | next()) / 65_536);
      } else if (byte === 10 || byte === 29) {
        const index = byte === 10 ? this.#subroutines.local : this.#subroutines.global;
        if (!index) throw new UnknownFont();
        const bias = index.count < 1240 ? 107 : index.count < 33_900 ? 1131 : 32_768;
        if (this.#run(index.item((stack().pop() ?? 0) + bias), depth + 1)) return true;
      } else if (byte === 11) return false;
      else {
        // Arithmetic before a path may compute the width.
        if (byte === 12 && !this.#hasWidth) throw new UnknownFont();
        this.#takeWidth(byte);
        if (this.#isWidthOnly) return true;
        if (byte === END_CHAR) {
          const [dx = 0, dy = 0, letter, accent] = this.#stack;
          if (letter !== undefined && accent !== undefined) this.#parts = { letter, accent, place: [dx, dy] };
          return true;
        }
        if (STEMS.has(byte)) this.#addStems(VERTICAL_STEMS.has(byte));
        else if (MASKS.has(byte)) {
          this.#addStems(true);
          const { horizontal, vertical } = this.#stems;
          const size = (horizontal.length + vertical.length + 7) >> 3;
          if (byte === 19) this.#mask(code.subarray(at, at + size));
          at += size;
        } else this.#draw(byte === 12 ? 0xc00 | next() : byte);
        this.#stack = [];
      }
    }
    return false;
  }

  /** If there are more operands than the first operator takes, the first one is the width. */
  #takeWidth(operator: number): void {
    if (this.#hasWidth) return;
    this.#hasWidth = true;
    const { length } = this.#stack;
    const move = MOVES.get(operator);
    const has =
      STEMS.has(operator) || MASKS.has(operator)
        ? length % 2 === 1
        : move !== undefined
          ? length > move
          : operator === END_CHAR && (length === 1 || length === 5);
    if (has) this.#width = this.#stack.shift();
  }

  #addStems(isVertical: boolean): void {
    const stems: Stem[] = isVertical ? this.#stems.vertical : this.#stems.horizontal;
    let edge = 0;
    for (let at = 0; at + 1 < this.#stack.length; at += 2) {
      const [start, width] = [edge + (this.#stack[at] ?? 0), this.#stack[at + 1] ?? 0];
      stems.push([start, width]);
      edge = start + width;
    }
  }

  /** From here on, the stems apply whose bits are set. */
  #mask(bits: Uint8Array): void {
    this.#hasMask = true;
    const isSet = (place: number): boolean => ((bits[place >> 3] ?? 0) & (128 >> (place & 7))) !== 0;
    const { horizontal, vertical } = this.#stems;
    this.#steps.push({
      kind: "stems",
      stems: {
        horizontal: horizontal.filter((_, place) => isSet(place)),
        vertical: vertical.filter((_, place) => isSet(horizontal.length + place)),
      },
    });
  }

  #move(dx: number, dy: number): void {
    [this.#x, this.#y] = [this.#x + dx, this.#y + dy];
    this.#steps.push({ kind: "move", points: [this.#x, this.#y] });
  }

  #line(dx: number, dy: number): void {
    [this.#x, this.#y] = [this.#x + dx, this.#y + dy];
    this.#steps.push({ kind: "line", points: [this.#x, this.#y] });
  }

  #curve(dx1: number, dy1: number, dx2: number, dy2: number, dx3: number, dy3: number): void {
    const [x1, y1] = [this.#x + dx1, this.#y + dy1];
    const [x2, y2] = [x1 + dx2, y1 + dy2];
    [this.#x, this.#y] = [x2 + dx3, y2 + dy3];
    this.#steps.push({ kind: "curve", points: [x1, y1, x2, y2, this.#x, this.#y] });
  }

  #draw(operator: number): void {
    const stack = this.#stack;
    const value = (at: number): number => stack[at] ?? 0;
    const lines = (from: number, to: number): void => {
      for (let at = from; at + 2 <= to; at += 2) this.#line(value(at), value(at + 1));
    };
    const curves = (from: number, to: number): void => {
      for (let at = from; at + 6 <= to; at += 6)
        this.#curve(value(at), value(at + 1), value(at + 2), value(at + 3), value(at + 4), value(at + 5));
    };
    const { length } = stack;
    if (operator === 4) this.#move(0, value(0));
    else if (operator === 21) this.#move(value(0), value(1));
    else if (operator === 22) this.#move(value(0), 0);
    else if (operator === 5) lines(0, length);
    else if (operator === 6 || operator === 7) {
      for (let at = 0; at < length; at++) {
        if ((operator === 6) === (at % 2 === 0)) this.#line(value(at), 0);
        else this.#line(0, value(at));
      }
    } else if (operator === 8) curves(0, length);
    else if (operator === 24) {
      curves(0, length - 2);
      lines(length - 2, length);
    } else if (operator === 25) {
      lines(0, length - 6);
      curves(length - 6, length);
    } else if (operator === 26 || operator === 27) this.#alike(operator === 27);
    else if (operator === 30 || operator === 31) this.#alternating(operator === 31);
    else if (operator !== DOT_SECTION) this.#flex(operator);
  }

  /** Curves that begin and end horizontally (`hhcurveto`), or vertically (`vvcurveto`). */
  #alike(isHorizontal: boolean): void {
    const stack = this.#stack;
    let at = stack.length % 4 === 1 ? 1 : 0;
    let across = at === 1 ? (stack[0] ?? 0) : 0;
    for (; at + 4 <= stack.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0] = stack.slice(at, at + 4);
      if (isHorizontal) this.#curve(a, across, b, c, d, 0);
      else this.#curve(across, a, b, c, 0, d);
      across = 0;
    }
  }

  /** Curves that begin horizontally and end vertically, and the other way round in turn. */
  #alternating(startsHorizontal: boolean): void {
    const stack = this.#stack;
    let isHorizontal = startsHorizontal;
    for (let at = 0; at + 4 <= stack.length; at += 4) {
      const [a = 0, b = 0, c = 0, d = 0, e = 0] = stack.slice(at, at + 5);
      const last = stack.length - at === 5 ? e : 0;
      if (isHorizontal) this.#curve(a, 0, b, c, last, d);
      else this.#curve(0, a, b, c, d, last);
      isHorizontal = !isHorizontal;
    }
  }

  #flex(operator: number): void {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0, k = 0, l = 0] = this.#stack;
    if (operator === 0xc22) {
      this.#curve(a, 0, b, c, d, 0);
      this.#curve(e, 0, f, -c, g, 0);
    } else if (operator === 0xc23) {
      this.#curve(a, b, c, d, e, f);
      this.#curve(g, h, i, j, k, l);
    } else if (operator === 0xc24) {
      this.#curve(a, b, c, d, e, 0);
      this.#curve(f, 0, g, h, i, -(b + d + h));
    } else if (operator === 0xc25) {
      const [x, y] = [a + c + e + g + i, b + d + f + h + j];
      this.#curve(a, b, c, d, e, f);
      if (Math.abs(x) > Math.abs(y)) this.#curve(g, h, i, j, k, -y);
      else this.#curve(g, h, i, j, -x, k);
    } else throw new UnknownFont();
  }
}
