/**
 * The glyphs of a page in MuPDF's drawing calls. Redaction finds its matches in MuPDF's structured text instead. Here nothing is grouped, joined, or
 * left out.
 */
import type { Matrix, VisibleBox } from "../../../geometry.ts";
import type { Matrix as MatrixTuple, PDFPage, Text } from "mupdf";
import { limits } from "../../../../limits.ts";
import { pageTextTooLong } from "../../../limit-errors.ts";
import type { Work } from "../../../work.ts";
import type { OpenPdf } from "../../document/document.ts";
import { withoutStructure } from "../../document/without-structure.ts";
import { GlyphInks } from "../../mupdf/glyph-ink.ts";
import { characterOf, isMark, isRightToLeft, isUnspaced } from "../../text/characters.ts";
import type { Glyph, Segment } from "../../text/glyphs.ts";

export interface DrawnGlyph {
  /** Code point. Below 1 if the font has none for the glyph. */
  readonly unicode: number;
  /** The origin, in points. */
  readonly x: number;
  readonly y: number;
  /** The direction of the line. */
  readonly angle: number;
  /** Distance to the next glyph in font sizes, from the font's own widths, with the horizontal scaling of the text. */
  readonly advance: number;
  /** Whether the next glyph is below it. */
  readonly vertical: boolean;
  /** The font size as displayed, in points. */
  readonly size: number;
  /**
   * Size of the font's glyphs in points: the font size, or the largest extent or advance of one on the page, if that is more. The units of a Type 3
   * font are its own (ISO 32000-2, 9.6.4), and its glyphs may be many font sizes large.
   */
  readonly em: number;
}

/** A corner, and the one opposite to it, in points. */
export type Rectangle = readonly [left: number, top: number, right: number, bottom: number];

/** Where glyphs of a match stood. */
export interface MatchArea {
  readonly area: Rectangle;
  /** The matched letters. Undefined if the match is in a replacement text (14.9.4). */
  readonly letters: string | undefined;
}

/** Stands for glyphs whose characters are not known. */
const NO_CHARACTER = "\ufffd";

/** How far a glyph may be from its place, in points: numbers are written with fewer digits. */
const SAME_PLACE = 0.01;

/** Size of the cells in which glyphs are looked up, in points. */
const CELL = 2;

/** How far the layers of a text may be apart, such as its shadow, in font sizes and in points: less than the width of any letter. */
const [LAYER_OFFSET, MOST_OFFSET] = [0.15, 4];

/** A key of the glyphs of a character in a cell. Cells that are more than 100,000 points apart share it, and no two glyphs are. */
const keyIn = (unicode: number, column: number, row: number): number =>
  unicode * 2 ** 32 + (column & 0xffff) * 2 ** 16 + (row & 0xffff);

/** Height of the rows in which areas are looked up, in points; and most rows that an area or a glyph is looked up in. */
const [ROW, MOST_ROWS] = [8, 64];

/** Fuel per glyph that is drawn, that is compared, and per area near to it. */
const [DRAW_WORK, COMPARE_WORK, NEAR_WORK] = [200, 100, 4];
/** The same for a glyph that may be of another layer than one that is gone. */
const LAYER_WORK = 20;

/** Extent of a glyph around its origin, in font sizes: more than almost any has. */
const [BEHIND, AHEAD, BELOW, ABOVE] = [0.3, 1.4, 0.5, 1.2];

/** A document that an engine has open. */
export type DocumentInEngine = Pick<OpenPdf, "engine" | "document">;

/**
 * Reads the glyphs of a loaded page, in the units of its content. `annotations`: with those of annotations. `sized`: measures how large the glyphs of
 * each font are, for a comparison of places; otherwise, `em` is the font size.
 */
