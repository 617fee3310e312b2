import type { StructuredText } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { BLOCKS, blocksIn } from "./stext-blocks.ts";
import { characterOf, isLatinLike, isMark, isRightToLeft, isUnspaced } from "./characters.ts";

/** `[x0, y0, x1, y1]` in points, origin top-left of the visible page. */
export type Box = [number, number, number, number];

/** Four corners: x and y of each, in points. */
export type Quad = readonly [number, number, number, number, number, number, number, number];

/** A glyph on the page with all the characters it represents, or several adjacent letters of a word. */
export interface Glyph {
  text: string;
  /** Empty unless boxes were requested. */
  readonly box: Box;
  /** The corners upper left, upper right, lower left, and lower right, as the glyph stands, if letters were requested. */
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
  /** `BOLD`, `ITALIC` and `MONOSPACED`, added up. 0 unless styles were requested. */
  readonly style: number;
  /** Position of its own baseline, as in `Segment`. 0 unless styles were requested. */
  readonly baseline: number;
}

export const [BOLD, ITALIC, MONOSPACED] = [1, 2, 4];

/** Consecutive glyphs of a line, in content order. */
export interface Segment {
  readonly glyphs: Glyph[];
  /** Approximate number of characters that its glyphs represent. */
  readonly length: number;
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
  /** The marked content that it belongs to, if that was asked for. */
  readonly slot?: number | undefined;
}

/**
 * Layout of a character in MuPDF 1.28, as offsets in 4-byte words: code, writing direction and flags, color, origin (2 floats),
 * corners (8 floats), size, font, next. A call per field would take as long as everything else here.
 */
const [FLAGS, ORIGIN, QUAD, SIZE, FONT, NEXT] = [1, 3, 5, 13, 14, 15];

/** Text below this size in points is invisible. */
const LEAST_SIZE = 0.1;

/** A gap wider than this, in font sizes, is a space. */
export const SPACE_GAP = 0.15;

/** Tolerance for rounding when positions are compared, in points. */
const SAME = 0.02;

interface ReadOptions {
  /** The visible page. */
  readonly bounds: Box;
  /** Maximum number of glyphs. */
  readonly budget: number;
  /** Whether glyphs need boxes. */
  readonly boxes: boolean;
  /** Gives the style of a glyph by its font and flags. Letters of different styles are not combined. */
  readonly styleOf?: (font: number, flags: number) => number;
  /** Whether each letter is a glyph of its own with its corners, and glyphs that are too small to see are read, too. */
  readonly letters?: boolean;
}

/**
 * The glyphs of a page in rows. Skips glyphs whose center is outside the visible page, and those without a size. Includes
 * invisible text (rendering mode 3), since it is the text of a scan.
 * @throws Refusal `limit_exceeded` if it exceeds the budget
 */
export function readSegments(engine: PdfEngine, text: StructuredText, options: ReadOptions): Segment[] {
  const { lib } = engine;
  const segments: Segment[] = [];
  let left = options.budget;
  for (const [number, { block, type, slot }] of blocksIn(engine, text).entries()) {
    if (type !== BLOCKS.text) continue;
    let line = lib._wasm_stext_block_get_first_line(block);
    for (; line !== 0; line = lib._wasm_stext_line_get_next(line)) {
      const segment = readLine(engine, line, { block: number, slot }, { ...options, budget: left });
      if (segment === undefined) continue;
      left -= segment.length;
      segments.push(segment);
    }
  }
  return segments;
}

