/** Areas that lines or fills of one width mark: rules above and below, rules under rows, backgrounds of rows. */
import { countBelow } from "./columns.ts";
import type { Rule, Rules } from "./rules.ts";
import type { Area } from "./words.ts";

/** Where the ends of lines that belong together may miss each other, in points. */
const SAME_END = 3;
/** Edges closer than this are one, in points. */
const SAME_EDGE = 2.5;
const LEAST_WIDTH = 40;
/** Edges of one width that are looked at. More are a drawing. */
const MOST_EDGES = 500;

/** Lines at an end of a frame that are compared with those at the other. */
const MOST_SIDES = 50;

/** Edges of one width above each other. */
export interface Frame {
  readonly x0: number;
  readonly x1: number;
  /** Ascending. */
  readonly edges: readonly FrameEdge[];
  /** Where the backgrounds of cells meet, if rows have several. */
  readonly columns: readonly number[];
  /** From where to where it has a line at both ends. */
  readonly sides: readonly Pick<Rule, "from" | "to">[];
}

export interface FrameEdge {
  readonly y: number;
  /** Whether it is one of a background, above and below which rows without one can follow. */
  readonly filled: boolean;
}

/** A row of backgrounds that touch each other. */
interface Band extends Area {
  readonly columns: readonly number[];
}

export function framesOf({ horizontal, vertical, fills }: Rules): Frame[] {
  const groups: { x0: number; x1: number; edges: FrameEdge[]; columns: number[][] }[] = [];
  const add = (x0: number, x1: number, edges: readonly FrameEdge[], columns: readonly number[]): void => {
    if (x1 - x0 < LEAST_WIDTH) return;
    const same = groups.find((group) => Math.abs(group.x0 - x0) <= SAME_END && Math.abs(group.x1 - x1) <= SAME_END);
    const group = same ?? { x0, x1, edges: [], columns: [] };
    if (same === undefined) groups.push(group);
    group.edges.push(...edges);
    if (columns.length > 0) group.columns.push([...columns]);
  };
  for (const { at, from, to, joints = [] } of horizontal) add(from, to, [{ y: at, filled: false }], joints);
  for (const { x0, x1, y0, y1, columns } of bandsOf(fills)) {
    const edges = [y0, y1].map((y) => ({ y, filled: true }));
    add(x0, x1, edges, columns);
  }
  const sorted = vertical.toSorted((a, b) => a.at - b.at);
  return groups.flatMap(({ columns, edges, ...ends }): Frame[] => {
    if (edges.length > MOST_EDGES) return [];
    const sides = sidesOf(ends, sorted);
    const all = distinct([...edges, ...sides.flatMap((side) => openEnds(side, edges))]);
    return all.length < 2 ? [] : [{ ...ends, edges: all, columns: distinctPlaces(columns), sides }];
  });
}

/** Lines at both ends that begin and end together. `vertical`: from left to right. */
function sidesOf({ x0, x1 }: Pick<Frame, "x0" | "x1">, vertical: readonly Rule[]): Rule[] {
  const [left = [], right = []] = [x0, x1].map((x) => {
    const first = countBelow(vertical.length, (at) => (vertical[at]?.at ?? 0) < x - SAME_END);
    return vertical.slice(first, first + MOST_SIDES).filter(({ at }) => at <= x + SAME_END);
  });
  return left.filter(({ from, to }) =>
    right.some((other) => Math.abs(other.from - from) <= SAME_END && Math.abs(other.to - to) <= SAME_END),
  );
}

/** The end of a frame that continues on another page: its sides reach beyond its last edge, or begin before its first one. */
function openEnds({ from, to }: Rule, edges: readonly FrameEdge[]): FrameEdge[] {
  const isAt = (y: number): boolean => edges.some((edge) => Math.abs(edge.y - y) <= SAME_END);
  if (isAt(from) === isAt(to)) return [];
  return [{ y: isAt(from) ? to : from, filled: false }];
}

function bandsOf(fills: readonly Area[]): Band[] {
  const bands: { area: Area; columns: number[] }[] = [];
  for (const fill of fills.toSorted((a, b) => Math.round(a.y0) - Math.round(b.y0) || a.x0 - b.x0)) {
    const last = bands.at(-1);
    const isBeside =
      last !== undefined &&
      Math.abs(last.area.y0 - fill.y0) < 1 &&
      Math.abs(last.area.y1 - fill.y1) < 1 &&
      Math.abs(last.area.x1 - fill.x0) < 2;
    if (isBeside) {
      last.columns.push(fill.x0);
      last.area = { ...last.area, x1: fill.x1 };
    } else bands.push({ area: fill, columns: [] });
  }
  return bands.map(({ area, columns }) => ({ x0: area.x0, x1: area.x1, y0: area.y0, y1: area.y1, columns }));
}

function distinct(edges: readonly FrameEdge[]): FrameEdge[] {
  const found: FrameEdge[] = [];
  for (const edge of edges.toSorted((a, b) => a.y - b.y)) {
    const last = found.at(-1);
    if (last === undefined || edge.y - last.y > SAME_EDGE) found.push(edge);
    else if (edge.filled) found[found.length - 1] = { y: last.y, filled: true };
  }
  return found;
}

/** The places that the most rows have. */
function distinctPlaces(rows: readonly (readonly number[])[]): number[] {
  const [first = []] = rows.toSorted((a, b) => b.length - a.length);
  return first.toSorted((a, b) => a - b).filter((x, at, all) => at === 0 || x - (all[at - 1] ?? 0) > SAME_EDGE);
}
