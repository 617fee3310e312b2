/**
 * Removes the parts of paths in an area (ISO 32000-2, 8.5). If an outline runs through a convex part of the area, a straight line replaces it from
 * entry to exit. So the fill outside of the part stays exactly the same, and no point of the outline is left inside. Strokes end at their entry.
 * Anything still painted in the area, such as a background around it, is clipped.
 */
import { apply, inverse, type Matrix, type PageBox } from "../../geometry.ts";
import type { Work } from "../../work.ts";
import type { Dash } from "../content/graphics-state.ts";
import type { CutArea } from "./area.ts";
import { boundsOf, corners, type HalfPlane, transformed } from "./geometry.ts";
import { type Point, readSubpaths, type PathSegment, type Subpath, writeSubpath } from "./path.ts";

/** A painted path. */
export interface PaintedPath {
  /** Its operators, in one or more pieces. */
  readonly sources: readonly Uint8Array[];
  /** From the units of the path to those of the page. It has an inverse. */
  readonly matrix: Matrix;
  /** The operator that paints it (8.5.3.1), or `n`. */
  readonly operator: string;
  /** Its fill and stroke. */
  readonly paint: PathPaint;
  /** The operator that makes it a part of the clipping path. */
  readonly clips: "W" | "W*" | undefined;
  /** The rectangle of the page around its points. */
  readonly bounds: PageBox;
  /** The rectangle of the page that it paints, with the ends and joins of its lines. */
  readonly box: PageBox;
  /** How far these reach from the middle of a line, in units of the page. */
  readonly reach: number;
  readonly dash: Dash | undefined;
}

export interface PathPaint {
  readonly fill?: "f" | "f*";
  readonly strokes?: boolean;
  /** Whether it closes the last subpath. */
  readonly closes?: boolean;
}

/** The largest depth of a point in an area that only adjoins it, and is not cut. In units of the page. */
const ADJOINING = 1e-3;

/** How far beyond the edges of a page outlines are cut, so that nothing of it is seen. */
const BEYOND_PAGE = 1;

/** The largest distance of a cut curve from the lines that replace it. The removed part of a curve could be computed from the rest. */
const FLATNESS = 0.01;

/** Lines that replace a curve, at most. */
const MOST_LINES = 1_000;

/** How far around an area something is clipped that has no bounds. */
const FAR = 1e5;

/** Coordinates that are written, at most. */
const MOST = 1e12;

/** Fuel for comparing a subpath, and each of its lines, with a part of an area; and for a corner of a clip. */
const [SUBPATH_WORK, COMPARE_WORK, CLIP_WORK] = [40, 150, 500];

/** Segments after which the work may yield to other requests: each of them may become as many lines as a curve does at most. */
const SEGMENTS_A_TURN = 32;

/** A part of the area, in units of the path. Distances from its sides are in units of the page. */
interface Part {
  /** The half planes at which outlines of fills and the middle of lines are cut. */
  readonly filled: readonly HalfPlane[];
  readonly stroked: readonly HalfPlane[];
  /** The part with all around it from where a line reaches into it. */
  readonly wide: readonly HalfPlane[];
  readonly center: Point;
  /** How often the path winds around its center. */
  winding: number;
  /** Whether an outline or its stroke reaches into it. */
  isTouched: boolean;
}

/** How the segments of a path are read. */
interface Reading {
  readonly work: Work;
  /** How much longer a line is on the page, at most. */
  readonly scale: number;
  /** Whether the lengths of segments matter. */
  readonly isDashed: boolean;
}

/** A chain of segments, and how far from the start of its subpath it begins, in units of the path. */
interface Chain {
  readonly segments: readonly PathSegment[];
  readonly offset: number;
}

/**
 * The replacement of a path: the content in its place, and whether that paints anything. Undefined if nothing changes.
 * @throws LongSubpath
 */
