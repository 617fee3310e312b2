/**
 * Words and rows of a page. Layout coordinates: `x` runs along the direction in which most of the page's text is read, `y` across it, in
 * points. On an ordinary page these are the page's own, with the origin at the top left.
 */
import { atOnce, sortSteps, STRIDE, type Steps } from "../../steps.ts";
import type { Glyph, Segment } from "../text/glyphs.ts";
import { isApart, inReadingOrder } from "../text/lines.ts";

/** An interval along `x` and one along `y`. */
export interface Area {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** Adjacent glyphs, with the space after them if the file has one. */
export interface Word extends Area {
  readonly glyphs: readonly Glyph[];
  readonly text: string;
  readonly baseline: number;
  readonly size: number;
  readonly rightToLeft: boolean;
  /** Whether it ends where the file has a space or a gap is wide enough for one. */
  readonly vertical: boolean;
}

/** Words on one baseline, sorted along `x`. */
export interface Row extends Area {
  readonly words: readonly Word[];
  readonly baseline: number;
  /** The size of most of its characters. */
  readonly size: number;
}

/** Words of the same text that are compared with one that may be the same, and rows with a word that may be in one. */
const [MOST_AGAIN, MOST_NEAR] = [20, 200];

/** Most words of a page, and most glyphs, that are looked at together for columns and tables: a printed newspaper page has up to 10,000 words. */
export const [MOST_WORDS, MOST_GLYPHS] = [12_000, 120_000];

/** Fuel for a glyph that becomes part of a word, and for a word that is put into a row. */
const [GLYPH_WORK, WORD_WORK] = [40, 150];

/** How far letters reach above and below their baseline, in font sizes. Fonts often give other values. */
const [ASCENT, DESCENT] = [0.76, 0.22];

/** The words of a row that MuPDF found. */
function wordsOf(segment: Segment): Word[] {
  const words: Word[] = [];
  const { rightToLeft, vertical } = segment;
  const glyphs = rightToLeft ? segment.glyphs.toSorted((a, b) => a.start - b.start) : segment.glyphs;
  let current: Glyph[] = [];
  const end = (): void => {
    const word = current.length === 0 ? undefined : wordOf(current, rightToLeft, vertical);
    if (word !== undefined) words.push(word);
    current = [];
  };
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last !== undefined && isApart(last, glyph)) end();
    current.push(glyph);
    if (glyph.text.endsWith(" ")) end();
    last = glyph;
  }
  end();
  return words;
}

function wordOf(glyphs: readonly Glyph[], rightToLeft: boolean, vertical: boolean): Word | undefined {
  let [x0, x1, size, text] = [Infinity, -Infinity, 0, ""];
  let baseline = 0;
  for (const glyph of glyphs) {
    const written = glyph.text.trim();
    if (written === "") continue;
    if (glyph.start < x0) x0 = glyph.start;
    if (glyph.end > x1) x1 = glyph.end;
    if (glyph.size > size) [size, baseline] = [glyph.size, glyph.baseline];
    text += written;
  }
  if (text === "") return undefined;
  return {
    glyphs,
    text,
    x0,
    x1,
    y0: baseline - ASCENT * size,
    y1: baseline + DESCENT * size,
    baseline,
    size,
    rightToLeft,
    vertical,
  };
}

/** The words of a page, without those drawn twice for bold type or a shadow. */
export const distinctWords = (segments: readonly Segment[]): Word[] => atOnce(distinctWordSteps(segments));

/** The same, in steps. */
export function* distinctWordSteps(segments: readonly Segment[]): Steps<Word[]> {
  return (yield* withoutAgain(yield* wordSteps(segments))).first;
}

function* wordSteps(segments: readonly Segment[]): Steps<Word[]> {
  const words: Word[] = [];
  let glyphs = 0;
  for (const segment of segments) {
    for (const word of wordsOf(segment)) words.push(word);
    glyphs += segment.glyphs.length;
    if (glyphs < STRIDE) continue;
    yield glyphs * GLYPH_WORK;
    glyphs = 0;
  }
  yield glyphs * GLYPH_WORK;
  return words;
}

