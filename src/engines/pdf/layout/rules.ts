/** Lines that are drawn on a page, and the boxes that are filled. */
import type { Area } from "./words.ts";

/** A straight line: at `at` across its direction, from `from` to `to` along it. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** Where the pieces meet in which it is drawn, such as the borders of cells. */
  readonly joints?: readonly number[];
  /** Whether nothing is drawn there but where backgrounds end. */
  readonly background?: boolean;
}

export interface Rules {
  /** `at` is `y`. */
  readonly horizontal: readonly Rule[];
  /** `at` is `x`. */
  readonly vertical: readonly Rule[];
  /** Boxes with a background, also one that is not seen. */
  readonly fills: readonly Area[];
}

/** A drawing other than text, as MuPDF reports it. */
export interface Drawn extends Area {
  readonly stroked: boolean;
  readonly rectangle: boolean;
  /** 0xAARRGGBB. */
  readonly color: number;
}

/** A filled box up to this thickness in points is a line. */
const THICK = 3;
/** The least height in points of a background. */
const LEAST_BACKGROUND = 6;
/** MuPDF extends a stroke by its line width times its miter limit: up to this many points in all for a line. */
const STROKE = 13;
/** Lines this close are one, in points. */
const SAME = 1.5;
const JOINED = 3;
/** Lines that are looked at. More are a drawing. */
const MOST_RULES = 3000;

export function rulesOf(drawn: readonly Drawn[]): Rules {
  const horizontal: Rule[] = [];
  const vertical: Rule[] = [];
  const edges = ({ x0, y0, x1, y1 }: Area, background: boolean): void => {
    for (const at of [y0, y1]) horizontal.push({ at, from: x0, to: x1, background });
    for (const at of [x0, x1]) vertical.push({ at, from: y0, to: y1, background });
  };
  const fills: Drawn[] = [];
  const backgrounds = drawn.filter((box) => !box.stroked && box.rectangle && box.y1 - box.y0 >= LEAST_BACKGROUND);
  for (const box of drawn) {
    const [width, height] = [box.x1 - box.x0, box.y1 - box.y0];
    const thin = Math.min(width, height);
    if (box.stroked) {
      if (!box.rectangle) continue;
      const inset = thin / 2;
      // MuPDF extends rectangles less than lines.
      if (thin > STROKE) edges({ x0: box.x0 + 1, y0: box.y0 + 1, x1: box.x1 - 1, y1: box.y1 - 1 }, false);
      else if (width > height) horizontal.push({ at: (box.y0 + box.y1) / 2, from: box.x0 + inset, to: box.x1 - inset });
      else vertical.push({ at: (box.x0 + box.x1) / 2, from: box.y0 + inset, to: box.y1 - inset });
    } else if (thin <= THICK) {
      if (isWhite(box.color)) continue;
      if (width > height) horizontal.push({ at: (box.y0 + box.y1) / 2, from: box.x0, to: box.x1 });
      else vertical.push({ at: (box.x0 + box.x1) / 2, from: box.y0, to: box.y1 });
    } else if (box.rectangle && thin >= LEAST_BACKGROUND) fills.push(box);
  }
  const looked = fills.filter((box) => !isWhite(box.color)).slice(0, MOST_RULES);
  for (const box of looked) {
    // A background of a line of text within a cell's.
    const isNested = looked.some((other) => other !== box && other.color === box.color && isLarger(other, box));
    if (!isNested) edges(box, true);
  }
  return { horizontal: joined(horizontal), vertical: joined(vertical), fills: backgrounds.slice(0, MOST_RULES) };
}

/** The drawn lines, without the ends of backgrounds. */
export const linesIn = ({ horizontal, vertical }: Rules): Pick<Rules, "horizontal" | "vertical"> => ({
  horizontal: horizontal.filter(({ background }) => background !== true),
  vertical: vertical.filter(({ background }) => background !== true),
});

const isWhite = (color: number): boolean => (color & 0xf8f8f8) === 0xf8f8f8 || color >>> 24 < 8;

const isLarger = (a: Area, b: Area): boolean =>
  a.x0 <= b.x0 + 1 &&
  a.y0 <= b.y0 + 1 &&
  a.x1 >= b.x1 - 1 &&
  a.y1 >= b.y1 - 1 &&
  a.x1 - a.x0 + a.y1 - a.y0 > b.x1 - b.x0 + b.y1 - b.y0 + 2;

/** Lines without duplicates, pieces of one line put together. */
function joined(rules: readonly Rule[]): Rule[] {
  if (rules.length > 4 * MOST_RULES) return [];
  const sorted = rules.toSorted((a, b) => a.at - b.at);
  const lines: Rule[] = [];
  for (let from = 0; from < sorted.length;) {
    const start = sorted[from]?.at ?? 0;
    let to = from;
    while (to < sorted.length && (sorted[to]?.at ?? 0) - start <= SAME) to++;
    const group = sorted.slice(from, to).toSorted((a, b) => a.from - b.from);
    let line: { at: number; from: number; to: number; joints: number[]; background: boolean } | undefined;
    for (const rule of group) {
      if (line !== undefined && rule.from <= line.to + JOINED) {
        if (Math.abs(rule.from - line.to) < SAME) line.joints.push(rule.from);
        line.to = Math.max(line.to, rule.to);
        line.background &&= rule.background === true;
      } else lines.push((line = { ...rule, joints: [], background: rule.background === true }));
    }
    from = to;
  }
  return lines.filter((line) => line.to - line.from >= 4);
}
