/** Columns of text, and the order in which the parts of a page are read. */
import type { Steps } from "../../steps.ts";
import { countBelow } from "./columns.ts";
import type { Rules } from "./rules.ts";
import { type Area, areaOf, median, type Row, rowOf, rowSteps, type Word } from "./words.ts";
import { isNumeric } from "./tables.ts";

/** The least white space between columns, in font sizes. */
const LEAST_GUTTER = 0.75;
/** The fewest lines of a column, their mean length in characters, and their mean width in font sizes. */
const [LEAST_LINES, LEAST_CHARACTERS, LEAST_WIDTH] = [3, 8, 9.5];
/** The widest share of a column that its lines fill, at the median. Cells of tables fill less. */
const LEAST_FILL = 0.6;
/** The largest leading of text, in font sizes, and the share of lines that may lie further below the one above. */
const [MOST_LEADING, MOST_APART] = [2.2, 0.4];
const MOST_DEPTH = 12;
const MOST_CANDIDATES = 10;
/** Fuel for a word at each place at which a column may begin. */
const CUT_WORK = 100;

/** A part of the page without columns side by side: its rows from top to bottom. */
export type Region = readonly Row[];

/**
 * Divides words into regions, in the order in which they are read. `obstacles`: areas that no column crosses, such as tables.
 */
export function* regionsOf(words: readonly Word[], obstacles: readonly Area[], rules: Rules): Steps<Region[]> {
  return yield* divide(yield* rowSteps(words), obstacles, rules, 0);
}

function* divide(rows: readonly Row[], obstacles: readonly Area[], rules: Rules, depth: number): Steps<Region[]> {
  if (rows.length === 0) return [];
  const cut = depth < MOST_DEPTH ? yield* bestCut(rows, obstacles, rules) : undefined;
  if (cut === undefined) return [rows];
  const { from, to, x } = cut;
  const inside = rows.slice(from, to);
  const side = (isLeft: boolean): Steps<Row[]> =>
    rowSteps(inside.flatMap((row) => row.words.filter((word) => (word.x0 + word.x1) / 2 < x === isLeft)));
  return [
    ...(yield* divide(rows.slice(0, from), obstacles, rules, depth + 1)),
    ...(yield* divide(yield* side(true), obstacles, rules, depth + 1)),
    ...(yield* divide(yield* side(false), obstacles, rules, depth + 1)),
    ...(yield* divide(rows.slice(to), obstacles, rules, depth + 1)),
  ];
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly score: number;
}

function* bestCut(rows: readonly Row[], obstacles: readonly Area[], rules: Rules): Steps<Cut | undefined> {
  const counts = new Map<number, number>();
  const count = (x: number): void => {
    const place = Math.round(x / 2) * 2;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  };
  const left = areaOf(rows).x0;
  let words = 0;
  for (const row of rows) {
    words += row.words.length;
    // The baselines of columns need not agree: a line of one may be alone.
    if (row.x0 - left > LEAST_WIDTH * row.size) count(row.x0 - 2);
    for (const [index, word] of row.words.entries()) {
      const next = row.words[index + 1];
      if (next === undefined || next.x0 - word.x1 < LEAST_GUTTER * row.size) continue;
      // The gutter is at either side of ragged text.
      count(next.x0 - 2);
      count((word.x1 + next.x0) / 2);
    }
  }
  yield words * CUT_WORK;
  const candidates = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, MOST_CANDIDATES);
  let best: Cut | undefined;
  for (const [x, count] of candidates) {
    if (count < 2) continue;
    yield words * CUT_WORK;
    const cut = cutAt(rows, x, obstacles, rules);
    if (cut !== undefined && (best === undefined || cut.score > best.score)) best = cut;
  }
  return best;
}

