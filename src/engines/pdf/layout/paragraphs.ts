/** Lines of a region as paragraphs, list items, and lines of code. */
import { type Steps, STRIDE } from "../../steps.ts";
import { type LinkArea, type Span, appendLine, plainText, spansOf, STYLES } from "./spans.ts";
import { type Area, areaOf, median, type Row } from "./words.ts";

export interface TextPart extends Area {
  readonly spans: Span[];
  readonly rows: readonly Row[];
  readonly size: number;
  /** The marker of a list item, such as `•` or `2.`. */
  readonly marker?: string;
  /** Of code: its lines, with their indentation. */
  readonly code?: readonly string[];
}

const MARKER =
  /^(?:[•◦▪▫■□●○◆◇❖➢➤►▶✓✔⁃∙·\uf0b7\uf0a7\uf0d8\uf076\uf0fc§o–—*-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxl]{1,5})[.)]|\(\d{1,3}\)|\[\d{1,3}\])$/u;
/** The number of a section, without a period at its end. */
const SECTION = /^\d{1,2}(?:\.\d{1,2})*$/;
const BULLET = /^[^\p{L}\p{N}([]/u;

/** Fuel for a glyph, and for a line and each link that it may be in. */
const [GLYPH_WORK, LINE_WORK, LINK_WORK] = [200, 500, 2];

export function* paragraphsOf(rows: readonly Row[], links: readonly LinkArea[]): Steps<TextPart[]> {
  const lines: Line[] = [];
  let fuel = 0;
  for (const row of rows) {
    lines.push(lineOf(row, links));
    fuel += LINE_WORK + links.length * LINK_WORK;
    for (const { glyphs } of row.words) fuel += glyphs.length * GLYPH_WORK;
    if (fuel < STRIDE * GLYPH_WORK) continue;
    yield fuel;
    fuel = 0;
  }
  yield fuel;
  const pitch = pitches(rows);
  const region = areaOf(rows);
  const parts: TextPart[] = [];
  let current: Line[] = [];
  const end = (): void => {
    if (current.length > 0) parts.push(partOf(current));
    current = [];
  };
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    if (above !== undefined && breaksBetween(current, above, line, region, pitch)) end();
    current.push(line);
    if (index % STRIDE === STRIDE - 1) yield STRIDE * LINE_WORK;
  }
  end();
  return parts;
}

/**
 * Rows as one paragraph, whatever they look like. `marker`: that of the list item that they are; without one, `looked` tells whether the
 * first word may be one.
 */
export function joinedPart(
  rows: readonly Row[],
  links: readonly LinkArea[],
  { marker, looked = false }: { readonly marker?: string | undefined; readonly looked?: boolean } = {},
): TextPart {
  const lines = rows.map((row) => lineOf(row, links));
  if (marker === undefined && looked) return partOf(lines);
  const part = partOf(lines.map((line) => ({ ...line, marker: undefined })));
  return marker === undefined ? part : { ...part, marker };
}

interface Line {
  readonly row: Row;
  readonly spans: readonly Span[];
  readonly text: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly mono: boolean;
  readonly marker: string | undefined;
  /** Where the text after the marker begins. */
  readonly indent: number;
}

function lineOf(row: Row, links: readonly LinkArea[]): Line {
  const spans = spansOf(row, links);
  const text = plainText(spans);
  const [first, second] = row.words;
  const rightToLeft = row.words.some((word) => word.rightToLeft);
  const isMarked =
    !rightToLeft &&
    first !== undefined &&
    second !== undefined &&
    MARKER.test(first.text) &&
    (first.text !== "o" || second.x0 - first.x1 > 0.8 * row.size);
  const all = (bit: number): boolean => {
    let [own, total] = [0, 0];
    for (const span of spans) {
      const count = span.text.replaceAll(bit === STYLES.monospaced ? /\s/g : /[^\p{L}\p{N}]/gu, "").length;
      total += count;
      if ((span.style & bit) !== 0) own += count;
    }
    return total > 0 && own >= 0.9 * total;
  };
  return {
    row,
    spans,
    text,
    bold: all(STYLES.bold),
    italic: all(STYLES.italic),
    mono: all(STYLES.monospaced),
    marker: isMarked ? first.text : undefined,
    indent: isMarked ? second.x0 : row.x0,
  };
}

/** The usual distance of baselines, by font size. */
function pitches(rows: readonly Row[]): (size: number) => number {
  const bySize = new Map<number, number[]>();
  for (const [index, row] of rows.entries()) {
    const above = rows[index - 1];
    if (above === undefined || Math.abs(above.size - row.size) > 0.3) continue;
    const distance = row.baseline - above.baseline;
    if (distance <= 0 || distance > 2.6 * row.size) continue;
    const key = Math.round(row.size);
    const list = bySize.get(key);
    if (list === undefined) bySize.set(key, [distance]);
    else list.push(distance);
  }
  const usual = new Map<number, number>();
  for (const [key, list] of bySize) {
    const distance = list.toSorted((a, b) => a - b)[Math.floor(list.length * 0.4)];
    if (distance !== undefined) usual.set(key, distance);
  }
  // Larger type is set no looser than the text: lines that are further apart are titles one after the other.
  const [most] = [...bySize].toSorted((a, b) => b[1].length - a[1].length);
  const text = most === undefined ? undefined : { size: most[0], leading: (usual.get(most[0]) ?? 0) / most[0] };
  return (size) => {
    const distance = usual.get(Math.round(size));
    if (distance === undefined) return 1.25 * size;
    const loosest = text !== undefined && size > text.size ? text.leading * size : Infinity;
    return Math.max(size, Math.min(distance, loosest));
  };
}

function breaksBetween(
  current: readonly Line[],
  above: Line,
  line: Line,
  region: Area,
  pitch: (size: number) => number,
): boolean {
  const size = Math.max(above.row.size, line.row.size);
  const distance = line.row.baseline - above.row.baseline;
  if (distance > 1.28 * pitch(line.row.size) + 0.5 && distance > 1.05 * size) return true;
  if (distance < -0.1 * size) return true;
  if (Math.abs(above.row.size - line.row.size) > 0.09 * size + 0.2) return true;
  if (line.marker !== undefined && isItemStart(current, above, line)) return true;
  if (above.mono !== line.mono) return true;
  if (line.mono) return false;
  const [first] = current;
  if (first === undefined) return false;
  if (above.bold !== line.bold && (isShort(above, region) || current.every((other) => other.bold))) return true;
  const { indent } = first.marker === undefined ? { indent: current[1]?.row.x0 ?? first.row.x0 } : first;
  const rightToLeft = line.row.words.some((word) => word.rightToLeft);
  if (rightToLeft) return false;
  if (first.marker !== undefined && line.marker === undefined) {
    // A line back at the margin of the list ends the item.
    return (
      line.row.x0 < indent - 0.8 * size &&
      line.row.x0 <= first.row.x0 + 0.3 * size &&
      above.row.x1 < region.x1 - 6 * size
    );
  }
  const centered = isCentered(above, region) && isCentered(line, region);
  if (centered) return false;
  // A line under the text of a title, rather than under its number.
  const [number, title] = above.row.words;
  if (current.length === 1 && number !== undefined && title !== undefined && SECTION.test(number.text))
    if (Math.abs(line.row.x0 - title.x0) < 0.3 * size) return false;
  // A first line that is indented, after a line that ended early or a full one.
  const stepped = line.row.x0 - above.row.x0;
  const isFirst = current.length > 1 || Math.abs(first.row.x0 - region.x0) < size;
  if (
    stepped > 0.9 * size &&
    stepped < 5 * size &&
    isFirst &&
    current.every((other, index) => index === 0 || other.row.x0 < line.row.x0 - 0.5 * size)
  ) {
    return current.length > 1 || endsSentence(above.text) || isShort(above, region);
  }
  return (
    isShort(above, region, 0.75) &&
    endsSentence(above.text) &&
    /^[\p{Lu}\p{N}"“‘'([]/u.test(line.text) &&
    widthOfFirstWord(line) < region.x1 - above.row.x1 - 0.5 * size
  );
}

/** Whether a marker begins an item, rather than being the first word of a line, such as a number at its start. */
function isItemStart(current: readonly Line[], above: Line, line: Line): boolean {
  if (line.marker === undefined) return false;
  if (BULLET.test(line.marker) && !/^[-–—*]$/.test(line.marker)) return true;
  const [first] = current;
  if (first?.marker !== undefined) return true;
  return (
    endsSentence(above.text) ||
    /[:;,]$/.test(above.text) ||
    above.row.x1 < line.row.x1 - 3 * line.row.size ||
    line.row.x0 > above.row.x0 + line.row.size
  );
}

const widthOfFirstWord = (line: Line): number => {
  const [word] = line.row.words;
  return word === undefined ? 0 : word.x1 - word.x0;
};
const isShort = (line: Line, region: Area, share = 0.85): boolean =>
  line.row.x1 - region.x0 < share * (region.x1 - region.x0);
const endsSentence = (text: string): boolean => /[.!?:;。！？…][)\]"”’»]*\d{0,3}$/u.test(text);

function isCentered(line: Line, region: Area): boolean {
  const [left, right] = [line.row.x0 - region.x0, region.x1 - line.row.x1];
  return left > 2 * line.row.size && Math.abs(left - right) < 1.5 * line.row.size;
}

function partOf(lines: readonly Line[]): TextPart {
  const rows = lines.map((line) => line.row);
  const area = areaOf(rows);
  const size = median(rows.map((row) => row.size));
  const [first] = lines;
  if (lines.every((line) => line.mono))
    return { ...area, rows, size, spans: lines.flatMap((line) => line.spans), code: codeOf(lines, area) };
  const spans: Span[] = [];
  for (const line of lines)
    appendLine(spans, line === first && line.marker !== undefined ? withoutMarker(line) : line.spans);
  return { ...area, rows, size, spans, ...(first?.marker === undefined ? {} : { marker: first.marker }) };
}

function withoutMarker({ spans, marker = "" }: Line): Span[] {
  let left = marker.length;
  const rest: Span[] = [];
  for (const span of spans) {
    const cut = Math.min(left, span.text.length);
    left -= cut;
    const text = span.text.slice(cut);
    if (text !== "") rest.push({ ...span, text: rest.length === 0 ? text.trimStart() : text });
  }
  return rest.filter((span) => span.text !== "");
}

/** Lines of code, with spaces for their indentation, and empty lines where there is room for them. */
function codeOf(lines: readonly Line[], area: Area): string[] {
  const widths = lines.flatMap(({ row }) =>
    row.words.map((word) => (word.x1 - word.x0) / Math.max(1, word.text.length)),
  );
  const width = median(widths) || 1;
  const result: string[] = [];
  for (const [index, { row }] of lines.entries()) {
    const above = lines[index - 1]?.row;
    if (above !== undefined && row.baseline - above.baseline > 1.9 * row.size) result.push("");
    let text = "";
    for (const word of row.words) {
      const column = Math.round((word.x0 - area.x0) / width);
      text = text.padEnd(Math.max(column, text === "" ? 0 : text.length + 1)) + word.text;
    }
    result.push(text);
  }
  return result;
}
