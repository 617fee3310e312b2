/** Lines that touch each other as grids of cells, with the columns that white space adds to them. */
import { countBelow, Depth, guttersOf, type Line, middle, type RowPiece, rowPiecesOf } from "./columns.ts";
import type { Rule, Rules } from "./rules.ts";
import { MOST_PLACES } from "./tables.ts";
import { type Area, type Row, rowsOf, type Word } from "./words.ts";

/** Where lines that should meet may miss each other, in points. */
const MEETS = 3.5;
/** Lines of a grid that are closer than this are one: borders are often drawn twice. In points. */
const SAME_LINE = 4;
/** Share of the side of a cell that a line must cover to separate it. */
const COVERS = 0.5;

/** The fewest lines of several pieces, and their least share of all, that show columns where nothing is drawn between them; more of their pieces are values. */
const [LEAST_LINES, LEAST_SHARE] = [3, 0.5];
/** How far a text may reach over the place of a line, in points. */
const SLACK = 1;

/** Dots that lead the eye to a value. */
const LEADER = /^[.…·]+$/u;

/** Places of a grid that no line separates, and the words in them. */
interface Box {
  readonly row: number;
  readonly column: number;
  readonly endRow: number;
  readonly endColumn: number;
  readonly words: readonly Word[];
}

/** A box with its lines of text. */
interface Lined extends Box {
  readonly lines: readonly Line[];
}

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

/**
 * The grid with the columns that its lines do not show: those that are ruled in other rows, such as the header, and those that lie below each other
 * between two lines. Within a cell, words are less than an em apart.
 */
export function withWhiteColumns(grid: Grid, boxes: readonly Box[]): Grid {
  const lined = boxes
    .filter(({ words }) => words.length > 1)
    .map((box): Lined => ({ ...box, lines: rowsOf(box.words).map(lineOf) }));
  const xs = [...grid.xs, ...addedColumns(grid, lined)].toSorted((a, b) => a - b);
  if (xs.length * grid.ys.length > MOST_PLACES) return grid;
  /** The column of the grid that each one is a part of. */
  const origins = xs.slice(0, -1).map((x) => countBelow(grid.xs.length, (at) => (grid.xs[at] ?? 0) <= x) - 1);
  const placeOf = (line: number): number => countBelow(xs.length, (at) => (xs[at] ?? 0) < (grid.xs[line] ?? 0));
  const white = new Set<string>();
  for (const box of lined) {
    for (const place of whitePlaces(xs, placeOf(box.column) + 1, placeOf(box.endColumn + 1), box))
      for (let { row } = box; row <= box.endRow; row++) white.add(`${row} ${place - 1}`);
  }
  return {
    ...grid,
    xs,
    separatesColumns(row, column) {
      const [own, next] = [origins[column] ?? -1, origins[column + 1]];
      return (own !== next && grid.separatesColumns(row, own)) || white.has(`${row} ${column}`);
    },
    separatesRows: (row, column) => grid.separatesRows(row, origins[column] ?? 0),
  };
}

/** A row and its pieces. A leader is a part of the text that it leads from. */
function lineOf(row: Row): Line {
  const pieces: RowPiece[] = [];
  for (const piece of rowPiecesOf(row)) {
    const last = pieces.at(-1);
    if (last === undefined || piece.words.some(({ text }) => !LEADER.test(text))) pieces.push(piece);
    else pieces[pieces.length - 1] = { ...last, x1: piece.x1 };
  }
  return { row, pieces };
}

/** The white space that persists over the lines between two lines of the grid, where it separates values. */
function addedColumns(grid: Grid, boxes: readonly Lined[]): number[] {
  const inColumn = Map.groupBy(
    boxes.filter(({ column, endColumn }) => column === endColumn),
    ({ column }) => column,
  );
  return [...inColumn.values()].flatMap((own) => {
    const lines = own.flatMap((box) => box.lines);
    const several = lines.filter(({ pieces }) => pieces.length > 1);
    if (several.length < LEAST_LINES || several.length < LEAST_SHARE * lines.length) return [];
    const texts = several.flatMap(({ pieces }) => pieces);
    if (texts.filter(({ numeric }) => numeric).length <= LEAST_SHARE * texts.length) return [];
    return guttersOf(lines).map(middle);
  });
}

/** The places in `xs`, from one to before another, at which white space divides a box: between two pieces of a line, and then wherever none crosses. */
function whitePlaces(xs: readonly number[], from: number, to: number, { lines }: Lined): number[] {
  if (to <= from) return [];
  const [crossed, between] = [new Depth(to - from), new Depth(to - from)];
  /** The first place at `x` or to the right of it. */
  const after = (x: number): number => countBelow(to - from, (at) => (xs[from + at] ?? 0) < x);
  for (const { pieces } of lines) {
    for (const { x0, x1 } of pieces) crossed.add(after(x0 + SLACK), after(x1 - SLACK));
    between.add(after((pieces[0]?.x1 ?? 0) - SLACK), after((pieces.at(-1)?.x0 ?? 0) + SLACK));
  }
  const [crossings, sides] = [crossed.sums(), between.sums()];
  const places = Array.from(crossings.keys()).filter((at) => crossings[at] === 0);
  return places.some((at) => (sides[at] ?? 0) > 0) ? places.map((at) => from + at) : [];
}