/** The longest run of rows that white space at `x` divides into two columns of prose. */
function cutAt(rows: readonly Row[], x: number, obstacles: readonly Area[], rules: Rules): Cut | undefined {
  let best: Cut | undefined;
  const areas = obstacles.filter((area) => area.x0 < x && area.x1 > x);
  const lines = rules.horizontal
    .filter((rule) => rule.from < x - 20 && rule.to > x + 20)
    .map(({ at }) => at)
    .toSorted((a, b) => a - b);
  const isBetween = (above: Row, row: Row): boolean => {
    const next = lines[countBelow(lines.length, (at) => (lines[at] ?? 0) <= Math.max(above.y0, above.baseline))];
    if (next !== undefined && next < row.baseline) return true;
    return areas.some((area) => area.y0 < row.baseline && area.y1 > above.baseline && area.y0 > above.y0);
  };
  for (let from = 0; from < rows.length;) {
    let to = from;
    for (; to < rows.length; to++) {
      const row = rows[to];
      if (row === undefined || crosses(row, x)) break;
      const above = rows[to - 1];
      if (to > from && above !== undefined && isBetween(above, row)) break;
    }
    const cut = to - from >= LEAST_LINES ? checked(rows, from, to, x) : undefined;
    if (cut !== undefined && (best === undefined || cut.score > best.score)) best = cut;
    from = Math.max(to, from + 1);
  }
  return best;
}

function crosses(row: Row, x: number): boolean {
  let [left, right] = [-Infinity, Infinity];
  for (const word of row.words) {
    if (word.x0 < x - 0.5 && word.x1 > x + 0.5) return true;
    if (word.x1 <= x + 0.5) left = Math.max(left, word.x1);
    else right = Math.min(right, word.x0);
  }
  return right - left < LEAST_GUTTER * row.size;
}

function checked(rows: readonly Row[], from: number, to: number, x: number): Cut | undefined {
  const sides = (row: Row): [Word[], Word[]] => [
    row.words.filter((word) => word.x1 <= x + 0.5),
    row.words.filter((word) => word.x1 > x + 0.5),
  ];
  const left: Row[] = [];
  const right: Row[] = [];
  for (const row of rows.slice(from, to)) {
    const [l, r] = sides(row);
    if (l.length > 0) left.push(rowOf(l));
    if (r.length > 0) right.push(rowOf(r));
  }
  if (!isProse(left) || !isProse(right)) return undefined;
  const [a, b] = [areaOf(left), areaOf(right)];
  const shared = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  if (shared < 0.3 * Math.min(a.y1 - a.y0, b.y1 - b.y0)) return undefined;
  return { from, to, x, score: Math.min(left.length, right.length) * 2 + left.length + right.length };
}

function isProse(lines: readonly Row[]): boolean {
  if (lines.length < LEAST_LINES) return false;
  const { x0, x1 } = areaOf(lines);
  // Cells lie apart, where lines follow each other.
  const apart = lines.filter(
    ({ baseline, size }, at) => baseline - (lines[at - 1]?.baseline ?? baseline) > MOST_LEADING * size,
  );
  if (apart.length > MOST_APART * lines.length) return false;
  let [characters, widths, numeric, gaps] = [0, 0, 0, 0];
  for (const { words, size } of lines) {
    characters += words.reduce((sum, word) => sum + word.text.length, 0);
    widths += words.reduce((sum, word) => sum + word.x1 - word.x0, 0) / size;
    if (words.every((word) => isNumeric(word.text))) numeric++;
    if (words.some((word, index) => index > 0 && word.x0 - (words[index - 1]?.x1 ?? 0) > 2 * size)) gaps++;
  }
  if (
    widths < LEAST_WIDTH * lines.length ||
    characters < LEAST_CHARACTERS * lines.length ||
    numeric > 0.3 * lines.length
  )
    return false;
  // Several columns of prose side by side are divided further.
  if (gaps > 0.5 * lines.length && widths < 2 * LEAST_WIDTH * lines.length) return false;
  return median(lines.map((line) => (line.x1 - line.x0) / (x1 - x0))) >= LEAST_FILL;
}
