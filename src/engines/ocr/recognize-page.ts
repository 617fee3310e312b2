import { hundredths } from "../geometry.ts";
import { scaleFor, usualDpi, usualHeight } from "./line-height.ts";
import type { PagePicture, PictureView } from "./page-picture.ts";
import type { TextRecognizer } from "./tesseract.ts";
import { withNumberRows } from "./number-rows.ts";
import { certaintyOf, withUnreadLines } from "./unread-lines.ts";
import type { QuarterTurns, ReadLine, ReadWord } from "./tesseract-results.ts";
import type { RecognizedLine, RecognizedPage, RecognizedWord } from "./words.ts";

/** A recognized page and the facts reported about it. */
export interface PageReading extends RecognizedPage {
  /** Lines end with `\n`; paragraphs are separated by an empty line. */
  readonly text: string;
  /** Mean confidence of the words, 0 to 1; 0 if there are none. */
  readonly confidence: number;
  /** The languages in which its words were read. */
  readonly languages: ReadonlySet<string>;
}

/**
 * Pixels per inch. For letters of the usual size, a higher resolution costs more and finds nothing more (`npm run measure -- bench --
 * --only ocr`).
 */
const DPI = 200;
/** A higher resolution only blurs. */
const MOST_ENLARGED = 3;
/** Most layout analyses of a page, each at a different scale. */
const MOST_ANALYSES = 4;
/** How much taller than its resolution implies lines may be on an image that has no resolution of its own. */
const MOST_AMISS = 1.5;
/** Minimum resolution of scanners, in pixels per inch. */
const LEAST_SCAN_DPI = 100;
/** Length of A4's long side in points. */
const LONG_SIDE = 842;
/** Degrees: side-by-side lines with more skew are read in the wrong order. */
const LEVEL_ENOUGH = 0.3;
/** Lines that become level have ink on fewer rows; on so many times as many, they were level before. */
const MOST_SPREAD = 1.2;
/** Text read upside down has a confidence of 0.3 to 0.4, text read correctly 0.8 and more. */
const DOUBTFUL = 0.65;
/** By how much another direction must be more confident. */
const SURER = 0.15;
/** Degrees clockwise, most likely first. Tesseract reads text rotated by 90 degrees without help. */
const OTHER_TURNS = [180, 90, 270] as const;
/** A page with low confidence in every direction is read again at this fraction of its resolution. */
const OTHER_SCALE = 0.7;
/** Number of lines with which another direction is tried. */
const SAMPLE_LINES = 6;
/** Points around them: letters that touch an edge are not recognized. */
const SAMPLE_MARGIN = 12;

/**
 * Recognizes a page: drawn at the resolution its letters need, with level lines, upright. Pages are independent of each
 * other. The languages of `recognizer` must be open.
 * @throws Refusal `limit_exceeded`, `overloaded` (memory); RecognitionFailure
 */
export async function recognizePage(picture: PagePicture, recognizer: TextRecognizer): Promise<PageReading> {
  // A scan contains no more detail than its own pixels.
  const own = picture.scanDpi ?? DPI;
  // Images without a resolution become pages at 72 or 96 dpi, much larger than the original.
  const shrunk = own < LEAST_SCAN_DPI ? Math.max(1, Math.max(picture.width, picture.height) / LONG_SIDE) : 1;
  const dpi = Math.min(DPI / shrunk, own, picture.mostDpi);
  const first = await readView(picture, recognizer, {
    dpi,
    turn: 0,
    ...(own < LEAST_SCAN_DPI && { readAs: dpi * shrunk }),
  });
  if (first.lineCount === 0 || first.certainty >= DOUBTFUL) return readingOf(picture, first);
  const sample = sampleOf(picture, first);
  let best = { turn: 0, certainty: first.certainty + SURER };
  for (const turn of OTHER_TURNS) {
    const { certainty } = await readView(picture, recognizer, { ...sample, turn });
    if (certainty > best.certainty) best = { turn, certainty };
    if (certainty >= DOUBTFUL) break;
  }
  const other = best.turn === 0 ? { dpi: first.view.dpi * OTHER_SCALE } : { turn: best.turn };
  const second = await readView(picture, recognizer, { ...first.view, turn: 0, ...other });
  return readingOf(picture, second.certainty > first.certainty ? second : first);
}

/** The part of a page with the most text on a few lines. */
function sampleOf(picture: PagePicture, { view, lines }: ViewReading): Omit<PictureView, "turn"> {
  const place = picture.boxIn(view);
  const letters = lines.map(({ words }) => words.reduce((sum, { text }) => sum + text.length, 0));
  let [start, most] = [0, 0];
  for (let at = 0; at < lines.length; at++) {
    const found = letters.slice(at, at + SAMPLE_LINES).reduce((sum, count) => sum + count, 0);
    if (found > most) [start, most] = [at, found];
  }
  const words = lines.slice(start, start + SAMPLE_LINES).flatMap((line) => line.words);
  if (words.length === 0) return view;
  const [x0, y0, x1, y1] = around(words.map(({ box }) => place(box)));
  return { ...view, part: [x0 - SAMPLE_MARGIN, y0 - SAMPLE_MARGIN, x1 + SAMPLE_MARGIN, y1 + SAMPLE_MARGIN] };
}

