/** Tables within lines or fills of one width. */
import type { Steps } from "../../steps.ts";
import { COLUMN_GAP, countBelow, type Gutter, guttersOf, type Line, rowPiecesOf, placed } from "./columns.ts";
import { hasRows, isConsistent, isPart, isProse, type LeftEnds, leftEndsOf } from "./evidence.ts";
import { type FrameEdge, type Frame, framesOf } from "./frames.ts";
import type { Rules } from "./rules.ts";
import { tableOf } from "./table-cells.ts";
import { MOST_PLACES, type Table } from "./tables.ts";
import { areaOf, median, type Row, rowSteps, type Word } from "./words.ts";

/** The white space between columns of a table that is known as one, in font sizes. */
const NARROW_GAP = 0.36;
/** How much wider it is than the space between words. */
const WIDER = 1.8;
/** How far from an edge, in font sizes, a row can be that the edge belongs to. */
const NEAR = 1.4;
const MOST_EXTENDED = 6;
/** The most white space within a row, in font sizes. */
const MOST_EMPTY = 4;
/** A narrower column has words, or is room between two others. In points. */
const LEAST_COLUMN = 12;

/** How far the sides of a box may be from its edges, in points. */
const BOX_SLACK = 3;

/** Lines that are looked at on a page, counted each time: some 5 microseconds each, and every pair of edges may hold a table. More are made to take time. */
const MOST_LOOKS = 40_000;
/** Looks that it takes to make a table of a line; and words that are compared with a frame, or of a line beyond the first, in the time of a look. */
const [TABLE_LOOKS, WORDS_PER_LOOK] = [4, 20];
/** Fuel for a look. */
const LOOK_WORK = 1_500;

/** The tables in frames, and the words that are left. */
export function* framedTables(words: readonly Word[], rules: Rules): Steps<{ tables: Table[]; left: readonly Word[] }> {
  const tables: Table[] = [];
  let left = words;
  const looks = { left: MOST_LOOKS };
  const leftEnds = leftEndsOf(words);
  for (const frame of framesOf(rules).toSorted((a, b) => b.x1 - b.x0 - (a.x1 - a.x0))) {
    looks.left -= left.length / WORDS_PER_LOOK;
    yield (left.length / WORDS_PER_LOOK) * LOOK_WORK;
    if (looks.left < 0) break;
    const own = left.filter((word) => word.x0 > frame.x0 - 2 && word.x1 < frame.x1 + 2);
    if (own.length < 3) continue;
    for (const table of yield* tablesIn({ ...frame, leftEnds }, yield* rowSteps(own), rules, looks)) {
      const used = new Set(table.cells.flatMap((cell) => cell.words));
      // A line beside it that belongs to text outside of the frame.
      tables.push(table);
      left = left.filter((word) => !used.has(word));
    }
  }
  return { tables, left };
}

/** A frame on its page. */
type Place = Frame & { readonly leftEnds: LeftEnds };

/** Rows divided where there is more than the space between words. */
function linesOf(rows: readonly Row[]): Line[] {
  const spaces = rows.flatMap(({ words, size }) =>
    words.slice(1).map(({ x0 }, index) => (x0 - (words[index]?.x1 ?? 0)) / size),
  );
  const space = median(spaces.filter((gap) => gap > 0 && gap < COLUMN_GAP));
  return rows.map((row) => ({ row, pieces: rowPiecesOf(row, Math.max(NARROW_GAP, WIDER * space)) }));
}

/** The lines of a frame by the edges that they are between. */
class LinesByEdge {
  readonly lines: readonly Line[];
  /** What looking at the lines before each one costs. */
  readonly #costs: number[] = [0];
  /** Indexes of lines: at `2 * n` those between the edges `n - 1` and `n`, and at `2 * n + 1` those whose middle is on the edge `n`. */
  readonly #bins: number[][];

  constructor(lines: readonly Line[], edges: readonly FrameEdge[]) {
    this.lines = lines;
    this.#bins = Array.from({ length: 2 * edges.length + 1 }, () => []);
    for (const [index, { row }] of lines.entries()) {
      const y = middleOf(row);
      const before = countBelow(edges.length, (at) => (edges[at]?.y ?? 0) < y);
      this.#bins[before + (edges[before]?.y === y ? before + 1 : before)]?.push(index);
      this.#costs.push((this.#costs[index] ?? 0) + 1 + row.words.length / WORDS_PER_LOOK);
    }
  }

  /** The lines above an edge and below the one before. */
  above(edge: number): readonly number[] {
    return this.#bins[2 * edge] ?? [];
  }

