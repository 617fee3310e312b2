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
 * this height (`npm run measure -- bench --only ocr-grid`).
 */
const HIGHEST = { alphabetic: 45, dense: 33 } as const;
const USUAL = { alphabetic: 30, dense: 28 } as const;
/** Languages whose characters fill the line height. */
const DENSE = /^(chi_|jpn|kor)/;
/** Pixels per inch per pixel of line height for letters of 10 to 11 points, the most common size. */
const DPI_OF_HEIGHT = 7.2;
const MOST_USUAL_DPI = 300;

/** Length in heights up to which a line may be a stroke of a large character. */
const LONGEST_STROKE = { alphabetic: 3, dense: 5 } as const;

const scriptOf = (languages: readonly string[]): "alphabetic" | "dense" =>
  languages.some((language) => DENSE.test(language)) ? "dense" : "alphabetic";

/** The factor by which to scale the page. `usual`: the usual height of its lines. */
export function scaleFor(lines: readonly LineSize[], usual: number, languages: readonly string[]): number {
  if (usual < LOWEST) return GOOD / usual;
  const script = scriptOf(languages);
  if (usual <= HIGHEST[script]) return 1;
  // Small print among large letters would be lost.
  const isSmallPrint = ({ height, length }: LineSize): boolean =>
    height >= LOWEST && height < usual / 2 && length > LONGEST_STROKE[script] * usual;
  return lines.some(isSmallPrint) ? 1 : USUAL[script] / usual;
}

/** The resolution at which lines of this height would have letters of the usual size, up to that of scans. */
export const usualDpi = (height: number): number => Math.min(MOST_USUAL_DPI, height * DPI_OF_HEIGHT);

/**
 * The height up to which lines make up half of the total length: strokes mistaken for lines are short. A large Chinese character has
 * many of them, but they cover little area.
 */
export function usualHeight(lines: readonly LineSize[], languages: readonly string[]): number {
  const weigh = ({ height, length }: LineSize): number => (scriptOf(languages) === "dense" ? length * height : length);
  const whole = lines.reduce((sum, line) => sum + weigh(line), 0);
  let sum = 0;
  for (const line of lines.toSorted((a, b) => a.height - b.height)) {
    sum += weigh(line);
    if (sum >= whole / 2) return line.height;
  }
  return GOOD;
}
