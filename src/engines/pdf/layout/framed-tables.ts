/** Tables within lines or fills of one width. */
import { COLUMN_GAP, type Gutter, guttersOf, type Line, piecesOf, placed } from "./columns.ts";
import { isConsistent, isPart, isProse } from "./evidence.ts";
import { type Edge, type Frame, framesOf } from "./frames.ts";
import type { Rules } from "./rules.ts";
import { tableOf } from "./table-cells.ts";
import type { Table } from "./tables.ts";
import { median, rowsOf, type Row, type Word } from "./words.ts";

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

/** Lines that are looked at on a page, counted each time: some 5 microseconds each, and every pair of edges may hold a table. More are made to take time. */
const MOST_LOOKS = 40_000;
/** Looks that it takes to make a table of a line; and words of the page that are compared with a frame in the time of a look. */
const [TABLE_LOOKS, WORDS_PER_LOOK] = [4, 20];

/** The tables in frames, and what is left of the words. */
export function framedTables(words: readonly Word[], rules: Rules): { tables: Table[]; left: readonly Word[] } {
  const tables: Table[] = [];
  let left = words;
  const looks = { left: MOST_LOOKS };
  for (const frame of framesOf(rules).toSorted((a, b) => b.x1 - b.x0 - (a.x1 - a.x0))) {
    looks.left -= left.length / WORDS_PER_LOOK;
    if (looks.left < 0) break;
    const own = left.filter((word) => word.x0 > frame.x0 - 2 && word.x1 < frame.x1 + 2);
    if (own.length < 3) continue;
    for (const table of tablesIn({ ...frame, words }, rowsOf(own), rules, looks)) {
      const used = new Set(table.cells.flatMap((cell) => cell.words));
      // A line beside it that belongs to what is outside of the frame.
      tables.push(table);
      left = left.filter((word) => !used.has(word));
    }
  }
  return { tables, left };
}

/** A frame on its page. */
type Place = Frame & { readonly words: readonly Word[] };

/** Rows divided where there is more than the space between words. */
function linesOf(rows: readonly Row[]): Line[] {
  const spaces = rows.flatMap(({ words, size }) =>
    words.slice(1).map(({ x0 }, index) => (x0 - (words[index]?.x1 ?? 0)) / size),
  );
  const space = median(spaces.filter((gap) => gap > 0 && gap < COLUMN_GAP));
  return rows.map((row) => ({ row, pieces: piecesOf(row, Math.max(NARROW_GAP, WIDER * space)) }));
}

function tablesIn(frame: Place, rows: readonly Row[], rules: Rules, looks: { left: number }): Table[] {
  const { edges } = frame;
  const lines = linesOf(rows);
  const between = (from: number, to: number): Line[] =>
    lines.filter(({ row }) => middleOf(row) > from && middleOf(row) < to);
  const tables: Table[] = [];
  let above = -Infinity;
  for (let at = 0; at + 1 < edges.length;) {
    const ends: number[] = [];
    const [start] = edges.slice(at);
    if (start === undefined) break;
    for (let end = at + 1; end < edges.length; end++) {
      const [last, previous] = [edges[end], edges[end - 1]];
      if (last === undefined || previous === undefined) break;
      const inside = between(start.y, last.y);
      looks.left -= inside.length + 1;
      if (looks.left < 0) return tables;
      const gutters = columnsIn(frame, inside);
      if (inside.length >= 2 && gutters.length === 0) break;
      const added = between(previous.y, last.y);
      const crossing = added.filter((line) => crosses(line, gutters)).length;
      if (added.length >= 3 && crossing > 0.5 * added.length) break;
      if (hasBreak(added, previous.y, last.y)) break;
      // A table does not end with a row across it.
      if (gutters.length > 0 && added.length > 0 && crossing >= 0.5 * added.length) continue;
      ends.push(end);
    }
    // The largest there is.
    let best: { table: Table; end: number } | undefined;
    for (const end of ends.toReversed()) {
      const to = edges[end];
      if (to === undefined || best !== undefined) break;
      looks.left -= TABLE_LOOKS * (between(start.y, to.y).length + 1);
      if (looks.left < 0) return tables;
      const table = tableWithin(frame, { lines, from: start, to, above, edges: edges.slice(at, end + 1) }, rules);
      if (table !== undefined) best = { table, end };
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
function columnsIn({ columns, x0, x1 }: Frame, lines: readonly Line[]): Gutter[] {
  const words = lines.flatMap(({ row }) => row.words);
  const isFilled = (from: number, to: number): boolean =>
    words.some(({ x0, x1 }) => (x0 + x1) / 2 > from && (x0 + x1) / 2 < to);
  const used: number[] = [];
  for (const x of [...columns, x1]) {
    // Between two places without words between them, there is room, not a column.
    const from = used.at(-1) ?? x0;
    if (x - from >= LEAST_COLUMN || isFilled(from, x)) used.push(x);
  }
  used.pop();
  return used.length === 0 ? guttersOf(lines) : used.map((x) => ({ from: x - 0.5, to: x + 0.5, drawn: true }));
}

interface Stretch {
  readonly lines: readonly Line[];
  readonly from: Edge;
  readonly to: Edge;
  /** Where the table before ends. */
  readonly above: number;
  readonly edges: readonly Edge[];
}

function tableWithin(frame: Place, { lines, from, to, above, edges }: Stretch, rules: Rules): Table | undefined {
  const isInside = ({ row }: Line): boolean => middleOf(row) > from.y && middleOf(row) < to.y;
  let first = lines.findIndex(isInside);
  let last = lines.findLastIndex(isInside);
  if (first < 0) return undefined;
  const gutters = columnsIn(frame, lines.slice(first, last + 1));
  if (gutters.length === 0) return undefined;
  first = extended(lines, first, -1, from, gutters, above);
  // Rules between rows, and backgrounds of every other one, may end before the last row.
  if (to.filled || separateRows(lines, edges)) last = extended(lines, last, 1, to, gutters, Infinity);
  const own = lines.slice(first, last + 1);
  if (own.length < 2) return undefined;
  const all = columnsIn(frame, own);
  if (all.length === 0) return undefined;
  const interior = edges.slice(1, -1).length + (first < lines.findIndex(isInside) ? 1 : 0);
  if (interior === 0 && isProse(own, all)) return undefined;
  const separators = edges.map(({ y }) => ({ at: y, from: frame.x0, to: frame.x1 }));
  const table = tableOf(own, 0, all, { ...rules, horizontal: [...rules.horizontal, ...separators] });
  return isConsistent(table) && !isPart(table, frame.words) ? table : undefined;
}

/** Whether there is one line between each two of several edges. */
const separateRows = (lines: readonly Line[], edges: readonly Edge[]): boolean =>
  edges.length >= 3 &&
  edges.slice(1).every(({ y }, index) => {
    const above = edges[index]?.y ?? 0;
    return lines.filter(({ row }) => middleOf(row) > above && middleOf(row) < y).length === 1;
  });

/** The first or last line of a table, with the lines outside of an edge that stand in its columns. */
function extended(
  lines: readonly Line[],
  from: number,
  step: 1 | -1,
  edge: Edge,
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
    // Without anything in the column of labels, it stands over the others.
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
