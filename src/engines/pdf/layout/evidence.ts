/** What tells a table from text in columns, a list, or the labels of a chart. */
import { type Gutter, type Line, placed } from "./columns.ts";
import { rowStarts } from "./row-groups.ts";
import { isNumeric, type Table } from "./tables.ts";
import { median, rowsOf, textOfRow, type Word } from "./words.ts";

/** The fewest rows of a table in which nothing is drawn between rows of running text. */
const LEAST_ROWS = 3;
/** How far cells of a row may be from where they agree, in font sizes, and the least share of rows whose cells do. */
const [SAME_PLACE, LEAST_ALIGNED] = [0.4, 0.8];
/** Characters of a head or a label. */
const MOST_OF_LABEL = 24;

/** What a list begins its items with. */
export const MARKER = /^(?:[•◦▪▫■□●○◆◇❖➢➤►▶✓✔–—*·o§\ufffd-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,6})[.)]|\[\d+\]|\d{1,3})$/iu;

/** Columns of text: most lines of most columns are filled, and long. */
export function isProse(lines: readonly Line[], gutters: readonly Gutter[]): boolean {
  const cells = lines.flatMap(({ row }) => placed(row, gutters));
  const texts = cells.map(({ words }) => textOfRow(words));
  const columns = Map.groupBy(cells, ({ column }) => column);
  // The lines of columns may lie beside each other or not.
  const most = Math.max(...[...columns.values()].map((own) => own.length));
  const filled = texts.length / ((gutters.length + 1) * most);
  const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const numeric = texts.filter(isNumeric).length;
  return filled > 0.8 && length > 22 && numeric < 0.2 * texts.length;
}

/** The first and the last baseline of a cell, and how long its text is. */
interface Extent {
  readonly first: number;
  readonly last: number;
  readonly length: number;
}

/** Where cells of a row can agree: at the top, at the bottom, or in the middle. */
const places: readonly ((cell: Extent) => number)[] = [
  ({ first }) => first,
  ({ last }) => last,
  ({ first, last }) => (first + last) / 2,
];

/**
 * Whether white space divides all columns at once into rows, whose cells lie side by side, and which have heads or labels. Paragraphs in columns
 * end where those beside them do not.
 */
export function hasRows(lines: readonly Line[], gutters: readonly Gutter[]): boolean {
  const cells = lines.map(({ row }) => placed(row, gutters));
  const starts = rowStarts(lines, cells, () => false) ?? [];
  const rows = starts.map((start, at) => {
    const extents = new Map<number, Extent>();
    for (let line = start; line < (starts[at + 1] ?? lines.length); line++) {
      const { baseline: last = 0 } = lines[line]?.row ?? {};
      for (const { column, words } of cells[line] ?? []) {
        const { first = last, length = 0 } = extents.get(column) ?? {};
        extents.set(column, { first, last, length: length + textOfRow(words).length });
      }
    }
    return extents;
  });
  const several = rows.filter((row) => row.size > 1).map((row) => [...row.values()]);
  const reach = SAME_PLACE * median(lines.map(({ row }) => row.size));
  const isAligned = (place: (cell: Extent) => number): boolean => {
    const aligned = several.map((row) => row.map(place)).filter((own) => Math.max(...own) - Math.min(...own) < reach);
    return aligned.length >= LEAST_ROWS && aligned.length >= LEAST_ALIGNED * several.length;
  };
  const areShort = (own: readonly Extent[]): boolean => median(own.map(({ length }) => length)) <= MOST_OF_LABEL;
  const columns = [...Array(gutters.length + 1).keys()].map((column) => rows.flatMap((row) => row.get(column) ?? []));
  return places.some(isAligned) && [...several.slice(0, 1), ...columns].some(areShort);
}

/** Whether rows have several cells and columns several, as those of tables do and the labels of a chart do not, and it is no list. */
export function isConsistent({ cells, rows, columns }: Table): boolean {
  const inRow = Array.from({ length: rows }, () => 0);
  for (const { row, endRow } of cells) for (let at = row; at <= endRow; at++) inRow[at] = (inRow[at] ?? 0) + 1;
  const several = inRow.filter((count) => count >= 2).length;
  if (several < 2 || several < 0.5 * rows) return false;
  const inColumn = Map.groupBy(cells, ({ column }) => column);
  if ([...inColumn.values()].filter((own) => own.length >= 2).length < 2) return false;
  const markers = (inColumn.get(0) ?? []).filter(({ words }) => MARKER.test(textOfRow(words))).length;
  return columns > 2 || markers <= 0.5 * rows;
}

/** Where the words of each baseline, to a point, begin to end: the end of the leftmost one. */
export type LeftEnds = ReadonlyMap<number, number>;

export function leftEndsOf(words: readonly Word[]): LeftEnds {
  const ends = new Map<number, number>();
  for (const { baseline, x1 } of words) {
    const line = Math.round(baseline);
    ends.set(line, Math.min(ends.get(line) ?? Infinity, x1));
  }
  return ends;
}

/** Whether labels lie to the left of it on the same baselines: then it is a part of a table, which begins with its labels. */
export function isPart({ cells, rows, x0 }: Table, leftEnds: LeftEnds): boolean {
  const labels = cells.filter(({ column, words }) => column === 0 && /\p{L}{2}/u.test(textOfCell(words)));
  if (labels.length > 0.5 * rows) return false;
  const lines = new Set(cells.flatMap(({ words }) => words.map(({ baseline }) => Math.round(baseline))));
  return [...lines].filter((baseline) => (leftEnds.get(baseline) ?? Infinity) < x0).length >= 0.5 * lines.size;
}

const textOfCell = (words: readonly Word[]): string =>
  rowsOf(words)
    .map((row) => textOfRow(row.words))
    .join(" ");