export async function cutPath(
  work: Work,
  path: PaintedPath,
  area: CutArea,
): Promise<{ readonly content: string; readonly paints: boolean } | undefined> {
  const { fill, strokes = false, closes = false } = path.paint;
  const fills = fill !== undefined || path.clips !== undefined;
  const format = formatFor(path.matrix);
  const parts = partsOf(path, area);
  if (parts.length === 0) return undefined;
  const reading = { work, scale: normOf(path.matrix), isDashed: path.dash !== undefined };
  const filled: string[] = [];
  const stroked: string[] = [];
  /** Strokes that begin anywhere in the pattern of dashes. */
  const dashed: string[] = [];
  let [isFillCut, isStrokeCut] = [false, false];
  for await (const subpath of readSubpaths(work, path.sources, closes)) {
    const written = subpath.written ?? writeSubpath(subpath, format);
    const near = nearTo(work, subpath, parts);
    if (fills) {
      let left: Subpath | undefined = subpath;
      for (const part of near) left &&= await cutFilled(reading, left, part.filled);
      isFillCut ||= left !== subpath;
      if (left) filled.push(left === subpath ? written : writeSubpath(left, format));
      const outline = left && fill !== undefined ? closed(left) : [];
      for (const part of near) {
        part.isTouched ||= await runsThrough(reading, part.filled, outline);
        if (!part.isTouched) part.winding += await windingAround(reading, part, outline);
      }
    }
    if (strokes) {
      const cut = await cutStroked(reading, subpath, near);
      isStrokeCut ||= cut !== undefined;
      if (!cut) stroked.push(written);
      for (const { offset, ...left } of cut ?? []) {
        const text = writeSubpath(left, format);
        if (path.dash) dashed.push(`${path.dash.array} ${format(path.dash.phase + offset)} d ${text} S`);
        else stroked.push(text);
      }
      for (const part of near)
        for (const { segments } of cut ?? [subpath]) part.isTouched ||= await runsThrough(reading, part.wide, segments);
    }
    await work.pause();
  }
  const isInside = ({ winding }: Part): boolean => (fill === "f" ? winding !== 0 : winding % 2 !== 0);
  const isPainted = parts.some((part) => part.isTouched || (fill !== undefined && isInside(part)));
  const clipping = isPainted && path.operator !== "n" ? clipAround(work, area, path.box, path.matrix) : "";
  if (clipping === "" && !isFillCut && !isStrokeCut) return undefined;
  // Each may be hundreds of thousands of operators.
  const [fillable, strokable, dashes] = [filled, stroked, dashed].map((operators) => operators.join("\n"));
  const painted: (string | undefined)[] = [];
  if (fill !== undefined && strokes && !isFillCut && !isStrokeCut) painted.push(fillable, path.operator);
  else {
    if (fill !== undefined && filled.length > 0) painted.push(fillable, fill);
    if (strokes && stroked.length > 0) painted.push(strokable, "S");
    if (dashed.length > 0) painted.push(dashes);
  }
  const changesState = clipping !== "" || dashed.length > 0;
  const content = changesState ? ["q", clipping, ...painted, "Q"] : painted;
  // An empty path clips everything in some programs, and nothing in others.
  if (path.clips) content.push(filled.length > 0 ? fillable : "0 0 0 0 re", `${path.clips} n`);
  return { content: content.join("\n"), paints: painted.length > 0 };
}

/**
 * Operators that clip later content to the outside of an area. Empty if the page ends at the area. `box`: the painted part of the page; `matrix`:
 * from the units of the content to those of the page, which has an inverse.
 */
export function clipAround(work: Work, area: CutArea, box: PageBox, matrix: Matrix): string {
  const holes = area.outlines?.(box) ?? [];
  if (holes.length === 0) return "";
  const points = holes.flat();
  work.spend(points.length * CLIP_WORK);
  const [left, bottom, right, top] = boundsOf(points);
  const outer: PageBox = [
    Math.max(box[0] - 1, left - FAR),
    Math.max(box[1] - 1, bottom - FAR),
    Math.min(box[2] + 1, right + FAR),
    Math.min(box[3] + 1, top + FAR),
  ];
  const format = formatFor(matrix);
  const toPath = inverse(matrix);
  const outlines = [corners(outer), ...holes].map((outline) => {
    const [first, ...others] = transformed(outline, toPath).map(([x, y]) => `${format(x)} ${format(y)}`);
    return `${first} m ${others.join(" l ")} l h`;
  });
  return `${outlines.join("\n")}\nW* n`;
}

