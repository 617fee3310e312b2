/**
 * The orders in which the text of a page may be read, for a search that misses nothing, whatever the order in which the page paints it. They are
 * the order of the content, that of `extract-text`, each visual line, the columns of prose, and the cells and labels that lie below each other.
 */
import type { VisibleBox } from "../../geometry.ts";
import { inTurns, type Steps, STRIDE } from "../../steps.ts";
import type { Work } from "../../work.ts";
import { inColumns } from "../text/columns.ts";
import type { Glyph, Segment } from "../text/glyphs.ts";
import { SPACE_GAP } from "../text/letter-spacing.ts";
import { gapBetween, inReadingOrder, isApart, isSpace, joinLines, onOneBaseline } from "../text/lines.ts";
import { COLUMN_GAP } from "./columns.ts";
import { turned } from "./page.ts";
import { type Region, regionsOf } from "./regions.ts";
import { isNumeric } from "./tables.ts";
import {
  type Area,
  areaOf,
  median,
  MOST_WORDS,
  readGlyphs,
  type Row,
  rowSteps,
  textOfRow,
  type Word,
  wordLayers,
} from "./words.ts";

/**
 * The end between two pieces: of a line whose text continues in the next one, of any other line, of a cell or column, or of text that is unrelated
 * to the rest.
 */
export type Break = "goes on" | "line" | "cell" | "apart";

/** A line, or a part of it between wide gaps: the same object for all of its glyphs. */
export type TextLine = Pick<Segment, "direction" | "vertical">;

/** A glyph with its line, or the text between glyphs. `usual`: a gap that is hardly wider than others of a line with wide letter spacing. */
export interface TextPiece {
  readonly text: string;
  readonly glyph?: Glyph;
  readonly line?: TextLine;
  readonly usual?: boolean;
  readonly ends?: Break;
}

/** Fuel for a piece that is put into an order, compared with those before, and searched; and for a word whose line and cell are told. */
const [PIECE_WORK, KNOWN_WORK, SEARCH_WORK, WORD_WORK] = [100, 40, 60, 100];

/** Single letters in a row that are one word, spaced out. */
const LEAST_SPACED = 3;

/** The largest distance to the line below that continues a text, in font sizes. */
const MOST_LEADING = 3;

/** The fewest lines in a row that fill their measure where no margin tells it, and their least width in font sizes. */
const [LEAST_FULL, LEAST_WIDTH] = [3, 9.5];

/** The width of a space, and how far a line may be from its measure, in font sizes. */
const [SPACE, RAGGED] = [0.25, 0.1];

/**
 * The pieces of a page, once for each order that differs from those before; with words that are spaced out, or letter-spaced, as words, too.
 * @param bounds the page, in the coordinates of the glyphs, whose margins tell how long a line may be
 */
export async function* readingOrders(
  work: Work,
  segments: readonly Segment[],
  bounds: VisibleBox,
): AsyncGenerator<TextPiece[]> {
  const known = new KnownOrders();
  for await (const pieces of ordersOf(work, segments, bounds)) {
    work.spend(pieces.length * KNOWN_WORK);
    await work.pause();
    if (!known.isNew(pieces)) continue;
    work.spend(pieces.length * SEARCH_WORK);
    await work.pause();
    yield pieces;
    await work.pause();
    const closed = withoutSpacing(pieces);
    if (closed.length < pieces.length) yield closed;
    const tight = pieces.filter(({ usual = false }) => !usual);
    if (tight.length < pieces.length) yield tight;
    await work.pause();
  }
}

async function* ordersOf(work: Work, segments: readonly Segment[], bounds: VisibleBox): AsyncGenerator<TextPiece[]> {
  const goesOn = new Map<Glyph, Glyph>();
  const visual: Visual[] = [];
  for (const group of Map.groupBy(segments, directionOf).values()) {
    for (const words of await inTurns(work, wordLayers(group))) {
      const line = group[0];
      if (line === undefined) continue;
      const one = await inTurns(work, visualOf(words, line));
      const page = turned(areaOfBox(bounds), line.direction);
      for (const region of one.regions) await inTurns(work, noteGoesOn(region, one, page, goesOn));
      visual.push(one);
    }
  }
  yield await inTurns(work, inRegions(visual, goesOn));
  const divided = visual.filter(({ regions }) => regions.length > 1);
  if (divided.length > 0) yield await inTurns(work, inRows(divided, goesOn));
  const chains = await inTurns(work, inChains(visual, goesOn));
  if (chains.length > 0) yield chains;
  const joined = await inTurns(work, joinLines(await inTurns(work, inColumns(segments))));
  yield await inTurns(work, ofSegments(joined, goesOn));
  yield await inTurns(work, ofSegments(segments, goesOn));
}

