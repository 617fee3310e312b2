/** Finds the recognized words that a page does not already have as visible text. */
import type { OpenPdf } from "../pdf/document/document.ts";
import { readText } from "../pdf/text/text.ts";
import type { RecognizedLine, RecognizedPage } from "./words.ts";

/** The share of a word's box that must be covered by the page's text for that text to count as the word. */
const COVERED = 0.5;

/**
 * The recognized words of a page (0-based), without those whose boxes are more than half covered by existing text, which is
 * searchable itself. Invisible text counts as well, so remove it first. Lines keep their boxes.
 * @throws Refusal `limit_exceeded` as `readText` does
 */
export async function uncoveredWords(open: OpenPdf, index: number, page: RecognizedPage): Promise<RecognizedPage> {
  const [read] = await readText(open, [index], { words: true });
  const texts = (read?.words ?? []).map(({ bbox }) => bbox);
  if (texts.length === 0) return page;
  const lines = page.lines.flatMap((line) => {
    // Most text of a page is on other lines.
    const beside = texts.filter((text) => shared(text, line.bbox) > 0);
    if (beside.length === 0) return [line];
    const words = line.words.filter(({ bbox }) => {
      const covered = beside.reduce((sum, text) => sum + shared(text, bbox), 0);
      return covered <= COVERED * area(bbox);
    });
    return words.length > 0 ? [{ ...line, words }] : [];
  });
  return { ...page, lines };
}

type Box = RecognizedLine["bbox"];

const area = ([x0, y0, x1, y1]: Box): number => (x1 - x0) * (y1 - y0);

function shared(a: Box, b: Box): number {
  const [width, height] = [Math.min(a[2], b[2]) - Math.max(a[0], b[0]), Math.min(a[3], b[3]) - Math.max(a[1], b[1])];
  return width > 0 && height > 0 ? width * height : 0;
}
