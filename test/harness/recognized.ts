/** Words as a recognizer would give them. */
import type { RecognizedLine, RecognizedPage, RecognizedWord } from "../../src/engines/ocr/words.ts";

type Rotation = RecognizedPage["rotation"];

/** A line of a page that stands upright: words in the order in which they are read. */
export interface Written {
  readonly text: string;
  /** Where it begins, points from the top left; a right-to-left one from the right edge. */
  readonly x: number;
  readonly top: number;
  readonly rightToLeft?: boolean;
}

export const HEIGHT = 14;
export const ADVANCE = 8;
export const GAP = 5;

/** Lines on a page that must be turned by `rotation` to be read; `width` and `height` are those of the page as it is seen. */
export function recognized(
  written: readonly Written[],
  { width, height, rotation }: { width: number; height: number; rotation: Rotation },
): RecognizedPage {
  const across = rotation % 180 === 0 ? width : height;
  const seen = (box: RecognizedWord["bbox"]): RecognizedWord["bbox"] => {
    const corner = (x: number, y: number): readonly [number, number] =>
      rotation === 0
        ? [x, y]
        : rotation === 90
          ? [y, height - x]
          : rotation === 180
            ? [width - x, height - y]
            : [width - y, x];
    const [[ax, ay], [bx, by]] = [corner(box[0], box[1]), corner(box[2], box[3])];
    return [Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by)];
  };
  const lines = written.map(({ text, x, top, rightToLeft }): RecognizedLine => {
    let at = x;
    const words = text.split(" ").map((word): RecognizedWord => {
      const length = Array.from(word).length * ADVANCE;
      const left = rightToLeft ? across - at - length : at;
      at += length + GAP;
      return { text: word, bbox: seen([left, top, left + length, top + HEIGHT]), confidence: 0.9 };
    });
    const boxes = words.map(({ bbox }) => bbox);
    const edge = (index: 0 | 1 | 2 | 3, pick: (...values: number[]) => number): number =>
      pick(...boxes.map((box) => box[index]));
    return { words, bbox: [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)] };
  });
  return { rotation, lines };
}
