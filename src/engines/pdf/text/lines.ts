import { readingOf } from "./characters.ts";
import { type Box, type Glyph, type Segment, SPACE_GAP } from "./glyphs.ts";

/** A word, or what stands between two spaces. */
export interface Word {
  readonly text: string;
  /** In points, origin top-left of the visible page. */
  readonly bbox: Box;
}

/** Rows on one baseline are one line up to this gap, in font sizes; MuPDF breaks them where a gap is wide. */
const LINE_GAP = 12;
/** How far aside a row is drawn again for bold type or a shadow, in font sizes. */
const SHADOW = 0.2;
/** How far baselines of one line may lie apart, in font sizes. */
const SAME_BASELINE = 0.3;

/** Joins rows that stand side by side on one baseline, and come one after the other, to lines. */
export function joinLines(segments: readonly Segment[]): Segment[] {
  const lines: Segment[] = [];
  for (const [index, segment] of segments.entries()) {
    if (isShadow(segments[index - 1], segment)) continue;
    const line = lines.at(-1);
    if (line !== undefined && continues(line, segment)) {
      for (const glyph of segment.glyphs) line.glyphs.push(glyph);
      line.start = Math.min(line.start, segment.start);
      line.end = Math.max(line.end, segment.end);
      line.size = Math.max(line.size, segment.size);
      line.rightToLeft ||= segment.rightToLeft;
    } else {
      lines.push({ ...segment, glyphs: [...segment.glyphs] });
    }
  }
  return lines;
}

/** Whether a row is the one before it again, a little aside: bold type or a shadow that is made by drawing twice. */
function isShadow(row: Segment | undefined, again: Segment): boolean {
  return (
    row !== undefined &&
    row.length === again.length &&
    row.size === again.size &&
    Math.abs(row.start - again.start) < SHADOW * row.size &&
    Math.abs(row.end - again.end) < SHADOW * row.size &&
    onOneBaseline(row, again) &&
    row.glyphs.every(({ text }, index) => again.glyphs[index]?.text === text)
  );
}

/** Whether two rows lie on one baseline. */
export function onOneBaseline(a: Segment, b: Segment): boolean {
  const turned = Math.abs(a.direction[0] - b.direction[0]) + Math.abs(a.direction[1] - b.direction[1]) > 0.02;
  return !turned && a.vertical === b.vertical && Math.abs(a.baseline - b.baseline) < SAME_BASELINE * a.size;
}

function continues(line: Segment, next: Segment): boolean {
  if (!onOneBaseline(line, next)) return false;
  const size = Math.max(line.size, next.size);
  const after = next.start - line.end;
  if (after > -SPACE_GAP * size && after < LINE_GAP * size) return true;
  const before = line.start - next.end;
  return (line.rightToLeft || next.rightToLeft) && before > -size && before < LINE_GAP * size;
}

/** The line's text, with a space where a gap shows one. Right-to-left text comes in the order in which it is read. */
export function textOf(line: Segment): string {
  let text = "";
  let last: Glyph | undefined;
  for (const glyph of inReadingOrder(line)) {
    // The gap first: looking at the end of a text that grows copies it.
    if (last !== undefined && isApart(last, glyph) && !text.endsWith(" ")) text += " ";
    text += glyph.text;
    last = glyph;
  }
  return (text.includes("  ") ? text.replaceAll(/ {2,}/g, " ") : text).trim();
}

/** The line's words with their boxes, in the order of `textOf`. */
export function wordsOf(line: Segment): Word[] {
  const words: Word[] = [];
  let [text, box]: [string, Box | undefined] = ["", undefined];
  const end = (): void => {
    if (text !== "" && box !== undefined) words.push({ text, bbox: box.map(rounded) as Box });
    [text, box] = ["", undefined];
  };
  let last: Glyph | undefined;
  for (const glyph of inReadingOrder(line)) {
    if (last !== undefined && isApart(last, glyph)) end();
    for (const [index, part] of glyph.text.split(" ").entries()) {
      if (index > 0) end();
      if (part === "") continue;
      text += part;
      box = box === undefined ? [...glyph.box] : union(box, glyph.box);
    }
    last = glyph;
  }
  end();
  return words;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

const union = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/**
 * A wider gap between a script with spaces and one without is a space, in font sizes. Typesetters leave a quarter between
 * Japanese and Latin letters (JIS X 4051): it keeps them apart, as a space does.
 */
const MIXED_GAP = 0.2;

/** Whether a gap stands between two glyphs that follow each other in reading. */
function isApart(a: Glyph, b: Glyph): boolean {
  // Between columns of a table even scripts without spaces are apart.
  const least = a.unspaced && b.unspaced ? 1 : a.unspaced || b.unspaced ? MIXED_GAP : SPACE_GAP;
  return gap(a, b) > least * Math.max(a.size, b.size);
}

const gap = (a: Glyph, b: Glyph): number => Math.max(b.start - a.end, a.start - b.end);

/**
 * The order in which the glyphs are read. On the page right-to-left text stands turned around, and files hold it in either
 * order; so the glyphs are taken as they stand, the line is read in the direction of most of its letters, and runs of
 * the other direction are turned.
 */
function inReadingOrder(line: Segment): readonly Glyph[] {
  if (!line.rightToLeft || line.vertical) return line.glyphs;
  const glyphs = line.glyphs.toSorted((a, b) => a.start + a.end - (b.start + b.end));
  const readings = glyphs.map(({ text }) => readingOf(text));
  let [rtl, ltr] = [0, 0];
  for (const [index, { text }] of glyphs.entries()) {
    // Letters of a Latin word are together in one; others are one by one.
    if (readings[index] === "ltr") ltr += text.length;
    if (readings[index] === "rtl") rtl++;
  }
  const base = rtl >= ltr ? "rtl" : "ltr";
  if (base === "rtl") {
    glyphs.reverse();
    readings.reverse();
  }
  for (let from = 0; from < glyphs.length; from++) {
    const reading = readings[from];
    if (reading === base || reading === "neutral") continue;
    let to = from;
    for (let at = from; at < glyphs.length && readings[at] !== base; at++) if (readings[at] === reading) to = at;
    const run = glyphs.slice(from, to + 1);
    for (const glyph of run) glyphs[to--] = glyph;
    from += run.length - 1;
  }
  return glyphs;
}
