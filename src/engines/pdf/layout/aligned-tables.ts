/** Tables whose columns are separated by white space. */
import { bodyRows } from "./aligned-rows.ts";
import { BOLD } from "../text/glyphs.ts";
import type { Rule, Rules } from "./rules.ts";
import { type Cell, isNumeric, type Table } from "./tables.ts";
import { type Area, areaOf, median, type Row, textOfRow, type Word } from "./words.ts";

/** Words further apart than this, in font sizes, are in different columns; between numbers, less is enough. */
const [COLUMN_GAP, NUMBER_GAP] = [1, 0.42];
/** Rows further apart than this, in font sizes, belong to different tables. */
const ROW_GAP = 3.2;
/** Rows of a single piece that may stand between two of several. */
const MOST_SINGLE = 3;
/** Share of rows that may have text where others have a gap. */
const MOST_CROSSING = 0.2;
const LEAST_GUTTER = 0.3;
/** Share of rows from which lines under them separate rows, not only the header. */
const UNDER_ROWS = 0.7;
/** Each place where a table might begin, but does not, costs a pass over the rows that follow. */
const MOST_FAILURES = 200;

/** Adjacent words of a row. */
interface Piece extends Area {
  readonly words: Word[];
  readonly numeric: boolean;
}

interface Line {
  readonly row: Row;
  readonly pieces: readonly Piece[];
}

/** White space between two columns. */
interface Gutter {
  readonly from: number;
  readonly to: number;
}

