/** The tables of a document one after the other, each with its name. */
import type { Block } from "../layout/document.ts";
import { plainText } from "../layout/spans.ts";

export type ExportedTable = Extract<Block, { type: "table" }>;

/** A page (1-based) and its blocks in reading order. */
export interface PageBlocks {
  readonly pageNumber: number;
  readonly blocks: readonly Block[];
}

export interface FoundTable {
  readonly table: ExportedTable;
  /** 1-based. */
  readonly pageNumber: number;
  /** The number of the table on its page, from 1. */
  readonly number: number;
  /** Empty if it has none. */
  readonly caption: string;
}

export async function* tablesIn(pages: AsyncIterable<PageBlocks>): AsyncGenerator<FoundTable, void> {
  for await (const { pageNumber, blocks } of pages) {
    let number = 0;
    for (const [index, block] of blocks.entries()) {
      if (block.type !== "table") continue;
      number++;
      yield { table: block, pageNumber, number, caption: captionOf(blocks, index) };
    }
  }
}

/** A table's caption is above it, or below it if it does not belong to the next table or figure. */
export function captionOf(blocks: readonly Block[], index: number): string {
  const [above, below, next] = [blocks[index - 1], blocks[index + 1], blocks[index + 2]];
  if (above?.type === "caption") return plainText(above.spans);
  if (below?.type === "caption" && next?.type !== "table" && next?.type !== "figure") return plainText(below.spans);
  return "";
}

/** The texts of a table by rows and columns. A merged cell is in the first place that it covers. */
export function textGrid({ rows, columns, cells }: ExportedTable): string[][] {
  const grid = Array.from({ length: rows }, () => Array.from({ length: columns }, () => ""));
  for (const { row, column, text } of cells) {
    const line = grid[row];
    if (line !== undefined) line[column] = text.replaceAll(/\s+/g, " ").trim();
  }
  return grid;
}

/** A number in its printed form. */
export interface PrintedNumber {
  readonly value: number;
  /** Digits after the decimal point. */
  readonly decimals: number;
  /** Whether commas separate its thousands. */
  readonly grouped: boolean;
}

/** Digits that a double holds exactly, and that a spreadsheet shows. */
const MOST_DIGITS = 15;

/**
 * The number that a text plainly is; undefined for all else. `1,234` is none, because it is 1.234 in many countries: commas count only if
 * there are several or a decimal point follows. Neither is `007`, which is a code.
 */
export function plainNumber(text: string): PrintedNumber | undefined {
  const match = /^([-\u2212]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = "", whole = "", fraction = ""] = match;
  const groups = whole.split(",");
  if (groups.length === 2 && fraction === "") return undefined;
  const digits = groups.join("");
  if (digits.length + fraction.length > MOST_DIGITS || (digits.length > 1 && digits.startsWith("0"))) return undefined;
  const value = Number(`${digits}${fraction === "" ? "" : `.${fraction}`}`);
  return { value: sign === "" ? value : -value, decimals: fraction.length, grouped: groups.length > 1 };
}

/** Whether a spreadsheet that opens a text as CSV may take it for a formula (OWASP, CSV Injection). */
export const looksLikeFormula = (text: string): boolean =>
  /^[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(text) && !plainNumber(text);
