/** Tables whose columns are separated by white space. */
import { type Steps, STRIDE } from "../../steps.ts";
import {
  columnOf,
  countBelow,
  type Gutter,
  guttersOf,
  type Line,
  middle,
  type RowPiece,
  rowPiecesOf,
} from "./columns.ts";
import { isConsistent, MARKER } from "./evidence.ts";
import type { Rules } from "./rules.ts";
import { tableOf } from "./table-cells.ts";
import type { Table } from "./tables.ts";
import { type Area, areaOf, type Row, textOfRow } from "./words.ts";

/** Rows further apart than this, in font sizes, belong to different tables. */
const ROW_GAP = 3.2;
/** Rows of a single piece that may lie between two of several. */
const MOST_SINGLE = 3;
/** Each place where a table might begin, but does not, costs a pass over the rows that follow: in all of a page, over at most so many words. */
const MOST_FAILURES = 200;
export const MOST_TRIED = 200_000;
/** Fuel for a place where a table might begin, and for each word of the rows that follow. */
const [TRY_WORK, WORD_WORK] = [5_000, 400];

/** The tables among the rows of a column of the page, in order. `tried`: words of the page that may still be looked at for one. */
export function* alignedTables(rows: readonly Row[], rules: Rules, tried: { left: number }): Steps<Table[]> {
  const lines: Line[] = [];
  let divided = 0;
  for (const row of rows) {
    lines.push({ row, pieces: rowPiecesOf(row) });
    divided += row.words.length;
    if (divided < STRIDE) continue;
    yield divided * WORD_WORK;
    divided = 0;
  }
  yield divided * WORD_WORK;
  const tables: Table[] = [];
  let failures = 0;
  for (let at = 0; at < lines.length && failures < MOST_FAILURES;) {
    const end = groupEnd(lines, at);
    if (end - at < 2) {
      at = Math.max(end, at + 1);
      continue;
    }
    const words = wordsOf(lines.slice(at, end));
    tried.left -= words;
    if (tried.left < 0) break;
    yield TRY_WORK + words * WORD_WORK;
    const found = yield* tableAmong(lines, at, end, rules);
    if (found === undefined) {
      failures++;
      at++;
      while (at < end && (lines[at]?.pieces.length ?? 0) < 2) at++;
      // Groups that fail as a whole can hold a smaller table, which a later start finds; each start costs a pass over the group.
      continue;
    }
    tables.push(found.table);
    at = found.end;
  }
  return tables;
}

/** Where a run of rows ends that may be a table beginning at `from`. */
function groupEnd(lines: readonly Line[], from: number): number {
  if ((lines[from]?.pieces.length ?? 0) < 2) return from + 1;
  let [last, singles] = [from, 0];
  for (let at = from + 1; at < lines.length; at++) {
    const [above, line] = [lines[at - 1], lines[at]];
    if (above === undefined || line === undefined) break;
    if (line.row.y0 - above.row.y1 > ROW_GAP * Math.max(line.row.size, above.row.size)) break;
    if (line.pieces.length >= 2) [last, singles] = [at, 0];
    else if (++singles > MOST_SINGLE) break;
  }
  return last + 1;
}

function* tableAmong(
  lines: readonly Line[],
  from: number,
  to: number,
  rules: Rules,
): Steps<{ table: Table; end: number } | undefined> {
  let group = lines.slice(from, to);
  let gutters = guttersOf(group);
  if (gutters.length === 0) return undefined;
  // Rows at both ends that do not respect the columns are not part of it.
  const fits = ({ pieces }: Line): boolean => pieces.length >= 2 && crossed(pieces, gutters) <= 0.5 * gutters.length;
  const first = group.findIndex(fits);
  const last = group.findLastIndex(fits);
  if (first < 0 || last - first < 1) return undefined;
  group = group.slice(first, last + 1);
  gutters = guttersOf(group);
  if (gutters.length === 0 || !isTable(group, gutters)) return undefined;
  let [start, end] = [from + first, from + last + 1];
  const body = areaOf(group.map((line) => line.row));
  yield wordsOf(group) * WORD_WORK;
  start = headerStart(lines, start, gutters, body, rules);
  end = bodyEnd(lines, end, gutters, body);
  const all = lines.slice(start, end);
  const table = yield* tableOf(all, start < from + first ? from + first - start : 0, gutters, rules);
  return table !== undefined && isConsistent(table) && (table.rows > 2 || table.columns > 2)
    ? { table, end }
    : undefined;
}

