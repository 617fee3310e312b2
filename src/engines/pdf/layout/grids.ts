/** Tables whose cells are separated by lines. */
import type { Rule, Rules } from "./rules.ts";
import type { Area } from "./words.ts";

/** Where lines that should meet may miss each other, in points. */
const MEETS = 3.5;
/** Lines of a grid that are closer than this are one: borders are often drawn twice. In points. */
const SAME_LINE = 4;
/** Share of the side of a cell that a line must cover to separate it. */
const COVERS = 0.5;

/** Lines that touch each other. */
export interface Grid extends Area {
  /** Positions of the lines, borders included; ascending. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Whether a line separates column `column` from the next one at `row`. */
  separatesColumns(row: number, column: number): boolean;
  /** Whether a line separates `row` from the next one at `column`. */
  separatesRows(row: number, column: number): boolean;
}

/** Pairs of lines that are compared. More are a drawing, or made to take time. */
const MOST_PAIRS = 1_000_000;

type Lines = Pick<Rules, "horizontal" | "vertical">;

export function gridsOf({ horizontal, vertical }: Lines): Grid[] {
  if (horizontal.length * vertical.length > MOST_PAIRS) return [];
  const parent = new Map<Rule, Rule>();
  const find = (rule: Rule): Rule => {
    let top = rule;
    for (let up = parent.get(top); up !== undefined && up !== top; up = parent.get(top)) top = up;
    parent.set(rule, top);
    return top;
  };
  const sorted = vertical.toSorted((a, b) => a.at - b.at);
  for (const across of horizontal) {
    for (const down of sorted) {
      if (down.at < across.from - MEETS) continue;
      if (down.at > across.to + MEETS) break;
      if (across.at < down.from - MEETS || across.at > down.to + MEETS) continue;
      parent.set(find(across), find(down));
    }
  }
  const groups = new Map<Rule, { horizontal: Rule[]; vertical: Rule[] }>();
  const groupOf = (rule: Rule): { horizontal: Rule[]; vertical: Rule[] } => {
    const top = find(rule);
    const group = groups.get(top) ?? { horizontal: [], vertical: [] };
    groups.set(top, group);
    return group;
  };
  for (const rule of horizontal) groupOf(rule).horizontal.push(rule);
  for (const rule of vertical) groupOf(rule).vertical.push(rule);
  return [...groups.values()].flatMap((group) => gridOf(group) ?? []);
}

function gridOf({ horizontal, vertical }: Lines): Grid | undefined {
  if (horizontal.length === 0 || vertical.length === 0) return undefined;
  const x0 = Math.min(...horizontal.map((rule) => rule.from), ...vertical.map((rule) => rule.at));
  const x1 = Math.max(...horizontal.map((rule) => rule.to), ...vertical.map((rule) => rule.at));
  const y0 = Math.min(...vertical.map((rule) => rule.from), ...horizontal.map((rule) => rule.at));
  const y1 = Math.max(...vertical.map((rule) => rule.to), ...horizontal.map((rule) => rule.at));
  const xs = positions([x0, x1, ...vertical.map((rule) => rule.at)]);
  const ys = positions([y0, y1, ...horizontal.map((rule) => rule.at)]);
  if (xs.length < 2 || ys.length < 2) return undefined;
  const columnLines = matrix(xs, ys, vertical);
  const rowLines = matrix(ys, xs, horizontal);
  return {
    x0,
    y0,
    x1,
    y1,
    xs,
    ys,
    separatesColumns: (row, column) => columnLines[column + 1]?.[row] ?? true,
    separatesRows: (row, column) => rowLines[row + 1]?.[column] ?? true,
  };
}

/** Which lines of `rules` cover which stretch between neighbors of `stops`, by position in `places`. */
function matrix(places: readonly number[], stops: readonly number[], rules: readonly Rule[]): boolean[][] {
  const covered = places.map(() => stops.map(() => 0));
  for (const rule of rules) {
    const row = covered[nearest(places, rule.at)];
    if (row === undefined) continue;
    for (let at = 0; at + 1 < stops.length; at++) {
      const [from = 0, to = 0] = [stops[at], stops[at + 1]];
      const part = Math.min(to, rule.to) - Math.max(from, rule.from);
      if (part > 0) row[at] = (row[at] ?? 0) + part / (to - from);
    }
  }
  return covered.map((row) => row.map((share) => share >= COVERS));
}

function nearest(places: readonly number[], at: number): number {
  let best = 0;
  for (const [index, place] of places.entries()) {
    if (Math.abs(place - at) < Math.abs((places[best] ?? Infinity) - at)) best = index;
  }
  return best;
}

/** Distinct positions, those that are close as their mean. */
function positions(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  const found: number[] = [];
  let group: number[] = [];
  const end = (): void => {
    if (group.length > 0) found.push(group.reduce((sum, value) => sum + value, 0) / group.length);
    group = [];
  };
  for (const value of sorted) {
    const first = group[0];
    if (first !== undefined && value - first > SAME_LINE) end();
    group.push(value);
  }
  end();
  return found;
}
