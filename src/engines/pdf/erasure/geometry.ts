/** Convex areas of a page. */
import { apply, type Matrix, type PageBox } from "../../geometry.ts";

type Point = readonly [number, number];

/** Corners of a convex area, in order around it. */
export type Polygon = readonly Point[];

export const corners = ([left, bottom, right, top]: PageBox): Polygon => [
  [left, bottom],
  [right, bottom],
  [right, top],
  [left, top],
];

export const transformed = (polygon: Polygon, matrix: Matrix): Polygon => polygon.map(([x, y]) => apply(matrix, x, y));

export function boundsOf(points: Polygon): PageBox {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    left = Math.min(left, x);
    bottom = Math.min(bottom, y);
    right = Math.max(right, x);
    top = Math.max(top, y);
  }
  return [left, bottom, right, top];
}

/** Whether two areas have more in common than an edge. `margin`: how much more, in units of the page. */
export function overlap(a: Polygon, b: Polygon, margin = 0): boolean {
  return !isApart(a, b, margin) && !isApart(b, a, margin);
}

/** Whether an edge of `a` has all of `b` on its other side. */
function isApart(a: Polygon, b: Polygon, margin: number): boolean {
  return a.some(([x, y], at) => {
    const [nextX, nextY] = a[(at + 1) % a.length] ?? [x, y];
    const length = Math.hypot(nextX - x, nextY - y);
    if (!(length > 0)) return false;
    const [nx, ny] = [(nextY - y) / length, (x - nextX) / length];
    const along = (points: Polygon): number[] => points.map(([px, py]) => px * nx + py * ny);
    const [own, other] = [along(a), along(b)];
    return Math.min(...other) >= Math.max(...own) - margin || Math.max(...other) <= Math.min(...own) + margin;
  });
}

/** Whether a point is in an area, or on its edge. */
function contains(polygon: Polygon, x: number, y: number): boolean {
  let [left, right] = [false, false];
  for (const [at, [ax, ay]] of polygon.entries()) {
    const [bx, by] = polygon[(at + 1) % polygon.length] ?? [ax, ay];
    const side = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    if (side > 0) left = true;
    if (side < 0) right = true;
  }
  return !(left && right);
}

export const covers = (outer: Polygon, inner: Polygon): boolean => inner.every(([x, y]) => contains(outer, x, y));

/** A half of the plane: the points whose distance from its edge, along a normal of length 1, is negative. */
export interface HalfPlane {
  readonly x: number;
  readonly y: number;
  readonly edge: number;
}

/** The half-planes of which a convex area is the intersection. */
export function halfPlanesOf(polygon: Polygon): HalfPlane[] {
  const area = polygon.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = polygon[(at + 1) % polygon.length] ?? [x, y];
    return sum + x * nextY - nextX * y;
  }, 0);
  return polygon.flatMap(([x, y], at) => {
    const [nextX, nextY] = polygon[(at + 1) % polygon.length] ?? [x, y];
    const length = Math.hypot(nextX - x, nextY - y) * Math.sign(area);
    if (length === 0) return [];
    const [normalX, normalY] = [(nextY - y) / length, (x - nextX) / length];
    return [{ x: normalX, y: normalY, edge: normalX * x + normalY * y }];
  });
}
