/** What Tesseract found, out of its memory. */
import type { PageIterator, ResultIterator, Tesseract } from "../../../wasm/generated/tesseract.js";

/** Pixels, origin top-left: left, top, right, bottom. */
export type PixelBox = readonly [number, number, number, number];

/** Quarter turns clockwise that bring a page upright. */
export type QuarterTurns = 0 | 1 | 2 | 3;

export interface ReadWord {
  /** Without spaces. */
  readonly text: string;
  readonly box: PixelBox;
  /** 0 to 1. */
  readonly confidence: number;
  /** The language whose model read it. */
  readonly language: string;
  /** What would make the word upright. */
  readonly turns: QuarterTurns;
}

/** A line's words in reading order. */
export interface ReadLine {
  readonly words: ReadWord[];
  /** Whether a paragraph or another block begins with it. */
  readonly startsParagraph: boolean;
}

export const LEVEL = { paragraph: 1, line: 2, word: 3 } as const;

/** Tesseract tells where the top of the page is: up, right, down, left. */
function turnsFor(top: number): QuarterTurns {
  return ((4 - top) % 4) as QuarterTurns;
}

export function linesOf(core: Tesseract, found: ResultIterator): ReadLine[] {
  const lines: ReadLine[] = [];
  if (core.getPointer(found) === 0) return lines;
  using memory = intsIn(core);
  let line: ReadLine | undefined;
  let startsParagraph = true;
  found.Begin();
  do {
    startsParagraph ||= found.IsAtBeginningOf(LEVEL.paragraph);
    if (found.IsAtBeginningOf(LEVEL.line)) line = undefined;
    const box = memory.box(found, LEVEL.word);
    const text = found.GetUTF8Text(LEVEL.word).replaceAll(/\s/gu, "");
    if (!box || text === "") continue;
    if (!line) {
      lines.push((line = { words: [], startsParagraph }));
      startsParagraph = false;
    }
    line.words.push({
      text,
      box,
      confidence: Math.min(1, Math.max(0, found.Confidence(LEVEL.word) / 100)),
      language: found.WordRecognitionLanguage(),
      turns: turnsFor(memory.pageTop(found)),
    });
  } while (found.Next(LEVEL.word));
  core.destroy(found);
  return lines;
}

/** Four ints of the engine's memory, which its functions write to. */
export function intsIn(core: Tesseract) {
  const pointer = core._malloc(16);
  const ints = (): Int32Array => new Int32Array(core.HEAPU8.buffer, pointer, 4);
  return {
    box(at: PageIterator, level: 2 | 3): PixelBox | undefined {
      if (!at.BoundingBox(level, pointer, pointer + 4, pointer + 8, pointer + 12)) return undefined;
      const [left = 0, top = 0, right = 0, bottom = 0] = ints();
      return [left, top, right, bottom];
    },
    pageTop(at: PageIterator): number {
      at.Orientation(pointer, pointer + 4, pointer + 8, pointer + 12);
      return ints()[0] ?? 0;
    },
    [Symbol.dispose]: () => core._free(pointer),
  };
}
