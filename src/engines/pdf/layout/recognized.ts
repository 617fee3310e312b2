/** The blocks of a page whose text was recognized: words with boxes take the place of glyphs. */
import { isRightToLeft, isUnspaced } from "../text/characters.ts";
import type { VisibleBox as Box } from "../../geometry.ts";
import type { Glyph, Segment } from "../text/glyphs.ts";
import type { Steps } from "../../steps.ts";
import { blocksOf, type RawBlock } from "./blocks.ts";
import { type Direction, layoutOf } from "./page.ts";
import { median } from "./words.ts";

type Corners = readonly [number, number, number, number];

/** The text that is read of a page of a scan. `rotation` makes the page readable, in degrees clockwise. Boxes in points from the top left. */
interface Recognized {
  readonly rotation: 0 | 90 | 180 | 270;
  readonly lines: readonly {
    readonly words: readonly { readonly text: string; readonly bbox: Corners }[];
    readonly bbox: Corners;
  }[];
}

/** The direction in which text is read on a page that has to be rotated by this many degrees. */
const DIRECTIONS: Readonly<Record<Recognized["rotation"], Direction>> = {
  0: [1, 0],
  90: [0, -1],
  180: [-1, 0],
  270: [0, 1],
};
/** The height of a line in font sizes, and how much a size may differ from that of most lines to be the same. */
const [LINE_HEIGHT, SAME_SIZE] = [0.93, 0.3];

export function* recognizedBlocks({ rotation, lines }: Recognized, bounds: Box): Steps<RawBlock[]> {
  const direction = DIRECTIONS[rotation];
  const heights = lines.map(({ bbox }) => extent(bbox, across(direction)).length / LINE_HEIGHT);
  const usual = median(lines.flatMap(({ words }, at) => words.map(() => heights[at] ?? 0)));
  const segments = lines.flatMap(({ words }, block) => {
    const height = heights[block] ?? usual;
    // Lines without tall letters are lower.
    const size = Math.abs(height - usual) < SAME_SIZE * usual || height < usual ? usual : height;
    return words.length === 0 ? [] : [segmentOf(words, { direction, size, block })];
  });
  return yield* blocksOf(yield* layoutOf({ bounds, segments, drawn: [], images: [], links: [] }), bounds);
}

const across = ([dx, dy]: Direction): Direction => [-dy, dx];

/** Where a box is along a direction. */
function extent([x0, y0, x1, y1]: Corners, [dx, dy]: Direction): { start: number; end: number; length: number } {
  const [a, b] = [x0 * dx + y0 * dy, x1 * dx + y1 * dy];
  const [start, end] = [Math.min(a, b), Math.max(a, b)];
  return { start, end, length: end - start };
}

function segmentOf(
  words: Recognized["lines"][number]["words"],
  { direction, size, block }: { direction: Direction; size: number; block: number },
): Segment {
  const baseline = median(words.map(({ bbox }) => extent(bbox, across(direction)).end));
  const rightToLeft = words.some(({ text }) =>
    Array.from(text).some((letter) => isRightToLeft(letter.codePointAt(0) ?? 0)),
  );
  const glyphs = words.map(({ text, bbox }): Glyph => {
    const unspaced = isUnspaced(text.codePointAt(0) ?? 0);
    const { start, end } = extent(bbox, direction);
    return { text: unspaced ? text : `${text} `, box: [...bbox], start, end, size, unspaced, style: 0, baseline };
  });
  return {
    glyphs,
    length: words.reduce((sum, { text }) => sum + text.length, 0),
    direction,
    vertical: false,
    baseline,
    start: Math.min(...glyphs.map(({ start }) => start)),
    end: Math.max(...glyphs.map(({ end }) => end)),
    size,
    rightToLeft,
    block,
  };
}
