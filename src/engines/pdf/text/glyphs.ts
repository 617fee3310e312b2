import type { VisibleBox } from "../../geometry.ts";
import type { StructuredText } from "mupdf";
import { tooMuchText } from "../../limit-errors.ts";
import { type Steps, STRIDE } from "../../steps.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { BLOCKS } from "../mupdf/abi.ts";
import { blocksIn, blockLinesOf, type StextCharacters, type StextLine } from "../mupdf/structured-text.ts";
import { closeLetterSpacing, SPACE_GAP } from "./letter-spacing.ts";
import { characterOf, isLatinLike, isMark, isRightToLeft, isUnspaced } from "./characters.ts";

/** Four corners: x and y of each, in points. */
export type Quad = readonly [number, number, number, number, number, number, number, number];

/** A glyph on the page with all the characters it represents, or several adjacent letters of a word. */
export interface Glyph {
  text: string;
  /** Empty unless boxes were requested. */
  readonly box: VisibleBox;
  /** The corners upper left, upper right, lower left, and lower right, in the glyph's own orientation, if letters were requested. */
  readonly quad?: Quad;
  /** Where it is placed on its line, and where the marks are that it has taken up, if letters were requested. In points. */
  readonly origin?: readonly [number, number];
  readonly marks?: [number, number][];
  /** Start and end along the line's direction, in points. */
  readonly start: number;
  end: number;
  /** Font size as displayed on the page, in points. */
  readonly size: number;
  /** Whether it belongs to a script without spaces between words. */
  readonly unspaced: boolean;
  /** `BOLD`, `ITALIC`, `MONOSPACED` and `SOFT`, added up. 0 unless styles were requested. */
  readonly style: number;
  /** Position of its own baseline, as in `Segment`. 0 unless styles or letters were requested. */
  readonly baseline: number;
}

export const [BOLD, ITALIC, MONOSPACED] = [1, 2, 4];
/** A hyphen that the file has as a soft one: it divides a word at the end of a line. */
export const SOFT = 16;

/** Consecutive glyphs of a line, in content order. */
export interface Segment {
  readonly glyphs: Glyph[];
  /** Approximate number of characters that its glyphs represent. */
  length: number;
  /** Unit vector of the line, y down. */
  readonly direction: readonly [number, number];
  readonly vertical: boolean;
  /** Position of the baseline across the direction, in points. */
  readonly baseline: number;
  /** Minimum and maximum position along the direction, in points. */
  start: number;
  end: number;
  /** Largest font size, in points. */
  size: number;
  /** Whether any of it is read from right to left. */
  rightToLeft: boolean;
  /** Index of MuPDF's block, roughly a paragraph. */
  readonly block: number;
  /** The marked content that it belongs to, if that was requested. */
  readonly slot?: number | undefined;
}

/** Fuel for a character, and for a row. */
const [CHARACTER_WORK, LINE_WORK] = [60, 200];

/** Text below this size in points is invisible. */
const LEAST_SIZE = 0.1;

/** Tolerance for rounding when positions are compared, in points. */
const SAME = 0.02;

interface ReadOptions {
  /** The visible page. */
  readonly bounds: VisibleBox;
  /** Maximum number of glyphs. */
  readonly budget: number;
  /** Whether glyphs need boxes. */
  readonly boxes: boolean;
  /** Gives the style of a glyph by its font and flags. Letters of different styles are not combined. */
  readonly styleOf?: (font: number, flags: number) => number;
  /** Whether each letter is a glyph of its own with its corners, including glyphs that are too small to see. */
  readonly letters?: boolean;
}

/**
 * The glyphs of a page in rows. Skips glyphs whose center is outside the visible page, and those without a size. Includes
 * invisible text (rendering mode 3), since it is the text of a scan.
 * @throws Refusal `limit_exceeded` if it exceeds the budget
 */
export function* readSegments(engine: PdfEngine, text: StructuredText, options: ReadOptions): Steps<Segment[]> {
  const segments: Segment[] = [];
  let fuel = 0;
  let left = options.budget;
  for (const [number, { block, type, slot }] of blocksIn(engine, text).entries()) {
    if (type !== BLOCKS.text) continue;
    for (const line of blockLinesOf(engine, block)) {
      const segment = readLine(line, { block: number, slot }, { ...options, budget: left });
      fuel += LINE_WORK + (segment?.length ?? 0) * CHARACTER_WORK;
      if (fuel >= STRIDE * CHARACTER_WORK) {
        yield fuel;
        fuel = 0;
      }
      if (segment === undefined) continue;
      left -= segment.length;
      segments.push(segment);
    }
  }
  return segments;
}

