/** Finds what to redact in the text of a page, and where it stands. */
import { apply, inverse, type Matrix } from "../../geometry.ts";
import type { PDFPage, StructuredText } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { inColumns } from "../text/columns.ts";
import { type Glyph, type Quad, readSegments, type Segment, SPACE_GAP } from "../text/glyphs.ts";
import { gapBetween, inReadingOrder, isApart, isSpace, joinLines, onOneBaseline } from "../text/lines.ts";
import type { WantedGlyph } from "../erasure/erase-glyphs.ts";
import { foldPieces } from "./folded-text.ts";
import type { Matcher } from "./matcher.ts";

/** A run of glyphs on one line. */
export interface Mark {
  /** Unit vector of the line, in units of the page, y up. */
  readonly direction: readonly [number, number];
  /** All of the glyphs, in units of the page. */
  readonly box: Quad;
  /** The middle of the glyphs, which reaches into no other line and no glyph beside them. */
  readonly middle: Quad;
  /** Largest font size, in units of the page. */
  readonly size: number;
}

/** A glyph as it stands on the page: its first character, its center, and its font size, in units of the page. */
export interface PlacedGlyph {
  readonly character: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** What is to be erased for it. */
  readonly wanted: readonly WantedGlyph[];
}

export interface PageMatch {
  readonly text: string;
  readonly marks: readonly Mark[];
  readonly glyphs: readonly PlacedGlyph[];
}

/** The boxes of what was found, in units of the page. */
export const boxesIn = (matches: readonly PageMatch[]): Quad[] =>
  matches.flatMap(({ marks }) => marks.map(({ box }) => box));

export interface PageText {
  readonly matches: readonly PageMatch[];
  /** Whether the page has any text. */
  readonly hasText: boolean;
  /** Each glyph that should be gone. */
  readonly left: readonly PageMatch[];
}

/** A reading of a page: how its points become units of the page, and by which factor. */
interface PageView {
  readonly toPage: Matrix;
  readonly scale: number;
  readonly crowd: Crowd;
  /** Whether the glyphs say what they are themselves, and not texts that replace them. */
  readonly isOwnText: boolean;
}

/** Text is read wherever it is, and not as the document says that it should be read; the second time, as it says. */
const READINGS = ["clip=no,inhibit-spaces,ignore-actualtext", "clip=no,inhibit-spaces"];

const EVERYWHERE: [number, number, number, number] = [-Infinity, -Infinity, Infinity, Infinity];

/** How much of the first and last glyph of a run, and of its height, is left out of the middle. */
const [END, SIDE] = [0.22, 0.42];

/** The same in vertical text, where MuPDF compares the ink of a glyph, which may be anywhere in its square. */
const END_VERTICAL = 0.05;

/** Single letters in a row that are one word, spaced out. */
const LEAST_SPACED = 3;

/** A glyph with the line that it is on. A gap has no glyph; `usual`: on a line with wide letter spacing, it is hardly wider than others. */
type Piece = { readonly text: string; readonly glyph?: Glyph; readonly line?: Segment; readonly usual?: boolean };

/** Reads a loaded page. `annotations`: whether the annotations that it shows count. `isGone`: whether a glyph should have been removed. */
export async function findOnPage(
  open: OpenPdf,
  page: PDFPage,
  matcher: Matcher,
  { annotations, isGone }: { annotations: boolean; isGone?: (glyph: PlacedGlyph) => boolean },
): Promise<PageText> {
  const { engine, document } = open;
  const toPage = inverse(page.getTransform() as unknown as Matrix);
  const matches: PageMatch[] = [];
  const left: PageMatch[] = [];
  let hasText = false;
  using stack = new DisposableStack();
  const drop = (made: { destroy(): void }): void => made.destroy();
  const list = await withoutStructure(document, () => engine.long.displayList(page, { annotations }));
  stack.adopt(list, drop);
  let first: readonly Segment[] | undefined;
  for (const [number, options] of READINGS.entries()) {
    const text: StructuredText = stack.adopt(await engine.long.textOfList(list, options), drop);
    engine.refuseSkipped();
    const reading = { bounds: EVERYWHERE, budget: limits.redaction.pageCharacters, boxes: false, letters: true };
    const segments = readSegments(engine, text, reading);
    // Nothing on most pages says how it is read, and the same glyphs have the same matches.
    if (first && isSameText(first, segments)) break;
    first = segments;
    hasText ||= segments.some((segment) => segment.glyphs.some((glyph) => glyph.text.trim() !== ""));
    const view = {
      toPage,
      scale: Math.hypot(toPage[0], toPage[1]),
      crowd: new Crowd(segments),
      isOwnText: number === 0,
    };
    if (isGone) for (const one of leftOn(segments, isGone, view)) left.push(one);
    for (const pieces of ordersOf(segments)) {
      for (const { start, end } of matcher.inFolded(foldPieces(pieces.map((piece) => piece.text)))) {
        const found = pieces.slice(start, end);
        const marks = marksOf(found, toPage);
        if (marks.length > 0)
          matches.push({
            text: found
              .map((piece) => piece.text)
              .join("")
              .replaceAll("\n", " "),
            marks,
            glyphs: found.flatMap(({ glyph }) => (glyph?.quad ? [new Placed(glyph, glyph.quad, view)] : [])),
          });
      }
    }
    await engine.work.pause();
  }
  const found = distinct(matches);
  if (found.length > limits.redaction.matches) throw tooManyMatches();
  return { matches: found, hasText, left };
}

