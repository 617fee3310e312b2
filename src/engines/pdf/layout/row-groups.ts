/** Lines of text as rows of a table, by how lines of one cell follow each other. */
import type { Line, PlacedWords } from "./columns.ts";
import { isNumeric } from "./tables.ts";
import { textOfRow } from "./words.ts";

/** Distances of baselines that differ less than this are the same, in points. */
const SAME_LEADING = 0.75;
/** The largest leading of text, in font sizes. */
const MOST_LEADING = 1.9;
/** The share of lines at the leading that may be rows of their own. */
const MOST_DOUBTS = 0.25;
/** The width of a space, in font sizes. */
const SPACE = 0.25;

/** What begins an item, which is not where a line is broken. */
const NUMBERED = /^(?:\(?\d{1,2}(?:\.\d{1,2})*[.)]?|\(?[a-zA-Z][.)]|[•·–-])$/u;

/** A piece of a line in one column, and the next one below it in that column. */
interface Pair {
  readonly above: number;
  readonly below: number;
  readonly column: number;
  readonly distance: number;
  /**
   * Whether the text continues: the first word below would not have fit at the end of the line above. Undefined in a column of single words, where
   * none would.
   */
  readonly wraps: boolean | undefined;
}

/**
 * The indexes of the lines at which rows begin, or undefined if they cannot be told. `isSeparated`: whether a line is drawn above a line. Lines of
 * a cell follow each other at the leading of its text; where no column continues at that leading, a row begins.
 */
export function rowStarts(
  lines: readonly Line[],
  cells: readonly (readonly PlacedWords[])[],
  isSeparated: (at: number) => boolean,
): number[] | undefined {
  /** How many lines are drawn above the lines up to each one. */
  const drawn: number[] = [];
  for (const at of lines.keys()) drawn.push((drawn.at(-1) ?? 0) + (at > 0 && isSeparated(at) ? 1 : 0));
  const pairs = pairsOf(lines, cells).filter(({ above, below }) => drawn[above] === drawn[below]);
  if (pairs.length === 0) return undefined;
  const leading = pairs.reduce((least, { distance }) => Math.min(least, distance), Infinity);
  const own = pairs.filter(({ distance }) => distance <= leading + SAME_LEADING);
  const doubts = own.filter(({ wraps }) => wraps === false).length;
  // Two lines alone are more often of a paragraph.
  const known = own.filter(({ wraps }) => wraps !== undefined || lines.length < 3).length;
  if (known === 0 || doubts > MOST_DOUBTS * known) return undefined;
  const reach = new Map<number, number>();
  for (const { above, below } of own) reach.set(above, Math.max(below, reach.get(above) ?? 0));
  const joined = new Set<number>();
  let end = -1;
  for (const at of lines.keys()) {
    if (at <= end) joined.add(at);
    end = Math.max(end, reach.get(at) ?? 0);
  }
  return withRestarts(cells, joined, new Set(own.map(({ below, column }) => `${below} ${column}`)));
}

/** A cell has no gaps: where a column begins again within a row, another row begins. */
function withRestarts(
  cells: readonly (readonly PlacedWords[])[],
  joined: ReadonlySet<number>,
  goesOn: ReadonlySet<string>,
): number[] {
  const starts: number[] = [];
  let filled = new Set<number>();
  for (const [at, line] of cells.entries()) {
    const own = line.filter(({ column, endColumn }) => column === endColumn).map(({ column }) => column);
    const restarts = own.some((column) => filled.has(column) && !goesOn.has(`${at} ${column}`));
    if (!joined.has(at) || restarts) {
      starts.push(at);
      filled = new Set();
    }
    for (const column of own) filled.add(column);
  }
  return starts;
}

function pairsOf(lines: readonly Line[], cells: readonly (readonly PlacedWords[])[]): Pair[] {
  const widths = new Map<number, number>();
  const phrased = new Set<number>();
  for (const piece of cells.flat()) {
    if (piece.column !== piece.endColumn) continue;
    widths.set(piece.column, Math.max(widths.get(piece.column) ?? 0, widthOf(piece)));
    if (piece.words.length > 1) phrased.add(piece.column);
  }
  const last = new Map<number, { at: number; piece: PlacedWords }>();
  const pairs: Pair[] = [];
  for (const [at, line] of cells.entries()) {
    for (const piece of line) {
      if (piece.column !== piece.endColumn) continue;
      const above = last.get(piece.column);
      last.set(piece.column, { at, piece });
      if (above === undefined) continue;
      const [a, b] = [lines[above.at]?.row, lines[at]?.row];
      if (a === undefined || b === undefined || Math.abs(a.size - b.size) > 0.3) continue;
      const distance = b.baseline - a.baseline;
      if (distance > MOST_LEADING * b.size || distance < 0.8 * b.size) continue;
      const first = piece.words[0];
      const width = first === undefined ? 0 : first.x1 - first.x0;
      const isFull =
        widthOf(above.piece) + SPACE * b.size + width > (widths.get(piece.column) ?? 0) - 0.5 &&
        !(isNumeric(textOfRow(above.piece.words)) && isNumeric(textOfRow(piece.words))) &&
        !NUMBERED.test(first?.text ?? "");
      const wraps = isFull && !phrased.has(piece.column) ? undefined : isFull;
      pairs.push({ above: above.at, below: at, column: piece.column, distance, wraps });
    }
  }
  return pairs;
}

const widthOf = ({ words }: PlacedWords): number => (words.at(-1)?.x1 ?? 0) - (words[0]?.x0 ?? 0);
