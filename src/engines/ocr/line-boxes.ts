/** Where lines are in a picture. */
import type { PixelBox, ReadLine, ReadWord } from "./tesseract-results.ts";

export const readWordsOf = (lines: readonly ReadLine[]): ReadWord[] => lines.flatMap((line) => line.words);

/** The box around lines, of which one at least has words. */
export const boxOfLines = (...lines: readonly ReadLine[]): PixelBox =>
  readWordsOf(lines)
    .map(({ box }) => box)
    .reduce(union);

export const union = (a: PixelBox, b: PixelBox): PixelBox => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];

/** Whether two boxes are on one line: each has its middle between the top and the bottom of the other. */
export function areLevel(a: PixelBox, b: PixelBox): boolean {
  const [one, other] = [(a[1] + a[3]) / 2, (b[1] + b[3]) / 2];
  return one > b[1] && one < b[3] && other > a[1] && other < a[3];
}