export async function drawnGlyphs(
  { engine, document }: DocumentInEngine,
  page: PDFPage,
  { annotations, sized }: { readonly annotations: boolean; readonly sized: boolean },
): Promise<DrawnGlyph[]> {
  const { mupdf } = engine;
  const glyphs: { -readonly [key in keyof DrawnGlyph]: DrawnGlyph[key] }[] = [];
  const fonts: number[] = [];
  const inks = new GlyphInks(engine);
  /** How far glyphs of each font reach, by its address, in font sizes. */
  const widest = new Map<number, number>();
  const [pa, pb, pc, pd, pe, pf] = inverseOf(page.getTransform() as unknown as Matrix);
  const add = (text: Text, [a, b, c, d, e, f]: MatrixTuple): void =>
    text.walk({
      showGlyph: (font, [ta, tb, tc, td, te, tf], glyph, unicode, mode) => {
        if (glyphs.length >= limits.redaction.pageCharacters) throw pageTextTooLong();
        const [dx, dy] = [ta * a + tb * c, ta * b + tb * d];
        const [ux, uy] = [tc * a + td * c, tc * b + td * d];
        const [x, y] = [te * a + tf * c + e, te * b + tf * d + f];
        const width = Math.hypot(dx * pa + dy * pc, dx * pb + dy * pd);
        const size = Math.hypot(ux * pa + uy * pc, ux * pb + uy * pd);
        const advance = glyph < 0 ? 0 : font.advanceGlyph(glyph, mode);
        if (sized) {
          fonts.push(font.pointer);
          const ink = glyph < 0 ? [] : inks.of(font, glyph).map(Math.abs);
          widest.set(font.pointer, Math.max(widest.get(font.pointer) ?? 1, Math.abs(advance), ...ink));
        }
        glyphs.push({
          unicode,
          x: x * pa + y * pc + pe,
          y: x * pb + y * pd + pf,
          angle: Math.atan2(dx * pb + dy * pd, dx * pa + dy * pc),
          advance: advance * (mode === 0 && size > 0 ? width / size : 1),
          vertical: mode !== 0,
          size,
          em: size,
        });
      },
    });
  await engine.scope(async () => {
    const list = await withoutStructure(document, () => engine.long.displayList(page, { annotations }));
    const device = new mupdf.Device({
      fillText: (text, matrix) => add(text, matrix),
      strokeText: (text, _stroke, matrix) => add(text, matrix),
      clipText: (text, matrix) => add(text, matrix),
      clipStrokeText: (text, _stroke, matrix) => add(text, matrix),
      ignoreText: (text, matrix) => add(text, matrix),
    });
    await engine.long.run(list, device, mupdf.Matrix.identity);
    engine.refuseSkipped();
  });
  if (sized) for (const [at, glyph] of glyphs.entries()) glyph.em = glyph.size * (widest.get(fonts[at] ?? 0) ?? 1);
  engine.work.spend(glyphs.length * DRAW_WORK);
  await engine.work.pause();
  return glyphs;
}

function inverseOf([a, b, c, d, e, f]: Matrix): Matrix {
  const det = a * d - b * c || 1;
  return [d / det, -b / det, -c / det, a / det, (c * f - d * e) / det, (b * e - a * f) / det];
}

/** The fault in the text of a page after it was redacted. Undefined if there is none. */
export type TextFault = "moved" | "lost" | "left";

/**
 * Compares the glyphs of a page with the original ones. Each must be where one with the same Unicode was. None may remain that was well inside a
 * region. A glyph may be lost only if it reaches into a region or into the area of a match. In that area, its letter must belong to the match, or it
 * has no Unicode and `unknownMayGo` is set. `gone`: the lost glyphs, except those with the same letter of another layer in their place.
 */