/** The tables among the rows of a column of the page, in order. */
export function alignedTables(rows: readonly Row[], rules: Rules): Table[] {
  const lines = rows.map((row) => ({ row, pieces: piecesOf(row) }));
  const tables: Table[] = [];
  let failures = 0;
  for (let at = 0; at < lines.length && failures < MOST_FAILURES;) {
    const end = groupEnd(lines, at);
    if (end - at < 2) {
      at = Math.max(end, at + 1);
      continue;
    }
    const found = tableAmong(lines, at, end, rules);
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

function piecesOf(row: Row): Piece[] {
  const pieces: Piece[] = [];
  let current: Word[] = [];
  const end = (): void => {
    if (current.length > 0) pieces.push({ ...areaOf(current), words: current, numeric: isNumeric(textOfRow(current)) });
    current = [];
  };
  for (const word of row.words) {
    const last = current.at(-1);
    if (last !== undefined) {
      const gap = (word.x0 - last.x1) / Math.max(word.size, last.size);
      const least =
        isNumeric(last.text) && isNumeric(word.text) && last.text.length + word.text.length > 2
          ? NUMBER_GAP
          : COLUMN_GAP;
      if (gap > least) end();
    }
    current.push(word);
  }
  end();
  return pieces;
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

function tableAmong(
  lines: readonly Line[],
  from: number,
  to: number,
  rules: Rules,
): { table: Table; end: number } | undefined {
  let group = lines.slice(from, to);
  let gutters = guttersOf(group);
  if (gutters.length === 0) return undefined;
  // Rows at both ends that do not respect the columns are not part of it.
  const fits = (line: Line): boolean => {
    const crossed = gutters.filter((gutter) =>
      line.pieces.some((piece) => piece.x0 < gutter.from && piece.x1 > gutter.to),
    ).length;
    return line.pieces.length >= 2 && crossed <= 0.5 * gutters.length;
  };
  const first = group.findIndex(fits);
  const last = group.findLastIndex(fits);
  if (first < 0 || last - first < 1) return undefined;
  group = group.slice(first, last + 1);
  gutters = guttersOf(group);
  if (gutters.length === 0 || !isTable(group, gutters)) return undefined;
  let [start, end] = [from + first, from + last + 1];
  const body = areaOf(group.map((line) => line.row));
  start = headerStart(lines, start, gutters, body, rules);
  end = bodyEnd(lines, end, gutters, body);
  const all = lines.slice(start, end);
  return { table: tableOf(all, start < from + first ? from + first - start : 0, gutters, rules), end };
}

/** Where rows of a group have white space above each other, to a point. */
function guttersOf(group: readonly Line[]): Gutter[] {
  const area = areaOf(group.map((line) => line.row));
  const [origin, width] = [Math.floor(area.x0), Math.ceil(area.x1 - area.x0) + 2];
  if (!(width > 0 && width < 20_000)) return [];
  const [covered, flanked] = [new Uint16Array(width), new Uint16Array(width)];
  const multi = group.filter((line) => line.pieces.length >= 2);
  for (const { pieces } of multi) {
    for (const [index, piece] of pieces.entries()) {
      const [a, b] = [Math.floor(piece.x0 - origin), Math.ceil(piece.x1 - origin)];
      for (let x = Math.max(0, a); x < b && x < width; x++) covered[x]!++;
      const next = pieces[index + 1];
      if (next === undefined) continue;
      for (let x = Math.max(0, b); x < Math.floor(next.x0 - origin) && x < width; x++) flanked[x]!++;
    }
  }
  const tolerated = Math.floor(MOST_CROSSING * multi.length);
  const least = Math.max(2, Math.min(0.25 * multi.length, 8));
  const size = median(group.map((line) => line.row.size));
  const gutters: Gutter[] = [];
  for (let x = 0; x < width; x++) {
    if (covered[x]! > tolerated || flanked[x]! < least) continue;
    let to = x;
    let lowest = Infinity;
    while (to < width && covered[to]! <= tolerated && flanked[to]! >= least) lowest = Math.min(lowest, covered[to++]!);
    // The part that the fewest rows cross.
    let [from, until] = [x, to];
    while (from < until && covered[from]! > lowest) from++;
    while (until > from && covered[until - 1]! > lowest) until--;
    if (until - from >= LEAST_GUTTER * size) gutters.push({ from: from + origin, to: until + origin });
    x = to;
  }
  return gutters;
}

const columnOf = (gutters: readonly Gutter[], x: number): number => {
  let column = 0;
  while (column < gutters.length && x > middle(gutters[column])) column++;
  return column;
};

const middle = (gutter: Gutter | undefined): number =>
  gutter === undefined ? Infinity : (gutter.from + gutter.to) / 2;

const MARKER = /^(?:[•◦▪▫■□●○◆◇❖➢➤►▶✓✔–—*·o§-]|\(?(?:\d{1,3}|[a-z]|[ivxl]{1,6})[.)]|\[\d+\]|\d{1,3})$/iu;

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

function tableOf(lines: readonly Line[], headers: number, gutters: readonly Gutter[], rules: Rules): Table {
  const area = areaOf(lines.map((line) => line.row));
  const columns = gutters.length + 1;
  const headerCount =
    headers > 0 ? Math.max(headers, headerRowsOf(lines, gutters, rules)) : headerRowsOf(lines, gutters, rules);
  const header = headerCells(lines.slice(0, headerCount), gutters, rules, area);
  const rows = lines.slice(headerCount).map((line) => line.row);
  const isSeparated = (above: Row, below: Row): boolean =>
    rules.horizontal.some(
      (rule) =>
        rule.at > above.baseline - 0.2 * above.size &&
        rule.at < below.baseline - 0.4 * below.size &&
        rule.from < area.x1 &&
        rule.to > area.x0 &&
        rule.to - rule.from > 0.3 * (area.x1 - area.x0),
    );
  const groups = bodyRows(rows, (word) => columnOf(gutters, (word.x0 + word.x1) / 2), isSeparated);
  const cells: Cell[] = [...header.cells];
  for (const [index, group] of groups.entries()) {
    cells.push(
      ...cellsOf(group, gutters).map((cell) => ({ ...cell, row: header.rows + index, endRow: header.rows + index })),
    );
  }
  return { ...area, cells, rows: header.rows + groups.length, columns, headerRows: header.rows };
}

/** The cells of one row of the table. A piece across columns stays in one cell. */
function cellsOf(group: readonly Row[], gutters: readonly Gutter[]): Cell[] {
  const cells: Cell[] = [];
  for (const row of group) {
    for (const { words, column, endColumn } of placed(row, gutters)) {
      const same = cells.find((cell) => cell.column <= endColumn && cell.endColumn >= column);
      if (same !== undefined) {
        same.words.push(...words);
        same.column = Math.min(same.column, column);
        same.endColumn = Math.max(same.endColumn, endColumn);
      } else cells.push({ row: 0, endRow: 0, column, endColumn, words: [...words] });
    }
  }
  return cells;
}

interface Placed {
  readonly words: readonly Word[];
  column: number;
  endColumn: number;
}

/** The pieces of a row with the columns that they are in. */
function placed(row: Row, gutters: readonly Gutter[]): Placed[] {
  const result: Placed[] = [];
  for (const piece of piecesOf(row)) {
    let current: Word[] = [];
    const end = (): void => {
      if (current.length === 0) return;
      const area = areaOf(current);
      const slack = Math.min(2, (area.x1 - area.x0) / 4);
      result.push({
        words: current,
        column: columnOf(gutters, area.x0 + slack),
        endColumn: columnOf(gutters, area.x1 - slack),
      });
      current = [];
    };
    for (const word of piece.words) {
      const last = current.at(-1);
      const isBetween =
        last !== undefined &&
        word.x0 - last.x1 > 0.4 * word.size &&
        gutters.some((gutter) => last.x1 <= middle(gutter) + 1 && word.x0 >= middle(gutter) - 1);
      if (isBetween) end();
      current.push(word);
    }
    end();
  }
  return result;
}

/** How many rows at the top are headers: those above the first row of values. */
function headerRowsOf(lines: readonly Line[], gutters: readonly Gutter[], rules: Rules): number {
  const area = areaOf(lines.map((line) => line.row));
  const isFull = (rule: Rule): boolean =>
    rule.to - rule.from > 0.7 * (area.x1 - area.x0) && rule.from < area.x0 + 0.15 * (area.x1 - area.x0);
  const isValues = ({ row }: Line): boolean => {
    const cells = placed(row, gutters).filter((piece) => piece.column > 0);
    const numeric = cells.filter(
      (piece) => isNumeric(textOfRow(piece.words)) && !isYear(textOfRow(piece.words)),
    ).length;
    return cells.length > 0 && numeric >= 0.5 * cells.length;
  };
  const first = lines.findIndex(isValues);
  const most = Math.min(first < 0 ? lines.length : first, 8);
  const ruled = lines.flatMap(({ row }, at) => {
    const above = lines[at - 1]?.row;
    if (above === undefined) return [];
    const isBetween = (rule: Rule): boolean => rule.at > above.baseline - 1 && rule.at < row.baseline - 0.4 * row.size;
    return rules.horizontal.some((rule) => isFull(rule) && isBetween(rule)) ? [at] : [];
  });
  const inHeader = ruled.filter((at) => at <= most);
  if (inHeader.length > 0) {
    // The last line across the table above the values ends the header, unless there is one under most rows.
    if (ruled.length <= UNDER_ROWS * (lines.length - 1)) return inHeader.at(-1) ?? 1;
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
        above.words.push(...words);
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

/** Extends a piece over the columns that it heads: those of the line under it, or those around whose middle it stands. */
function spread(
  piece: Placed,
  pieces: readonly Placed[],
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
