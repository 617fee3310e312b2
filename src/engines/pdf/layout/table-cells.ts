/** The cells of a table whose columns are known. */
import { bodyRows } from "./aligned-rows.ts";
import type { Steps } from "../../steps.ts";
import { BOLD } from "../text/glyphs.ts";
import { columnOf, type Gutter, type Line, middle, type PlacedWords, placed } from "./columns.ts";
import { rowStarts } from "./row-groups.ts";
import type { Rule, Rules } from "./rules.ts";
import { type Cell, isNumeric, MOST_PLACES, type Table } from "./tables.ts";
import { type Area, areaOf, type Row, rowsOf, textOfRow, type Word } from "./words.ts";

/** A header with more pieces than this, in lines times columns, is none. */
const MOST_HEADER_PIECES = 2_000;
/** Fuel for a word, in each of the passes over them. */
const WORD_WORK = 400;
/** Share of rows from which lines under them separate rows, not only the header. */
const UNDER_ROWS = 0.7;

/** The table of lines; undefined if they are too many to be one. `headers`: how many lines at the top are known to be its header. */
export function* tableOf(
  lines: readonly Line[],
  headers: number,
  gutters: readonly Gutter[],
  rules: Rules,
): Steps<Table | undefined> {
  const columns = gutters.length + 1;
  if (lines.length * columns > MOST_PLACES) return undefined;
  const fuel = WORD_WORK * lines.reduce((sum, { row }) => sum + row.words.length, 0);
  const area = areaOf(lines.map((line) => line.row));
  const across = rules.horizontal.filter(
    ({ from, to }) => from < area.x1 && to > area.x0 && to - from > 0.3 * (area.x1 - area.x0),
  );
  const isSeparated = (above: Row, below: Row): boolean =>
    across.some(({ at }) => at > above.baseline - 0.2 * above.size && at < below.baseline - 0.4 * below.size);
  const starts = rowStarts(
    lines,
    lines.map(({ row }) => placed(row, gutters)),
    (at) => {
      const [above, below] = [lines[at - 1], lines[at]];
      return above !== undefined && below !== undefined && isSeparated(above.row, below.row);
    },
  );
  yield fuel;
  const headerLines = Math.max(headers, headerRowsOf(lines, gutters, rules, starts));
  const headerEnd = starts === undefined ? headerLines : (starts.find((at) => at >= headerLines) ?? lines.length);
  yield fuel;
  const headerCount = headerEnd * columns > MOST_HEADER_PIECES ? 0 : headerEnd;
  const inHeader = starts?.filter((at) => at < headerCount) ?? [];
  const header =
    inHeader.length === 1
      ? {
          cells: cellsOf(
            lines.slice(0, headerCount).map(({ row }) => row),
            gutters,
          ),
          rows: 1,
        }
      : headerCells(lines.slice(0, headerCount), gutters, rules, area);
  const rows = lines.slice(headerCount).map((line) => line.row);
  const groups =
    starts === undefined
      ? bodyRows(rows, (word) => columnOf(gutters, (word.x0 + word.x1) / 2), isSeparated)
      : starts.flatMap((at, index) =>
          at < headerCount ? [] : [lines.slice(at, starts[index + 1] ?? lines.length).map(({ row }) => row)],
        );
  yield fuel;
  const cells: Cell[] = [...header.cells];
  for (const [index, group] of groups.entries()) {
    const row = header.rows + index;
    for (const cell of cellsOf(group, gutters)) cells.push({ ...cell, row, endRow: row });
  }
  yield fuel;
  return { ...area, cells, rows: header.rows + groups.length, columns, headerRows: header.rows };
}

/** The cells of one row of the table. A piece across columns stays in one cell. */
function cellsOf(group: readonly Row[], gutters: readonly Gutter[]): Cell[] {
  const cells: Cell[] = [];
  for (const row of group) {
    for (const { words, column, endColumn } of placed(row, gutters)) {
      const same = cells.find((cell) => cell.column <= endColumn && cell.endColumn >= column);
      if (same !== undefined) {
        for (const word of words) same.words.push(word);
        same.column = Math.min(same.column, column);
        same.endColumn = Math.max(same.endColumn, endColumn);
      } else cells.push({ row: 0, endRow: 0, column, endColumn, words: [...words] });
    }
  }
  return cells;
}

