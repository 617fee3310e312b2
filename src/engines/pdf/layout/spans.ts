/** Text with its styles and links. */
import { BOLD, ITALIC, MONOSPACED, SOFT } from "../text/glyphs.ts";
import { isApart } from "../text/lines.ts";
import { JOINT, SOFT_HYPHEN, withoutJoints } from "./hyphenation.ts";
import { readGlyphs, type Row } from "./words.ts";

/** Raised text, such as the number of a footnote. */
const RAISED = 8;

/** Text of one style. */
export interface Span {
  text: string;
  /** `BOLD`, `ITALIC`, `MONOSPACED`, `RAISED`, added up. */
  readonly style: number;
  /** Where it leads. */
  readonly link?: string;
}

export const STYLES = { bold: BOLD, italic: ITALIC, monospaced: MONOSPACED, raised: RAISED } as const;

/** A link over a rectangle of the page, in layout coordinates. */
export interface LinkArea {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly uri: string;
}

/** The text of a row, in reading order. */
export function spansOf(row: Row, links: readonly LinkArea[] = []): Span[] {
  const spans: Span[] = [];
  let last: ReturnType<typeof readGlyphs>[number] | undefined;
  const onRow = links.filter((link) => link.y0 < row.y1 && link.y1 > row.y0);
  const glyphs = readGlyphs(row.words);
  for (const glyph of glyphs) {
    const raised = glyph.size < 0.85 * row.size && glyph.baseline < row.baseline - 0.15 * row.size ? RAISED : 0;
    const style = (glyph.style & ~SOFT) | raised;
    const middle = (glyph.start + glyph.end) / 2;
    const y = glyph.baseline - 0.25 * glyph.size;
    const link = onRow.find((area) => middle >= area.x0 && middle <= area.x1 && y >= area.y0 && y <= area.y1)?.uri;
    const isSoft = (glyph.style & SOFT) !== 0 && glyph === glyphs.at(-1);
    const own = isSoft ? SOFT_HYPHEN : glyph.text;
    const text = last !== undefined && isApart(last, glyph) ? ` ${own}` : own;
    append(spans, text, style, link);
    last = glyph;
  }
  return trimmed(spans);
}

/** Adds text at the end; white space takes the style of the text before it. */
function append(spans: Span[], text: string, style: number, link?: string): void {
  const last = spans.at(-1);
  if (last !== undefined && last.link === link && (last.style === style || text.trim() === "")) last.text += text;
  else spans.push(link === undefined ? { text, style } : { text, style, link });
}

function trimmed(spans: Span[]): Span[] {
  for (const [index, span] of spans.entries()) {
    // A space of the file, and a gap, between two styles.
    if (spans[index - 1]?.text.endsWith(" ") === true) span.text = span.text.trimStart();
    // Quotation marks that are set as two apostrophes.
    span.text = span.text.replaceAll(/ {2,}/g, " ").replaceAll("‘‘", "“").replaceAll("’’", "”");
  }
  const [first, last] = [spans[0], spans.at(-1)];
  if (first !== undefined) first.text = first.text.trimStart();
  if (last !== undefined) last.text = last.text.trimEnd();
  return spans.filter((span) => span.text !== "");
}

export const plainText = (spans: readonly Span[]): string =>
  withoutJoints(spans.map((span) => span.text).join(""))
    .replaceAll(/ {2,}/g, " ")
    .trim();

/** Scripts without spaces between words. */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]|[\ud840-\ud87f][\udc00-\udfff]/u;

/** Characters at the end of a text that tell how the next line follows. */
const TAIL = 48;

/** Adds the next line of a paragraph. A hyphen between them is marked with a joint, and a soft one is removed. */
export function appendLine(spans: Span[], line: readonly Span[]): void {
  const last = spans.at(-1);
  const [next] = line;
  if (last !== undefined && next !== undefined) last.text = ended(last.text, next.text);
  for (const span of line) append(spans, span.text, span.style, span.link);
}

/** A line with the separator between it and the next one. */
function ended(line: string, next: string): string {
  if (line.endsWith(SOFT_HYPHEN)) return line.slice(0, -1) + (/^\p{L}/u.test(next) ? "" : "- ");
  const tail = line.slice(-TAIL);
  const isDivided =
    /\p{L}[-\u2010]$/u.test(tail) && /^\p{Ll}/u.test(next) && !/\p{L}[-\u2010]\p{L}+[-\u2010]$/u.test(tail);
  if (isDivided) return line + JOINT;
  const isUnspaced = UNSPACED.test(tail.slice(-1)) && UNSPACED.test(next.slice(0, 1));
  return isUnspaced || /\p{L}[-\u2010/]$/u.test(tail) ? line : `${line} `;
}