/** Whether paths can be cut that a matrix maps to the page: those that it maps to a line have no inside. */
export function isCuttable(matrix: Matrix): boolean {
  const scale = normOf(matrix);
  const area = Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]);
  return Number.isFinite(scale) && area > 1e-6 * scale * scale;
}

/** How much longer a matrix makes a vector, at most. */
export const normOf = ([a, b, c, d]: Matrix): number => Math.hypot(a, b, c, d);

function partsOf({ matrix, bounds: [left, bottom, right, top], reach }: PaintedPath, area: CutArea): Part[] {
  const isPageEdge = area.outlines === undefined;
  const [a, b, c, d, e, f] = matrix;
  const toPath = inverse(matrix);
  return area.parts([left - reach, bottom - reach, right + reach, top + reach]).map((sides) => {
    const moved = (by: number): HalfPlane[] =>
      sides.map(({ x, y, edge }) => ({ x: x * a + y * b, y: x * c + y * d, edge: edge + by - x * e - y * f }));
    return {
      filled: moved(isPageEdge ? -BEYOND_PAGE : -ADJOINING),
      stroked: moved(isPageEdge ? -BEYOND_PAGE - reach : -ADJOINING),
      wide: moved(reach),
      center: apply(toPath, ...centerOf(sides)),
      winding: 0,
      isTouched: false,
    };
  });
}

/** A point in the middle of a rectangle. Nothing winds around a half-plane. */
function centerOf(sides: readonly HalfPlane[]): Point {
  // Opposite sides have opposite normals, so half of the sum of their edges is between them.
  const [first, second, third, fourth] = sides;
  if (!first || !second || !third || !fourth) return [0, 0];
  const [along, across] = [(first.edge - third.edge) / 2, (second.edge - fourth.edge) / 2];
  return [first.x * along + second.x * across, first.y * along + second.y * across];
}

/** The parts that a subpath or its stroke may reach into or wind around. */
function nearTo(work: Work, { start, segments }: Subpath, parts: readonly Part[]): Part[] {
  const points = segments.flatMap(({ curve, to }) => (curve ? [...curve, to] : [to]));
  const around = corners(boundsOf([start, ...points]));
  const near = parts.filter(({ wide }) => !isApart(wide, around));
  work.spend(SUBPATH_WORK * parts.length + COMPARE_WORK * near.length * (1 + segments.length));
  return near;
}

const distance = ({ x, y, edge }: HalfPlane, [px, py]: Point): number => x * px + y * py - edge;

/** Whether all points are on the outer side of one of the sides. */
const isApart = (sides: readonly HalfPlane[], points: readonly Point[]): boolean =>
  sides.some((side) => points.every((point) => distance(side, point) >= 0));

/** The stretch of a line that is inside, from 0 to 1. */
function inside(sides: readonly HalfPlane[], { from, to }: PathSegment): readonly [number, number] | undefined {
  let [begin, end] = [0, 1];
  for (const side of sides) {
    const [first, last] = [distance(side, from), distance(side, to)];
    if (first >= 0 && last >= 0) return undefined;
    if (first > 0) begin = Math.max(begin, first / (first - last));
    else if (last > 0) end = Math.min(end, first / (first - last));
  }
  return begin < end ? [begin, end] : undefined;
}

/** A segment as lines if any of it is inside. */
function asLines(reading: Reading, sides: readonly HalfPlane[], segment: PathSegment): readonly PathSegment[] {
  const { from, to, curve } = segment;
  if (!curve || isApart(sides, [from, ...curve, to])) return [segment];
  const lines = flattened(reading, segment, curve);
  return lines.some((line) => inside(sides, line)) ? lines : [segment];
}

