/** The layout of a page: its content in the order in which it is read. */
import type { VisibleBox as Box } from "../../geometry.ts";
import { sortSteps, type Steps } from "../../steps.ts";
import type { Segment } from "../text/glyphs.ts";
import { alignedTables, MOST_TRIED } from "./aligned-tables.ts";
import { framedTables } from "./framed-tables.ts";
import { gridsOf } from "./grids.ts";
import { paragraphsOf, type TextPart } from "./paragraphs.ts";
import { regionsOf } from "./regions.ts";
import { type Figures, figuresOf, isChart } from "./figures.ts";
import { columnInGrid, tableInGrid } from "./ruled-tables.ts";
import { type Drawn, linesIn, type Rules, rulesOf } from "./rules.ts";
import type { LinkArea } from "./spans.ts";
import type { Table } from "./tables.ts";
import {
  type Area,
  areaOf,
  distinctWordSteps,
  MOST_GLYPHS,
  MOST_WORDS,
  type Row,
  rowsOf,
  rowSteps,
  textOfRow,
  type Word,
} from "./words.ts";

/** The content that a page draws. Boxes in points from the top left of the visible page. */
export interface PageContent {
  readonly bounds: Box;
  readonly segments: readonly Segment[];
  readonly drawn: readonly (Area & Pick<Drawn, "stroked" | "rectangle" | "color">)[];
  readonly images: readonly Area[];
  readonly links: readonly LinkArea[];
}

export type Part =
  | {
      readonly kind: "text";
      readonly area: Area;
      readonly text: TextPart;
      /** Of text that is read in another direction than the page: that direction, and whether it is beside everything else. */
      readonly turned?: { readonly direction: Direction; readonly aside: boolean };
    }
  | { readonly kind: "table"; readonly area: Area; readonly table: Table }
  | { readonly kind: "figure"; readonly area: Area; readonly text: string };

/** The unit vector along which text is read, y down. */
export type Direction = readonly [number, number];

export interface Layout {
  readonly parts: readonly Part[];
  readonly direction: Direction;
}

/** Words of a page with more than can be looked at together that are put into rows at once. */
const WORDS_AT_ONCE = 5_000;
/** Fuel for a word that a grid may hold, for one that a table may be made of, and for a part beside which a figure may lie. */
const [GRID_WORK, TABLE_WORK, PLACE_WORK] = [5, 100, 2];

/**
 * The parts of a page. One with more words or glyphs than `MOST_WORDS` and `MOST_GLYPHS` has no columns and no tables: its rows are read undivided,
 * in the order of its content.
 */
export function* layoutOf(content: PageContent): Steps<Layout> {
  const direction = mainDirection(content.segments);
  const isMain = (segment: Segment): boolean => isSameDirection(segment.direction, direction);
  const words = yield* distinctWordSteps(content.segments.filter(isMain));
  const turn = <T extends Area>(area: T): T => ({ ...area, ...turned(area, direction) });
  const drawn = content.drawn.map(turn);
  const figures = figuresOf(
    content.images.map(turn),
    drawn,
    turn({ x0: 0, y0: 0, x1: content.bounds[2], y1: content.bounds[3] }),
  );
  const links = content.links.map(turn);
  const parts = isTooMuch(words)
    ? (yield* plainParagraphs(words, links)).map((text): Part => ({ kind: "text", area: text, text }))
    : yield* partsOf(words, rulesOf(drawn), links, figures);
  yield* insertAll(parts, figures.images);
  const sideways = yield* sidewaysParts(
    content.segments.filter((segment) => !isMain(segment)),
    direction,
    areaOf(words),
  );
  return { parts: [...parts, ...sideways], direction };
}

export const isSameDirection = ([ax, ay]: Direction, [bx, by]: Direction): boolean =>
  Math.abs(ax - bx) + Math.abs(ay - by) < 0.05;