function readLine(
  { lib }: PdfEngine,
  line: number,
  place: Pick<Segment, "block" | "slot">,
  { bounds, budget, boxes, styleOf, letters = false }: ReadOptions,
): Segment | undefined {
  // Nothing here allocates, so the heap does not move.
  const floats = lib.HEAPF32;
  const words = lib.HEAPU32;
  const direction = lib._wasm_stext_line_get_dir(line) >> 2;
  const [dx, dy] = [at(floats, direction), at(floats, direction + 1)];
  const vertical = lib._wasm_stext_line_get_wmode(line) === 1;
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
  let character = lib._wasm_stext_line_get_first_char(line);
  if (character !== 0) checkLayout(lib, character);
  for (; character !== 0; character = words[(character >> 2) + NEXT] ?? 0) {
    const word = character >> 2;
    const code = words[word] ?? 0;
    const characterSize = at(floats, word + SIZE);
    const written = characterSize < LEAST_SIZE && !letters ? "" : characterOf(code);
    if (written === "") continue;
    const quad = word + QUAD;
    // In a column, MuPDF has for the origin the end of the glyph.
    const origin = vertical ? quad + 6 : word + ORIGIN;
    const below = vertical ? belowTop(floats, quad, characterSize, direction) : 0;
    const [x, y] = [below * dx, below * dy];
    const ulx = at(floats, quad) - x;
    const uly = at(floats, quad + 1) - y;
    const lrx = at(floats, quad + 6) - x;
    const lry = at(floats, quad + 7) - y;
    const middleX = (ulx + lrx) / 2;
    const middleY = (uly + lry) / 2;
    if (!(middleX >= bounds[0] && middleX <= bounds[2] && middleY >= bounds[1] && middleY <= bounds[3])) continue;
    // For vertical text MuPDF names the corners differently.
    const across = vertical ? ulx * dx + uly * dy : at(floats, quad + 4) * dx + at(floats, quad + 5) * dy;
    const along = lrx * dx + lry * dy;
    const from = vertical ? Math.min(across, along) : across;
    const to = vertical ? Math.max(across, along) : along;
    if (isRightToLeft(code)) rightToLeft = true;
    // MuPDF puts the additional characters of a glyph at its end with zero width.
    if (to - from < (letters ? Math.min(SAME, characterSize / 100) : SAME) || (last !== undefined && isMark(code))) {
      if (last !== undefined && (written === " " || isMark(code) || Math.abs(last.end - from) < SAME)) {
        last.text += written;
        last.marks?.push([at(floats, origin), at(floats, origin + 1)]);
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
    const style = styleOf === undefined ? 0 : styleOf(words[word + FONT] ?? 0, (words[word + FLAGS] ?? 0) >>> 16);
    if (joins && lastJoins && last !== undefined && isClose(last, from, characterSize) && last.style === style) {
      last.text += written;
      last.end = to;
      if (to > end) end = to;
      if (boxes) growTo(last.box, boxAt(quadAt(floats, quad, x, y)));
      continue;
    }
    const glyph: Glyph = {
      text: written,
      box: boxes ? boxAt(quadAt(floats, quad, x, y)) : NO_BOX,
      start: from,
      end: to,
      size: characterSize,
      unspaced: isUnspaced(code),
      style,
      baseline: styleOf === undefined ? 0 : at(floats, word + ORIGIN + 1) * dx - at(floats, word + ORIGIN) * dy,
      ...(letters
        ? {
            quad: quadAt(floats, quad, x, y),
            origin: [at(floats, origin), at(floats, origin + 1)] as const,
            marks: [],
          }
        : {}),
    };
    if (early.length > 0) {
      for (const mark of early.toReversed()) attach(mark, glyph, last);
      early = [];
    }
    if (glyphs.length === 0) {
      baseline = at(floats, word + ORIGIN + 1) * dx - at(floats, word + ORIGIN) * dy;
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
  return { glyphs, length, direction: [dx, dy], vertical, baseline, start, end, size, rightToLeft, ...place };
}

/** A different MuPDF may use another layout, which must not result in wrong text. */
function checkLayout(lib: LibMuPDF, character: number): void {
  const place = character >> 2;
  if (
    lib._wasm_stext_char_get_c(character) !== lib.HEAPU32[place] ||
    lib._wasm_stext_char_get_origin(character) !== character + ORIGIN * 4 ||
    lib._wasm_stext_char_get_quad(character) !== character + QUAD * 4 ||
    lib._wasm_stext_char_get_size(character) !== lib.HEAPF32[place + SIZE] ||
    lib._wasm_stext_char_get_font(character) !== lib.HEAPU32[place + FONT] ||
    lib._wasm_stext_char_get_next(character) !== lib.HEAPU32[place + NEXT]
  ) {
    throw new Error("MuPDF keeps the characters of a page in another way than expected");
  }
}

/** Whether a character of the same size follows immediately, with neither a gap nor a step back. */
function isClose(last: Glyph, from: number, size: number): boolean {
  const gap = from - last.end;
  return last.size === size && gap < SPACE_GAP * size && gap > -SPACE_GAP * size;
}

function growTo(box: Box, [x0, y0, x1, y1]: Box): void {
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

export function tooMuchText(): Refusal {
  return new Refusal("limit_exceeded", "The pages have too much text for one response. Select fewer pages.", {
    limit: limits.text.characters,
  });
}

const at = (floats: Float32Array, index: number): number => floats[index] ?? 0;

/** The corners of a character, moved to the left and up. */
const quadAt = (floats: Float32Array, quad: number, x: number, y: number): Quad => [
  at(floats, quad) - x,
  at(floats, quad + 1) - y,
  at(floats, quad + 2) - x,
  at(floats, quad + 3) - y,
  at(floats, quad + 4) - x,
  at(floats, quad + 5) - y,
  at(floats, quad + 6) - x,
  at(floats, quad + 7) - y,
];

/** From the top of a glyph in vertical text to its origin, in ems: the default of fonts (ISO 32000-2, 9.7.4.3). */
const TOP_TO_ORIGIN = 0.88;

/**
 * How far below its place MuPDF has a character of vertical text, in points: it puts the corners at the origin of the glyph, not at its top. The
 * corners are an em apart across the line, and the square of the size is the product of an em across and an em along.
 */
function belowTop(floats: Float32Array, quad: number, size: number, direction: number): number {
  const [dx, dy] = [at(floats, direction), at(floats, direction + 1)];
  const across = [0, 2, 4, 6].map((corner) => at(floats, quad + corner) * dy - at(floats, quad + corner + 1) * dx);
  const em = Math.max(...across) - Math.min(...across);
  return em > 0 ? (TOP_TO_ORIGIN * size * size) / em : 0;
}

const NO_BOX: Box = [0, 0, 0, 0];

const boxAt = ([ax, ay, bx, by, cx, cy, ex, ey]: Quad): Box => [
  Math.min(ax, bx, cx, ex),
  Math.min(ay, by, cy, ey),
  Math.max(ax, bx, cx, ex),
  Math.max(ay, by, cy, ey),
];
