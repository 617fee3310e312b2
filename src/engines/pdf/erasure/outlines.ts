/** The outlines of the union of rectangles. */
import type { PageBox } from "../../geometry.ts";
import type { Work } from "../../work.ts";
import type { Polygon } from "./geometry.ts";

type Point = readonly [number, number];

/** Rectangles, or lines, between two pauses. */
const STRETCH = 4_096;

/** Both ends of a line, in any order. */
type Line = readonly [Point, Point];

/**
 * Outlines of the union of rectangles, to be filled by the even-odd rule. Rectangles that overlap or adjoin have one outline, so that there is no seam
 * between them.
 */
export async function outlinesOf(work: Work, boxes: readonly PageBox[]): Promise<Polygon[]> {
  const columns = await disjoint(work, boxes);
  const upright: Line[] = columns.flatMap(([left, bottom, right, top]): Line[] => [
    [
      [left, bottom],
      [left, top],
    ],
    [
      [right, bottom],
      [right, top],
    ],
  ]);
  return loopsOf(work, [...upright, ...(await level(work, columns))]);
}

/** The horizontal edges of rectangles that do not overlap, without those that two of them have in common. */
async function level(work: Work, boxes: readonly PageBox[]): Promise<Line[]> {
  const ends = new Map<number, Map<number, number>>();
  for (const [index, [left, bottom, right, top]] of boxes.entries()) {
    if (index % STRETCH === 0) await work.rest();
    for (const y of [bottom, top]) {
      const own = ends.get(y) ?? new Map<number, number>();
      ends.set(y, own);
      for (const x of [left, right]) own.set(x, (own.get(x) ?? 0) + 1);
    }
  }
  const lines: Line[] = [];
  // From each end to the next, an odd number of edges is one, and an even number none.
  for (const [y, own] of ends) {
    await work.pause();
    const odd = [...own].flatMap(([x, count]) => (count % 2 === 0 ? [] : [x])).toSorted((a, b) => a - b);
    for (let at = 0; at + 1 < odd.length; at += 2)
      lines.push([
        [odd[at] ?? 0, y],
        [odd[at + 1] ?? 0, y],
      ]);
  }
  return lines;
}

/** Joins lines to loops. At each point, an even number of them ends. */
async function loopsOf(work: Work, lines: readonly Line[]): Promise<Point[][]> {
  const key = ([x, y]: Point): string => `${x} ${y}`;
  const at = new Map<string, Line[]>();
  for (const [index, line] of lines.entries()) {
    if (index % STRETCH === 0) await work.rest();
    for (const end of line) {
      const own = at.get(key(end)) ?? [];
      at.set(key(end), own);
      own.push(line);
    }
  }
  const used = new Set<Line>();
  const loops: Point[][] = [];
  let joined = 0;
  for (const first of lines) {
    const loop: Point[] = [];
    let [line, from]: [Line | undefined, Point] = [first, first[0]];
    while (line && !used.has(line)) {
      used.add(line);
      if (++joined % STRETCH === 0) await work.rest();
      loop.push(from);
      from = key(line[0]) === key(from) ? line[1] : line[0];
      const own: Line[] = at.get(key(from)) ?? [];
      do line = own.pop();
      while (line && used.has(line));
    }
    if (loop.length > 0) loops.push(withoutStraight(loop));
  }
  return loops;
}

/** Without the points on straight lines. */
const withoutStraight = (loop: readonly Point[]): Point[] =>
  loop.filter(([x, y], at) => {
    const [before, after] = [loop.at(at - 1), loop[(at + 1) % loop.length]];
    return !(before?.[0] === x && after?.[0] === x) && !(before?.[1] === y && after?.[1] === y);
  });

/** Fuel per rectangle that the sweep makes, with the joining of its edges: 2 microseconds for each. And per rectangle at each of its steps. */
const [COLUMN_WORK, STEP_WORK] = [20_000, 6];

/** A rectangle from `bottom` up to where its interval ends or changes. */
interface Column {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * The union of rectangles as rectangles that share only edges. Rectangles without an overlap are unchanged. A line sweeps upwards: an interval of it
 * that does not change from one edge to the next becomes one rectangle.
 */
async function disjoint(work: Work, boxes: readonly PageBox[]): Promise<PageBox[]> {
  const solid = boxes.filter(([left, bottom, right, top]) => right > left && top > bottom);
  const byLeft = solid.toSorted((a, b) => a[0] - b[0]);
  const edges = [...new Set(solid.flatMap(([, bottom, , top]) => [bottom, top]))].toSorted((a, b) => a - b);
  const found: PageBox[] = [];
  let columns = new Map<string, Column>();
  for (const y of edges) {
    work.spend(byLeft.length * STEP_WORK);
    await work.pause();
    const continued = new Map<string, Column>();
    for (const [left, right] of intervals(byLeft, y)) {
      const key = `${left} ${right}`;
      continued.set(key, columns.get(key) ?? { left, right, bottom: y });
      columns.delete(key);
    }
    work.spend(columns.size * COLUMN_WORK);
    for (const { left, right, bottom } of columns.values()) found.push([left, bottom, right, y]);
    columns = continued;
  }
  return found;
}

/** The parts of a horizontal line just above `y` that boxes cover, from left to right. */
function intervals(byLeft: readonly PageBox[], y: number): [left: number, right: number][] {
  const found: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const box of byLeft) {
    // Most are passed over.
    if (box[1] > y || box[3] <= y) continue;
    if (last && box[0] <= last[1]) last[1] = Math.max(last[1], box[2]);
    else found.push((last = [box[0], box[2]]));
  }
  return found;
}
