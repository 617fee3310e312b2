/** Tables whose cells are separated by lines, with the words in them. */
import type { Steps } from "../../steps.ts";
import { type Grid, withWhiteColumns } from "./grids.ts";
import { bodyRows } from "./aligned-rows.ts";
import { countBelow, rowPiecesOf } from "./columns.ts";
import { type Cell, isNumeric, MOST_PLACES, type Table } from "./tables.ts";
import { type Area, rowsOf, type Row, textOfRow, type Word } from "./words.ts";

/** Fuel for a word in a grid. */
const WORD_WORK = 400;

/** The fewest cells of a table of one column, and their least share with text. Two are a text with its title. */
const [LEAST_STACKED, LEAST_FILLED] = [3, 0.8];
/** The most lines of a cell of one. A longer one is a text in a box. */
const MOST_LINES = 4;
/** The width of a space, in font sizes. */
const SPACE = 0.25;

/** A cell of a grid while lines that are missing merge it with its neighbors. */
interface Box {
  row: number;
  column: number;
  endRow: number;
  endColumn: number;
  words: Word[];
}

/** The table in a grid, or undefined if the lines are something else, such as a frame or a chart. */
export function* tableInGrid(drawn: Grid, words: readonly Word[]): Steps<Table | undefined> {
  const { xs, ys } = drawn;
  if (xs.length < 3 || ys.length < 2 || xs.length * ys.length > MOST_PLACES) return undefined;
  const inside = words.filter((word) => isInside(word, drawn));
  if (inside.length < 3) return undefined;
  yield inside.length * WORD_WORK;
  const grid = withWhiteColumns(drawn, merged(drawn, inside));
  const boxes = merged(grid, inside);
  const filled = boxes.filter((box) => box.words.length > 0);
  const columns = new Set(filled.map((box) => box.column));
  if (columns.size < 2 || filled.length < 3) return undefined;
  if (crossing(inside, grid) > 0.2 * inside.length) return undefined;
  if (filled.length < 0.2 * boxes.length) return undefined;
  return tableOf(grid, split(grid, trimmed(grid, boxes)));
}

/**
 * The table of one column in a grid whose cells are stacked: rows of a list with a line around each. Or undefined, if it is something else: a text
 * box, with its title or without, or a bar of a chart.
 */
export function* columnInGrid(grid: Grid, words: readonly Word[]): Steps<Table | undefined> {
  if (grid.xs.length !== 2 || grid.ys.length <= LEAST_STACKED || grid.ys.length > MOST_PLACES) return undefined;
  const inside = words.filter((word) => isInside(word, grid));
  yield inside.length * WORD_WORK;
  const boxes = merged(grid, inside);
  const isClosed = boxes.every(({ row, endRow }) =>
    [-1, 0].every((column) => grid.separatesColumns(row, column) && grid.separatesColumns(endRow, column)),
  );
  const filled = boxes.filter((box) => box.words.length > 0);
  if (!isClosed || filled.length < LEAST_STACKED || filled.length < LEAST_FILLED * boxes.length) return undefined;
  const cells = filled.map((box) => rowsOf(box.words));
  if (cells.some((rows) => rows.length > MOST_LINES || rows.some((row) => rowPiecesOf(row).length > 1)))
    return undefined;
  const worded = cells.filter((rows) => rows.some((row) => row.words.some(({ text }) => /\p{L}{2}/u.test(text))));
  if (worded.length <= 0.5 * cells.length || runsOn(cells, grid) || hasBeside(cells, grid, words)) return undefined;
  return tableOf(grid, filled, 1);
}

/** Whether most cells are full, as the lines of a text are of which each has a box. */
function runsOn(cells: readonly (readonly Row[])[], { x0, x1 }: Area): boolean {
  const full = cells.filter((rows, at) => {
    const [last, first] = [rows.at(-1), cells[at + 1]?.[0]];
    const word = first?.words[0];
    if (last === undefined || first === undefined || word === undefined) return false;
    const padding = Math.max(0, first.x0 - x0);
    return last.x1 + SPACE * last.size + word.x1 - word.x0 > x1 - padding;
  });
  return full.length > 0.5 * cells.length;
}