/** The words of a page in layers: a word that is drawn over the same word again, for bold type or a shadow, is in the next one. */
export function* wordLayers(segments: readonly Segment[]): Steps<Word[][]> {
  const layers: Word[][] = [];
  let left = yield* wordSteps(segments);
  while (left.length > 0 && layers.length < MOST_AGAIN) {
    const { first, again } = yield* withoutAgain(left);
    layers.push(first);
    left = again;
  }
  if (left.length > 0) layers.push(left);
  return layers;
}

function* withoutAgain(words: readonly Word[]): Steps<{ first: Word[]; again: Word[] }> {
  const [first, again]: [Word[], Word[]] = [[], []];
  const seen = new Map<string, Word[]>();
  for (const [index, word] of words.entries()) {
    if (index % STRIDE === STRIDE - 1) yield STRIDE * WORD_WORK;
    const same = seen.get(word.text);
    // A word that is drawn again follows soon.
    const isAgain = same
      ?.slice(-MOST_AGAIN)
      .some(
        ({ x0, baseline, size }) =>
          size === word.size && Math.abs(x0 - word.x0) < 0.2 * size && Math.abs(baseline - word.baseline) < 0.2 * size,
      );
    if (isAgain === true) {
      again.push(word);
      continue;
    }
    if (same === undefined) seen.set(word.text, [word]);
    else same.push(word);
    first.push(word);
  }
  return { first, again };
}

/** Words in rows from top to bottom. A smaller word above or below a baseline belongs to its row. */
export const rowsOf = (words: readonly Word[]): Row[] => atOnce(rowSteps(words));

/** The same, in steps. */
export function* rowSteps(all: readonly Word[]): Steps<Row[]> {
  const usual = median(all.map(({ size }) => size));
  const initials = all
    .filter(({ text, size }) => size > 1.5 * usual && /^\p{Lu}$/u.test(text))
    .slice(0, MOST_AGAIN)
    .filter((word) => isInitial(word, all));
  const words = initials.length === 0 ? all : all.filter((word) => !initials.includes(word));
  const rows = yield* rowsWithout(words);
  return initials.length === 0 ? rows : withInitials(rows, initials);
}

/** Whether a word is a letter as high as several lines beside it, at the beginning of a text. */
function isInitial(word: Word, words: readonly Word[]): boolean {
  if (word.vertical) return false;
  const beside = words.filter(
    (other) =>
      other.size * 1.8 < word.size &&
      other.x0 >= word.x1 - 1 &&
      other.x0 < word.x1 + other.size &&
      other.y1 > word.y0 &&
      other.y0 < word.y1,
  );
  return beside.length >= 2;
}

/** Puts initials before the first of the lines beside them. */
function withInitials(rows: readonly Row[], initials: readonly Word[]): Row[] {
  const result = [...rows];
  for (const initial of initials) {
    const at = result.findIndex(({ words }) =>
      words.some((word) => word.y1 > initial.y0 && word.x0 >= initial.x1 - 1 && word.x0 < initial.x1 + word.size),
    );
    const row = result[at];
    const next = row?.words.find((word) => word.x0 >= initial.x1 - 1);
    if (row === undefined || next === undefined) continue;
    // As a letter of the line, without a space after it.
    const glyphs = initial.glyphs.map((glyph) => ({
      ...glyph,
      end: next.x0,
      size: next.size,
      baseline: next.baseline,
    }));
    const letter: Word = {
      ...initial,
      glyphs,
      x1: next.x0,
      y0: next.y0,
      y1: next.y1,
      size: next.size,
      baseline: next.baseline,
    };
    result[at] = rowOf([...row.words, letter]);
  }
  return result;
}

interface OpenRow {
  readonly words: Word[];
  readonly baseline: number;
  readonly size: number;
}

function* rowsWithout(words: readonly Word[]): Steps<Row[]> {
  const open = new OpenRows();
  const rows: OpenRow[] = [];
  const sorted = yield* sortSteps(words, (a, b) => b.size - a.size || a.baseline - b.baseline);
  for (const [index, word] of sorted.entries()) {
    if (index % STRIDE === STRIDE - 1) yield STRIDE * WORD_WORK;
    const tolerance = (row: { size: number }): number =>
      word.size < 0.85 * row.size ? 0.55 * row.size : 0.33 * word.size;
    let best: OpenRow | undefined;
    for (const row of open.near(word)) {
      const distance = Math.abs(row.baseline - word.baseline);
      if (distance > tolerance(row)) continue;
      if (best === undefined || distance < Math.abs(best.baseline - word.baseline)) best = row;
    }
    if (best !== undefined) best.words.push(word);
    else {
      const row = { words: [word], baseline: word.baseline, size: word.size };
      rows.push(row);
      open.insert(row);
    }
  }
  const found: Row[] = [];
  let count = 0;
  for (const row of rows) {
    found.push(yield* rowOfSteps(row.words));
    count += row.words.length;
    if (count < STRIDE) continue;
    yield count * WORD_WORK;
    count = 0;
  }
  yield count * WORD_WORK;
  return yield* sortSteps(found, (a, b) => a.baseline - b.baseline);
}

