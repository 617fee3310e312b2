/**
 * Chooses the scale at which to read a page: Tesseract reads lines of some heights well, and others poorly or not at all.
 */
import type { LineSize } from "./tesseract.ts";

/**
 * Lines below this height in pixels are read poorly (a scan at 125 dpi: 5 % errors at 14 pixels, 1 % at 17 pixels), so they
 * are enlarged to it.
 */
const LOWEST = 16;
const GOOD = 23;
/**
 * Taller lines are split or lost, and strokes of large Chinese characters are mistaken for rules, so they are reduced to
 * this height (`npm run bench -- --only ocr-grid`).
 */
const HIGHEST = { alphabetic: 45, dense: 33 } as const;
const USUAL = { alphabetic: 30, dense: 28 } as const;
/** Languages whose characters fill the line height. */
const DENSE = /^(chi_|jpn|kor)/;
/** Pixels per inch per pixel of line height for letters of 10 to 11 points, the most common size. */
const DPI_OF_HEIGHT = 7.2;
const MOST_USUAL_DPI = 300;

/** The factor by which to scale the page. */
export function scaleFor(lines: readonly LineSize[], languages: readonly string[]): number {
  const usual = heightOf(lines, 0.5);
  if (usual < LOWEST) return GOOD / usual;
  const script = languages.some((language) => DENSE.test(language)) ? "dense" : "alphabetic";
  if (usual <= HIGHEST[script]) return 1;
  // Small print among large letters would be lost. A stroke mistaken for a line is no longer than a few letters.
  const isSmallPrint = ({ height, length }: LineSize): boolean =>
    height >= LOWEST && height < usual / 2 && length > 3 * usual;
  return lines.some(isSmallPrint) ? 1 : USUAL[script] / usual;
}

/** The resolution at which lines of this height would have letters of the usual size, up to that of scans. */
export const usualDpi = (lines: readonly LineSize[], scale: number): number =>
  Math.min(MOST_USUAL_DPI, heightOf(lines, 0.5) * scale * DPI_OF_HEIGHT);

/** The height up to which lines make up `share` of the total length: strokes mistaken for lines are short. */
function heightOf(lines: readonly LineSize[], share: number): number {
  const whole = lines.reduce((sum, { length }) => sum + length, 0);
  let sum = 0;
  for (const { height, length } of lines.toSorted((a, b) => a.height - b.height)) {
    sum += length;
    if (sum >= whole * share) return height;
  }
  return GOOD;
}