/** Whether most cells have something on their baseline to the left or to the right of the lines: then they are labels or values of it. */
function hasBeside(cells: readonly (readonly Row[])[], { x0, x1 }: Area, words: readonly Word[]): boolean {
  const outside = words.filter((word) => word.x1 < x0 || word.x0 > x1);
  const baselines = new Set(outside.flatMap(({ baseline }) => [Math.floor(baseline), Math.ceil(baseline)]));
  const beside = cells.filter(([row]) => row !== undefined && baselines.has(Math.round(row.baseline)));
  return beside.length > 0.5 * cells.length;
}

const isInside = (word: Word, area: Area): boolean => {
  const [x, y] = [(word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2];
  return x >= area.x0 - 1 && x <= area.x1 + 1 && y >= area.y0 - 1 && y <= area.y1 + 1;
};

/** How many words cross a line between columns. */
function crossing(words: readonly Word[], { xs, ys, separatesColumns }: Grid): number {
  const lines = ys.map((_, row) => xs.filter((__, index) => separatesColumns(row, index - 1)));
  return words.filter(({ x0, x1, y0, y1 }) => {
    const own = lines[placeOf(ys, (y0 + y1) / 2)] ?? [];
    const next = own[countBelow(own.length, (at) => (own[at] ?? 0) <= x0 + 2)];
    return next !== undefined && next < x1 - 2;
  }).length;
}

/** The interval of ascending positions that holds a value. */
function placeOf(positions: readonly number[], value: number): number {
  const inner = Math.max(0, positions.length - 2);
  return countBelow(inner, (at) => (positions[at + 1] ?? Infinity) <= value);
}

/** The cells of a grid: rectangles of its boxes that no line separates. */
function merged(grid: Grid, words: readonly Word[]): Box[] {
  const { xs, ys } = grid;
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const content = Array.from({ length: rows }, () => Array.from({ length: columns }, (): Word[] => []));
  for (const word of words) {
    const [row, column] = [placeOf(ys, (word.y0 + word.y1) / 2), placeOf(xs, (word.x0 + word.x1) / 2)];
    content[row]?.[column]?.push(word);
  }
  const owner = Array.from({ length: rows }, () => Array.from({ length: columns }, () => -1));
  const boxes: Box[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (owner[row]?.[column] !== -1) continue;
      let [endRow, endColumn] = [row, column];
      while (endColumn + 1 < columns && owner[row]?.[endColumn + 1] === -1 && !grid.separatesColumns(row, endColumn))
        endColumn++;
      const isOpenBelow = (): boolean => {
        for (let at = column; at <= endColumn; at++) {
          if (grid.separatesRows(endRow, at) || owner[endRow + 1]?.[at] !== -1) return false;
          if (at < endColumn && grid.separatesColumns(endRow + 1, at)) return false;
        }
        const left = column === 0 || grid.separatesColumns(endRow + 1, column - 1);
        return left && (endColumn + 1 === columns || grid.separatesColumns(endRow + 1, endColumn));
      };
      while (endRow + 1 < rows && isOpenBelow()) endRow++;
      const box: Box = { row, column, endRow, endColumn, words: [] };
      for (let r = row; r <= endRow; r++) {
        for (let c = column; c <= endColumn; c++) {
          const line = owner[r];
          if (line) line[c] = boxes.length;
          for (const word of content[r]?.[c] ?? []) box.words.push(word);
        }
      }
      boxes.push(box);
    }
  }
  return boxes;
}

/** Without captions and notes within the frame: cells across all columns at the top and the bottom. */
function trimmed({ xs, ys }: Grid, boxes: readonly Box[]): Box[] {
  const isAcross = (box: Box): boolean => box.column === 0 && box.endColumn === xs.length - 2;
  let [first, last] = [0, ys.length - 2];
  const across = boxes.filter(isAcross);
  for (const { row, endRow } of across) if (row === first && endRow < last) first = endRow + 1;
  for (const { row, endRow } of across.toReversed()) if (endRow === last && row > first) last = row - 1;
  return boxes.filter((box) => box.row >= first && box.endRow <= last);
}