/** Most rows of a chunk: a chunk that grows beyond it is divided. */
const CHUNK = 512;

/** Rows sorted by baseline, in chunks: one list of them would be moved as a whole for each row that comes in between. */
class OpenRows {
  readonly #chunks: OpenRow[][] = [[]];

  /** The rows that are close enough to a word. */
  near(word: Word): OpenRow[] {
    const reach = Math.min(60, 2 * word.size);
    const found: OpenRow[] = [];
    const first = this.#chunkAt(word.baseline - reach);
    for (let chunk = first; chunk < this.#chunks.length; chunk++) {
      const rows = this.#chunks[chunk] ?? [];
      for (let at = chunk === first ? lowerBound(rows, word.baseline - reach) : 0; at < rows.length; at++) {
        const row = rows[at];
        if (row === undefined || row.baseline > word.baseline + reach || found.length >= MOST_NEAR) return found;
        found.push(row);
      }
    }
    return found;
  }

  insert(row: OpenRow): void {
    const at = this.#chunkAt(row.baseline);
    const rows = this.#chunks[at] ?? [];
    rows.splice(lowerBound(rows, row.baseline), 0, row);
    if (rows.length > CHUNK) this.#chunks.splice(at + 1, 0, rows.splice(CHUNK / 2));
  }

  /** The last chunk that begins before a baseline. */
  #chunkAt(baseline: number): number {
    let [low, high] = [1, this.#chunks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#chunks[middle]?.[0]?.baseline ?? Infinity) < baseline) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function lowerBound(sorted: readonly { baseline: number }[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.baseline ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const rowOf = (words: readonly Word[]): Row => atOnce(rowOfSteps(words));

function* rowOfSteps(words: readonly Word[]): Steps<Row> {
  const sorted = yield* sortSteps(words, (a, b) => a.x0 - b.x0);
  const sizes = new Map<number, number>();
  for (const { size, text } of sorted) sizes.set(size, (sizes.get(size) ?? 0) + text.length);
  const size = mostOf(sizes) ?? 0;
  const baseline = sorted.find((word) => word.size === size)?.baseline ?? 0;
  return { words: sorted, ...areaOf(sorted), baseline, size };
}

/** The key with the largest count. */
export function mostOf<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let [best, most]: [K | undefined, number] = [undefined, -Infinity];
  for (const [key, count] of counts) if (count > most) [best, most] = [key, count];
  return best;
}

export function areaOf(parts: Iterable<Area>): Area {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const part of parts) {
    x0 = Math.min(x0, part.x0);
    y0 = Math.min(y0, part.y0);
    x1 = Math.max(x1, part.x1);
    y1 = Math.max(y1, part.y1);
  }
  return { x0, y0, x1, y1 };
}

/** The glyphs of words of one row as text is read. */
export function readGlyphs(words: readonly Word[]): readonly Glyph[] {
  const glyphs = words.flatMap((word) => word.glyphs);
  const rightToLeft = words.some((word) => word.rightToLeft);
  return inReadingOrder({ glyphs, rightToLeft, vertical: words[0]?.vertical ?? false });
}

/** The text of words of one row. */
export function textOfRow(words: readonly Word[]): string {
  let [text, last]: [string, Glyph | undefined] = ["", undefined];
  for (const glyph of readGlyphs(words)) {
    if (last !== undefined && isApart(last, glyph) && !text.endsWith(" ")) text += " ";
    text += glyph.text;
    last = glyph;
  }
  return text.replaceAll(/ {2,}/g, " ").trim();
}

export const median = (values: readonly number[]): number => {
  // Numbers alone are sorted many times faster than with a function that compares them.
  const sorted = Float64Array.from(values).sort();
  return sorted[sorted.length >> 1] ?? 0;
};