const wordsOf = (lines: readonly Line[]): number => lines.reduce((sum, { row }) => sum + row.words.length, 0);

/** How many gutters are within a piece of a row. */
function crossed(pieces: readonly RowPiece[], gutters: readonly Gutter[]): number {
  let [count, next] = [0, 0];
  for (const { x0, x1 } of pieces) {
    const from = countBelow(gutters.length, (at) => (gutters[at]?.from ?? 0) <= x0);
    const to = countBelow(gutters.length, (at) => (gutters[at]?.to ?? 0) < x1);
    count += Math.max(0, to - Math.max(from, next));
    next = Math.max(next, to);
  }
  return count;
}

function isTable(group: readonly Line[], gutters: readonly Gutter[]): boolean {
  const multi = group.filter((line) => line.pieces.length >= 2);
  if (multi.length < 2) return false;
  const columns = gutters.length + 1;
  const pieces = multi.flatMap((line) => line.pieces);
  const numeric = pieces.filter((piece) => piece.numeric).length;
  if (columns === 2) {
    const firsts = multi.map((line) =>
      line.pieces.filter((piece) => columnOf(gutters, piece.x0) === 0).flatMap((piece) => piece.words),
    );
    const markers = firsts.filter((words) => words.length > 0 && MARKER.test(textOfRow(words))).length;
    if (markers > 0.5 * multi.length) return false;
    if (multi.length < 3 && numeric < 2) return false;
    if (multi.length < 0.5 * group.length) return false;
  }
  const length =
    pieces.reduce((sum, piece) => sum + piece.words.reduce((all, word) => all + word.text.length, 0), 0) /
    pieces.length;
  if (length > 40 && numeric < 0.2 * pieces.length) return false;
  return true;
}

/** Where the header of a table begins whose first row with columns is at `start`. */
function headerStart(
  lines: readonly Line[],
  start: number,
  gutters: readonly Gutter[],
  body: Area,
  rules: Rules,
): number {
  const top = lines[start];
  if (top === undefined) return start;
  const { size } = top.row;
  // A line above that is as wide as the table.
  const width = body.x1 - body.x0;
  const reach = rules.horizontal.filter(
    (rule) => rule.at < top.row.y1 && rule.to - rule.from > 0.8 * width && rule.from < body.x0 + 0.2 * width,
  );
  let first = start;
  for (let at = start - 1; at >= 0 && start - at <= 8; at--) {
    const [line, below] = [lines[at], lines[at + 1]];
    if (line === undefined || below === undefined) break;
    if (below.row.y0 - line.row.y1 > 1.6 * size) break;
    if (line.row.x0 < body.x0 - 2 * size || line.row.x1 > body.x1 + 2 * size) break;
    const ruledOff = reach.some((rule) => rule.at > line.row.baseline - 0.3 * size && rule.at < below.row.baseline);
    const framed = reach.some(
      (rule) => rule.at <= line.row.baseline - 0.3 * size && line.row.baseline - rule.at < 9 * size,
    );
    if (framed) {
      // Between two lines there is nothing but the header.
      first = at;
      continue;
    }
    if (ruledOff) break;
    const isColumns = line.pieces.every((piece) => columnOf(gutters, piece.x0 + 1) === columnOf(gutters, piece.x1 - 1));
    const isStub = line.pieces.length === 1 && (line.pieces[0]?.x1 ?? 0) < middle(gutters[0]);
    if (!isColumns || isStub) break;
    first = at;
  }
  return first;
}

/** Where the table ends: further lines of its last row belong to it. */
function bodyEnd(lines: readonly Line[], end: number, gutters: readonly Gutter[], body: Area): number {
  let last = end;
  for (let at = end; at < lines.length && at < end + 2; at++) {
    const [above, line] = [lines[at - 1], lines[at]];
    if (above === undefined || line === undefined) break;
    if (
      line.row.baseline - above.row.baseline > 1.45 * above.row.size ||
      Math.abs(line.row.size - above.row.size) > 0.5
    )
      break;
    const [piece] = line.pieces;
    if (line.pieces.length !== 1 || piece === undefined) break;
    const column = columnOf(gutters, piece.x0 + 1);
    if (column !== columnOf(gutters, piece.x1 - 1) || piece.x0 < body.x0 - 1) break;
    if (!/^[\p{Ll}(]/u.test(textOfRow(piece.words))) break;
    last = at + 1;
  }
  return last;
}
