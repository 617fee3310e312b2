import type { Glyph, Segment } from "../../../src/engines/pdf/text/glyphs.ts";

/** Every glyph is 6 points wide, of size 10. */
const [WIDTH, SIZE] = [6, 10];

/** A row of text that begins at `x` and stands at `y`, in points from the top left. */
export function glyphRow(x: number, y: number, text: string): Segment {
  const glyphs = Array.from(text, (letter, at): Glyph => {
    const start = x + at * WIDTH;
    return {
      text: letter,
      box: [0, 0, 0, 0],
      start,
      end: start + WIDTH,
      size: SIZE,
      unspaced: false,
      style: 0,
      baseline: y,
    };
  });
  const line = { direction: [1, 0] as const, vertical: false, baseline: y, block: 0, rightToLeft: false };
  return { glyphs, length: text.length, start: x, end: x + text.length * WIDTH, size: SIZE, ...line };
}
