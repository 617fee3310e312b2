/** Finds the matches in the text of a page, and their places. */
import { apply, inverse, type Matrix, type VisibleBox } from "../../geometry.ts";
import type { PDFPage, StructuredText } from "mupdf";
import { limits } from "../../../limits.ts";
import { tooManyMatches } from "../../limit-errors.ts";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { inTurns } from "../../steps.ts";
import { type TextPiece, readingOrders } from "../layout/reading-orders.ts";
import { type Glyph, type Quad, readSegments, type Segment } from "../text/glyphs.ts";
import type { WantedGlyph } from "../erasure/erase-glyphs.ts";
import type { RedactedBox } from "./annotations.ts";
import { DistinctMatches, type GlyphRun, type PageMatch, type PlacedGlyph } from "./distinct-matches.ts";
import { foldPieces } from "./search/folded-text.ts";
import type { Matcher } from "./matcher.ts";
import type { MatchArea } from "./proof/glyphs.ts";

/** The boxes of the matches, in units of the page. */
export const boxesIn = (matches: readonly PageMatch[]): Quad[] =>
  matches.flatMap(({ marks }) => marks.map(({ box }) => box));

/** Places and letters of the glyphs of matches. */
export const matchAreas = (matches: readonly PageMatch[]): MatchArea[] =>
  matches.flatMap(({ marks, glyphs }) => {
    const isOwnText = glyphs.every(({ wanted }) => wanted.every((glyph) => glyph.isOwnText));
    return marks.map(({ text, box }) => ({ area: boxOfQuad(box), letters: isOwnText ? text : undefined }));
  });

/** The rectangle around a quadrilateral. */
export function boxOfQuad(quad: Quad): RedactedBox {
  const [x, y] = [0, 1].map((from) => [0, 2, 4, 6].map((at) => quad[at + from] ?? 0));
  return [Math.min(...(x ?? [])), Math.min(...(y ?? [])), Math.max(...(x ?? [])), Math.max(...(y ?? []))];
}

export interface SearchedPage {
  readonly matches: readonly PageMatch[];
  /** Whether the page has any text. */
  readonly hasText: boolean;
}

/** A reading of a page: how its points become units of the page, and by which factor. */
interface PageView {
  readonly toPage: Matrix;
  readonly scale: number;
  readonly crowd: Crowd;
  /** Whether the match is in the glyphs' own text, not in a replacement text. */
  readonly isOwnText: boolean;
}

/** Text is read wherever it is: first without the document's replacement texts, then with them. */
const READINGS = ["clip=no,inhibit-spaces,ignore-actualtext", "clip=no,inhibit-spaces"];

const EVERYWHERE: [number, number, number, number] = [-Infinity, -Infinity, Infinity, Infinity];

/** How much of the first and last glyph of a run, and of its height, is left out of the middle. */
const [END, SIDE] = [0.22, 0.42];

/** The same in vertical text, where MuPDF compares the ink of a glyph, which may be anywhere in its square. */
const END_VERTICAL = 0.05;

/** Finds the matches on a loaded page. `annotations`: whether the annotations on it count. */
export async function findOnPage(
  open: OpenPdf,
  page: PDFPage,
  matcher: Matcher,
  { annotations }: { readonly annotations: boolean },
): Promise<SearchedPage> {
  const { engine } = open;
  const matches = new DistinctMatches(engine.work);
  let hasText = false;
  for await (const { segments, view } of readingsOf(open, page, annotations)) {
    hasText ||= segments.some((segment) => segment.glyphs.some((glyph) => glyph.text.trim() !== ""));
    for await (const pieces of readingOrders(engine.work, segments, page.getBounds() as VisibleBox)) {
      for (const { start, end } of await matcher.inFolded(foldPieces(pieces.map(foldedPiece)))) {
        const found = pieces.slice(start, end);
        const marks = marksOf(found, view.toPage);
        if (marks.length === 0) continue;
        const text = found.map((piece) => (piece.ends ? " " : piece.text)).join("");
        const glyphs = found.flatMap(({ glyph }) => (glyph?.quad ? [new Placed(glyph, glyph.quad, view)] : []));
        matches.add({ text, marks, glyphs }, { replaces: !view.isOwnText });
        if (matches.count > limits.redaction.matches) throw tooManyMatches();
      }
    }
    await engine.work.pause();
  }
  return { matches: matches.all(), hasText };
}

/**
 * The glyphs of a loaded page that should have been erased. The page is not searched again: erasing may join text that was not adjacent in the
 * document, such as the end of a line before a gap and the beginning of the next line.
 */
export async function leftOnPage(
  open: OpenPdf,
  page: PDFPage,
  isGone: (glyph: PlacedGlyph) => boolean,
): Promise<readonly PageMatch[]> {
  const left: PageMatch[] = [];
  for await (const { segments, view } of readingsOf(open, page, false)) {
    for (const one of leftOn(segments, isGone, view)) left.push(one);
    await open.engine.work.pause();
  }
  return left;
}

/** The readings of a page that differ. */
async function* readingsOf(
  { engine, document }: OpenPdf,
  page: PDFPage,
  annotations: boolean,
): AsyncGenerator<{ readonly segments: readonly Segment[]; readonly view: PageView }> {
  const toPage = inverse(page.getTransform() as unknown as Matrix);
  using stack = new DisposableStack();
  const drop = (made: { destroy(): void }): void => made.destroy();
  const list = await withoutStructure(document, () => engine.long.displayList(page, { annotations }));
  stack.adopt(list, drop);
  let first: readonly Segment[] | undefined;
  for (const [number, options] of READINGS.entries()) {
    const text: StructuredText = stack.adopt(await engine.long.textOfList(list, options), drop);
    engine.refuseSkipped();
    const reading = { bounds: EVERYWHERE, budget: limits.redaction.pageCharacters, boxes: false, letters: true };
    const segments = await inTurns(engine.work, readSegments(engine, text, reading));
    // Most pages have no replacement texts, and the same glyphs have the same matches.
    if (first && isSameText(first, segments)) break;
    first = segments;
    const scale = Math.hypot(toPage[0], toPage[1]);
    yield { segments, view: { toPage, scale, crowd: new Crowd(segments), isOwnText: number === 0 } };
  }
}

export const foldedPiece = ({ text, ends }: TextPiece): string | { readonly ends: NonNullable<TextPiece["ends"]> } =>
  ends === undefined ? text : { ends };

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

/** The place of a glyph. There is one for each glyph of a changed page, so the parts needed for erasing are computed only on demand. */
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

/** The number of glyphs of a page with the same origin, as in text printed over text. */
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

/** One mark for glyphs that follow each other on a line. */
function marksOf(pieces: readonly TextPiece[], toPage: Matrix): GlyphRun[] {
  const marks: GlyphRun[] = [];
  let run: TextPiece[] = [];
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

function markOf(pieces: readonly TextPiece[], toPage: Matrix): GlyphRun | undefined {
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
    text: pieces.map((piece) => piece.text).join(""),
    direction: [(bx - ax) / length, (by - ay) / length],
    box: corners(from, to, top, bottom),
    middle: corners(from + ends("from", from), to - ends("to", to), top + side, bottom - side),
    size: first.glyph.size * length,
  };
}