  on(edge: number): readonly number[] {
    return this.#bins[2 * edge + 1] ?? [];
  }

  at(indexes: readonly number[]): Line[] {
    return indexes.flatMap((index) => this.lines[index] ?? []);
  }

  /** The cost of a look at the lines from the first to the last of some, these included. */
  cost(indexes: readonly number[]): number {
    const [first = 0, last = -1] = [indexes[0], indexes.at(-1)];
    return 1 + (this.#costs[last + 1] ?? 0) - (this.#costs[first] ?? 0);
  }
}

/** Where a table may end: the number of the edge, and the lines above it. */
interface End {
  readonly end: number;
  readonly inside: readonly number[];
}

function* tablesIn(frame: Place, rows: readonly Row[], rules: Rules, looks: { left: number }): Steps<Table[]> {
  const { edges } = frame;
  const lines = new LinesByEdge(linesOf(rows), edges);
  const tables: Table[] = [];
  let above = -Infinity;
  for (let at = 0; at + 1 < edges.length;) {
    const ends = yield* endsFrom(frame, at, lines, looks);
    // The largest there is.
    let best: { table: Table; end: number } | undefined;
    for (const { end, inside } of ends.toReversed()) {
      const cost = TABLE_LOOKS * lines.cost(inside);
      looks.left -= cost;
      if (looks.left < 0) return tables;
      yield cost * LOOK_WORK;
      const table = yield* tableWithin(frame, { lines, inside, from: at, to: end, above }, rules);
      if (table === undefined) continue;
      best = { table, end };
      break;
    }
    if (best === undefined) {
      at++;
      continue;
    }
    tables.push(best.table);
    above = best.table.y1;
    at = best.end;
  }
  return tables;
}

/** The edges at which a table may end that begins at one. */
function* endsFrom(frame: Place, at: number, lines: LinesByEdge, looks: { left: number }): Steps<End[]> {
  const { edges } = frame;
  const ends: End[] = [];
  const first = edges[at];
  if (first === undefined) return ends;
  let inside: number[] = [];
  for (let end = at + 1; end < edges.length; end++) {
    const [last, previous] = [edges[end], edges[end - 1]];
    if (last === undefined || previous === undefined) break;
    const onPrevious = end - 1 > at ? lines.on(end - 1) : [];
    inside = [...inside, ...onPrevious, ...lines.above(end)].toSorted((a, b) => a - b);
    const cost = lines.cost(inside);
    looks.left -= cost;
    if (looks.left < 0) break;
    yield cost * LOOK_WORK;
    const own = lines.at(inside);
    const gutters = columnsIn(frame, own);
    if (own.length >= 2 && gutters.length === 0) break;
    const added = lines.at(lines.above(end));
    if (own.length * (gutters.length + 1) > MOST_PLACES) break;
    const crossing = added.filter((line) => crosses(line, gutters)).length;
    if (added.length >= 3 && crossing > 0.5 * added.length) break;
    if (!isBoxed(frame.sides, first.y, last.y) && hasBreak(added, previous.y, last.y)) break;
    // A table does not end with a row across it.
    if (gutters.length > 0 && added.length > 0 && crossing >= 0.5 * added.length) continue;
    ends.push({ end, inside });
  }
  return ends;
}

/** Whether more of it is empty than there is between rows. */
function hasBreak(lines: readonly Line[], from: number, to: number): boolean {
  let end = from;
  let size = 9;
  for (const { row } of lines) {
    size = row.size;
    if (row.y0 - end > MOST_EMPTY * size) return true;
    end = Math.max(end, row.y1);
  }
  return to - end > MOST_EMPTY * size;
}

const middleOf = ({ baseline, size }: Row): number => baseline - 0.3 * size;

const crosses = ({ row }: Line, gutters: readonly Gutter[]): boolean =>
  placed(row, gutters).some(({ column, endColumn }) => endColumn > column);

/** The white space between columns: where the backgrounds of cells meet, else what persists over the lines. */
function columnsIn({ columns, x0, x1, sides }: Frame, lines: readonly Line[]): Gutter[] {
  const { y0, y1 } = areaOf(lines.map(({ row }) => row));
  const white = (): Gutter[] => guttersOf(lines, isBoxed(sides, y0, y1));
  if (columns.length === 0) return white();
  const middles = lines
    .flatMap(({ row }) => row.words.map((word) => (word.x0 + word.x1) / 2))
    .toSorted((a, b) => a - b);
  const isFilled = (from: number, to: number): boolean =>
    (middles[countBelow(middles.length, (at) => (middles[at] ?? 0) <= from)] ?? Infinity) < to;
  const used: number[] = [];
  for (const x of [...columns, x1]) {
    // Between two places without words between them, there is room, not a column.
    const from = used.at(-1) ?? x0;
    if (x - from >= LEAST_COLUMN || isFilled(from, x)) used.push(x);
  }
  used.pop();
  return used.length === 0 ? white() : used.map((x) => ({ from: x - 0.5, to: x + 0.5, drawn: true }));
}

interface Stretch {
  readonly lines: LinesByEdge;
  /** Those between the edges, and the numbers of these. */
  readonly inside: readonly number[];
  readonly from: number;
  readonly to: number;
  /** Where the table before ends. */
  readonly above: number;
}

function* tableWithin(frame: Place, stretch: Stretch, rules: Rules): Steps<Table | undefined> {
  const { inside } = stretch;
  const { lines } = stretch.lines;
  const edges = frame.edges.slice(stretch.from, stretch.to + 1);
  const [from, to, start, end] = [edges[0], edges.at(-1), inside[0], inside.at(-1)];
  if (from === undefined || to === undefined || start === undefined || end === undefined) return undefined;
  const gutters = columnsIn(frame, lines.slice(start, end + 1));
  if (gutters.length === 0 || (end - start + 1) * (gutters.length + 1) > MOST_PLACES) return undefined;
  // A box holds all of its table.
  const isBox = isBoxed(frame.sides, from.y, to.y);
  const first = isBox ? start : extended(lines, start, -1, from, gutters, stretch.above);
  // Rules between rows, and backgrounds of every other one, may end before the last row.
  const isOpen = !isBox && (to.filled || separateRows(stretch.lines, stretch));
  const last = isOpen ? extended(lines, end, 1, to, gutters, Infinity) : end;
  const own = lines.slice(first, last + 1);
  if (own.length < 2) return undefined;
  const all = columnsIn(frame, own);
  if (all.length === 0) return undefined;
  const interior = edges.length - 2 + (first < start ? 1 : 0);
  if (interior === 0 && isProse(own, all) && !hasRows(own, all)) return undefined;
  const separators = edges.map(({ y }) => ({ at: y, from: frame.x0, to: frame.x1 }));
  const table = yield* tableOf(own, 0, all, { ...rules, horizontal: [...rules.horizontal, ...separators] });
  return table !== undefined && isConsistent(table) && !isPart(table, frame.leftEnds) ? table : undefined;
}

const isBoxed = (sides: Frame["sides"], y0: number, y1: number): boolean =>
  sides.some(({ from, to }) => from < y0 + BOX_SLACK && to > y1 - BOX_SLACK);

/** Whether there is one line between each two of several edges. */
function separateRows(lines: LinesByEdge, { from, to }: Pick<Stretch, "from" | "to">): boolean {
  for (let edge = from + 1; edge <= to; edge++) if (lines.above(edge).length !== 1) return false;
  return to - from >= 2;
}

/** The first or last line of a table, with the lines outside of an edge that lie in its columns. */
function extended(
  lines: readonly Line[],
  from: number,
  step: 1 | -1,
  edge: FrameEdge,
  gutters: readonly Gutter[],
  limit: number,
): number {
  let [end, reached] = [from, from];
  let beyond = edge.y;
  const columns = new Set<number>();
  const size = lines[from]?.row.size ?? 0;
  for (let at = from + step, count = 0; count < MOST_EXTENDED; at += step, count++) {
    const line = lines[at];
    if (line === undefined || (step < 0 && line.row.y0 < limit)) break;
    const { row } = line;
    const distance = step < 0 ? beyond - row.y1 : row.y0 - beyond;
    if (distance > (reached === from ? NEAR : 0.9) * row.size) break;
    const pieces = placed(row, gutters);
    // Without anything in the column of labels, it lies over the others.
    const isOver = edge.filled && step < 0 && pieces.every(({ column }) => column > 0);
    if (!isOver && pieces.some(({ column, endColumn }) => endColumn > column)) break;
    if (Math.abs(row.size - size) > 0.2 * size) break;
    for (const { column, endColumn } of pieces) for (let one = column; one <= endColumn; one++) columns.add(one);
    reached = at;
    beyond = step < 0 ? row.y0 : row.y1;
    if (isOver || (columns.size >= 2 && columns.size >= 0.6 * (gutters.length + 1))) end = reached;
  }
  return end;
}