/** Text that is read in other directions than the page, after everything else. */
function* sidewaysParts(segments: readonly Segment[], page: Direction, main: Area): Steps<Part[]> {
  const groups: { direction: Direction; segments: Segment[] }[] = [];
  for (const segment of segments) {
    const group = groups.find(({ direction }) => isSameDirection(direction, segment.direction));
    if (group !== undefined) group.segments.push(segment);
    else groups.push({ direction: segment.direction, segments: [segment] });
  }
  const parts: Part[] = [];
  for (const { direction, segments: own } of groups) {
    const words = yield* distinctWordSteps(own);
    const texts = isTooMuch(words)
      ? yield* plainParagraphs(words, [])
      : yield* paragraphsOf(yield* rowSteps(words), []);
    for (const text of texts) {
      const area = turned(untwisted(text, direction), page);
      const aside = area.x1 < main.x0 + 2 || area.x0 > main.x1 - 2 || area.y1 < main.y0 + 2 || area.y0 > main.y1 - 2;
      parts.push({ kind: "text", area, text, turned: { direction, aside } });
    }
  }
  return parts;
}

function isTooMuch(words: readonly Word[]): boolean {
  if (words.length > MOST_WORDS) return true;
  let glyphs = 0;
  for (const word of words) glyphs += word.glyphs.length;
  return glyphs > MOST_GLYPHS;
}

/** The paragraphs of words in the order of the content, some at once. */
function* plainParagraphs(words: readonly Word[], links: readonly LinkArea[]): Steps<TextPart[]> {
  const texts: TextPart[] = [];
  for (let at = 0; at < words.length; at += WORDS_AT_ONCE) {
    const rows = yield* rowSteps(words.slice(at, at + WORDS_AT_ONCE));
    for (const text of yield* paragraphsOf(rows, links)) texts.push(text);
  }
  return texts;
}

function* partsOf(words: readonly Word[], rules: Rules, links: readonly LinkArea[], figures: Figures): Steps<Part[]> {
  const tables: Table[] = [];
  const parts: Part[] = [];
  let left = words;
  const look = function* (lines: Pick<Rules, "horizontal" | "vertical">, find: typeof tableInGrid): Steps<void> {
    for (const grid of gridsOf(lines).toSorted((a, b) => size(b) - size(a))) {
      yield left.length * GRID_WORK;
      const table = yield* find(grid, left);
      if (table === undefined) continue;
      const used = new Set(table.cells.flatMap((cell) => cell.words));
      if (used.size === 0 || isChart(grid, figures)) continue;
      tables.push({ ...table, ...areaOf(used) });
      yield used.size * TABLE_WORK;
      left = left.filter((word) => !used.has(word));
    }
  };
  yield* look(rules, tableInGrid);
  const framed = yield* framedTables(left, rules);
  tables.push(...framed.tables.filter((table) => !isChart(table, figures)));
  const used = new Set(tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)));
  left = left.filter((word) => !used.has(word));
  // Boxes that are stacked may hold tables of several columns.
  yield* look(linesIn(rules), columnInGrid);
  const placed = new Set<Table>();
  const regions = yield* regionsOf(left, tables, rules);
  const tried = { left: MOST_TRIED };
  for (const [index, rows] of regions.entries()) {
    const area = areaOf(rows);
    const after = regions[index + 1];
    const own = tables.filter(
      (table) => !placed.has(table) && belongs(table, area, after === undefined ? undefined : areaOf(after)),
    );
    for (const table of own) placed.add(table);
    for (const part of yield* regionParts(rows, own, { rules, links, figures, tried })) parts.push(part);
  }
  for (const table of tables) if (!placed.has(table)) parts.push({ kind: "table", area: table, table });
  return parts;
}

function* insertAll(parts: Part[], images: readonly Area[]): Steps<void> {
  for (const area of images) {
    insert(parts, { kind: "figure", area, text: "" });
    yield parts.length * PLACE_WORK;
  }
}

/** Puts a figure before the first part below it that is in its column. */
function insert(parts: Part[], figure: Part): void {
  const { x0, x1, y0 } = figure.area;
  const at = parts.findIndex(({ area }) => area.y0 >= y0 && area.x0 < x1 && area.x1 > x0);
  parts.splice(at < 0 ? parts.length : at, 0, figure);
}