type GoesOn = ReadonlyMap<Glyph, Glyph>;

function* inRegions(visual: readonly Visual[], goesOn: GoesOn): Steps<TextPiece[]> {
  const pieces: TextPiece[] = [];
  for (const { regions, line } of visual) {
    for (const region of regions) yield* addLines(pieces, wordsOf(region), { line, goesOn, ends: "line" });
    pieces.push({ text: "\n", ends: "apart" });
  }
  return pieces;
}

function* inRows(visual: readonly Visual[], goesOn: GoesOn): Steps<TextPiece[]> {
  const pieces: TextPiece[] = [];
  for (const { rows, line } of visual) yield* addLines(pieces, wordsOf(rows), { line, goesOn, ends: "apart" });
  return pieces;
}

function* inChains(visual: readonly Visual[], goesOn: GoesOn): Steps<TextPiece[]> {
  const pieces: TextPiece[] = [];
  for (const { rows, line } of visual) {
    for (const chain of yield* chainsOf(rows)) {
      yield* addLines(pieces, chain, { line, goesOn, ends: "line" });
      pieces.push({ text: "\n", ends: "apart" });
    }
  }
  return pieces;
}

const wordsOf = (rows: readonly Row[]): (readonly Word[])[] => rows.map(({ words }) => words);

/** Segments of one direction have the same key. */
const directionOf = ({ direction: [dx, dy], vertical }: Segment): string =>
  `${Math.round(dx * 25)} ${Math.round(dy * 25)} ${vertical}`;

const areaOfBox = ([x0, y0, x1, y1]: VisibleBox): Area => ({ x0, y0, x1, y1 });

/** Which orders were there before. */
class KnownOrders {
  readonly #orders: (readonly TextPiece[])[] = [];

  isNew(pieces: readonly TextPiece[]): boolean {
    // What ends behind the last piece does not matter.
    const last = pieces.findLastIndex(({ glyph }) => glyph !== undefined);
    const order = pieces.slice(0, last + 1);
    const isKnown = this.#orders.some(
      (known) => known.length === order.length && known.every((piece, at) => isSamePiece(piece, order[at])),
    );
    if (!isKnown) this.#orders.push(order);
    return !isKnown;
  }
}

/** A glyph is the same object in each order. */
const isSamePiece = (a: TextPiece, b: TextPiece | undefined): boolean =>
  b !== undefined && (a.glyph ?? a.ends ?? a.text) === (b.glyph ?? b.ends ?? b.text);

/** The words of one direction in their places on the page. */
interface Visual {
  readonly line: Segment;
  readonly rows: readonly Row[];
  readonly regions: readonly Region[];
}

function* visualOf(words: readonly Word[], line: Segment): Steps<Visual> {
  const rows = yield* rowSteps(words);
  if (words.length > MOST_WORDS) return { line, rows, regions: [rows] };
  return { line, rows, regions: yield* regionsOf(words, [], { horizontal: [], vertical: [], fills: [] }) };
}

interface Lines {
  readonly line: TextLine;
  readonly goesOn: GoesOn;
  readonly ends: "line" | "apart";
}

