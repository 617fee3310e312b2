/** Columns of a grid that white space separates, where no lines do. */
import { countBelow, Depth, guttersOf, type Line, middle, type RowPiece, rowPiecesOf } from "./columns.ts";
import type { Grid } from "./grids.ts";
import { MOST_PLACES } from "./tables.ts";
import { type Row, rowsOf, type Word } from "./words.ts";

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

/**
 * The grid with the columns that its lines do not show: those that are ruled in other rows, such as the header, and those that stand below each other
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