export async function compareGlyphs(
  { engine: { work } }: OpenPdf,
  before: readonly DrawnGlyph[],
  after: readonly DrawnGlyph[],
  {
    regions,
    matches,
    unknownMayGo,
  }: {
    readonly regions: readonly Rectangle[];
    readonly matches: readonly MatchArea[];
    readonly unknownMayGo: boolean;
  },
): Promise<{ readonly fault: TextFault | undefined; readonly gone: readonly DrawnGlyph[] }> {
  const faulty = (fault: TextFault) => ({ fault, gone: [] });
  const cells = new Map<number, DrawnGlyph[]>();
  const cellOf = (value: number): number => Math.floor(value / CELL);
  for (const glyph of after) {
    if (!isPlaced(glyph)) continue;
    const key = keyIn(glyph.unicode, cellOf(glyph.x), cellOf(glyph.y));
    const known = cells.get(key);
    if (known) known.push(glyph);
    else cells.set(key, [glyph]);
  }
  const take = ({ unicode, x, y, size }: DrawnGlyph): boolean => {
    const reach = SAME_PLACE;
    for (let column = cellOf(x - reach); column <= cellOf(x + reach); column++) {
      for (let row = cellOf(y - reach); row <= cellOf(y + reach); row++) {
        const cell = cells.get(keyIn(unicode, column, row));
        if (cell === undefined) continue;
        work.spend(cell.length * NEAR_WORK);
        const at = cell.findIndex(
          (other) =>
            other.unicode === unicode &&
            Math.abs(other.x - x) <= reach &&
            Math.abs(other.y - y) <= reach &&
            Math.abs(other.size - size) <= Math.max(SAME_PLACE, size * 0.001),
        );
        if (at < 0) continue;
        cell.splice(at, 1);
        return true;
      }
    }
    return false;
  };
  const lost = new LostGlyphs();
  const anyMayGo = new RowsOfAreas(regions.map((area) => ({ area, letters: undefined })));
  const mayGo = new RowsOfAreas(
    matches.map(({ area, letters }) => ({
      area,
      letters: letters === undefined || letters.includes(NO_CHARACTER) ? undefined : new Set(letters.normalize("NFKD")),
    })),
  );
  const isAllowed = (glyph: DrawnGlyph): boolean => {
    if (unknownMayGo && isUnknown(glyph)) return true;
    const extent = extentOf(glyph);
    if (anyMayGo.at(extent, work).some(({ area }) => overlaps(extent, area))) return true;
    // A ligature is one glyph.
    const parts = glyph.unicode < 1 ? [] : [...String.fromCodePoint(glyph.unicode).normalize("NFKD")];
    return mayGo
      .at(extent, work)
      .some(
        ({ area, letters }) => overlaps(extent, area) && (!letters || parts.every((letter) => letters.has(letter))),
      );
  };
  for (const [index, glyph] of before.entries()) {
    if (index % 1000 === 0) await work.pause();
    work.spend(COMPARE_WORK + regions.length);
    if (!isPlaced(glyph) || !isVisible(glyph)) continue;
    if (!take(glyph)) lost.add(glyph);
    else if (regions.some((area) => isInside(glyph, area))) return faulty("left");
  }
  for (const cell of cells.values()) {
    for (const glyph of cell.filter(isVisible)) {
      work.spend(COMPARE_WORK);
      const place = lost.take(glyph, work);
      if (!place) return faulty("moved");
      if (regions.some((area) => isInside(place, area))) return faulty("left");
    }
    await work.pause();
  }
  const gone = lost.all();
  for (const [index, glyph] of gone.entries()) {
    if (index % 100 === 0) await work.pause();
    work.spend(COMPARE_WORK);
    if (!isAllowed(glyph)) return faulty("lost");
  }
  if (gone.length === 0) return { fault: undefined, gone };
  work.spend(after.length * LAYER_WORK);
  const left = Map.groupBy(after.filter(isPlaced), ({ unicode, x, y }) => keyIn(unicode, cellOf(x), cellOf(y)));
  const isLeft = ({ unicode, x, y, size }: DrawnGlyph): boolean => {
    const reach = Math.min(size * LAYER_OFFSET, MOST_OFFSET);
    for (let column = cellOf(x - reach); column <= cellOf(x + reach); column++) {
      for (let row = cellOf(y - reach); row <= cellOf(y + reach); row++) {
        const near = left.get(keyIn(unicode, column, row)) ?? [];
        work.spend(near.length * NEAR_WORK);
        if (near.some((other) => Math.hypot(other.x - x, other.y - y) <= reach)) return true;
      }
    }
    return false;
  };
  return { fault: undefined, gone: gone.filter((glyph) => !isLeft(glyph)) };
}

