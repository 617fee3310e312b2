/** At which scale a page is read best: Tesseract finds and reads lines of some heights well, and others badly or not at all. */
import type { LineSize } from "./tesseract.ts";

/** Lines below this many pixels are read badly (a scan at 125 dpi, 14 pixels: 5 % errors; 17 pixels: 1 %); then they are drawn as high. */
const LOWEST = 16;
const GOOD = 23;
/**
 * Higher lines are cut or lost, and strokes of large Chinese characters are taken for ruling lines; then they are drawn as low
 * (`npm run bench -- --only ocr-grid`).
 */
const HIGHEST = { alphabetic: 45, dense: 33 } as const;
const USUAL = { alphabetic: 30, dense: 28 } as const;
/** Languages whose characters fill the line. */
const DENSE = /^(chi_|jpn|kor)/;
/** Pixels an inch for each pixel of a line's height where letters have 10 to 11 points, as most have. */
const DPI_OF_HEIGHT = 7.2;
const MOST_USUAL_DPI = 300;

/** How many times larger the page is to be drawn. */
export function scaleFor(lines: readonly LineSize[], languages: readonly string[]): number {
  const usual = heightOf(lines, 0.5);
  if (usual < LOWEST) return GOOD / usual;
  const script = languages.some((language) => DENSE.test(language)) ? "dense" : "alphabetic";
  if (usual <= HIGHEST[script]) return 1;
  // Small print among large letters would be lost. A stroke that was taken for a line is no longer than a few letters.
  const isSmallPrint = ({ height, length }: LineSize): boolean =>
    height >= LOWEST && height < usual / 2 && length > 3 * usual;
  return lines.some(isSmallPrint) ? 1 : USUAL[script] / usual;
}

/** The resolution at which lines of this height would have letters of the usual size; no more than scans have. */
export const usualDpi = (lines: readonly LineSize[], scale: number): number =>
  Math.min(MOST_USUAL_DPI, heightOf(lines, 0.5) * scale * DPI_OF_HEIGHT);

/** The height that is reached by all lines but `share` of their whole length: strokes that were taken for lines are short. */
function heightOf(lines: readonly LineSize[], share: number): number {
  const whole = lines.reduce((sum, { length }) => sum + length, 0);
  let sum = 0;
  for (const { height, length } of lines.toSorted((a, b) => a.height - b.height)) {
    sum += length;
    if (sum >= whole * share) return height;
  }
  return GOOD;
}
