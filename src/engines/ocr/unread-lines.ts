/**
 * Reads again the text that Tesseract's layout analysis lost or garbled: lines alone on a page, headings, short numbers, columns of a table. Their
 * ink is found without it, and read as a block or as a line.
 */
import type { Ink } from "./ink.ts";
import { areLevel, boxOfLines, union, readWordsOf } from "./line-boxes.ts";
import { scaleFor } from "./line-height.ts";
import type { TextRecognizer } from "./tesseract.ts";
import type { PixelBox, ReadLine } from "./tesseract-results.ts";

/** Heights of lines in points: lower ink is a rule or dirt, higher ink a picture. */
const [LOWEST, HIGHEST] = [4, 100];
/** Points between two columns. */
const GUTTER = 10;
/** The share of a line's height from which unread ink is a character: a narrow digit. */
const CHARACTER = 1 / 3;
/** The confidence from which a reading is believed. */
const SURE = 0.7;
/** Lines of a block are closer than this, in heights, and their heights are not further apart than this factor. */
const [CLOSE, ALIKE] = [2, 1.6];
/** Most lines, cells, and words of a page; more pieces of ink are a picture. */
const MOST_STRIPS = 2_000;
/** Blocks of a page that are read again, the largest ones. */
const MOST_BLOCKS = 8;
/**
 * The shares of a page's ink from which a block is read again: one that was not read, and one that was read badly. Dirt and a logo are no reason to
 * read an ordinary page for longer.
 */
const LEAST_INK = { unread: 1 / 50, doubtful: 1 / 10 } as const;
/** White pixels around them: letters that touch an edge are not recognized. */
const MARGIN = 10;

interface Page {
  readonly ink: Ink;
  /** Pixels per inch of the picture. */
  readonly dpi: number;
  /** How much larger the picture can be at most. */
  readonly mostScale: number;
  /** Shows the recognizer the page again, `scale` times as large. */
  show(scale: number): Promise<void>;
}

interface Block {
  box: PixelBox;
  /** Pixels. */
  readonly height: number;
  lines: number;
  /** Whether characters of it were not read. */
  isUnread: boolean;
}

/** The lines of a page with those that were found in its unread ink. The recognizer has read the page. */
export async function withUnreadLines(
  page: Page,
  lines: readonly ReadLine[],
  recognizer: TextRecognizer,
): Promise<readonly ReadLine[]> {
  const { languages } = recognizer;
  const scaled = unreadBlocks(page, lines).map((block) => {
    const [width, height] = [block.box[2] - block.box[0], block.height];
    return { ...block, scale: Math.min(page.mostScale, scaleFor([{ height, length: width }], height, languages)) };
  });
  let result = lines;
  let shown = 1;
  for (const { box, lines: count, scale } of scaled.toSorted((a, b) => a.scale - b.scale)) {
    // Heights of a line differ by its letters. Showing the page again takes longer than reading a line.
    if (Math.max(scale / shown, shown / scale) > ALIKE) await page.show((shown = scale));
    const area = widened(box, result);
    const before = result.filter(({ words }) => words.some((word) => isIn(word.box, area)));
    let best = { lines: before, score: scoreOf(before, page.ink) };
    for (const mode of count === 1 ? (["line", "block"] as const) : (["block"] as const)) {
      const found = await recognizer.readPart(grown(area, MARGIN), shown, mode);
      const score = scoreOf(found, page.ink);
      if (score <= best.score || !isBelievable(found)) continue;
      best = { lines: found, score };
      break;
    }
    if (best.lines !== before) result = replaced(result, before, best.lines);
  }
  return result;
}

