import { type Steps, STRIDE } from "../../steps.ts";
import type { Segment } from "./glyphs.ts";
import { onOneBaseline } from "./lines.ts";

/** Minimum number of lines side by side that form columns. */
const LEAST_LINES = 3;
/** Minimum average length in characters of a line in a column. Table cells have fewer. */
const LEAST_CHARACTERS = 18;
/** Maximum number of columns on a page. */
const MOST_COLUMNS = 12;
/** Minimum width of the gap between columns, in font sizes. */
const LEAST_GUTTER = 0.8;

/** Fuel for a row. */
const ROW_WORK = 50;

/**
 * Sorts rows in reading order. Most files store their text that way; some write line by line across columns. Where pairs of
 * rows share a baseline and no row crosses the gap between them, the left rows come first.
 */
export function* inColumns(segments: readonly Segment[], most = MOST_COLUMNS): Steps<readonly Segment[]> {
  if (most <= 1) return segments;
  const ordered: Segment[] = [];
  let rows = 0;
  for (let at = 0; at < segments.length;) {
    const { to, gutter } = acrossColumns(segments, at);
    const part = segments.slice(at, to);
    const columns =
      gutter === undefined
        ? [part]
        : [
            part.filter(({ end }) => end <= gutter),
            yield* inColumns(
              part.filter(({ end }) => end > gutter),
              most - 1,
            ),
          ];
    for (const column of columns) for (const segment of column) ordered.push(segment);
    rows += to - at;
    at = to;
    if (rows < STRIDE) continue;
    yield rows * ROW_WORK;
    rows = 0;
  }
  return ordered;
}

/** The rows starting at `from` that are written across one gutter. No gutter if they form a table or it is a single row. */
function acrossColumns(segments: readonly Segment[], from: number): { to: number; gutter: number | undefined } {
  let [low, high] = [-Infinity, Infinity];
  let [pairs, pairedTo, leftLength, rightLength] = [0, from, 0, 0];
  let at = from;
  for (; at < segments.length; at++) {
    const [left, right] = [segments[at], segments[at + 1]];
    if (left === undefined || left.vertical) break;
    const isPair = right !== undefined && isBeside(left, right);
    // A single row stays on its side of the gutter.
    const [nextLow, nextHigh] = isPair
      ? [Math.max(low, left.end), Math.min(high, right.start)]
      : left.end <= high && left.end < (low + high) / 2
        ? [Math.max(low, left.end), high]
        : [low, Math.min(high, left.start)];
    if (nextHigh - nextLow < LEAST_GUTTER * left.size || (pairs === 0 && !isPair)) break;
    [low, high] = [nextLow, nextHigh];
    if (isPair) {
      pairs++;
      leftLength += left.length;
      rightLength += right.length;
      at++;
      pairedTo = at + 1;
    } else if (at === pairedTo && isBeside(segments[at - 1], left)) {
      // The third column of a row.
      pairedTo = at + 1;
    }
  }
  const isText = pairs >= LEAST_LINES && Math.min(leftLength, rightLength) >= LEAST_CHARACTERS * pairs;
  return { to: Math.max(from + 1, pairedTo), gutter: isText ? (low + high) / 2 : undefined };
}

const isBeside = (left: Segment | undefined, right: Segment): boolean =>
  left !== undefined && onOneBaseline(left, right) && right.start > left.end;
