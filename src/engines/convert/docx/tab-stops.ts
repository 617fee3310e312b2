/** Lines with tabs of headers and footers, as rows of a table: MuPDF has no tab stops (ECMA-376, part 1, 17.3.1.37 and 17.3.3.23). */
import { decodeEntities } from "../source/markup.ts";
import { widthInEms } from "../source/text-width.ts";

export interface TabStop {
  /** In points from the left margin. */
  readonly at: number;
  readonly align: "left" | "center" | "right";
}

/** A tab within the HTML of a paragraph. Text is escaped, so that it has none. `align`: of a tab to a place of the line itself. */
export const tabMark = (align = ""): string => `<tab title="${align}">`;

const MARK = /<tab title="(\w*)">/;
const MARKS = /<tab title="\w*">/g;
const TOKENS = /<tab title="(\w*)">|<\/?([a-z]\w*)\b[^>]*>|[^<]+/g;
/** Distance of the stops that every line has. */
const DEFAULT_DISTANCE = 36;
/** Tabs of a line that are followed. */
const MOST_TABS = 20;

interface Segment {
  readonly html: string;
  readonly align: TabStop["align"];
  readonly at: number;
  /** An estimate, in points. */
  readonly width: number;
}

export const hasTabs = (html: string): boolean => MARK.test(html);

/** With spaces for tabs. */
export const withoutTabs = (html: string, space: string): string => html.replace(MARKS, space);

export interface TabbedLine {
  readonly stops: readonly TabStop[];
  /** In points: of the line, its indent, that of the first line in addition, and the size of its text. */
  readonly width: number;
  readonly left: number;
  readonly first: number;
  readonly size: number;
}

export interface TabCell {
  readonly html: string;
  readonly align: TabStop["align"];
  /** In points. */
  readonly width: number;
}

/** The lines of a paragraph as rows of cells. Undefined if texts do not fit at their places. */
export function tabRows(html: string, line: TabbedLine): readonly (readonly TabCell[])[] | undefined {
  const rows: TabCell[][] = [];
  for (const [index, pieces] of linesOf(html).entries()) {
    const left = index === 0 ? line.left + line.first : line.left;
    const segments = pieces.length > MOST_TABS ? undefined : segmentsOf(pieces, { ...line, left });
    const cells = segments && cellsOf(segments, line.width);
    if (cells === undefined) return undefined;
    rows.push(cells);
  }
  return rows;
}

function cellsOf(segments: readonly Segment[], width: number): TabCell[] | undefined {
  const cells: TabCell[] = [];
  let x = 0;
  const gapTo = (start: number): void => {
    if (start - x > 0.5) cells.push({ html: "", align: "left", width: start - x });
    x = Math.max(x, start);
  };
  for (const [index, segment] of segments.entries()) {
    const [start, end] = extentOf(segment);
    const next = segments[index + 1];
    const [nextStart] = next ? extentOf(next) : [width];
    if (start < x - 1 || end > width + 1 || (next && end > nextStart)) return undefined;
    const until = next ? (end + nextStart) / 2 : width;
    if (segment.align === "left") gapTo(segment.at);
    if (segment.align === "center") gapTo(segment.at - Math.min(segment.at - x, until - segment.at));
    const to = segment.align === "left" ? until : segment.align === "right" ? segment.at : 2 * segment.at - x;
    cells.push({ html: segment.html, align: segment.align, width: to - x });
    x = to;
  }
  return cells.length > 0 ? cells : [{ html: "", align: "left", width }];
}

const extentOf = ({ align, at, width }: Segment): readonly [number, number] =>
  align === "left" ? [at, at + width] : align === "right" ? [at - width, at] : [at - width / 2, at + width / 2];

function segmentsOf(
  pieces: readonly Piece[],
  { stops, width, left, size }: Omit<TabbedLine, "first">,
): Segment[] | undefined {
  const segments: Segment[] = [];
  let x = left;
  for (const [index, { html: text, tab }] of pieces.entries()) {
    const stop = index === 0 ? ({ at: left, align: "left" } as const) : stopAfter(x, tab, stops, width);
    if (stop === undefined) return undefined;
    const segment = { html: text, align: stop.align, at: stop.at, width: widthOf(text, size) };
    x = Math.max(x, extentOf(segment)[1]);
    if (segment.width > 0) segments.push(segment);
  }
  return segments;
}

function stopAfter(x: number, tab: string, stops: readonly TabStop[], width: number): TabStop | undefined {
  if (tab === "center") return { at: width / 2, align: "center" };
  if (tab === "right") return { at: width, align: "right" };
  if (tab === "left") return { at: 0, align: "left" };
  const next = stops.find(({ at }) => at > x + 0.5);
  // The right stop of a style is often that of a wider page.
  if (next) return { ...next, at: next.align === "right" ? Math.min(next.at, width) : next.at };
  const at = (Math.floor(x / DEFAULT_DISTANCE) + 1) * DEFAULT_DISTANCE;
  return at < width ? { at, align: "left" } : undefined;
}

/** HTML after a tab, or at the beginning of a line. */
interface Piece {
  readonly html: string;
  readonly tab: string;
}

/** The HTML of each line between its tabs, each with the elements around it. */
function linesOf(html: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const open: { tag: string; name: string }[] = [];
  let [current, tab]: [string[], string] = [[], ""];
  const end = (next: string): void => {
    const closing = open.map(({ name }) => `</${name}>`).reverse();
    lines.at(-1)?.push({ html: [...current, ...closing].join(""), tab });
    [current, tab] = [open.map((element) => element.tag), next];
  };
  for (const [token, mark, name] of html.matchAll(TOKENS)) {
    if (mark !== undefined) end(mark);
    else if (name === "br") {
      end("");
      lines.push([]);
    } else {
      if (token.startsWith("</")) open.pop();
      else if (name !== undefined && name !== "img") open.push({ tag: token, name });
      current.push(token);
    }
  }
  end("");
  return lines;
}

const PICTURE_WIDTH = /<img\b[^>]*\sstyle="width:([\d.]+)pt/g;

function widthOf(html: string, size: number): number {
  const sizes = Array.from(html.matchAll(/font-size:([\d.]+)pt/g), ([, points]) => Number(points));
  const text = decodeEntities(html.replace(/<[^>]*>/g, ""));
  let width =
    text.trim() === "" ? 0 : Math.max(size, ...sizes) * [...text].reduce((sum, one) => sum + widthInEms(one), 0);
  for (const [, picture] of html.matchAll(PICTURE_WIDTH)) width += Number(picture);
  return width;
}
