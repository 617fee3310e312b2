/** What a table is made of, however it was found. */
import type { Area, Word } from "./words.ts";

/** A table of more rows times columns is a drawing, or made to take time. */
export const MOST_PLACES = 20_000;

/** A cell over `row` to `endRow` and `column` to `endColumn`, both included, 0-based. */
export interface Cell {
  row: number;
  column: number;
  endRow: number;
  endColumn: number;
  readonly words: Word[];
}

export interface Table extends Area {
  readonly cells: readonly Cell[];
  readonly rows: number;
  readonly columns: number;
  /** Rows at the top that are headers. */
  readonly headerRows: number;
}

/** The cells so that no place has two: one that begins where another is becomes a part of it, and one that reaches into another ends before it. */
export function disjoint(cells: readonly Cell[]): Cell[] {
  const owners = new Map<string, Cell>();
  const kept: Cell[] = [];
  for (const { words, ...place } of cells.toSorted((a, b) => a.row - b.row || a.column - b.column)) {
    const cell: Cell = { ...place, words: [...words] };
    const ownerAt = (row: number, column: number): Cell | undefined => owners.get(`${row} ${column}`);
    const owner = ownerAt(cell.row, cell.column);
    if (owner) {
      for (const word of words) owner.words.push(word);
      continue;
    }
    const isFree = (row: number): boolean => {
      for (let column = cell.column; column <= cell.endColumn; column++) if (ownerAt(row, column)) return false;
      return true;
    };
    let end = cell.column;
    while (end < cell.endColumn && !ownerAt(cell.row, end + 1)) end++;
    cell.endColumn = end;
    let last = cell.row;
    while (last < cell.endRow && isFree(last + 1)) last++;
    cell.endRow = last;
    for (let row = cell.row; row <= cell.endRow; row++) {
      for (let column = cell.column; column <= cell.endColumn; column++) owners.set(`${row} ${column}`, cell);
    }
    kept.push(cell);
  }
  return kept;
}

/** A number, an amount, a share, or a sign that stands for a missing one. */
const NUMERIC =
  /^(?=.*\d)[([<>≤≥~±*†‡§+\-–—−]*[$€£¥]?\s?[(+\-–—−±]?[$€£¥]?(\d[\d,.'’:/\s]*)?[%‰¢]?[)\]]?[a-z*†‡§¹²³]{0,3}$|^(n\.?\/?a\.?|x|\(x\)|na|nap?|\.{1,3}|…|–|—|-+|\*+|[:†‡§#!])$/i;

export const isNumeric = (text: string): boolean => text.length <= 24 && NUMERIC.test(text);
