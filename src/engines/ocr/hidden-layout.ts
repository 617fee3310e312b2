/** Where the words of a recognised line go in its invisible text, and in which order, so that readers put them together. */
import { isRightToLeft, isUnspaced, readingOf } from "../pdf/text-characters.ts";
import { SPACE_GAP } from "../pdf/text-glyphs.ts";
import type { Matrix } from "../pdf/stamp-text.ts";
import { DESCENT } from "./hidden-font.ts";
import type { Line, RecognizedPage, Word } from "./words.ts";

/** A word in the directions of its text, in points: from `left` along the line, `bottom` and `top` across it, upwards. */
interface Placed {
  readonly text: string;
  readonly left: number;
  right: number;
  readonly bottom: number;
  readonly top: number;
}

/** What is shown at once. */
export interface Show {
  /** In the order of the page; with the space behind a word. */
  readonly text: string;
  /** Where it begins, on the baseline. */
  readonly x: number;
  readonly y: number;
  /** Of a character, in font sizes. */
  readonly advance: number;
}

export interface Row {
  /** Font size in points. */
  readonly size: number;
  readonly shows: readonly Show[];
}

/** Tall for its words, in the tallest of them: such a line is not level. */
const SLANTED = 1.5;
/** The least font size and the least width of a character, in points. What is smaller, readers take for no text. */
const LEAST_SIZE = 1;
const LEAST_ADVANCE = 0.05;
/** A wider gap, in font sizes, is the end of a line for pdf.js, which then cannot put right-to-left words in order. */
const WIDEST_GAP = 0.5;

/** The radicals; what `isUnspaced` tells before them are scripts of South East Asia. */
const FIRST_CJK = 0x2e80;

/** The directions of the text on a page, along the line and upwards, origin top-left and y down as on the visible page. */
export function textDirections(rotation: RecognizedPage["rotation"]): Matrix {
  return DIRECTIONS[rotation];
}

const DIRECTIONS: Readonly<Record<RecognizedPage["rotation"], Matrix>> = {
  0: [1, 0, 0, -1, 0, 0],
  90: [0, -1, -1, 0, 0, 0],
  180: [-1, 0, 0, 1, 0, 0],
  270: [0, 1, 1, 0, 0, 0],
};

/** Lays a line out on one baseline; undefined where there is no text in it. */
export function layOut({ words, bbox }: Line, rotation: RecognizedPage["rotation"]): Row | undefined {
  const placed = words.flatMap((word) => place(word, rotation));
  if (placed.length === 0) return undefined;
  const rightToLeft = placed.some(({ text }) => Array.from(text, codeOf).some(isRightToLeft));
  if (rightToLeft) placed.sort((a, b) => a.left - b.left);
  const tallest = Math.max(...placed.map(({ bottom, top }) => top - bottom));
  const [, bottom, , top] = turned(bbox, rotation);
  const slanted = top - bottom > SLANTED * tallest;
  const size = rounded(Math.max(slanted ? tallest : top - bottom, LEAST_SIZE));
  const middle = slanted ? trend(placed) : () => (bottom + top) / 2;
  const shows = placed.map((word, index): Show => {
    const next = placed[index + 1];
    const joined = next !== undefined && isJoined(word, next, size);
    // Readers take a gap for a space, whether there is one or not.
    if (joined) word.right = Math.max(word.right, next.left);
    if (rightToLeft && next && next.left > word.right) {
      word.right = Math.max(word.right, next.left - WIDEST_GAP * size);
    }
    const text = rightToLeft ? asItStands(word.text) : word.text;
    const width = Math.max(word.right - word.left, 0) / Array.from(text).length;
    return {
      text: joined || next === undefined ? text : `${text} `,
      x: word.left,
      y: middle((word.left + word.right) / 2) - size / 2 + (size * DESCENT) / 1000,
      advance: Math.max(width, LEAST_ADVANCE) / size,
    };
  });
  return { size, shows };
}

function place({ text, bbox }: Word, rotation: RecognizedPage["rotation"]): Placed[] {
  const [left, bottom, right, top] = turned(bbox, rotation);
  const whole = text.toWellFormed().replaceAll(/\s/gu, "");
  return whole === "" ? [] : [{ text: whole, left, right, bottom, top }];
}

/** A box in the directions of the text: left, bottom, right and top. */
function turned([x0, y0, x1, y1]: Line["bbox"], rotation: RecognizedPage["rotation"]): Line["bbox"] {
  const [dx, dy, ux, uy] = DIRECTIONS[rotation];
  const [along, beyond] = [x0 * dx + y0 * dy, x1 * dx + y1 * dy];
  const [across, above] = [x0 * ux + y0 * uy, x1 * ux + y1 * uy];
  return [Math.min(along, beyond), Math.min(across, above), Math.max(along, beyond), Math.max(across, above)];
}

/** The straight line that runs nearest to the middles of words: its height at a place. */
function trend(words: readonly Placed[]): (x: number) => number {
  const points = words.map(({ left, right, bottom, top }) => [(left + right) / 2, (bottom + top) / 2] as const);
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return (x) => meanY + slope * (x - meanX);
}

/**
 * Whether no space stands between two words. Scripts that set none between words may set one between phrases; of Chinese and
 * Japanese characters, whose ink may be narrow, only what is far apart is.
 */
function isJoined(word: Placed, next: Placed, size: number): boolean {
  const [before, after] = [codeOf(Array.from(word.text).at(-1) ?? ""), codeOf(next.text)];
  const gap = next.left - word.right;
  if (isCjk(before) && isCjk(after)) return gap <= size;
  return (isUnspaced(before) || isUnspaced(after)) && gap <= SPACE_GAP * size;
}

const isCjk = (code: number): boolean => code >= FIRST_CJK && isUnspaced(code);

/**
 * A word of a right-to-left line as its characters stand on the page, from left to right: readers turn them around. What
 * reads from left to right in it, such as a number with its points, stays as it is.
 */
function asItStands(text: string): string {
  const characters = Array.from(text);
  const readings = characters.map(readingOf);
  const runs: string[] = [];
  for (let from = 0; from < characters.length;) {
    let to = from + 1;
    if (readings[from] === "ltr") {
      for (let at = to; at < characters.length && readings[at] !== "rtl"; at++) if (readings[at] === "ltr") to = at + 1;
    }
    runs.push(characters.slice(from, to).join(""));
    from = to;
  }
  return runs.reverse().join("");
}

const codeOf = (text: string): number => text.codePointAt(0) ?? 0;

/** Tenths of a point are as good as the eye. */
const rounded = (value: number): number => Math.round(value * 10) / 10;
