/** What tells a table from text in columns, a list, or the labels of a chart. */
import { type Gutter, type Line, placed } from "./columns.ts";
import { isNumeric, type Table } from "./tables.ts";
import { rowsOf, textOfRow, type Word } from "./words.ts";

/** What a list begins its items with. */
export const MARKER = /^(?:[•◦▪▫■□●○◆◇❖➢➤►▶✓✔–—*·o§\ufffd-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,6})[.)]|\[\d+\]|\d{1,3})$/iu;

/** Columns of text: most lines of most columns are filled, and long. */
export function isProse(lines: readonly Line[], gutters: readonly Gutter[]): boolean {
  const texts = lines.flatMap(({ row }) => placed(row, gutters)).map(({ words }) => textOfRow(words));
  const filled = texts.length / ((gutters.length + 1) * lines.length);
  const length = texts.reduce((sum, text) => sum + text.length, 0) / texts.length;
  const numeric = texts.filter(isNumeric).length;
  return filled > 0.8 && length > 22 && numeric < 0.2 * texts.length;
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

/** Whether labels stand to the left of it on the same baselines: then it is a part of a table, which begins with its labels. */
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