/** Adds lines from top to bottom, with the end behind each. Text does not continue in a line beside it. */
function* addLines(
  pieces: TextPiece[],
  lines: readonly (readonly Word[])[],
  { line, goesOn, ends }: Lines,
): Steps<void> {
  const read = (words: readonly Word[]) => ({ glyphs: readGlyphs(words), ...areaOf(words) });
  let charged = pieces.length;
  let next = lines[0] && read(lines[0]);
  for (let at = 0; next !== undefined; at++) {
    const { glyphs, x0, x1 } = next;
    const after = lines[at + 1];
    next = after && read(after);
    addPieces(pieces, glyphs, line);
    const isBeside = next !== undefined && (next.x0 >= x1 || next.x1 <= x0);
    pieces.push(endOf(glyphs.at(-1), next?.glyphs[0], goesOn, isBeside ? "apart" : ends));
    if (pieces.length - charged < STRIDE) continue;
    yield (pieces.length - charged) * PIECE_WORK;
    charged = pieces.length;
  }
  yield (pieces.length - charged) * PIECE_WORK;
}

function endOf(last: Glyph | undefined, next: Glyph | undefined, goesOn: GoesOn, otherwise: Break): TextPiece {
  const isOn = last !== undefined && next !== undefined && goesOn.get(last) === next;
  return { text: "\n", ends: isOn ? "goes on" : otherwise };
}

/** Rows of the content, one after the other. */
function* ofSegments(segments: readonly Segment[], goesOn: GoesOn): Steps<TextPiece[]> {
  const pieces: TextPiece[] = [];
  let charged = 0;
  let glyphs = segments[0] ? inReadingOrder(segments[0]) : [];
  for (const [at, line] of segments.entries()) {
    const next = segments[at + 1];
    const after = next ? inReadingOrder(next) : [];
    const gap = next && gapAfter(line, next);
    const end: TextPiece =
      gap === undefined
        ? endOf(glyphs.at(-1), after[0], goesOn, "line")
        : gap > COLUMN_GAP * Math.max(line.size, next?.size ?? 0)
          ? { text: " ", ends: "cell" }
          : { text: " " };
    addPieces(pieces, glyphs, line);
    pieces.push(end);
    glyphs = after;
    if (pieces.length - charged < STRIDE) continue;
    yield (pieces.length - charged) * PIECE_WORK;
    charged = pieces.length;
  }
  yield (pieces.length - charged) * PIECE_WORK;
  return pieces;
}

/** The gap to the next row if it is on the same line, and apart: words do not continue behind it, as they do on the next line. */
function gapAfter(line: Segment, next: Segment): number | undefined {
  if (!onOneBaseline(line, next)) return undefined;
  const gap = line.rightToLeft || next.rightToLeft ? line.start - next.end : next.start - line.end;
  return gap > SPACE_GAP * Math.max(line.size, next.size) ? gap : undefined;
}

/** Adds the glyphs of a line, in the order in which they are read, with a space at each gap. */
function addPieces(pieces: TextPiece[], glyphs: readonly Glyph[], { direction, vertical }: TextLine): void {
  const gaps = glyphs.slice(1).map((glyph, at) => gapBetween(glyphs[at] ?? glyph, glyph));
  const usualGap = Math.max(0, median(gaps));
  let line = { direction, vertical };
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last !== undefined && isApart(last, glyph)) {
      const gap = gapBetween(last, glyph);
      const isCell = gap > COLUMN_GAP * Math.max(last.size, glyph.size);
      if (isCell) line = { direction, vertical };
      pieces.push({
        text: " ",
        usual: !isSpace(gap - usualGap, last, glyph),
        ...(isCell ? { ends: "cell" as const } : {}),
      });
    }
    pieces.push({ text: glyph.text, glyph, line });
    last = glyph;
  }
}

/** Leaves out the spaces between single letters. */
function withoutSpacing(pieces: readonly TextPiece[]): TextPiece[] {
  const isSpace = (piece: TextPiece | undefined): boolean => piece === undefined || piece.text.trim() === "";
  const isSingle = (index: number): boolean =>
    !isSpace(pieces[index]) && isSpace(pieces[index - 1]) && isSpace(pieces[index + 1]);
  const kept: TextPiece[] = [];
  for (let from = 0; from < pieces.length; from++) {
    let to = from;
    while (isSingle(to) && pieces[to + 1]?.text === " ") to += 2;
    if (to > from && !isSingle(to)) to -= 2;
    if (isSingle(to) && (to - from) / 2 + 1 >= LEAST_SPACED) {
      for (let at = from; at <= to; at += 2) kept.push(pieces[at] ?? { text: "" });
      from = to;
    } else kept.push(pieces[from] ?? { text: "" });
  }
  return kept;
}