/** Whether two readings of a page have the same glyphs at the same places. */
const isSameText = (before: readonly Segment[], after: readonly Segment[]): boolean =>
  before.length === after.length &&
  before.every(
    ({ glyphs }, index) =>
      glyphs.length === after[index]?.glyphs.length &&
      glyphs.every((glyph, at) => isSameGlyph(glyph, after[index]?.glyphs[at])),
  );

const isSameGlyph = (a: Glyph, b: Glyph | undefined): boolean =>
  a.text === b?.text &&
  a.start === b.start &&
  a.end === b.end &&
  a.size === b.size &&
  a.origin?.[0] === b.origin?.[0] &&
  a.origin?.[1] === b.origin?.[1] &&
  a.marks?.length === b.marks?.length;

function leftOn(segments: readonly Segment[], isGone: (glyph: PlacedGlyph) => boolean, view: PageView): PageMatch[] {
  const left: PageMatch[] = [];
  for (const line of segments) {
    for (const glyph of line.glyphs) {
      if (glyph.quad === undefined || glyph.text.trim() === "") continue;
      const at = new Placed(glyph, glyph.quad, view);
      if (!isGone(at)) continue;
      const mark = markOf([{ text: glyph.text, glyph, line }], view.toPage);
      if (mark) left.push({ text: glyph.text, marks: [mark], glyphs: [at] });
    }
  }
  return left;
}

/** Where a glyph stands. One is made for each glyph of a page that was changed, so what is erased for it is made only when asked for. */
class Placed implements PlacedGlyph {
  readonly character: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly #glyph: Glyph;
  readonly #view: PageView;

  constructor(glyph: Glyph, quad: Quad, view: PageView) {
    const { text, size } = glyph;
    const { toPage, scale } = view;
    const [x, y] = apply(
      toPage,
      (quad[0] + quad[2] + quad[4] + quad[6]) / 4,
      (quad[1] + quad[3] + quad[5] + quad[7]) / 4,
    );
    this.character = String.fromCodePoint(text.codePointAt(0) ?? 0);
    this.x = x;
    this.y = y;
    this.size = size * scale;
    this.#glyph = glyph;
    this.#view = view;
  }

  get wanted(): readonly WantedGlyph[] {
    const { text, origin = [0, 0], marks = [] } = this.#glyph;
    const { toPage, crowd, isOwnText } = this.#view;
    const wanted = ([left, top]: readonly [number, number], isMark: boolean): WantedGlyph => {
      const [x, y] = apply(toPage, left, top);
      return { x, y, text, isOwnText, isMark, ...crowd.at(this.#glyph) };
    };
    return [wanted(origin, false), ...marks.map((mark) => wanted(mark, true))];
  }
}

/** How many glyphs of a page have the same origin, as where text stands on other text. */
class Crowd {
  readonly #segments: readonly Segment[];
  #cells: Map<string, Glyph[]> | undefined;

  constructor(segments: readonly Segment[]) {
    this.#segments = segments;
  }

  at(glyph: Glyph): { readonly among: number; readonly place: number } {
    this.#cells ??= Map.groupBy(
      this.#segments.flatMap(({ glyphs }) => glyphs),
      keyOf,
    );
    const here = this.#cells.get(keyOf(glyph)) ?? [glyph];
    return { among: here.length, place: here.indexOf(glyph) };
  }
}

const keyOf = ({ origin = [0, 0] }: Glyph): string => origin.map((value) => value.toFixed(2)).join(" ");

export const tooManyMatches = (): Refusal =>
  new Refusal("limit_exceeded", "The request matches too much text. Select fewer pages, or use narrower patterns.", {
    limit: limits.redaction.matches,
  });

/** The glyphs in reading order and in the order of the content (once if they are the same), and both with words that are spaced out, or letter-spaced, as words. */
function* ordersOf(segments: readonly Segment[]): Generator<Piece[]> {
  const joined = joinLines(inColumns(segments));
  const isOrdered =
    joined.length === segments.length && joined.every(({ glyphs }, at) => glyphs[0] === segments[at]?.glyphs[0]);
  for (const order of isOrdered ? [joined] : [joined, segments]) {
    const pieces = order.flatMap((line, index) => [
      ...piecesOf(line),
      { text: isBeside(line, order[index + 1]) ? " " : "\n" },
    ]);
    yield pieces;
    const closed = withoutSpacing(pieces);
    if (closed.length < pieces.length) yield closed;
    const tight = pieces.filter(({ usual = false }) => !usual);
    if (tight.length < pieces.length) yield tight;
  }
}

function piecesOf(line: Segment): Piece[] {
  const glyphs = inReadingOrder(line);
  const gaps = glyphs.slice(1).map((glyph, at) => gapBetween(glyphs[at] ?? glyph, glyph));
  const usualGap = Math.max(0, gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0);
  const pieces: Piece[] = [];
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last !== undefined && isApart(last, glyph)) {
      const usual = !isSpace(gapBetween(last, glyph) - usualGap, last, glyph);
      pieces.push({ text: " ", usual });
    }
    pieces.push({ text: glyph.text, glyph, line });
    last = glyph;
  }
  return pieces;
}

