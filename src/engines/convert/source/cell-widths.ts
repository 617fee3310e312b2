/** How wide the words in the cells of tables may be, so that all columns of a table fit the page. */
import { widthInEms } from "./text-width.ts";

/** Width of a cell in addition to its text, in ems. */
const BESIDE = 1.1;
/** No column is made narrower for words, in ems. */
const LEAST = 4;

interface Table {
  /** In the order of start tags, from 0. */
  readonly index: number;
  /** Of each column, the widest word in ems, and in how many rows below a cell from above is still in it. */
  readonly words: number[];
  readonly covered: number[];
  column: number;
  span: number;
  /** The width of the word that is read, and the widest of the cell. */
  word: number;
  widest: number;
  inCell: boolean;
}

/** Reads tags and text from left to right. Characters that a word is written with may be in several elements. */
export class TableReader {
  readonly #open: Table[] = [];
  readonly #tables: Table[] = [];

  /** The number of the innermost table, in the order of their start tags, and the column of its open cell. */
  get cell(): { table: number; column: number; span: number } | undefined {
    const table = this.#open.at(-1);
    if (!table?.inCell) return undefined;
    return { table: table.index, column: table.column, span: table.span };
  }

  tag(tag: string): void {
    const [, close, written = ""] = /^<(\/?)([a-z][a-z\d]*)/i.exec(tag) ?? [];
    const name = written.toLowerCase();
    const table = this.#open.at(-1);
    if (name === "table") {
      if (close === "") {
        const index = this.#tables.length;
        const opened = { index, words: [], covered: [], column: -1, span: 1, word: 0, widest: 0, inCell: false };
        this.#open.push(opened);
        this.#tables.push(opened);
      } else this.#leaveTable();
      return;
    }
    if (table === undefined) return;
    if (name === "td" || name === "th" || name === "tr") {
      this.#leaveCell(table);
      if (close !== "" || name === "tr") {
        if (name === "tr" && close === "") this.#nextRow(table);
        return;
      }
      this.#enterCell(table, tag);
      return;
    }
    // A word continues in these.
    if (!/^(?:span|b|i|em|strong|font|code|a|u|s|small|big|tt|sup|sub|mark|abbr)$/.test(name)) endWord(table);
  }

  text(text: string): void {
    const table = this.#open.at(-1);
    if (!table?.inCell) return;
    for (const { 0: character } of text.matchAll(CHARACTER)) {
      if (GAP.test(character)) endWord(table);
      else table.word += widthInEms(character);
    }
  }

  /** The widest that a word may be in each column of each table, in ems, on a page of `width` ems: Infinity where all fit. */
  limits(width: number): (readonly number[])[] {
    while (this.#open.length > 0) this.#leaveTable();
    return this.#tables.map(({ words }) => limitsOf(words, width));
  }

  #nextRow(table: Table): void {
    table.column = -1;
    table.span = 1;
    for (let column = 0; column < table.covered.length; column++)
      table.covered[column] = Math.max(0, (table.covered[column] ?? 0) - 1);
  }

  #enterCell(table: Table, tag: string): void {
    let column = table.column + (table.column < 0 ? 1 : table.span);
    while ((table.covered[column] ?? 0) > 0) column += 1;
    const span = spanOf(tag, "colspan");
    const rows = spanOf(tag, "rowspan");
    if (rows > 1) for (let at = column; at < column + span; at++) table.covered[at] = rows;
    Object.assign(table, { column, span, word: 0, widest: 0, inCell: true });
    for (let at = table.words.length; at < column + span; at++) table.words.push(0);
  }

  #leaveCell(table: Table): void {
    endWord(table);
    // A cell in several columns has room enough.
    if (table.inCell && table.span === 1)
      table.words[table.column] = Math.max(table.words[table.column] ?? 0, table.widest);
    table.inCell = false;
  }

  #leaveTable(): void {
    const table = this.#open.pop();
    if (table === undefined) return;
    this.#leaveCell(table);
    const around = this.#open.at(-1);
    if (around?.inCell) around.widest = Math.max(around.widest, sum(table.words) + table.words.length * BESIDE);
  }
}

/** A character in its written form. */
const CHARACTER = /&#?\w{1,31};|[\s\S]/gu;
const GAP = /[ \t\r\n\f\u200b]/;
/** The most columns that a cell is in. */
const MOST_COLUMNS = 1_000;

const spanOf = (tag: string, name: string): number => {
  const value = Number(new RegExp(`\\s${name}\\s*=\\s*["']?(\\d{1,5})`, "i").exec(tag)?.[1] ?? 1);
  return Math.min(Math.max(1, value), MOST_COLUMNS);
};

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function endWord(table: Table): void {
  table.widest = Math.max(table.widest, table.word);
  table.word = 0;
}

/** Narrow columns keep their words, and the others share the rest. */
function limitsOf(words: readonly number[], width: number): readonly number[] {
  const all = words.length;
  let left = width - all * BESIDE;
  if (sum(words) <= left) return words.map(() => Infinity);
  let count = all;
  for (const word of words.toSorted((a, b) => a - b)) {
    if (word > left / count) break;
    left -= word;
    count -= 1;
  }
  const share = Math.max(LEAST, left / Math.max(1, count));
  return words.map((word) => (word <= share ? Infinity : share));
}