/**
 * Notes the lines of a region whose text continues in the next one, by their last and its first glyph. A typesetter ends a line of running text
 * where the next word does not fit into the measure any more. Where it would have fit, the line ends with a reason, as in an address or a list. A
 * hyphen divides a word. The measure of columns is their width; other text has a right margin as wide as the left one, or as many lines that fill a
 * narrower measure as are no chance.
 */
function* noteGoesOn(region: Region, { rows, regions }: Visual, page: Area, goesOn: Map<Glyph, Glyph>): Steps<void> {
  const area = areaOf(region);
  const isColumn = regions.some((other) => {
    if (other === region) return false;
    const { x0, x1, y0, y1 } = areaOf(other);
    return y0 < area.y1 && y1 > area.y0 && (x0 >= area.x1 || x1 <= area.x0);
  });
  const text = areaOf(rows);
  const isReversed =
    region.filter(({ words }) => words.some(({ rightToLeft }) => rightToLeft)).length > region.length / 2;
  const margin = isReversed ? Math.max(0, page.x1 - text.x1) : Math.max(0, text.x0 - page.x0);
  const width = isColumn ? area.x1 - area.x0 : page.x1 - page.x0 - 2 * margin;
  const origin = isReversed ? Math.max(text.x1, isColumn ? area.x1 : text.x1) : isColumn ? area.x0 : text.x0;
  const lineOf = (row: Row, at: number) => {
    const next = region[at + 1];
    const first = isReversed ? next?.words.at(-1) : next?.words[0];
    const isWhole = next !== undefined && !isDivided(row) && !isDivided(next) && follows(row, next);
    return {
      row,
      end: isReversed ? origin - row.x0 : row.x1 - origin,
      needed: isWhole && first ? first.x1 - first.x0 + SPACE * row.size : undefined,
    };
  };
  const lines: ReturnType<typeof lineOf>[] = [];
  let words = 0;
  for (const [at, row] of region.entries()) {
    lines.push(lineOf(row, at));
    words += row.words.length;
    if (words < STRIDE) continue;
    yield words * WORD_WORK;
    words = 0;
  }
  yield words * WORD_WORK;
  const isFull = (at: number, measure: number): boolean => {
    const { end, needed, row } = lines[at] ?? {};
    return needed !== undefined && end !== undefined && end + needed > measure - RAGGED * (row?.size ?? 0);
  };
  for (let from = 0; from < lines.length;) {
    // Lines that follow each other.
    let to = from;
    while (lines[to]?.needed !== undefined) to++;
    const widest = lines.slice(from, to + 1).reduce((most, { end }) => Math.max(most, end), 0);
    let run = from;
    for (let at = from; at <= to; at++) {
      if (at < to && isFull(at, widest)) continue;
      const isText =
        at - run >= LEAST_FULL &&
        lines
          .slice(run, at)
          .every(({ row }) => row.x1 - row.x0 >= LEAST_WIDTH * row.size && !isNumeric(textOfRow(row.words)));
      for (let line = run; line < at; line++) if (isText) note(line);
      run = at + 1;
    }
    for (let at = from; at < to; at++) if (isFull(at, width) || isHyphenated(region[at])) note(at);
    for (let at = from; at <= to; at++) words += region[at]?.words.length ?? 0;
    from = to + 1;
    if (words < STRIDE) continue;
    yield words * WORD_WORK;
    words = 0;
  }
  yield words * WORD_WORK;

  function note(at: number): void {
    const last = readGlyphs(region[at]?.words ?? []).at(-1);
    const next = readGlyphs(region[at + 1]?.words ?? [])[0];
    if (last && next) goesOn.set(last, next);
  }
}

const isHyphenated = (row: Row | undefined): boolean =>
  /[\p{L}\p{N}][-\u00ad\u2010\u2011]\s*$/u.test(
    readGlyphs(row?.words.slice(-1) ?? [])
      .map(({ text }) => text)
      .join(""),
  );

