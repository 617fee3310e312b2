/** Rows of text as rows of a table: which lines continue the row above. */
import { isNumeric } from "./tables.ts";
import { type Row, textOfRow, type Word } from "./words.ts";

/** Baselines within this many font sizes are those of lines of one paragraph. */
const LINE_PITCH = 1.45;

/** A word that a cell does not end with. */
const UNFINISHED =
  /(?:[,–—/&-]|\b(?:and|or|of|the|in|to|for|with|by|from|per|at|on|a|an|de|la|des|und|der|die|für|von))$/i;

/**
 * Groups rows of text into rows of a table. `columnOf`: the column of a word. `isSeparated`: whether a line is drawn between two
 * rows.
 */
export function bodyRows(
  rows: readonly Row[],
  columnOf: (word: Word) => number,
  isSeparated: (above: Row, below: Row) => boolean,
): Row[][] {
  const groups: Row[][] = [];
  let above: Line | undefined;
  for (const row of rows) {
    const line = lineOf(row, columnOf);
    const group = groups.at(-1);
    const close =
      above !== undefined && row.baseline - above.row.baseline <= LINE_PITCH * Math.max(row.size, above.row.size);
    if (above !== undefined && group !== undefined && close && !isSeparated(above.row, row) && continues(above, line)) {
      group.push(row);
      for (const [column, text] of line.cells) above.cells.set(column, text);
      above = { row, cells: above.cells };
    } else {
      groups.push([row]);
      above = line;
    }
  }
  return groups;
}

interface Line {
  readonly row: Row;
  readonly cells: Map<number, string>;
}

function lineOf(row: Row, columnOf: (word: Word) => number): Line {
  const words = new Map<number, Word[]>();
  for (const word of row.words) {
    const column = columnOf(word);
    const own = words.get(column);
    if (own === undefined) words.set(column, [word]);
    else own.push(word);
  }
  return { row, cells: new Map([...words].map(([column, own]) => [column, textOfRow(own)])) };
}

function continues(above: Line, below: Line): boolean {
  const [stubAbove, stubBelow] = [above.cells.get(0), below.cells.get(0)];
  const only = (line: Line): boolean => line.cells.size === 1 && line.cells.has(0);
  if (stubBelow === undefined) {
    // Further lines of the cells above, unless they are values of their own.
    return (
      [...below.cells].every(([column, text]) => above.cells.has(column) && !isNumeric(text)) &&
      below.cells.size < above.cells.size + 1
    );
  }
  if (stubAbove === undefined) return false;
  const continued = startsLower(stubBelow) || UNFINISHED.test(stubAbove);
  if (only(below)) return continued;
  // The values are beside the last line of their label.
  if (only(above)) return continued;
  // Wrapped text in several columns.
  return startsLower(stubBelow) && [...below.cells.values()].every((text) => !isNumeric(text));
}

const startsLower = (text: string): boolean => /^[\p{Ll}(]/u.test(text) && !/^\(?[a-z0-9]{1,2}[.)]/.test(text);