/** Splits rows of the grid that hold several rows of text, where lines only frame them. */
function split(grid: Grid, boxes: readonly Box[]): Box[] {
  const bands = Map.groupBy(
    boxes.filter(({ row, endRow, words }) => row === endRow && words.length > 0),
    ({ row }) => row,
  );
  /** How many rows each band becomes, and which of them a word is in. */
  const parts = new Map<number, { readonly count: number; readonly groupOf: ReadonlyMap<Word, number> }>();
  for (const [band, own] of bands) {
    const groups = groupsOf(own);
    if (groups.length < 2) continue;
    const groupOf = groups.flatMap((rows, index) =>
      rows.flatMap(({ words }) => words.map((word) => [word, index] as const)),
    );
    parts.set(band, { count: groups.length, groupOf: new Map(groupOf) });
  }
  /** The row at which each band begins now. */
  const starts = [0];
  for (const band of grid.ys.keys()) starts.push((starts[band] ?? 0) + (parts.get(band)?.count ?? 1));
  return boxes.flatMap((box): Box[] => {
    const [row, endRow] = [starts[box.row] ?? 0, (starts[box.endRow + 1] ?? 1) - 1];
    const part = box.row === box.endRow ? parts.get(box.row) : undefined;
    if (part === undefined) return [{ ...box, row, endRow }];
    const words = Map.groupBy(box.words, (word) => part.groupOf.get(word));
    return Array.from({ length: part.count }, (_, index) => ({
      ...box,
      row: row + index,
      endRow: row + index,
      words: words.get(index) ?? [],
    }));
  });
}

/** The rows of text in boxes side by side, in groups that are rows of a table; none if they are lines of paragraphs. */
function groupsOf(boxes: readonly Box[]): Row[][] {
  const rows = rowsOf(boxes.flatMap(({ words }) => words));
  if (rows.length < 2) return [];
  const boxOf = new Map(boxes.flatMap((box) => box.words.map((word) => [word, box] as const)));
  if (!isRowWise(rows, boxOf)) return [];
  const columns = new Map(
    boxes
      .map(({ column }) => column)
      .toSorted((a, b) => a - b)
      .map((column, index) => [column, index]),
  );
  return bodyRows(
    rows,
    (word) => columns.get(boxOf.get(word)?.column ?? 0) ?? -1,
    () => false,
  );
}

/** Whether the rows of text in cells side by side are rows of a table, rather than lines of paragraphs. */
function isRowWise(rows: readonly Row[], boxOf: ReadonlyMap<Word, Box>): boolean {
  const lines = Map.groupBy(
    rows.flatMap(({ words }) => [...Map.groupBy(words, (word) => boxOf.get(word))]),
    ([box]) => box,
  );
  const long = [...lines.values()].filter((own) => own.length >= 2);
  if (long.length < 2) return false;
  return long.some((own) => {
    const numeric = own.filter(([, words]) => isNumeric(textOfRow(words))).length;
    return numeric >= 2 && numeric >= 0.7 * own.length;
  });
}

/** The table of the boxes that are left, without rows and columns that hold nothing. `least`: how many columns it has to have. */
function tableOf(grid: Area, boxes: readonly Box[], least = 2): Table | undefined {
  const filled = boxes.filter((box) => box.words.length > 0);
  const usedRows = [...new Set(filled.map((box) => box.row))].toSorted((a, b) => a - b);
  const usedColumns = [...new Set(filled.map((box) => box.column))].toSorted((a, b) => a - b);
  if (usedColumns.length < least || filled.length < 3) return undefined;
  if (usedRows.length * usedColumns.length > MOST_PLACES) return undefined;
  const start = (used: readonly number[], value: number): number =>
    countBelow(used.length, (at) => (used[at] ?? 0) < value);
  const end = (used: readonly number[], value: number): number =>
    countBelow(used.length, (at) => (used[at] ?? 0) <= value) - 1;
  const cells: Cell[] = filled.map((box) => ({
    words: box.words,
    row: start(usedRows, box.row),
    column: start(usedColumns, box.column),
    endRow: end(usedRows, box.endRow),
    endColumn: end(usedColumns, box.endColumn),
  }));
  return {
    x0: grid.x0,
    y0: grid.y0,
    x1: grid.x1,
    y1: grid.y1,
    cells,
    rows: usedRows.length,
    columns: usedColumns.length,
    headerRows: 1,
  };
}