/** Whether a gap on the same line comes next: words do not go on after it, as they do on the next line. */
function isBeside(line: Segment, next: Segment | undefined): boolean {
  if (!next || !onOneBaseline(line, next)) return false;
  const gap = line.rightToLeft || next.rightToLeft ? line.start - next.end : next.start - line.end;
  return gap > SPACE_GAP * Math.max(line.size, next.size);
}

/** Leaves out the spaces between single letters. */
function withoutSpacing(pieces: readonly Piece[]): Piece[] {
  const isSpace = (piece: Piece | undefined): boolean => piece === undefined || piece.text.trim() === "";
  const isSingle = (index: number): boolean =>
    !isSpace(pieces[index]) && isSpace(pieces[index - 1]) && isSpace(pieces[index + 1]);
  const kept: Piece[] = [];
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

/** One mark for glyphs that follow each other on a line. */
function marksOf(pieces: readonly Piece[], toPage: Matrix): Mark[] {
  const marks: Mark[] = [];
  let run: Piece[] = [];
  const end = (): void => {
    const mark = markOf(run, toPage);
    if (mark) marks.push(mark);
    run = [];
  };
  for (const piece of pieces) {
    const last = run.at(-1);
    if (piece.glyph === undefined) continue;
    if (last && (last.line !== piece.line || last.glyph?.size !== piece.glyph.size)) end();
    run.push(piece);
  }
  end();
  return marks;
}

function markOf(pieces: readonly Piece[], toPage: Matrix): Mark | undefined {
  const [first] = pieces;
  const quads = pieces.flatMap(({ glyph }) => (glyph?.quad ? [glyph.quad] : []));
  if (!first?.glyph || !first.line || quads.length === 0) return undefined;
  const [dx, dy] = first.line.direction;
  /** Corners along and across the line. */
  const extents = quads.map((quad) => {
    const along = [0, 2, 4, 6].map((at) => (quad[at] ?? 0) * dx + (quad[at + 1] ?? 0) * dy);
    const across = [0, 2, 4, 6].map((at) => (quad[at + 1] ?? 0) * dx - (quad[at] ?? 0) * dy);
    return { from: Math.min(...along), to: Math.max(...along), top: Math.min(...across), bottom: Math.max(...across) };
  });
  const from = Math.min(...extents.map((extent) => extent.from));
  const to = Math.max(...extents.map((extent) => extent.to));
  const top = Math.min(...extents.map((extent) => extent.top));
  const bottom = Math.max(...extents.map((extent) => extent.bottom));
  const end = first.line.vertical ? END_VERTICAL : END;
  const ends = (at: "from" | "to", edge: number): number => {
    const extent = extents.find((other) => other[at] === edge);
    return extent ? (extent.to - extent.from) * end : 0;
  };
  const corners = (left: number, right: number, high: number, low: number): Quad => {
    const at = (along: number, across: number): [number, number] =>
      apply(toPage, along * dx - across * dy, along * dy + across * dx);
    return [...at(left, high), ...at(right, high), ...at(left, low), ...at(right, low)];
  };
  const side = (bottom - top) * SIDE;
  const [ax, ay] = apply(toPage, 0, 0);
  const [bx, by] = apply(toPage, dx, dy);
  const length = Math.hypot(bx - ax, by - ay);
  if (!(length > 0)) return undefined;
  return {
    direction: [(bx - ax) / length, (by - ay) / length],
    box: corners(from, to, top, bottom),
    middle: corners(from + ends("from", from), to - ends("to", to), top + side, bottom - side),
    size: first.glyph.size * length,
  };
}

/** The matches without those that stand where another one does. */
function distinct(matches: readonly PageMatch[]): PageMatch[] {
  const keyOf = ({ marks }: PageMatch): string =>
    marks.map(({ middle }) => middle.map((value) => Math.round(value * 10)).join()).join(";");
  return [...new Map(matches.map((match) => [keyOf(match), match])).values()];
}
