/**
 * The blocks of a page before they are judged: what a heading is, and what repeats on every page, only the whole document shows. Plain
 * values, so that a part of a job can store them.
 */
import { hundredths, type VisibleBox as Box } from "../../geometry.ts";
import { type Steps, STRIDE } from "../../steps.ts";
import { type Direction, type Layout, type Part, untwisted } from "./page.ts";
import type { TextPart } from "./paragraphs.ts";
import { plainText, type Span, STYLES } from "./spans.ts";
import { disjoint } from "./tables.ts";
import { type Area, areaOf, rowsOf, textOfRow } from "./words.ts";

export interface TextBlock {
  readonly kind: "text";
  readonly bbox: Box;
  readonly spans: readonly Span[];
  /** Font size in points. */
  readonly size: number;
  /** Whether all of it is bold. */
  readonly bold: boolean;
  readonly italic: boolean;
  readonly lines: number;
  /** Of a list item. */
  readonly marker?: string;
  /** The lines of code. */
  readonly code?: readonly string[];
  /** Where at the edge of the page it lies, if it may be a running header, a footer, or a page number. */
  readonly edge?: PageEdge;
  /** Whether the document's tags name its kind. */
  readonly tagged?: true;
  /** The level of a heading, if they give one. */
  readonly level?: number;
  /** The level of the entry of the outline that has its text as title. */
  readonly outlineLevel?: number;
  readonly caption?: boolean;
  /** The number of the footnote that it is. */
  readonly note?: string;
}

export interface PageEdge {
  /** `artifact`: anywhere, but marked as no part of the text. */
  readonly place: "top" | "bottom" | "side" | "artifact";
  /** Whether it lies alone so far outside that one page tells. */
  readonly alone: boolean;
}

/** 0-based; spans are at least 1. */
export interface TableCell {
  readonly text: string;
  readonly row: number;
  readonly column: number;
  readonly rowSpan: number;
  readonly columnSpan: number;
  readonly bbox: Box;
}

export interface TableBlock {
  readonly kind: "table";
  readonly bbox: Box;
  readonly rows: number;
  readonly columns: number;
  readonly headerRows: number;
  readonly cells: readonly TableCell[];
}

export interface FigureBlock {
  readonly kind: "figure";
  readonly bbox: Box;
  readonly text: string;
}

export type RawBlock = TextBlock | TableBlock | FigureBlock;

const CAPTION =
  /^(?:table|figure|fig\.?|exhibit|chart|graph|box|scheme|plate|map|tableau|tabelle|abbildung|abb\.|tabla|figura|cuadro|gr[áa]fico|tabela|tabell|рис\.?|рисунок|таблица|図|表|图|圖|그림|표)\s*(?:[A-Z]{0,2}[-.]?\d[\w.–-]*|[IVXL]+\b)/iu;

/** Shares of the page's height in which headers and footers are looked for: on every page, and on a single one. */
export const EDGE = 0.14;
const OUTER_EDGE = 0.085;

/** Fuel for a glyph, and for a part. */
const [GLYPH_WORK, PART_WORK] = [200, 2_000];

export function* blocksOf({ parts, direction }: Layout, [, , width, height]: Box): Steps<RawBlock[]> {
  const boxOf = (area: Area): Box => pageBox(area, direction);
  const blockOf = (part: Part): RawBlock => {
    if (part.kind === "table") return tableBlock(part, boxOf);
    if (part.kind === "figure") return { kind: "figure", bbox: boxOf(part.area), text: part.text };
    if (part.turned === undefined) return textBlock(part.text, boxOf, false);
    const { direction: own, aside } = part.turned;
    return textBlock(part.text, (area) => pageBox(area, own), aside);
  };
  const blocks: RawBlock[] = [];
  let fuel = 0;
  for (const part of parts) {
    blocks.push(blockOf(part));
    fuel += PART_WORK;
    const words = part.kind === "table" ? part.table.cells.flatMap((cell) => cell.words) : [];
    for (const row of part.kind === "text" ? part.text.rows : [{ words }])
      for (const { glyphs } of row.words) fuel += glyphs.length * GLYPH_WORK;
    if (fuel < STRIDE * GLYPH_WORK) continue;
    yield fuel;
    fuel = 0;
  }
  yield fuel;
  return withEdges(withCaptions(withNotes(blocks)), { width, height });
}

export function textBlock(text: TextPart, boxOf: (area: Area) => Box, aside: boolean): TextBlock {
  const { spans, size, rows, marker, code } = text;
  const letters = (bit: number): number =>
    spans.reduce(
      (sum, span) => sum + ((span.style & bit) === bit ? span.text.replaceAll(/[^\p{L}\p{N}]/gu, "").length : 0),
      0,
    );
  const all = letters(0);
  return {
    kind: "text",
    bbox: boxOf(text),
    spans,
    size: Math.round(size * 10) / 10,
    bold: all > 0 && letters(STYLES.bold) >= 0.9 * all,
    italic: all > 0 && letters(STYLES.italic) >= 0.9 * all,
    lines: rows.length,
    ...(marker !== undefined && { marker }),
    ...(code !== undefined && { code }),
    ...(aside && { edge: { place: "side", alone: true } as const }),
  };
}

