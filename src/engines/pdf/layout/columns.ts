/** Columns of a table: what persistent white space separates. */
import { isNumeric } from "./tables.ts";
import { type Area, areaOf, median, type Row, textOfRow, type Word } from "./words.ts";

/** Words further apart than this, in font sizes, are in different columns; between numbers, less is enough. */
export const COLUMN_GAP = 1;
const NUMBER_GAP = 0.42;
/** The widest space between words of a justified line, in font sizes. */
const WIDEST_SPACE = 4;
/** Share of rows that may have text where others have a gap. */
const MOST_CROSSING = 0.2;
const LEAST_GUTTER = 0.3;
/** White space at a gutter that divides a row, in font sizes, and where the borders of cells meet, in points. */
const [LEAST_SPLIT, SPACE] = [0.4, 1];

/** Adjacent words of a row. */
export interface RowPiece extends Area {
  readonly words: Word[];
  readonly numeric: boolean;
}

export interface Line {
  readonly row: Row;
  readonly pieces: readonly RowPiece[];
}

/** White space between two columns. */
export interface Gutter {
  readonly from: number;
  readonly to: number;
  /** Whether the borders or backgrounds of cells meet there. */
  readonly drawn?: true;
}

/** The words of a row, divided where the space between them is wider than `least` font sizes. */
export function rowPiecesOf(row: Row, least = COLUMN_GAP): RowPiece[] {
  const pieces: RowPiece[] = [];
  const isSet = isJustified(row);
  let current: Word[] = [];
  const end = (): void => {
    if (current.length > 0) pieces.push({ ...areaOf(current), words: current, numeric: isNumeric(textOfRow(current)) });
    current = [];
  };
  for (const word of row.words) {
    const last = current.at(-1);
    if (last !== undefined) {
      const gap = (word.x0 - last.x1) / Math.max(word.size, last.size);
      const areNumbers = isNumeric(last.text) && isNumeric(word.text) && last.text.length + word.text.length > 2;
      if (gap > (areNumbers ? Math.min(least, NUMBER_GAP) : least) && !isSet) end();
    }
    current.push(word);
  }
  end();
  return pieces;
}

/** Whether all spaces of a row are the same, wide as they may be: it is a line of text that fills its measure. */
function isJustified({ words, size }: Row): boolean {
  if (words.length < 3 || words.filter(({ text }) => isNumeric(text)).length > 0.5 * words.length) return false;
  let [least, most] = [Infinity, -Infinity];
  for (const [index, { x0 }] of words.entries()) {
    if (index === 0) continue;
    const gap = x0 - (words[index - 1]?.x1 ?? 0);
    [least, most] = [Math.min(least, gap), Math.max(most, gap)];
  }
  return most < WIDEST_SPACE * size && most < 1.3 * least;
}

/**
 * Where rows of a group have white space above each other, to a point. `alone`: whether rows of one piece count, too. In a box they do: a piece
 * that is alone on its baseline is a line of a cell.
 */
export function guttersOf(group: readonly Line[], alone = false): Gutter[] {
  const area = areaOf(group.map((line) => line.row));
  const [origin, width] = [Math.floor(area.x0), Math.ceil(area.x1 - area.x0) + 2];
  if (!(width > 0 && width < 20_000)) return [];
  const [covered, flanked, left, right] = [new Depth(width), new Depth(width), new Depth(width), new Depth(width)];
  const looked = alone ? group : group.filter((line) => line.pieces.length >= 2);
  for (const { row, pieces } of looked) {
    left.add(Math.ceil((pieces[0]?.x1 ?? row.x1) - origin), width);
    right.add(0, Math.floor((pieces.at(-1)?.x0 ?? row.x0) - origin));
    for (const [index, piece] of pieces.entries()) {
      const [a, b] = [Math.floor(piece.x0 - origin), Math.ceil(piece.x1 - origin)];
      covered.add(a, b);
      const next = pieces[index + 1];
      if (next !== undefined) flanked.add(b, Math.floor(next.x0 - origin));
    }
  }
  const [toTheLeft, toTheRight] = [left.sums(), right.sums()];
  const both = alone ? toTheLeft.map((count, x) => Math.min(count, toTheRight[x] ?? 0)) : flanked.sums();
  return guttersIn(group, looked.length, origin, covered.sums(), both);
}

/** How many intervals lie above each place of a line. */
export class Depth {
  readonly #changes: Int32Array;

  constructor(width: number) {
    this.#changes = new Int32Array(width + 1);
  }

  /** An interval from `from` to before `to`, cut to the line. */
  add(from: number, to: number): void {
    const last = this.#changes.length - 1;
    const [a, b] = [Math.max(0, from), Math.min(last, to)];
    if (a >= b) return;
    this.#changes[a]!++;
    this.#changes[b]!--;
  }

  sums(): Int32Array {
    const sums = this.#changes.slice(0, -1);
    for (let x = 1; x < sums.length; x++) sums[x]! += sums[x - 1]!;
    return sums;
  }
}

/** `covered` and `flanked`: how many of `count` rows have text at each place, and white space between texts. */
function guttersIn(
  group: readonly Line[],
  count: number,
  origin: number,
  covered: Int32Array,
  flanked: Int32Array,
): Gutter[] {
  const width = covered.length;
  const tolerated = Math.floor(MOST_CROSSING * count);
  const least = Math.max(2, Math.min(0.25 * count, 8));
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

/** The column at a place: how many of the gutters, which are ascending, have their middle before it. */
export const columnOf = (gutters: readonly Gutter[], x: number): number =>
  countBelow(gutters.length, (at) => middle(gutters[at]) < x);

/** How many of `count` ascending values are at the beginning that `isBelow` holds for. */
export function countBelow(count: number, isBelow: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const half = (low + high) >> 1;
    if (isBelow(half)) low = half + 1;
    else high = half;
  }
  return low;
}

export const middle = (gutter: Gutter | undefined): number =>
  gutter === undefined ? Infinity : (gutter.from + gutter.to) / 2;

export interface PlacedWords {
  readonly words: readonly Word[];
  column: number;
  endColumn: number;
}

/** The pieces of a row with the columns that they are in. */
export function placed(row: Row, gutters: readonly Gutter[]): PlacedWords[] {
  const result: PlacedWords[] = [];
  for (const piece of rowPiecesOf(row)) {
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
      if (last !== undefined && isDivided(last, word, gutters)) end();
      current.push(word);
    }
    end();
  }
  return result;
}

/** Whether the white space between two words of a row is that of a gutter. */
function isDivided(last: Word, word: Word, gutters: readonly Gutter[]): boolean {
  const space = word.x0 - last.x1;
  const first = countBelow(gutters.length, (at) => middle(gutters[at]) + 1 < last.x1);
  for (let at = first; at < gutters.length; at++) {
    const gutter = gutters[at];
    if (gutter === undefined || middle(gutter) - 1 > word.x0) return false;
    const least = gutter.drawn ? SPACE : Math.min(LEAST_SPLIT * word.size, 0.75 * (gutter.to - gutter.from));
    if (space > least) return true;
  }
  return false;
}