/** How many rows at the top are headers: those above the first row of values. */
function headerRowsOf(
  lines: readonly Line[],
  gutters: readonly Gutter[],
  rules: Rules,
  starts: readonly number[] | undefined,
): number {
  const area = areaOf(lines.map((line) => line.row));
  const full = rules.horizontal.filter(
    ({ from, to }) => to - from > 0.7 * (area.x1 - area.x0) && from < area.x0 + 0.15 * (area.x1 - area.x0),
  );
  /** Where rows begin, and where each of them ends. */
  const ends = new Map(starts?.map((at, index) => [at, starts[index + 1] ?? lines.length] as const));
  const isValues = (_: Line, at: number): boolean => {
    const end = starts === undefined ? at + 1 : ends.get(at);
    if (end === undefined) return false;
    const group = lines.slice(at, end).map(({ row }) => row);
    const texts = cellsOf(group, gutters).filter(({ column }) => column > 0);
    const numeric = texts.filter(({ words }) => {
      const text = rowsOf(words)
        .map((row) => textOfRow(row.words))
        .join(" ");
      return isNumeric(text) && !isYear(text);
    });
    return texts.length > 0 && numeric.length >= 0.5 * texts.length;
  };
  const first = lines.findIndex(isValues);
  const most = Math.min(first < 0 ? lines.length : first, 8);
  const ruled = lines.flatMap(({ row }, at) => {
    const above = lines[at - 1]?.row;
    if (above === undefined) return [];
    const isBetween = (rule: Rule): boolean => rule.at > above.baseline - 1 && rule.at < row.baseline - 0.4 * row.size;
    return full.some(isBetween) ? [at] : [];
  });
  const inHeader = ruled.filter((at) => at <= most);
  if (inHeader.length > 0) {
    // The last line across the table above the values ends the header, unless there is one under most rows.
    if (ruled.length <= UNDER_ROWS * ((starts ?? lines).length - 1)) return inHeader.at(-1) ?? 1;
    const plain = lines.findIndex(({ row }) => !isBold(row));
    return inHeader.includes(plain) ? plain : (inHeader[0] ?? 1);
  }
  if (first > 0 && first <= 6) {
    // Labels of groups of rows are part of the body.
    let at = first;
    while (at > 1 && lines[at - 1]?.pieces.length === 1 && (lines[at - 1]?.pieces[0]?.x1 ?? 0) < middle(gutters[0]))
      at--;
    return at;
  }
  return first < 0 ? 1 : Math.min(first, 1);
}

const isBold = ({ words }: Row): boolean =>
  words.every(({ glyphs }) => glyphs.every(({ style, text }) => (style & BOLD) !== 0 || !/[\p{L}\p{N}]/u.test(text)));

const isYear = (text: string): boolean => /^(?:1[89]|20)\d\d(?:[-–/]\d{2,4})?[a-z*]?$/.test(text);

/** A piece of a header, with the rows of text that it takes. */
interface HeaderCell {
  readonly words: Word[];
  column: number;
  endColumn: number;
  y0: number;
  y1: number;
}

