import type { Segment } from "./glyphs.ts";
import { onOneBaseline } from "./lines.ts";

/** Lines side by side that make columns, at least. */
const LEAST_LINES = 3;
/** Characters of a column's line on average, at least: a table's cells hold fewer. */
const LEAST_CHARACTERS = 18;
/** Columns of a page, at most. */
const MOST_COLUMNS = 12;
/** Width of the gap between columns, in font sizes, at least. */
const LEAST_GUTTER = 0.8;

/**
 * The order in which a person reads. Most files hold their text in it; some write line by line across the columns. Where
 * rows stand in pairs on one baseline, with a gap between them that no row crosses, the left ones come first.
 */
export function inColumns(segments: readonly Segment[], most = MOST_COLUMNS): readonly Segment[] {
  if (most <= 1) return segments;
  const ordered: Segment[] = [];
  for (let at = 0; at < segments.length;) {
    const { to, gutter } = acrossColumns(segments, at);
    const part = segments.slice(at, to);
    const columns =
      gutter === undefined
        ? [part]
        : [
            part.filter(({ end }) => end <= gutter),
            inColumns(
              part.filter(({ end }) => end > gutter),
              most - 1,
            ),
          ];
    for (const column of columns) for (const segment of column) ordered.push(segment);
    at = to;
  }
  return ordered;
}

/** The run of rows from `from` on that are written across one gutter; none where they are a table, or a row alone. */
function acrossColumns(segments: readonly Segment[], from: number): { to: number; gutter: number | undefined } {
  let [low, high] = [-Infinity, Infinity];
  let [pairs, pairedTo, leftLength, rightLength] = [0, from, 0, 0];
  let at = from;
  for (; at < segments.length; at++) {
    const [left, right] = [segments[at], segments[at + 1]];
    if (left === undefined || left.vertical) break;
    const isPair = right !== undefined && isBeside(left, right);
    // A row alone stays on its side of the gutter.
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