const size = (area: Area): number => (area.x1 - area.x0) * (area.y1 - area.y0);

/** Whether a table is read with a region: it is beside its rows, or before the next region. */
function belongs(table: Area, region: Area, next: Area | undefined): boolean {
  const middle = (table.x0 + table.x1) / 2;
  const isOver = middle > region.x0 - 5 && middle < region.x1 + 5;
  if (isOver && table.y0 < region.y1) return true;
  if (next === undefined) return true;
  // Below this region; the next one is below it, too, or a column beside it.
  return isOver && table.y0 >= region.y1 - 2 && (next.y0 > table.y0 || next.x0 > table.x1);
}

/** What else is on the page, and how many of its words may still be looked at for tables. */
interface Surroundings {
  readonly rules: Rules;
  readonly links: readonly LinkArea[];
  readonly figures: Figures;
  readonly tried: { left: number };
}

/** The parts of a region without columns: tables, and paragraphs between them. */
function* regionParts(
  rows: readonly Row[],
  ruled: readonly Table[],
  { rules, links, figures, tried }: Surroundings,
): Steps<Part[]> {
  const parts: Part[] = ruled.map((table) => ({ kind: "table", area: table, table }));
  let stretch: Row[] = [];
  const flush = function* (): Steps<void> {
    if (stretch.length === 0) return;
    const tables = yield* alignedTables(stretch, rules, tried);
    const used = new Set(tables.flatMap((table) => table.cells.flatMap((cell) => cell.words)));
    for (const table of tables) {
      if (isChart(table, figures)) parts.push({ kind: "figure", area: table, text: textOfTable(table) });
      else parts.push({ kind: "table", area: table, table });
    }
    let lines: Row[] = [];
    const flushLines = function* (): Steps<void> {
      for (const text of yield* paragraphsOf(lines, links)) parts.push({ kind: "text", area: text, text });
      lines = [];
    };
    for (const row of stretch) {
      if (row.words.some((word) => used.has(word))) yield* flushLines();
      else lines.push(row);
    }
    yield* flushLines();
    stretch = [];
  };
  const breaks = ruled.map((table) => table.y0);
  for (const row of rows) {
    const above = stretch.at(-1);
    if (above !== undefined && breaks.some((y) => y > above.baseline && y < row.baseline)) yield* flush();
    stretch.push(row);
  }
  yield* flush();
  return yield* sortSteps(parts, (a, b) => a.area.y0 - b.area.y0);
}

/** The words of what looked like a table. */
const textOfTable = (table: Table): string =>
  rowsOf(table.cells.flatMap((cell) => cell.words))
    .map((row) => textOfRow(row.words))
    .join(" ");

/** The direction of most of the text. */
function mainDirection(segments: readonly Segment[]): Direction {
  const groups: { direction: Direction; length: number }[] = [];
  for (const { direction, length } of segments) {
    const group = groups.find((one) => isSameDirection(one.direction, direction));
    if (group !== undefined) group.length += length;
    else groups.push({ direction, length });
  }
  const [most] = groups.toSorted((a, b) => b.length - a.length);
  return most?.direction ?? [1, 0];
}

/** An area of the page in the coordinates of a direction. */
export function turned({ x0, y0, x1, y1 }: Area, [dx, dy]: Direction): Area {
  if (dx === 1) return { x0, y0, x1, y1 };
  const xs = [x0 * dx + y0 * dy, x1 * dx + y1 * dy, x0 * dx + y1 * dy, x1 * dx + y0 * dy];
  const ys = [y0 * dx - x0 * dy, y1 * dx - x1 * dy, y1 * dx - x0 * dy, y0 * dx - x1 * dy];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** An area in the coordinates of a direction on the page. */
export const untwisted = (area: Area, [dx, dy]: Direction): Area => turned(area, [dx, -dy]);
