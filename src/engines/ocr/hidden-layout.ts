/** The position and order of a recognized line's words in its invisible text, so that readers join them correctly. */
import type { Matrix } from "../geometry.ts";
import { isRightToLeft, isUnspaced } from "../pdf/text/characters.ts";
import { SPACE_GAP } from "../pdf/text/letter-spacing.ts";
import { DESCENT } from "./hidden-font.ts";
import { inVisualOrder, visualWord } from "./visual-order.ts";
import type { RecognizedLine, RecognizedPage, RecognizedWord } from "./words.ts";

/** A word in text coordinates, in points: `left` along the line, `bottom` and `top` across it, upwards. */
interface Placed {
  readonly text: string;
  left: number;
  right: number;
  readonly bottom: number;
  readonly top: number;
}

/** The glyphs that one operator shows. */
export interface Show {
  /** In page order, with the space after a word. */
  readonly text: string;
  /** Where it begins on the baseline. */
  readonly x: number;
  readonly y: number;
  /** Character width, in font sizes. */
  readonly advance: number;
}

export interface HiddenRow {
  /** Font size in points. */
  readonly size: number;
  readonly shows: readonly Show[];
}

/** Ratio of line height to its tallest word from which a line counts as slanted. */
const SLANTED = 1.5;
/** Minimum font size and character width, in points. Readers do not treat anything smaller as text. */
const LEAST_SIZE = 1;
const LEAST_ADVANCE = 0.05;
/** Readers ignore a narrower gap, in font sizes. */
const LEAST_GAP = 0.2;
/** pdf.js treats a wider gap, in font sizes, as the end of a line, and then cannot order right-to-left words. */
const WIDEST_GAP = 0.5;

/** Whitespace, and direction marks, which Tesseract puts next to Latin words and readers drop from text. */
const NO_GLYPHS = /[\s\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** Start of the CJK radicals; the scripts below it for which `isUnspaced` is true are Southeast Asian. */
const FIRST_CJK = 0x2e80;

/**
 * The directions of text on a page, along the line and upwards, in coordinates of the visible page (origin top left, y
 * down).
 */
export function textDirections(rotation: RecognizedPage["rotation"]): Matrix {
  return DIRECTIONS[rotation];
}

const DIRECTIONS: Readonly<Record<RecognizedPage["rotation"], Matrix>> = {
  0: [1, 0, 0, -1, 0, 0],
  90: [0, -1, -1, 0, 0, 0],
  180: [-1, 0, 0, 1, 0, 0],
  270: [0, 1, 1, 0, 0, 0],
};

/** Lays out a line on one baseline; undefined if it has no text. */
export function layOutLine(
  { words, bbox }: RecognizedLine,
  rotation: RecognizedPage["rotation"],
): HiddenRow | undefined {
  const read = words.flatMap((word) => place(word, rotation));
  const [first, last] = [read[0], read.at(-1)];
  if (!first || !last) return undefined;
  const rightToLeft = read.some(({ text }) => Array.from(text, codeOf).some(isRightToLeft));
  const placed = rightToLeft ? inVisualOrder(read, first.left + first.right >= last.left + last.right) : read;
  if (rightToLeft) putInOrder(placed);
  const tallest = Math.max(...placed.map(({ bottom, top }) => top - bottom));
  const [, bottom, , top] = turnedBox(bbox, rotation);
  const slanted = top - bottom > SLANTED * tallest;
  const size = rounded(Math.max(slanted ? tallest : top - bottom, LEAST_SIZE));
  const middle = slanted ? trend(placed) : () => (bottom + top) / 2;
  const shows = placed.map((word, index): Show => {
    const next = placed[index + 1];
    const joined = next !== undefined && isJoined(word, next, size);
    // Readers go by the gap, whether or not it contains a space.
    if (joined) word.right = Math.max(word.right, next.left);
    else if (next) {
      const least = rightToLeft ? word.left : (word.left + word.right) / 2;
      word.right = Math.min(word.right, Math.max(next.left - LEAST_GAP * size, least));
      if (rightToLeft) word.right = Math.max(word.right, next.left - WIDEST_GAP * size);
    }
    const text = rightToLeft ? visualWord(word.text) : word.text;
    const width = Math.max(word.right - word.left, 0) / Array.from(text).length;
    return {
      text: joined ? text : `${text} `,
      x: word.left,
      y: middle((word.left + word.right) / 2) - size / 2 + (size * DESCENT) / 1000,
      advance: Math.max(width, LEAST_ADVANCE) / size,
    };
  });
  return { size, shows };
}

/**
 * The boxes of right-to-left words may overlap their neighbors. pdf.js reorders such words only as long as none begins to
 * the left of the previous one.
 */
function putInOrder(placed: readonly Placed[]): void {
  let limit = Infinity;
  for (const word of placed.toReversed()) limit = word.left = Math.min(word.left, limit);
}

function place({ text, bbox }: RecognizedWord, rotation: RecognizedPage["rotation"]): Placed[] {
  const [left, bottom, right, top] = turnedBox(bbox, rotation);
  const whole = text.toWellFormed().replaceAll(NO_GLYPHS, "");
  return whole === "" ? [] : [{ text: whole, left, right, bottom, top }];
}

/** A box in text coordinates: left, bottom, right, top. */
function turnedBox(
  [x0, y0, x1, y1]: RecognizedLine["bbox"],
  rotation: RecognizedPage["rotation"],
): RecognizedLine["bbox"] {
  const [dx, dy, ux, uy] = DIRECTIONS[rotation];
  const [along, beyond] = [x0 * dx + y0 * dy, x1 * dx + y1 * dy];
  const [across, above] = [x0 * ux + y0 * uy, x1 * ux + y1 * uy];
  return [Math.min(along, beyond), Math.min(across, above), Math.max(along, beyond), Math.max(across, above)];
}

/** The regression line through the centers of words, as a function of the position along the line. */
function trend(words: readonly Placed[]): (x: number) => number {
  const points = words.map(({ left, right, bottom, top }) => [(left + right) / 2, (bottom + top) / 2] as const);
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return (x) => meanY + slope * (x - meanX);
}

/**
 * Whether there is no space between two words. Scripts without spaces between words may have them between phrases. Chinese
 * and Japanese characters may have narrow ink, so only a wide gap separates them.
 */
function isJoined(word: Placed, next: Placed, size: number): boolean {
  const [before, after] = [codeOf(Array.from(word.text).at(-1) ?? ""), codeOf(next.text)];
  const gap = next.left - word.right;
  if (isCjk(before) && isCjk(after)) return gap <= size;
  return (isUnspaced(before) || isUnspaced(after)) && gap <= SPACE_GAP * size;
}

const isCjk = (code: number): boolean => code >= FIRST_CJK && isUnspaced(code);

const codeOf = (text: string): number => text.codePointAt(0) ?? 0;

/** A tenth of a point is below what the eye can see. */
const rounded = (value: number): number => Math.round(value * 10) / 10;
