/** Tables whose cells are separated by lines, with the words in them. */
import type { Grid } from "./grids.ts";
import { bodyRows } from "./aligned-rows.ts";
import { type Cell, isNumeric, type Table } from "./tables.ts";
import { type Area, rowsOf, type Row, textOfRow, type Word } from "./words.ts";

/** A cell of a grid while lines that are missing merge it with its neighbors. */
interface Box {
  row: number;
  column: number;
  endRow: number;
  endColumn: number;
  words: Word[];
}

/** A grid of more cells is a drawing. */
const MOST_CELLS = 20_000;

/** The table in a grid, or undefined if the lines are something else, such as a frame or a chart. */
export function tableInGrid(grid: Grid, words: readonly Word[]): Table | undefined {
  const { xs, ys } = grid;
  if (xs.length < 3 || ys.length < 2 || xs.length * ys.length > MOST_CELLS) return undefined;
  const inside = words.filter((word) => isInside(word, grid));
  if (inside.length < 3) return undefined;
  const boxes = merged(grid, inside);
  const filled = boxes.filter((box) => box.words.length > 0);
  const columns = new Set(filled.map((box) => box.column));
  if (columns.size < 2 || filled.length < 3) return undefined;
  const crossing = inside.filter((word) => crosses(word, grid)).length;
  if (crossing > 0.2 * inside.length) return undefined;
  if (filled.length < 0.2 * boxes.length) return undefined;
  return tableOf(grid, split(grid, trimmed(grid, boxes)));
}

const isInside = (word: Word, area: Area): boolean => {
  const [x, y] = [(word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2];
  return x >= area.x0 - 1 && x <= area.x1 + 1 && y >= area.y0 - 1 && y <= area.y1 + 1;
};

const crosses = (word: Word, { xs, separatesColumns, ys }: Grid): boolean => {
  const row = placeOf(ys, (word.y0 + word.y1) / 2);
  return xs.some((x, index) => x > word.x0 + 2 && x < word.x1 - 2 && separatesColumns(row, index - 1));
};

/** The interval of ascending positions that holds a value. */
function placeOf(positions: readonly number[], value: number): number {
  let place = 0;
  while (place + 2 < positions.length && value >= (positions[place + 1] ?? Infinity)) place++;
  return place;
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
          box.words.push(...(content[r]?.[c] ?? []));
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
  const top = (): Box | undefined => boxes.find((box) => box.row === first && isAcross(box));
  const bottom = (): Box | undefined => boxes.find((box) => box.endRow === last && isAcross(box));
  for (let box = top(); box !== undefined && box.endRow < last; box = top()) first = box.endRow + 1;
  for (let box = bottom(); box !== undefined && box.row > first; box = bottom()) last = box.row - 1;
  return boxes.filter((box) => box.row >= first && box.endRow <= last);
}

/** Splits rows of the grid that hold several rows of text, where lines only frame them. */
function split(grid: Grid, boxes: readonly Box[]): Box[] {
  let result = boxes.map((box) => ({ ...box }));
  for (let band = grid.ys.length - 2; band >= 0; band--) {
    const own = result.filter((box) => box.row === band && box.endRow === band && box.words.length > 0);
    const rows = rowsOf(own.flatMap((box) => box.words));
    if (rows.length < 2 || !isRowWise(own, rows)) continue;
    const boxOf = new Map(own.flatMap((box) => box.words.map((word) => [word, box] as const)));
    const starts = own.map((box) => box.column).toSorted((a, b) => a - b);
    const groups = bodyRows(
      rows,
      (word) => starts.indexOf(boxOf.get(word)?.column ?? 0),
      () => false,
    );
    if (groups.length < 2) continue;
    const more = groups.length - 1;
    const next: Box[] = [];
    for (const box of result) {
      if (box.row > band) next.push({ ...box, row: box.row + more, endRow: box.endRow + more });
      else if (box.row === band && box.endRow === band) {
        for (const [index, group] of groups.entries()) {
          const inGroup = new Set(group.flatMap((row) => row.words));
          next.push({
            ...box,
            row: band + index,
            endRow: band + index,
            words: box.words.filter((word) => inGroup.has(word)),
          });
        }
      } else if (box.endRow >= band && box.row <= band) next.push({ ...box, endRow: box.endRow + more });
      else next.push(box);
    }
    result = next;
  }
  return result;
}

/** Whether the rows of text in cells side by side are rows of a table, rather than lines of paragraphs. */
function isRowWise(cells: readonly Box[], rows: readonly Row[]): boolean {
  const lines = cells.map((cell) => {
    const own = new Set(cell.words);
    return rows.map((row) => row.words.filter((word) => own.has(word))).filter((words) => words.length > 0);
  });
  const long = lines.filter((own) => own.length >= 2);
  if (long.length < 2) return false;
  return long.some((own) => {
    const numeric = own.filter((words) => isNumeric(textOfRow(words))).length;
    return numeric >= 2 && numeric >= 0.7 * own.length;
  });
}

/** The table of the boxes that are left, without rows and columns that hold nothing. */
function tableOf(grid: Area, boxes: readonly Box[]): Table | undefined {
  const filled = boxes.filter((box) => box.words.length > 0);
  const usedRows = [...new Set(filled.map((box) => box.row))].toSorted((a, b) => a - b);
  const usedColumns = [...new Set(filled.map((box) => box.column))].toSorted((a, b) => a - b);
  if (usedColumns.length < 2 || filled.length < 3) return undefined;
  const start = (used: readonly number[], value: number): number => used.findIndex((place) => place >= value);
  const end = (used: readonly number[], value: number): number => used.findLastIndex((place) => place <= value);
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
