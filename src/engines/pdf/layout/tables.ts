/** What a table is made of, however it was found. */
import type { Area, Word } from "./words.ts";

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

/** A number, an amount, a share, or a sign that stands for a missing one. */
const NUMERIC =
  /^(?=.*\d)[([<>≤≥~±*†‡§+\-–—−]*[$€£¥]?\s?[(+\-–—−±]?[$€£¥]?(\d[\d,.'’:/\s]*)?[%‰¢]?[)\]]?[a-z*†‡§¹²³]{0,3}$|^(n\.?\/?a\.?|x|\(x\)|na|nap?|\.{1,3}|…|–|—|-+|\*+|[:†‡§#!])$/i;

export const isNumeric = (text: string): boolean => text.length <= 24 && NUMERIC.test(text);
