/** Reads Tesseract's results from its memory. */
import type { PageIterator, ResultIterator, Tesseract } from "../../../wasm/generated/tesseract.js";
import type { Work } from "../work.ts";

/** Pixels, origin at the top left: left, top, right, bottom. */
export type PixelBox = readonly [number, number, number, number];

/** Clockwise quarter turns that bring a page upright. */
export type QuarterTurns = 0 | 1 | 2 | 3;

export interface ReadWord {
  /** Without spaces. */
  readonly text: string;
  readonly box: PixelBox;
  /** 0 to 1. */
  readonly confidence: number;
  /** The language whose model read it. */
  readonly language: string;
  /** The turns that make the word upright. */
  readonly turns: QuarterTurns;
}

/** A line's words in reading order. */
export interface ReadLine {
  readonly words: ReadWord[];
  /** The words, separated by a space where the line has one. */
  text: string;
  /** Whether it starts a paragraph or another block. */
  readonly startsParagraph: boolean;
}

/** A writing direction of Tesseract. */
const TOP_TO_BOTTOM = 2;
export const LEVEL = { paragraph: 1, line: 2, word: 3 } as const;

/** Reads the lines of a page. Yields, since Tesseract takes 150 ms for a page full of words. */
export async function linesOf(core: Tesseract, found: ResultIterator, work: Work): Promise<ReadLine[]> {
  const lines: ReadLine[] = [];
  if (core.getPointer(found) === 0) return lines;
  using memory = intsIn(core);
  let line: ReadLine | undefined;
  /** The text of the line after the words so far. */
  let rest = "";
  let startsParagraph = true;
  found.Begin();
  do {
    await work.pause();
    startsParagraph ||= found.IsAtBeginningOf(LEVEL.paragraph);
    if (found.IsAtBeginningOf(LEVEL.line)) {
      line = undefined;
      rest = plain(found.GetUTF8Text(LEVEL.line));
    }
    const box = memory.box(found, LEVEL.word);
    const text = plain(found.GetUTF8Text(LEVEL.word)).replaceAll(" ", "");
    if (!box || text === "") continue;
    if (!line) {
      lines.push((line = { words: [], text: "", startsParagraph }));
      startsParagraph = false;
    }
    const word: ReadWord = {
      text,
      box,
      confidence: Math.min(1, Math.max(0, found.Confidence(LEVEL.word) / 100)),
      language: found.WordRecognitionLanguage(),
      turns: memory.turns(found),
    };
    const at = rest.indexOf(text);
    const space = line.words.length > 0 && rest.slice(0, Math.max(0, at)).includes(" ");
    if (at >= 0) rest = rest.slice(at + text.length);
    line.text += space ? ` ${text}` : text;
    const last = line.words.at(-1);
    if (!space && last && isHangul(last.text.at(-1)) && isHangul(text[0])) {
      line.words[line.words.length - 1] = joined(last, word);
    } else line.words.push(word);
  } while (found.Next(LEVEL.word));
  core.destroy(found);
  return lines;
}

/** Without direction marks, which the order already implies, and with whitespace as single spaces. */
const plain = (text: string): string =>
  text.replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "").replaceAll(/\s+/gu, " ");

const isHangul = (character: string | undefined): boolean => /\p{Script=Hangul}/u.test(character ?? "");

/** Tesseract treats each Korean syllable as a word. */
function joined(a: ReadWord, b: ReadWord): ReadWord {
  const [n, m] = [a.text.length, b.text.length];
  return {
    ...a,
    text: a.text + b.text,
    box: [
      Math.min(a.box[0], b.box[0]),
      Math.min(a.box[1], b.box[1]),
      Math.max(a.box[2], b.box[2]),
      Math.max(a.box[3], b.box[3]),
    ],
    confidence: (a.confidence * n + b.confidence * m) / (n + m),
  };
}

/** Four ints in the engine's memory, to which its functions write. */
export function intsIn(core: Tesseract) {
  const pointer = core._malloc(16);
  const ints = (): Int32Array => new Int32Array(core.HEAPU8.buffer, pointer, 4);
  return {
    box(at: PageIterator, level: 2 | 3): PixelBox | undefined {
      if (!at.BoundingBox(level, pointer, pointer + 4, pointer + 8, pointer + 12)) return undefined;
      const [left = 0, top = 0, right = 0, bottom = 0] = ints();
      return [left, top, right, bottom];
    },
    /** For Tesseract text rotated by 90 degrees is an upright page written from top to bottom. */
    turns(at: PageIterator): QuarterTurns {
      at.Orientation(pointer, pointer + 4, pointer + 8, pointer + 12);
      const [top = 0, writing = 0] = ints();
      return ((4 - top + (writing === TOP_TO_BOTTOM ? 3 : 0)) % 4) as QuarterTurns;
    },
    [Symbol.dispose]: () => core._free(pointer),
  };
}
