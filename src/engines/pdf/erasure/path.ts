/** The paths of content (ISO 32000-2, 8.5.2): reading them, and writing them anew. */
import { latin1 } from "../../../bytes/latin1.ts";
import type { Work } from "../../work.ts";
import { ContentOperators } from "../content/operators.ts";

export type Point = readonly [number, number];

/** A line, or a cubic Bézier curve with two control points. */
export interface PathSegment {
  readonly from: Point;
  readonly to: Point;
  readonly curve?: readonly [Point, Point];
}

/** Segments each of which begins where the one before it ends. */
export interface Subpath {
  /** Where it begins if it has no segments. */
  readonly start: Point;
  readonly segments: readonly PathSegment[];
  /** Whether `h` or `re` closes it. The segment that does is one of `segments`. */
  readonly isClosed: boolean;
}

/** A subpath with the operators that construct it. These are undefined if they depend on earlier ones. */
export interface ReadSubpath extends Subpath {
  readonly written: string | undefined;
}

/** Fuel per segment. */
const SEGMENT_WORK = 300;

/** Segments of a subpath that are held: 30 MB. */
const MOST_SEGMENTS = 100_000;

/** A subpath has more segments than are held. */
export class LongSubpath extends Error {}

/**
 * Reads the subpaths that sequences of path construction operators make, one after the other. `closes`: whether the operator that paints the path
 * closes the last one.
 * @throws LongSubpath
 */
export async function* readSubpaths(
  work: Work,
  sources: readonly Uint8Array[],
  closes: boolean,
): AsyncGenerator<ReadSubpath> {
  let start: Point = [0, 0];
  let segments: PathSegment[] = [];
  let isBegun = false;
  /** Where the operators of the subpath begin in their source, which may have them all. */
  let begin: number | undefined;
  let end = 0;
  let source: Uint8Array = new Uint8Array();
  const current = (): Point => segments.at(-1)?.to ?? start;
  const take = (closed: boolean): ReadSubpath => {
    const written = begin === undefined ? undefined : latin1(source.subarray(begin, end));
    if (closed) segments.push({ from: current(), to: start });
    const subpath = { start, segments, isClosed: closed, written };
    [segments, isBegun, begin] = [[], false, undefined];
    return subpath;
  };
  for (source of sources) {
    // A subpath that began in another source has no operators of its own here.
    begin = undefined;
    const tokens = new ContentOperators(source);
    while (tokens.next()) {
      work.spend(SEGMENT_WORK);
      if (tokens.isDue) await work.rest();
      const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = tokens.numbers();
      const { operator } = tokens;
      if ((operator === "m" || operator === "re") && segments.length > 0) yield take(false);
      if (operator === "h") {
        end = tokens.end;
        if (isBegun) yield take(true);
        continue;
      }
      if (operator === "m" || operator === "re") [start, begin] = [[a, b], tokens.start];
      isBegun = true;
      const from = current();
      if (operator === "l") segments.push({ from, to: [a, b] });
      else if (operator === "c")
        segments.push({
          from,
          curve: [
            [a, b],
            [c, d],
          ],
          to: [e, f],
        });
      else if (operator === "v") segments.push({ from, curve: [from, [a, b]], to: [c, d] });
      else if (operator === "y")
        segments.push({
          from,
          curve: [
            [a, b],
            [c, d],
          ],
          to: [c, d],
        });
      end = tokens.end;
      if (segments.length > MOST_SEGMENTS) throw new LongSubpath();
      if (operator !== "re") continue;
      const [right, top]: Point = [a + c, b + d];
      for (const to of [
        [right, b],
        [right, top],
        [a, top],
      ] as const)
        segments.push({ from: current(), to });
      yield take(true);
    }
  }
  // A point alone paints nothing, unless it is closed.
  if (segments.length === 0 && !(isBegun && closes)) return;
  const last = take(closes);
  yield closes && last.written !== undefined ? { ...last, written: `${last.written} h` } : last;
}

/** Writes a subpath. `format`: a coordinate. */
export function writeSubpath({ start, segments, isClosed }: Subpath, format: (value: number) => string): string {
  const point = ([x, y]: Point): string => `${format(x)} ${format(y)}`;
  const parts = [`${point(start)} m`];
  const drawn = isClosed ? segments.slice(0, -1) : segments;
  for (const { curve, to } of drawn)
    parts.push(curve ? `${point(curve[0])} ${point(curve[1])} ${point(to)} c` : `${point(to)} l`);
  if (isClosed) parts.push("h");
  return parts.join(" ");
}