/** The result of reading one view of a page. */
interface ViewReading {
  readonly view: PictureView;
  readonly lines: readonly ReadLine[];
  /** Number of detected lines, readable or not. */
  readonly lineCount: number;
  /** Mean over the words. */
  readonly confidence: number;
  /** Mean over the letters. */
  readonly certainty: number;
}

async function readView(picture: PagePicture, recognizer: TextRecognizer, wanted: PictureView): Promise<ViewReading> {
  let view = wanted;
  let layout = await recognizer.analyzeLayout(picture.raster(view));
  const { skew, lines: seen, ink } = layout;
  let turn = wanted.turn + (Math.abs(skew) > LEVEL_ENOUGH ? skew : 0);
  const mostDpi = Math.min(wanted.dpi * MOST_ENLARGED, picture.mostDpi);
  for (let looks = 1; looks < MOST_ANALYSES; looks++) {
    const height = usualHeight(layout.lines, recognizer.languages);
    const scale = scaleFor(layout.lines, height, recognizer.languages);
    const dpi = Math.min(mostDpi, view.dpi * scale);
    const drawnAs = ((view.readAs ?? view.dpi) * dpi) / view.dpi;
    const usual = usualDpi((height * dpi) / view.dpi);
    const amiss = wanted.readAs !== undefined && seen.length > 0 && usual > drawnAs * MOST_AMISS;
    if (dpi === view.dpi && turn === view.turn && !amiss) break;
    view = { ...view, dpi, turn, readAs: dpi < view.dpi || amiss ? usual : drawnAs };
    layout = await recognizer.analyzeLayout(picture.raster(view));
    // The slope of a few letters is no evidence about the page.
    if (turn !== wanted.turn && layout.ink.inkedRows > ink.inkedRows * MOST_SPREAD) turn = wanted.turn;
  }
  const read = await recognizer.read();
  const show = (scale: number): Promise<void> =>
    recognizer.load(picture.raster({ ...view, dpi: view.dpi * scale, readAs: (view.readAs ?? view.dpi) * scale }));
  const page = { ink: layout.ink, dpi: view.dpi, mostScale: picture.mostDpi / view.dpi, show };
  // A page without readable text is turned in another direction, and a sample only shows how well its letters are read.
  const isReadable = read.length <= SAMPLE_LINES || certaintyOf(read) >= DOUBTFUL;
  const whole = isReadable && !wanted.part ? await withUnreadLines(page, read, recognizer) : read;
  const lines = withNumberRows(whole);
  const words = lines.flatMap((line) => line.words);
  return {
    view,
    lines,
    lineCount: seen.length,
    confidence: words.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, words.length),
    certainty: certaintyOf(lines),
  };
}

function readingOf(picture: PagePicture, { view, lines, confidence }: ViewReading): PageReading {
  const place = picture.boxIn(view);
  const words = lines.flatMap((line) => line.words);
  const turned = Math.round(view.turn / 90) + commonTurns(words);
  return {
    rotation: ((turned % 4) * 90) as RecognizedPage["rotation"],
    lines: lines.map((line): RecognizedLine => {
      const placed = line.words.map(({ text, box, confidence }): RecognizedWord => ({
        text,
        bbox: place(box).map(hundredths) as unknown as RecognizedWord["bbox"],
        confidence,
      }));
      return { words: placed, bbox: around(placed.map(({ bbox }) => bbox)) };
    }),
    text: lines.map((line, index) => (index === 0 ? "" : line.startsParagraph ? "\n\n" : "\n") + line.text).join(""),
    confidence,
    languages: new Set(words.map(({ language }) => language)),
  };
}

/** Tesseract itself reads text that is rotated by 90 degrees. */
function commonTurns(words: readonly ReadWord[]): QuarterTurns {
  const letters = [0, 0, 0, 0];
  for (const { text, turns } of words) letters[turns] = (letters[turns] ?? 0) + text.length;
  return letters.indexOf(Math.max(...letters)) as QuarterTurns;
}

function around(boxes: readonly RecognizedLine["bbox"][]): RecognizedLine["bbox"] {
  return [
    Math.min(...boxes.map(([x0]) => x0)),
    Math.min(...boxes.map(([, y0]) => y0)),
    Math.max(...boxes.map(([, , x1]) => x1)),
    Math.max(...boxes.map(([, , , y1]) => y1)),
  ];
}