/** How far a glyph may move along its line, in thousandths of the font size, for each that is lost there: MuPDF cuts widths to whole ones. */
const CUT = 1;

/** Glyphs that are not where they were, by their lines. */
class LostGlyphs {
  readonly #lines = new Map<string, Set<DrawnGlyph>>();
  /** How many each line has had. */
  readonly #counts = new Map<string, number>();

  add(glyph: DrawnGlyph): void {
    const key = keyOf(glyph, 0);
    const line = this.#lines.get(key);
    if (line) line.add(glyph);
    else this.#lines.set(key, new Set([glyph]));
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  /** The same glyph, moved a little along its line. Undefined if there is none. */
  take(glyph: DrawnGlyph, work: Work): DrawnGlyph | undefined {
    const { unicode, size } = glyph;
    const [along, across] = onLine(glyph);
    for (const key of [-1, 0, 1].map((cell) => keyOf(glyph, cell))) {
      const line = this.#lines.get(key) ?? new Set();
      work.spend(line.size);
      const reach = SAME_PLACE + (CUT * size * (this.#counts.get(key) ?? 0)) / 1000;
      for (const other of line) {
        if (other.unicode !== unicode || Math.abs(other.size - size) > Math.max(SAME_PLACE, size * 0.001)) continue;
        const [otherAlong, otherAcross] = onLine(other);
        if (Math.abs(otherAcross - across) > SAME_PLACE || Math.abs(otherAlong - along) > reach) continue;
        line.delete(other);
        return other;
      }
    }
    return undefined;
  }

  all(): DrawnGlyph[] {
    return [...this.#lines.values()].flatMap((line) => [...line]);
  }
}

/** Where a glyph is along its line, and across it, in points. */
const onLine = ({ x, y, angle }: DrawnGlyph): [along: number, across: number] => [
  x * Math.cos(angle) + y * Math.sin(angle),
  y * Math.cos(angle) - x * Math.sin(angle),
];

/** The line of a glyph, or one at a distance of some hundredths of a point. */
const keyOf = (glyph: DrawnGlyph, beside: number): string =>
  `${Math.round((glyph.angle * 180) / Math.PI)} ${Math.round(onLine(glyph)[1] / (2 * SAME_PLACE)) + beside}`;

const isUnknown = ({ unicode }: DrawnGlyph): boolean => unicode < 1 || unicode === 0xfffd;

/** A coordinate may be infinite, or too large for its precision. */
const isPlaced = ({ x, y }: DrawnGlyph): boolean => Math.abs(x) < 1e5 && Math.abs(y) < 1e5;

/** White space has no ink, so its presence cannot be seen. */
const isVisible = ({ unicode, size }: DrawnGlyph): boolean =>
  size > 0.1 && (unicode < 1 || String.fromCodePoint(unicode).trim() !== "");

/** Whether the middle of a glyph is well inside of an area. */
function isInside({ x, y, angle, size }: DrawnGlyph, [left, top, right, bottom]: Rectangle): boolean {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [mx, my] = [x + size * (0.25 * cos - 0.3 * sin), y + size * (0.25 * sin + 0.3 * cos)];
  const inset = size * 0.3;
  return mx > left + inset && mx < right - inset && my > top + inset && my < bottom - inset;
}

/** The largest area that a glyph may reach into. */
function extentOf({ x, y, angle, em }: DrawnGlyph): Rectangle {
  const [cos, sin] = [Math.cos(angle) * em, Math.sin(angle) * em];
  const corners = [BEHIND * -1, AHEAD].flatMap((along) =>
    [BELOW * -1, ABOVE].map((up) => [x + along * cos - up * sin, y + along * sin + up * cos] as const),
  );
  const xs = corners.map(([value]) => value);
  const ys = corners.map(([, value]) => value);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

const overlaps = (a: Rectangle, b: Rectangle): boolean => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

/** An area from which glyphs may go: those of these characters, or all. */
interface MayGo {
  readonly area: Rectangle;
  readonly letters: ReadonlySet<string> | undefined;
}

/** Areas by the rows of the page that they are in, so that a glyph is compared with those near it: a page may have thousands of both. */
class RowsOfAreas {
  readonly #rows = new Map<number, MayGo[]>();
  /** Those in many rows. */
  readonly #tall: MayGo[] = [];
  readonly #all: readonly MayGo[];

  constructor(all: readonly MayGo[]) {
    this.#all = all;
    for (const one of all) {
      const rows = rowsOf(one.area);
      if (!rows) this.#tall.push(one);
      for (const row of rows ?? []) {
        const known = this.#rows.get(row);
        if (known) known.push(one);
        else this.#rows.set(row, [one]);
      }
    }
  }

  /** The areas that may overlap with a rectangle. */
  at(rectangle: Rectangle, work: Work): readonly MayGo[] {
    const rows = rowsOf(rectangle);
    const near = rows ? [...rows.flatMap((row) => this.#rows.get(row) ?? []), ...this.#tall] : this.#all;
    work.spend(near.length * NEAR_WORK);
    return near;
  }
}

/** The rows that a rectangle is in; undefined if they are too many to look at each. */
function rowsOf([, top, , bottom]: Rectangle): number[] | undefined {
  const [first, last] = [Math.floor(top / ROW), Math.floor(bottom / ROW)];
  if (!(last - first < MOST_ROWS)) return undefined;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
}

/** How far glyphs of one row may be above each other, behind each other, and apart, in font sizes. */
const [SAME_LINE, MOST_BACK, MOST_GAP] = [0.1, 0.5, 1];

/** Narrower glyphs are further characters of the glyph before, in points. */
const LEAST_WIDTH = 0.02;

/** The glyphs in rows, in the order of the content, y down. */
export function shownRows(glyphs: readonly DrawnGlyph[]): Segment[] {
  const rows: Segment[] = [];
  let [key, baseline, end] = ["", 0, 0];
  for (const drawn of glyphs) {
    const text = drawn.unicode < 1 ? "" : characterOf(drawn.unicode);
    if (text === "" || !isPlaced(drawn)) continue;
    const { x, y, angle, advance, size, vertical } = drawn;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const direction = vertical ? ([-sin, cos] as const) : ([cos, -sin] as const);
    const [start, across] = [x * direction[0] - y * direction[1], -y * direction[0] - x * direction[1]];
    const width = Math.abs(advance) * size;
    const row = rows.at(-1);
    const own = `${vertical} ${angle.toFixed(2)}`;
    const goesOn =
      row !== undefined &&
      own === key &&
      Math.abs(across - baseline) < SAME_LINE * size &&
      start > end - MOST_BACK * size &&
      start < end + MOST_GAP * size;
    const last = row?.glyphs.at(-1);
    if (goesOn && last && (width < LEAST_WIDTH || isMark(drawn.unicode))) {
      last.text += text;
      continue;
    }
    const glyph: Glyph = {
      text,
      box: [0, 0, 0, 0],
      start,
      end: start + width,
      size,
      unspaced: isUnspaced(drawn.unicode),
      style: 0,
      baseline: across,
    };
    const rightToLeft = isRightToLeft(drawn.unicode);
    if (goesOn) {
      row.glyphs.push(glyph);
      row.length++;
      row.start = Math.min(row.start, start);
      row.end = Math.max(row.end, glyph.end);
      row.size = Math.max(row.size, size);
      row.rightToLeft ||= rightToLeft;
    } else {
      const place = { direction, vertical, baseline: across, block: 0 };
      rows.push({ glyphs: [glyph], length: 1, start, end: glyph.end, size, rightToLeft, ...place });
    }
    [key, baseline, end] = [own, across, glyph.end];
  }
  return rows;
}

/** Erased glyphs as placeholder characters, and the remaining glyph before them. */
export interface Gap {
  readonly before: DrawnGlyph | undefined;
  readonly gone: readonly DrawnGlyph[];
}

/** Stands for glyphs that are gone: one for those that stood side by side, which are no farther apart than this, in font sizes. */
const [GAP, ONE_GAP] = [0x2588, 0.1];

/** How far from its place a glyph may be that is looked for among those of a written page, in font sizes. */
const SAME_GLYPH = 0.1;

/** Where the glyphs of a page are gone, in the order of its content. */
export function gapsIn(glyphs: readonly DrawnGlyph[], gone: readonly DrawnGlyph[]): Gap[] {
  const lost = new Set(gone);
  const gaps: { before: DrawnGlyph | undefined; gone: DrawnGlyph[] }[] = [];
  let before: DrawnGlyph | undefined;
  let gap: (typeof gaps)[number] | undefined;
  for (const glyph of glyphs) {
    if (lost.has(glyph)) {
      if (!gap) gaps.push((gap = { before, gone: [] }));
      const last = gap.gone.at(-1);
      const joined = last && joinedGap(last, glyph);
      if (joined) gap.gone.pop();
      gap.gone.push(joined ?? { ...glyph, unicode: GAP });
    } else if (isPlaced(glyph) && isVisible(glyph)) [before, gap] = [glyph, undefined];
  }
  return gaps;
}

/** A gap with the glyph that stood behind it; undefined if it stood elsewhere. */
function joinedGap(gap: DrawnGlyph, glyph: DrawnGlyph): DrawnGlyph | undefined {
  const { size, angle, vertical } = gap;
  if (vertical || glyph.vertical || glyph.size !== size || glyph.angle !== angle) return undefined;
  const [[start, across], [along, otherAcross]] = [onLine(gap), onLine(glyph)];
  const isBeside = Math.abs(along - start - gap.advance * size) <= ONE_GAP * size;
  if (!isBeside || Math.abs(across - otherAcross) > SAME_PLACE) return undefined;
  return { ...gap, advance: (along - start) / size + glyph.advance };
}

/** The glyphs of a page with its gaps among them. */
export function withGaps(glyphs: readonly DrawnGlyph[], gaps: readonly Gap[]): DrawnGlyph[] {
  const all: DrawnGlyph[] = [];
  let at = 0;
  for (const { before, gone } of gaps) {
    let isFound = before === undefined;
    for (; !isFound && at < glyphs.length; at++) {
      const glyph = glyphs[at];
      if (!glyph || !before) break;
      all.push(glyph);
      const reach = SAME_GLYPH * glyph.size;
      isFound = glyph.unicode === before.unicode && Math.hypot(glyph.x - before.x, glyph.y - before.y) <= reach;
    }
    for (const one of gone) all.push(one);
  }
  return all.concat(glyphs.slice(at));
}

/** The visible part of a loaded page, in the coordinates of these rows. */
export function visibleBoundsOf(page: PDFPage): VisibleBox {
  const [x0, y0, x1, y1] = page.getBounds() as VisibleBox;
  const [a, b, c, d, e, f] = inverseOf(page.getTransform() as unknown as Matrix);
  const xs = [x0 * a + y0 * c + e, x1 * a + y1 * c + e, x0 * a + y1 * c + e, x1 * a + y0 * c + e];
  const ys = [x0 * b + y0 * d + f, x1 * b + y1 * d + f, x0 * b + y1 * d + f, x1 * b + y0 * d + f];
  return [Math.min(...xs), -Math.max(...ys), Math.max(...xs), -Math.min(...ys)];
}