/** The lines that a curve becomes. */
function flattened(
  { work, scale }: Reading,
  { from, to }: PathSegment,
  [first, second]: readonly [Point, Point],
): PathSegment[] {
  const bend = (a: Point, b: Point, c: Point): number => Math.hypot(a[0] - 2 * b[0] + c[0], a[1] - 2 * b[1] + c[1]);
  const most = Math.max(bend(from, first, second), bend(first, second, to)) * scale;
  const count = Math.min(MOST_LINES, Math.max(1, Math.ceil(Math.sqrt((0.75 * most) / FLATNESS))));
  work.spend(count * COMPARE_WORK);
  const lines: PathSegment[] = [];
  let last = from;
  for (let step = 1; step <= count; step++) {
    const t = step / count;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
    const at = (axis: 0 | 1): number => a * from[axis] + b * first[axis] + c * second[axis] + d * to[axis];
    const next: Point = step === count ? to : [at(0), at(1)];
    lines.push({ from: last, to: next });
    last = next;
  }
  return lines;
}

/** Segments one after the other, with pauses. */
async function* inTurns(work: Work, segments: readonly PathSegment[]): AsyncGenerator<PathSegment> {
  for (const [at, segment] of segments.entries()) {
    if (at % SEGMENTS_A_TURN === 0) await work.pause();
    yield segment;
  }
}

/** Whether any of a chain of segments is inside. */
async function runsThrough(
  reading: Reading,
  sides: readonly HalfPlane[],
  segments: readonly PathSegment[],
): Promise<boolean> {
  for await (const segment of inTurns(reading.work, segments)) {
    const lines = asLines(reading, sides, segment);
    // A curve that is no lines is outside.
    if (lines.some((line) => !line.curve && inside(sides, line) !== undefined)) return true;
  }
  return false;
}

/**
 * The chains of segments that remain outside. Lines that begin and end outside continue through the inside, where they carry no information.
 * Undefined if nothing changes.
 */
async function chainsOutside(
  reading: Reading,
  segments: readonly PathSegment[],
  sides: readonly HalfPlane[],
): Promise<Chain[] | undefined> {
  const { work, isDashed } = reading;
  const chains: Chain[] = [];
  let chain: PathSegment[] | undefined;
  let [isCut, offset] = [false, 0];
  const keep = (segment: PathSegment, at: number): void => {
    if (!chain) {
      chain = [];
      chains.push({ segments: chain, offset: at });
    }
    chain.push(segment);
  };
  for await (const segment of inTurns(work, segments)) {
    for (const line of asLines(reading, sides, segment)) {
      work.spend(COMPARE_WORK);
      const { from, to, curve } = line;
      const stretch = curve ? undefined : inside(sides, line);
      const length = isDashed ? lengthOf(reading, line) : 0;
      if (!stretch || (stretch[0] > 0 && stretch[1] < 1)) keep(line, offset);
      else {
        isCut = true;
        const [begin, end] = stretch;
        if (begin > 0) keep({ from, to: between(line, begin) }, offset);
        chain = undefined;
        if (end < 1) keep({ from: between(line, end), to }, offset + end * length);
      }
      offset += length;
    }
  }
  return isCut ? chains : undefined;
}

const between = ({ from, to }: PathSegment, t: number): Point => [
  from[0] + t * (to[0] - from[0]),
  from[1] + t * (to[1] - from[1]),
];

function lengthOf(reading: Reading, segment: PathSegment): number {
  const { from, to, curve } = segment;
  if (!curve) return Math.hypot(to[0] - from[0], to[1] - from[1]);
  return flattened(reading, segment, curve).reduce((sum, line) => sum + lengthOf(reading, line), 0);
}

/** A subpath that is filled, with its last line, which closes it in any case. */
function closed({ start, segments, isClosed }: Subpath): readonly PathSegment[] {
  const from = segments.at(-1)?.to ?? start;
  return isClosed ? segments : [...segments, { from, to: start }];
}