/** Whether a row is divided by a gap as wide as between columns. */
const isDivided = ({ words }: Row): boolean => cellsOf(words).length > 1;

/** Whether a row is as close below another one as lines of one text. */
function follows(above: Row, { baseline, size, x0, x1 }: Row): boolean {
  const largest = Math.max(above.size, size);
  return (
    baseline - above.baseline < MOST_LEADING * largest &&
    Math.min(above.size, size) > 0.8 * largest &&
    x0 < above.x1 &&
    x1 > above.x0
  );
}

/** The words of a row between gaps as wide as between columns. */
function cellsOf(words: readonly Word[]): Word[][] {
  const cells: Word[][] = [];
  let [end, size] = [-Infinity, 0];
  for (const word of words) {
    if (word.x0 - end > COLUMN_GAP * Math.max(size, word.size)) cells.push([]);
    cells.at(-1)?.push(word);
    if (word.x1 > end) [end, size] = [word.x1, word.size];
  }
  return cells;
}

/** A part of a row, and which one is read after it. */
interface Cell extends Area {
  readonly words: Word[];
  readonly baseline: number;
  readonly size: number;
  readonly row: number;
  next?: Cell;
  hasBefore: boolean;
}

/** Places along a row, each of which notes the part above it. */
const PLACES = 256;
/** Fuel for a cell, besides its places. */
const CELL_WORK = 50;

/**
 * Parts of rows that lie below each other, each part with the nearest one below it: text that is read one after the other in cells, labels, and
 * columns.
 */
function* chainsOf(rows: readonly Row[]): Steps<Word[][][]> {
  const cellsIn = ({ words, baseline }: Row, row: number): Cell[] =>
    cellsOf(words).map((own): Cell => ({
      ...areaOf(own),
      words: own,
      baseline,
      size: own.reduce((most, { size }) => Math.max(most, size), 0),
      row,
      hasBefore: false,
    }));
  const all: Cell[][] = [];
  let words = 0;
  for (const [at, row] of rows.entries()) {
    all.push(cellsIn(row, at));
    words += row.words.length;
    if (words < STRIDE) continue;
    yield words * WORD_WORK;
    words = 0;
  }
  yield words * WORD_WORK;
  const isDone = rows.every(({ x0, x1 }, at) => {
    const next = rows[at + 1];
    return (all[at]?.length ?? 0) <= 1 && (!next || (next.x0 < x1 && next.x1 > x0));
  });
  if (isDone) return [];
  const { x0, x1 } = areaOf(rows);
  const placeOf = (x: number): number => Math.floor(((x - x0) / Math.max(x1 - x0, 1e-6)) * (PLACES - 1));
  const above: (Cell | undefined)[] = Array.from({ length: PLACES });
  let fuel = 0;
  for (const cells of all) {
    yield fuel;
    fuel = 0;
    const isReversed = cells.some(({ words }) => words.some(({ rightToLeft }) => rightToLeft));
    for (const cell of isReversed ? cells.toReversed() : cells) {
      const [from, to] = [placeOf(cell.x0), placeOf(cell.x1)];
      fuel += CELL_WORK + to - from + 1;
      let nearest: Cell | undefined;
      for (let place = from; place <= to; place++) {
        const other = above[isReversed ? to - (place - from) : place];
        if (other === undefined || other === nearest || other.x0 >= cell.x1 || other.x1 <= cell.x0) continue;
        // Of several in one row, the last one is read before.
        if (nearest === undefined || other.row >= nearest.row) nearest = other;
      }
      if (!nearest || nearest.next) continue;
      if (cell.baseline - nearest.baseline > MOST_LEADING * Math.max(cell.size, nearest.size)) continue;
      nearest.next = cell;
      cell.hasBefore = true;
    }
    for (const cell of cells)
      for (let place = placeOf(cell.x0); place <= placeOf(cell.x1); place++) above[place] = cell;
  }
  const chains: Word[][][] = [];
  for (const first of all.flat()) {
    if (first.hasBefore || !first.next) continue;
    const chain: Word[][] = [];
    for (let cell: Cell | undefined = first; cell; cell = cell.next) chain.push(cell.words);
    chains.push(chain);
  }
  return chains;
}