function tableBlock({ table, area }: Extract<Part, { kind: "table" }>, boxOf: (area: Area) => Box): TableBlock {
  const { rows, columns, headerRows } = table;
  const cells = disjoint(table.cells).map((cell) => ({
    text: rowsOf(cell.words)
      .map((row) => textOfRow(row.words))
      .join(" "),
    row: cell.row,
    column: cell.column,
    rowSpan: cell.endRow - cell.row + 1,
    columnSpan: cell.endColumn - cell.column + 1,
    bbox: boxOf(areaOf(cell.words)),
  }));
  return { kind: "table", bbox: boxOf(area), rows, columns, headerRows, cells };
}

/** An area in layout coordinates as a box on the page. */
export function pageBox(area: Area, direction: Direction): Box {
  const { x0, y0, x1, y1 } = untwisted(area, direction);
  return [hundredths(x0), hundredths(y0), hundredths(x1), hundredths(y1)];
}

/** Marks the captions of tables and figures: text that begins with `Table 1` next to one, or in a style of its own. */
export function withCaptions(blocks: readonly RawBlock[]): RawBlock[] {
  const isShown = (block: RawBlock | undefined): boolean => block !== undefined && block.kind !== "text";
  return blocks.map((block, index) => {
    if (block.kind !== "text" || block.marker !== undefined || block.level !== undefined || block.lines > 6)
      return block;
    const text = plainText(block.spans);
    const found = CAPTION.exec(text);
    if (found === null) return block;
    const beside = isShown(blocks[index - 1]) || isShown(blocks[index + 1]);
    const rest = text.slice(found[0].length);
    const styled = block.bold || block.italic || ((block.spans[0]?.style ?? 0) & STYLES.bold) !== 0;
    const separated = /^\s*[.:–—|-]/u.test(rest) || rest === "";
    return beside || (separated && styled) || (separated && block.lines <= 3) ? { ...block, caption: true } : block;
  });
}

/** Marks footnotes: at the bottom of the page, beginning with a raised number that the text refers to. */
export function withNotes(blocks: readonly RawBlock[]): RawBlock[] {
  const references = new Set<string>();
  const raised = (span: Span | undefined): string | undefined => {
    const text = span !== undefined && (span.style & STYLES.raised) !== 0 ? span.text.trim() : "";
    return /^(?:\d{1,3}|[*†‡§¶a-z])$/u.test(text) ? text : undefined;
  };
  for (const block of blocks) {
    if (block.kind !== "text") continue;
    for (const [index, span] of block.spans.entries()) {
      const number = index > 0 ? raised(span) : undefined;
      if (number !== undefined) references.add(number);
    }
  }
  const seen = new Set<string>();
  return blocks.map((block, index) => {
    if (block.kind !== "text" || index === 0) return block;
    const [first, ...rest] = block.spans;
    const number = raised(first);
    if (number === undefined || !references.has(number) || seen.has(number) || rest.length === 0) return block;
    seen.add(number);
    const [second, ...others] = rest;
    const spans = second === undefined ? [] : [{ ...second, text: second.text.trimStart() }, ...others];
    return { ...block, spans, note: number };
  });
}

/** Marks what may be a running header, a footer, or a page number. */
export function withEdges(blocks: readonly RawBlock[], page: { width: number; height: number }): RawBlock[] {
  // The two lowest ends: all others of a block end above `y0` if the lowest of them does.
  let [lowest, second] = [-Infinity, -Infinity];
  for (const { bbox } of blocks) {
    if (bbox[3] > lowest) [lowest, second] = [bbox[3], lowest];
    else if (bbox[3] > second) second = bbox[3];
  }
  const places = new Map<RawBlock, { place: "top" | "bottom"; outer: boolean }>();
  for (const block of blocks) {
    if (block.kind !== "text" || block.edge !== undefined || block.lines > 3 || block.note !== undefined) continue;
    const [, y0, , y1] = block.bbox;
    if (y1 < EDGE * page.height) places.set(block, { place: "top", outer: y1 < OUTER_EDGE * page.height });
    else if (y0 > (1 - EDGE) * page.height) {
      places.set(block, { place: "bottom", outer: y0 > (1 - OUTER_EDGE) * page.height });
    } else if (NUMBER.test(plainText(block.spans)) && (y1 === lowest ? second : lowest) < y0) {
      // A number below everything else, on a page that is not full.
      places.set(block, { place: "bottom", outer: true });
    }
  }
  const inside = blocks.filter((block) => places.get(block)?.outer !== true);
  const { y0: top, y1: bottom } = areaOf(inside.map(({ bbox: [x0, y0, x1, y1] }) => ({ x0, y0, x1, y1 })));
  return blocks.map((block) => {
    const found = places.get(block);
    if (found === undefined || block.kind !== "text") return block;
    const { place, outer } = found;
    const distance = place === "top" ? top - block.bbox[3] : block.bbox[1] - bottom;
    return { ...block, edge: { place, alone: outer && distance > 0.9 * block.size } };
  });
}

const NUMBER = /^[-–—\s]*\d{1,4}[-–—\s]*$/;