/** The rest of the outline of a filled subpath: the same outline if nothing changes. */
async function cutFilled(
  reading: Reading,
  subpath: Subpath,
  sides: readonly HalfPlane[],
): Promise<Subpath | undefined> {
  const chains = await chainsOutside(reading, closed(subpath), sides);
  if (!chains) return subpath;
  const [start] = chains[0]?.segments ?? [];
  if (!start) return undefined;
  const segments: PathSegment[] = [];
  const connect = (to: Point): void => {
    const last = segments.at(-1);
    // The last segment is the line that closes the subpath.
    if (last && (last.curve || !isSame(last.to, to))) segments.push({ from: last.to, to });
  };
  for (const chain of chains) {
    const [first] = chain.segments;
    if (first) connect(first.from);
    for (const segment of chain.segments) segments.push(segment);
  }
  connect(start.from);
  return { start: start.from, segments, isClosed: true };
}

/** The rest of a stroked line. Undefined if nothing changes. */
async function cutStroked(
  reading: Reading,
  subpath: Subpath,
  parts: readonly Part[],
): Promise<(Subpath & { readonly offset: number })[] | undefined> {
  let [left, isCut]: [readonly Chain[], boolean] = [[{ segments: subpath.segments, offset: 0 }], false];
  for (const { stroked } of parts) {
    const cut: Chain[] = [];
    for (const chain of left) {
      const chains = await chainsOutside(reading, chain.segments, stroked);
      isCut ||= chains !== undefined;
      for (const one of chains ?? [{ ...chain, offset: 0 }]) cut.push({ ...one, offset: chain.offset + one.offset });
    }
    left = cut;
  }
  if (!isCut) return undefined;
  const [first, last] = [left[0], left.at(-1)];
  // Lines of a closed subpath join where it begins.
  if (subpath.isClosed && first && last && first !== last && isSame(first.segments[0]?.from, subpath.start)) {
    if (isSame(last.segments.at(-1)?.to, subpath.start))
      left = [...left.slice(1, -1), { segments: [...last.segments, ...first.segments], offset: last.offset }];
  }
  return left.flatMap(({ segments, offset }) => {
    const [begin] = segments;
    return begin ? [{ start: begin.from, segments, isClosed: false, offset }] : [];
  });
}

const isSame = (a: Point | undefined, b: Point): boolean => a?.[0] === b[0] && a[1] === b[1];

/** How often a closed outline that does not run through a part winds around it, counterclockwise. */
async function windingAround(
  reading: Reading,
  { filled, center }: Part,
  segments: readonly PathSegment[],
): Promise<number> {
  let winding = 0;
  for await (const segment of inTurns(reading.work, segments)) {
    const { from, to, curve } = segment;
    const isNear = curve !== undefined && !isApart(filled, [from, ...curve, to]);
    for (const line of isNear ? flattened(reading, segment, curve) : [{ from, to }]) winding += crossing(line, center);
  }
  return winding;
}

/** Whether a line crosses the ray from a point to the right, upwards (1) or downwards (-1). */
function crossing({ from: [ax, ay], to: [bx, by] }: PathSegment, [x, y]: Point): number {
  const side = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  if (ay <= y && by > y) return side > 0 ? 1 : 0;
  return ay > y && by <= y && side < 0 ? -1 : 0;
}

/** Writes coordinates to a ten thousandth of the page's units. */
function formatFor(matrix: Matrix): (value: number) => string {
  const factor = 10 ** Math.min(12, Math.max(0, 4 + Math.ceil(Math.log10(normOf(matrix)))));
  return (value) => {
    const rounded = Math.round(Math.min(MOST, Math.max(-MOST, value)) * factor) / factor || 0;
    // Content has no exponents.
    return Math.abs(rounded) < 1e-6 ? rounded.toFixed(12).replace(/\.?0+$/, "") : String(rounded);
  };
}