function readLine(
  { direction, vertical, characters }: StextLine,
  place: Pick<Segment, "block" | "slot">,
  { bounds, budget, boxes, styleOf, letters = false }: ReadOptions,
): Segment | undefined {
  const [dx, dy] = direction;
  const glyphs: Glyph[] = [];
  /** Characters of a glyph that MuPDF put before its first one, in a row that it reversed. */
  let early: { text: string; place: number }[] = [];
  let baseline = 0;
  let start = Infinity;
  let end = -Infinity;
  let size = 0;
  let rightToLeft = false;
  let length = 0;
  let last: Glyph | undefined;
  let lastJoins = false;
  while (characters.next()) {
    const { code, size: characterSize } = characters;
    const written = characterSize < LEAST_SIZE && !letters ? "" : characterOf(code);
    if (written === "") continue;
    const below = vertical ? belowTop(characters, direction) : 0;
    const [x, y] = [below * dx, below * dy];
    const ulx = characters.corner(0) - x;
    const uly = characters.corner(1) - y;
    const lrx = characters.corner(6) - x;
    const lry = characters.corner(7) - y;
    const middleX = (ulx + lrx) / 2;
    const middleY = (uly + lry) / 2;
    if (!(middleX >= bounds[0] && middleX <= bounds[2] && middleY >= bounds[1] && middleY <= bounds[3])) continue;
    // For vertical text MuPDF names the corners differently.
    const across = vertical ? ulx * dx + uly * dy : characters.corner(4) * dx + characters.corner(5) * dy;
    const along = lrx * dx + lry * dy;
    const from = vertical ? Math.min(across, along) : across;
    const to = vertical ? Math.max(across, along) : along;
    if (isRightToLeft(code)) rightToLeft = true;
    // MuPDF puts the additional characters of a glyph at its end with zero width.
    if (to - from < (letters ? Math.min(SAME, characterSize / 100) : SAME) || (last !== undefined && isMark(code))) {
      if (last !== undefined && (written === " " || isMark(code) || Math.abs(last.end - from) < SAME)) {
        last.text += written;
        last.marks?.push(originOf(characters, vertical));
      } else early.push({ text: written, place: from });
      continue;
    }
    if (length++ >= budget) throw tooMuchText();
    if (lastJoins && last !== undefined && written === " " && !letters) {
      // It ends the word in either reading direction: next to a Latin word in Arabic text it may be on either side.
      last.text += written;
      lastJoins = false;
      continue;
    }
    const joins = !letters && isLatinLike(code);
    const soft = code === 0xad ? SOFT : 0;
    const style = styleOf === undefined ? 0 : styleOf(characters.font, characters.flags) | soft;
    if (joins && lastJoins && last !== undefined && isClose(last, from, characterSize) && last.style === style) {
      last.text += written;
      last.end = to;
      if (to > end) end = to;
      if (boxes) growTo(last.box, boxAt(quadOf(characters, x, y)));
      continue;
    }
    const plain: Glyph = {
      text: written,
      box: boxes ? boxAt(quadOf(characters, x, y)) : NO_BOX,
      start: from,
      end: to,
      size: characterSize,
      unspaced: isUnspaced(code),
      style,
      baseline: styleOf === undefined && !letters ? 0 : characters.y * dx - characters.x * dy,
    };
    const glyph: Glyph = letters
      ? { ...plain, quad: quadOf(characters, x, y), origin: originOf(characters, vertical), marks: [] }
      : plain;
    if (early.length > 0) {
      for (const mark of early.toReversed()) attach(mark, glyph, last);
      early = [];
    }
    if (glyphs.length === 0) {
      baseline = characters.y * dx - characters.x * dy;
    }
    glyphs.push(glyph);
    last = glyph;
    lastJoins = joins;
    if (from < start) start = from;
    if (to > end) end = to;
    if (characterSize > size) size = characterSize;
  }
  if (last === undefined) return undefined;
  for (const mark of early) last.text += mark.text;
  // Letters keep their exact places if they were requested.
  if (!letters && !vertical && !rightToLeft) closeLetterSpacing(glyphs);
  return { glyphs, length, direction, vertical, baseline, start, end, size, rightToLeft, ...place };
}

/** Whether a character of the same size follows immediately, with neither a gap nor a step back. */
function isClose(last: Glyph, from: number, size: number): boolean {
  const gap = from - last.end;
  return last.size === size && gap < SPACE_GAP * size && gap > -SPACE_GAP * size;
}

function growTo(box: VisibleBox, [x0, y0, x1, y1]: VisibleBox): void {
  box[0] = Math.min(box[0], x0);
  box[1] = Math.min(box[1], y0);
  box[2] = Math.max(box[2], x1);
  box[3] = Math.max(box[3], y1);
}

/** A mark without a width belongs to the glyph that it is on or at the end of. */
function attach(mark: { text: string; place: number }, next: Glyph, last: Glyph | undefined): void {
  const isLasts = last !== undefined && mark.place >= last.start && mark.place < last.end;
  if (isLasts && !(mark.place >= next.start && mark.place <= next.end + SAME)) last.text += mark.text;
  else next.text += mark.text;
}

/** Where a glyph is placed on its line. In a column, MuPDF has for the origin the end of the glyph. */
const originOf = (character: StextCharacters, vertical: boolean): [number, number] =>
  vertical ? [character.corner(6), character.corner(7)] : [character.x, character.y];

/** The corners of a character, moved to the left and up. */
const quadOf = (character: StextCharacters, x: number, y: number): Quad => [
  character.corner(0) - x,
  character.corner(1) - y,
  character.corner(2) - x,
  character.corner(3) - y,
  character.corner(4) - x,
  character.corner(5) - y,
  character.corner(6) - x,
  character.corner(7) - y,
];

/** From the top of a glyph in vertical text to its origin, in ems: the default of fonts (ISO 32000-2, 9.7.4.3). */
const TOP_TO_ORIGIN = 0.88;

/**
 * How far below its place MuPDF has a character of vertical text, in points: it puts the corners at the origin of the glyph, not at its top. The
 * corners are an em apart across the line, and the square of the size is the product of an em across and an em along.
 */
function belowTop(character: StextCharacters, [dx, dy]: StextLine["direction"]): number {
  const { size } = character;
  const across = [0, 2, 4, 6].map((corner) => character.corner(corner) * dy - character.corner(corner + 1) * dx);
  const em = Math.max(...across) - Math.min(...across);
  return em > 0 ? (TOP_TO_ORIGIN * size * size) / em : 0;
}

const NO_BOX: VisibleBox = [0, 0, 0, 0];

const boxAt = ([ax, ay, bx, by, cx, cy, ex, ey]: Quad): VisibleBox => [
  Math.min(ax, bx, cx, ex),
  Math.min(ay, by, cy, ey),
  Math.max(ax, bx, cx, ex),
  Math.max(ay, by, cy, ey),
];
