import { hundredths, type VisibleBox } from "../../geometry.ts";
import { type Steps, STRIDE } from "../../steps.ts";
import { readingOf } from "./characters.ts";
import type { Glyph, Segment } from "./glyphs.ts";
import { SPACE_GAP } from "./letter-spacing.ts";

/** A word: the text between two spaces. */
export interface TextWord {
  readonly text: string;
  /** In points, origin at the top left of the visible page. */
  readonly bbox: VisibleBox;
}

/** Rows on the same baseline form one line up to this gap, in font sizes. MuPDF splits them at wide gaps. */
const LINE_GAP = 12;
/** Offset at which a row may be drawn again for bold type or a shadow, in font sizes. */
const SHADOW = 0.2;
/** Maximum distance between baselines of one line, in font sizes. */
const SAME_BASELINE = 0.3;

/** Fuel for a row that is joined. */
const ROW_WORK = 100;

/** Joins consecutive rows that are side by side on one baseline into lines. */
export function* joinLines(segments: readonly Segment[]): Steps<Segment[]> {
  const lines: Segment[] = [];
  for (const [index, segment] of segments.entries()) {
    if (index % STRIDE === STRIDE - 1) yield STRIDE * ROW_WORK;
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

/** Whether a row repeats the previous one with a small offset: bold type or a shadow made by drawing twice. */
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

/** Whether two rows are on the same baseline. */
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

/** The text of the line, with a space at each gap. Right-to-left text is in reading order. */
export function textOf(line: Segment): string {
  let text = "";
  let last: Glyph | undefined;
  // Looking at the end of a growing string would copy it.
  let endsInSpace = false;
  for (const glyph of inReadingOrder(line)) {
    if (last !== undefined && !endsInSpace && isApart(last, glyph)) {
      text += " ";
      endsInSpace = true;
    }
    text += glyph.text;
    if (glyph.text !== "") endsInSpace = glyph.text.endsWith(" ");
    last = glyph;
  }
  return (text.includes("  ") ? text.replaceAll(/ {2,}/g, " ") : text).trim();
}

/** The words of the line with their boxes, in the order of `textOf`. */
export function wordsOf(line: Segment): TextWord[] {
  const words: TextWord[] = [];
  let [text, box]: [string, VisibleBox | undefined] = ["", undefined];
  const end = (): void => {
    if (text !== "" && box !== undefined) words.push({ text, bbox: box.map(hundredths) as VisibleBox });
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

const union = (a: VisibleBox, b: VisibleBox): VisibleBox => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/**
 * A gap wider than this, in font sizes, between scripts with and without spaces is a space. Typesetters leave a quarter
 * between Japanese and Latin letters (JIS X 4051), which separates them like a space.
 */
const MIXED_GAP = 0.2;

/** Whether there is a gap between two glyphs that are consecutive in reading order. */
export function isApart(a: Glyph, b: Glyph): boolean {
  return isSpace(gapBetween(a, b), a, b);
}

/** Whether a gap of this width, in points, between these glyphs is a space. */
export function isSpace(gap: number, a: Glyph, b: Glyph): boolean {
  // Columns of a table are separate even in scripts without spaces.
  const least = a.unspaced && b.unspaced ? 1 : a.unspaced || b.unspaced ? MIXED_GAP : SPACE_GAP;
  return gap > least * Math.max(a.size, b.size);
}

/** In points, along the line. Negative if they overlap. */
export const gapBetween = (a: Glyph, b: Glyph): number => Math.max(b.start - a.end, a.start - b.end);

/**
 * The glyphs in reading order. Right-to-left text is displayed in reverse, and files store it in either order. So the glyphs
 * are sorted by position, the line is read in the direction of most of its letters, and runs in the other direction are
 * reversed.
 */
export function inReadingOrder(line: Pick<Segment, "glyphs" | "rightToLeft" | "vertical">): readonly Glyph[] {
  if (!line.rightToLeft || line.vertical) return line.glyphs;
  const glyphs = line.glyphs.toSorted((a, b) => a.start + a.end - (b.start + b.end));
  const readings = glyphs.map(({ text }) => readingOf(text));
  let [rtl, ltr] = [0, 0];
  for (const [index, { text }] of glyphs.entries()) {
    // The letters of a Latin word are combined; others are separate.
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