/** The cells of a header: lines above each other in one column are one cell, unless a line or a wider cell separates them. */
function headerCells(
  lines: readonly Line[],
  gutters: readonly Gutter[],
  rules: Rules,
  area: Area,
): { cells: Cell[]; rows: number } {
  if (lines.length === 0) return { cells: [], rows: 0 };
  const columns = gutters.length + 1;
  const edges = (column: number): readonly [number, number] => [
    column === 0 ? area.x0 : middle(gutters[column - 1]),
    column === columns - 1 ? area.x1 : middle(gutters[column]),
  ];
  const [top, bottom] = [lines[0]?.row.y0 ?? 0, lines.at(-1)?.row.y1 ?? 0];
  const partial = rules.horizontal.filter(
    (rule) => rule.at > top && rule.at < bottom && rule.to > area.x0 && rule.from < area.x1,
  );
  const found: HeaderCell[] = [];
  for (const { row } of lines) {
    const pieces = placed(row, gutters);
    for (const piece of pieces) spread(piece, pieces, row, partial, edges, columns);
    for (const { words, column, endColumn } of pieces) {
      const own = areaOf(words);
      const above = found
        .filter((cell) => cell.column <= endColumn && cell.endColumn >= column)
        .toSorted((a, b) => b.y1 - a.y1)[0];
      const isSame = above !== undefined && above.column === column && above.endColumn === endColumn;
      const center = (edges(column)[0] + edges(endColumn)[1]) / 2;
      const isRuled =
        above !== undefined &&
        partial.some(
          (rule) => rule.at > above.y1 - 5 && rule.at < own.y1 - 2 && rule.from < center && rule.to > center,
        );
      if (above !== undefined && isSame && !isRuled && own.y0 - above.y1 < 0.9 * row.size) {
        for (const word of words) above.words.push(word);
        above.y1 = own.y1;
      } else found.push({ words: [...words], column, endColumn, y0: own.y0, y1: own.y1 });
    }
  }
  const bounds: number[] = [];
  const wide = found.filter(
    (cell) =>
      cell.endColumn > cell.column ||
      found.some(
        (other) =>
          other !== cell && other.column <= cell.endColumn && other.endColumn >= cell.column && other.y0 > cell.y1 - 3,
      ),
  );
  for (const cell of wide) {
    const hasBelow = found.some(
      (other) =>
        other !== cell && other.y0 > cell.y1 - 3 && other.column <= cell.endColumn && other.endColumn >= cell.column,
    );
    if (hasBelow && !bounds.some((bound) => Math.abs(bound - cell.y1) < 0.7 * (lines[0]?.row.size ?? 8)))
      bounds.push(cell.y1);
  }
  bounds.sort((a, b) => a - b);
  const rows = bounds.length + 1;
  const level = (y: number): number => bounds.filter((bound) => bound - 2 < y).length;
  const cells: Cell[] = found.map((cell) => ({
    words: cell.words,
    column: cell.column,
    endColumn: cell.endColumn,
    row: level(cell.y0),
    endRow: Math.max(level(cell.y0), level(cell.y1 - 3)),
  }));
  const overlaps = (a: Cell, b: Cell): boolean => a.column <= b.endColumn && a.endColumn >= b.column;
  for (const cell of cells) {
    if (!cells.some((other) => other !== cell && overlaps(cell, other) && other.endRow < cell.row)) cell.row = 0;
    if (!cells.some((other) => other !== cell && overlaps(cell, other) && other.row > cell.endRow))
      cell.endRow = rows - 1;
  }
  return { cells, rows };
}

/** Extends a piece over the columns that it heads: those of the line under it, or those around whose middle it lies. */
function spread(
  piece: PlacedWords,
  pieces: readonly PlacedWords[],
  row: Row,
  partial: readonly Rule[],
  edges: (column: number) => readonly [number, number],
  columns: number,
): void {
  const own = areaOf(piece.words);
  const center = (own.x0 + own.x1) / 2;
  const under = partial
    .filter(
      (rule) =>
        rule.at > row.baseline - 1 && rule.at < row.baseline + 1.3 * row.size && rule.from < center && rule.to > center,
    )
    .toSorted((a, b) => a.at - b.at)[0];
  if (under === undefined) return;
  let [first, last] = [columns, -1];
  for (let column = 0; column < columns; column++) {
    const [from, to] = edges(column);
    const shared = Math.min(to, under.to) - Math.max(from, under.from);
    if (shared > 0.5 * (to - from) || shared > 0.8 * (under.to - under.from))
      [first, last] = [Math.min(first, column), Math.max(last, column)];
  }
  if (last < first) return;
  const taken = pieces.some((other) => other !== piece && other.column <= last && other.endColumn >= first);
  if (taken) return;
  piece.column = Math.min(first, piece.column);
  piece.endColumn = Math.max(last, piece.endColumn);
}
