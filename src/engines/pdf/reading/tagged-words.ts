/** The words of marked content, in the order in which they are read. */
import type { VisibleBox } from "../../geometry.ts";
import { pageBox } from "../layout/blocks.ts";
import { type Direction, isSameDirection } from "../layout/page.ts";
import { type Area, areaOf, distinctWords, type Row, rowsOf, textOfRow, type Word } from "../layout/words.ts";
import type { Segment } from "../text/glyphs.ts";

/** Words that are read in one direction. */
export interface TaggedPiece {
  readonly words: readonly Word[];
  readonly direction: Direction;
}

export function taggedPiecesOf(segments: readonly Segment[]): TaggedPiece[] {
  const groups: { direction: Direction; segments: Segment[] }[] = [];
  for (const segment of segments) {
    const last = groups.at(-1);
    if (last !== undefined && isSameDirection(last.direction, segment.direction)) last.segments.push(segment);
    else groups.push({ direction: segment.direction, segments: [segment] });
  }
  return groups.map(({ direction, segments: own }) => ({ direction, words: distinctWords(own) }));
}

/** How far up the next word is, in font sizes, where the text continues in another column, and how far a raised one may be. */
const [UP, RAISED] = [0.5, 1.5];

/** The rows of pieces, one column after the other. */
export function rowsOfPieces(pieces: readonly TaggedPiece[]): Row[] {
  const rows: Row[] = [];
  let run: Word[] = [];
  const end = (): void => {
    if (run.length > 0) rows.push(...rowsOf(run));
    run = [];
  };
  let direction: Direction | undefined;
  for (const piece of pieces) {
    if (direction !== undefined && !isSameDirection(direction, piece.direction)) end();
    direction = piece.direction;
    for (const word of piece.words) {
      const last = run.at(-1);
      if (last !== undefined) {
        const size = Math.max(last.size, word.size);
        const isAlike = Math.min(last.size, word.size) > 0.85 * size;
        if (last.baseline - word.baseline > (isAlike ? UP : RAISED) * size) end();
      }
      run.push(word);
    }
  }
  end();
  return rows;
}

export function boxOfPieces(pieces: readonly TaggedPiece[]): VisibleBox | undefined {
  return unionOfBoxes(
    pieces.filter(({ words }) => words.length > 0).map(({ words, direction }) => pageBox(areaOf(words), direction)),
  );
}

export function unionOfBoxes(boxes: readonly VisibleBox[]): VisibleBox | undefined {
  if (boxes.length === 0) return undefined;
  const { x0, y0, x1, y1 } = areaOf(
    boxes.map(([left, top, right, bottom]): Area => ({ x0: left, y0: top, x1: right, y1: bottom })),
  );
  return [x0, y0, x1, y1];
}

export const textOfPieces = (pieces: readonly TaggedPiece[]): string =>
  rowsOfPieces(pieces)
    .map((row) => textOfRow(row.words))
    .join(" ")
    .trim();

/** Size in points of text that replaces a picture. */
const DEFAULT_SIZE = 10;

/** A piece with the text `text` in the place of others, or in this area if there are none. */
export function pieceInPlace(text: string, pieces: readonly TaggedPiece[], area: Area | undefined): TaggedPiece[] {
  const [first] = pieces.filter(({ words }) => words.length > 0);
  const start = first?.words[0];
  if (text.trim() === "" || (start === undefined && area === undefined)) return [];
  const line =
    start && first ? first.words.filter((word) => Math.abs(word.baseline - start.baseline) < UP * start.size) : [];
  const { x0, y0, x1, y1 } = line.length > 0 ? areaOf(line) : (area ?? { x0: 0, y0: 0, x1: 0, y1: 0 });
  const [baseline, size] = start === undefined ? [y1, DEFAULT_SIZE] : [start.baseline, start.size];
  const [sample] = start?.glyphs ?? [];
  const glyph = {
    text: text.replaceAll(/\s+/g, " "),
    box: [x0, y0, x1, y1] as VisibleBox,
    start: x0,
    end: x1,
    size,
    unspaced: sample?.unspaced ?? false,
    style: sample?.style ?? 0,
    baseline,
  };
  const word: Word = {
    glyphs: [glyph],
    text: glyph.text.trim(),
    x0,
    x1,
    y0,
    y1,
    baseline,
    size,
    rightToLeft: start?.rightToLeft ?? false,
    vertical: start?.vertical ?? false,
  };
  return [{ words: [word], direction: first?.direction ?? [1, 0] }];
}