/** Blocks of lines that were not read well. */
function unreadBlocks({ ink, dpi }: Page, lines: readonly ReadLine[]): Block[] {
  const points = dpi / 72;
  const blocks: Block[] = [];
  const strips = ink.strips(HIGHEST * points, GUTTER * points);
  if (strips.length > MOST_STRIPS) return [];
  for (const box of strips) {
    const height = box[3] - box[1];
    if (height < LOWEST * points || height > HIGHEST * points) continue;
    const reading = readingOf(box, lines, ink);
    if (reading === "read") continue;
    const isUnread = reading === "unread";
    const block = blocks.find(
      (other) =>
        box[1] - other.box[3] <= CLOSE * Math.min(height, other.height) &&
        Math.max(height / other.height, other.height / height) <= ALIKE &&
        Math.min(box[2], other.box[2]) > Math.max(box[0], other.box[0]),
    );
    if (block) {
      block.box = union(block.box, box);
      block.lines += 1;
      block.isUnread ||= isUnread;
    } else blocks.push({ box, height, lines: 1, isUnread });
  }
  const area = ({ box: [left, top, right, bottom] }: Block): number => (right - left) * (bottom - top);
  const whole = strips.reduce((sum, box) => sum + ink.within(box), 0);
  const large = blocks.filter(
    ({ box, isUnread }) => ink.within(box) >= whole * LEAST_INK[isUnread ? "unread" : "doubtful"],
  );
  return large.toSorted((a, b) => area(b) - area(a)).slice(0, MOST_BLOCKS);
}

/** Whether all characters of a line of ink were read, with confidence, and as one line. */
function readingOf(box: PixelBox, lines: readonly ReadLine[], ink: Ink): "read" | "doubtful" | "unread" {
  const inside = lines.flatMap((line) => {
    const words = line.words.filter((word) => isIn(word.box, box));
    return words.length > 0 ? [{ ...line, words }] : [];
  });
  const boxes = inside.map((line) => boxOfLines(line));
  const isParagraph = boxes.some(([, top]) => boxes.some(([, , , bottom]) => top >= bottom));
  if (isParagraph) return "read";
  const words = readWordsOf(lines).flatMap((word) => (shared(word.box, box) ? [word.box] : []));
  if (ink.unread(box, words) >= (box[3] - box[1]) * CHARACTER) return "unread";
  const isSplit = boxes.some((one, index) => boxes.slice(0, index).some((other) => areLevel(one, other)));
  return !isSplit && certaintyOf(inside) >= SURE ? "read" : "doubtful";
}

/** A box with all of the lines that are partly in it. */
function widened(box: PixelBox, lines: readonly ReadLine[]): PixelBox {
  const touched = lines.filter(({ words }) => words.some((word) => isIn(word.box, box)));
  return touched.flatMap(({ words }) => words.map((word) => word.box)).reduce(union, box);
}

/** How much of the ink was read, and how surely. */
const scoreOf = (lines: readonly ReadLine[], ink: Ink): number =>
  readWordsOf(lines).reduce((sum, { box, confidence }) => sum + confidence * ink.within(box), 0);

const isBelievable = (lines: readonly ReadLine[]): boolean =>
  certaintyOf(lines) >= SURE && readWordsOf(lines).some(({ text }) => /[\p{L}\p{N}]/u.test(text));

/** Mean confidence of the letters; 0 if there are none. */
export function certaintyOf(lines: readonly ReadLine[]): number {
  const words = readWordsOf(lines);
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0) / Math.max(1, letters);
}

/** The lines without `before`, and with `found` in their place, or before the next line that is read. */
function replaced(
  lines: readonly ReadLine[],
  before: readonly ReadLine[],
  found: readonly ReadLine[],
): readonly ReadLine[] {
  const rest = lines.filter((line) => !before.includes(line));
  const around = boxOfLines(...found);
  const isBelow = (a: PixelBox, b: PixelBox): boolean => a[1] >= (b[1] + b[3]) / 2 && a[0] < b[2] && a[2] > b[0];
  const next = rest.findIndex((line) => {
    const box = boxOfLines(line);
    return isBelow(box, around) || (box[0] >= around[2] && areLevel(box, around));
  });
  const above = rest.findLastIndex((line) => isBelow(around, boxOfLines(line)));
  const first = before[0] ? lines.indexOf(before[0]) : rest.length;
  const index = next >= 0 ? next : above >= 0 ? above + 1 : first;
  return [...rest.slice(0, index), ...found, ...rest.slice(index)];
}

const isIn = ([left, top, right, bottom]: PixelBox, [x0, y0, x1, y1]: PixelBox): boolean => {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return x >= x0 && x <= x1 && y >= y0 && y <= y1;
};

const shared = (a: PixelBox, b: PixelBox): boolean =>
  Math.min(a[2], b[2]) > Math.max(a[0], b[0]) && Math.min(a[3], b[3]) > Math.max(a[1], b[1]);

const grown = ([left, top, right, bottom]: PixelBox, by: number): PixelBox => [
  left - by,
  top - by,
  right + by,
  bottom + by,
];
