/** Lays out text in the box of a field: a single line, several lines, or one character per cell (ISO 32000-2, 12.7.5.3). */
import { type Face, lineOf, type SetLine } from "./field-fonts.ts";
import type { NameResource } from "../content/operands.ts";

export interface TextBox {
  /** Size of the appearance's box in points. */
  readonly width: number;
  readonly height: number;
  /** Points between the box and its content. */
  readonly inset: number;
  /** Points. 0 means automatic. */
  readonly size: number;
  readonly align: "left" | "center" | "right";
  readonly multiline: boolean;
  /** Number of cells of a comb. */
  readonly cells: number | undefined;
}

/** Returns the operators of the text, drawn in the current color. */
export type DrawText = (name: NameResource) => string;

/** Points between the ends of the text and the inset. */
const MARGIN = 1;
/** The smallest automatic font size, and the largest for multiline text, as in other programs. */
const SMALLEST = 4;
const LARGEST_OF_LINES = 12;
const SHRINK_STEP = 0.5;
/** Most characters that are laid out: more than fit on a page at the smallest size. */
const MOST_SHOWN = 60_000;
/** Line height as a multiple of the font size. */
const LEADING = 1.16;

/** Lays out a text without control characters except line feeds. */
export async function layOutText(face: Face, text: string, box: TextBox): Promise<DrawText> {
  const plain = text
    .slice(0, MOST_SHOWN)
    .replace(/[\ud800-\udbff]$/, "")
    .replaceAll("\t", " ");
  if (plain === "") return () => "";
  if (box.cells !== undefined) return layOutComb(face, plain, box, box.cells);
  return box.multiline ? layOutLines(face, plain, box) : layOutLine(face, plain, box);
}

async function layOutLine(face: Face, text: string, box: TextBox): Promise<DrawText> {
  const line = lineOf(await face.set([text]), text);
  const room = Math.max(box.width - 2 * (box.inset + MARGIN), 1);
  const fitting = Math.min(fittingHeight(face, box), line.width > 0 ? (room / line.width) * 1000 : Infinity);
  const size = box.size > 0 ? Math.min(box.size, highest(face, box)) : Math.max(fitting, SMALLEST);
  const x = startOf(line, size, box);
  const y = middleBaseline(face, size, box);
  return (name) => line.show(size, x, y, name);
}

/** The font size at which one line fills the height. */
function fittingHeight({ ascent, descent }: Face, { height, inset }: TextBox): number {
  return Math.max(height - 2 * inset, 1) / (Math.max(ascent + descent, 1) * LEADING);
}

/** The font size at which one line just fits. Larger text would be illegible. */
function highest({ ascent, descent }: Face, { height }: TextBox): number {
  return Math.max(height / (ascent + descent), SMALLEST);
}

function middleBaseline({ ascent, descent }: Face, size: number, { height }: TextBox): number {
  return height / 2 - ((ascent - descent) / 2) * size;
}

/** Where a line begins. A line that is too long shows its beginning. */
function startOf({ width }: SetLine, size: number, box: TextBox): number {
  const start = box.inset + MARGIN;
  const room = box.width - 2 * start - (width * size) / 1000;
  if (room <= 0) return start;
  return start + { left: 0, center: room / 2, right: room }[box.align];
}

async function layOutComb(face: Face, text: string, box: TextBox, cells: number): Promise<DrawText> {
  const characters = graphemes(text);
  const lines = await face.set(characters);
  const cell = box.width / cells;
  const widest = Math.max(...characters.map((character) => lineOf(lines, character).width));
  const fitting = Math.min(fittingHeight(face, box), widest > 0 ? (cell / widest) * 1000 : Infinity);
  const size = box.size > 0 ? box.size : Math.max(Math.min(fitting, LARGEST_OF_LINES), SMALLEST);
  const y = middleBaseline(face, size, box);
  const empty = Math.max(cells - characters.length, 0);
  const first = { left: 0, center: Math.floor(empty / 2), right: empty }[box.align];
  const shown = RIGHT_TO_LEFT.test(text) ? characters.toReversed() : characters;
  return (name) =>
    shown
      .map((character, index) => {
        const line = lineOf(lines, character);
        return line.show(size, (first + index + 0.5) * cell - (line.width * size) / 2000, y, name);
      })
      .join(" ");
}

const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u;

async function layOutLines(face: Face, text: string, box: TextBox): Promise<DrawText> {
  const words = await measure(face, text);
  const room = Math.max(box.width - 2 * (box.inset + MARGIN), 1);
  const height = Math.max(box.height - 2 * box.inset, 1);
  let size = box.size > 0 ? Math.min(box.size, highest(face, box)) : LARGEST_OF_LINES;
  let rows = words.wrap((room / size) * 1000);
  while (box.size === 0 && size > SMALLEST && heightOf(rows.length, size, face) > height) {
    size -= SHRINK_STEP;
    rows = words.wrap((room / size) * 1000);
  }
  const above = Math.min(box.inset + MARGIN, Math.max(0, box.height - (face.ascent + face.descent) * size) / 2);
  const top = box.height - above - face.ascent * size;
  const visible = rows.slice(0, Math.max(1, Math.ceil(height / (size * LEADING)) + 1));
  const lines = await face.set(visible.filter((row) => row !== ""));
  return (name) =>
    visible
      .map((row, index) => {
        const line = lineOf(lines, row);
        return line.show(size, startOf(line, size, box), top - index * size * LEADING, name);
      })
      .filter((operators) => operators !== "")
      .join(" ");
}

const heightOf = (rows: number, size: number, { ascent, descent }: Face): number =>
  (rows - 1) * size * LEADING + (ascent + descent) * size + 2 * MARGIN;

interface Words {
  /** Breaks lines to a width in thousandths of the font size. Only single letters may be wider. */
  wrap(width: number): string[];
}

/** A piece of text without a line break, and the whitespace after it. */
interface Piece {
  readonly text: string;
  readonly space: string;
}

async function measure(face: Face, text: string): Promise<Words> {
  const paragraphs = text.split("\n").map(piecesOf);
  const pieces = paragraphs.flat();
  const letters = graphemes(text.replaceAll("\n", ""));
  // Whitespace alone has no glyphs to measure.
  const lines = await face.set([...new Set([...pieces.map((piece) => piece.text), ...letters, "n n", "nn"])]);
  const widthOf = (part: string): number => lineOf(lines, part).width;
  const space = widthOf("n n") - widthOf("nn");
  return {
    wrap: (width) => paragraphs.flatMap((paragraph) => wrapParagraph(paragraph, width, widthOf, space)),
  };
}

function wrapParagraph(
  pieces: readonly Piece[],
  width: number,
  widthOf: (text: string) => number,
  space: number,
): string[] {
  const rows: string[] = [];
  let [row, used] = ["", 0];
  const end = (): void => {
    rows.push(row.trimEnd());
    [row, used] = ["", 0];
  };
  for (const { text, space: behind } of pieces) {
    const wide = widthOf(text);
    if (row !== "" && used + wide > width) end();
    if (wide <= width) {
      row += text;
      used += wide;
    } else {
      // A word wider than the box is broken between letters.
      for (const letter of graphemes(text)) {
        const letterWidth = widthOf(letter);
        if (row !== "" && used + letterWidth > width) end();
        row += letter;
        used += letterWidth;
      }
    }
    row += behind;
    used += behind.length * space;
  }
  rows.push(row.trimEnd());
  return rows;
}

/** Scripts that are written without spaces between words. */
const IDEOGRAPHIC = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
const SPACELESS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Characters that must not start a line. */
const CLOSING = /^[\p{Pe}\p{Pf}、。，．・：；？！ーぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;

function piecesOf(paragraph: string): Piece[] {
  const found = Array.from(paragraph.matchAll(/(\S*)(\s*)/gu), ([, text = "", space = ""]) => ({ text, space }));
  return found
    .filter(({ text, space }) => text !== "" || space !== "")
    .flatMap(({ text, space }) => {
      const parts = splitWord(text);
      return parts.map((part, index) => ({ text: part, space: index === parts.length - 1 ? space : "" }));
    });
}

function splitWord(word: string): string[] {
  if (SPACELESS.test(word)) return Array.from(wordSegments.segment(word), ({ segment }) => segment);
  if (!IDEOGRAPHIC.test(word)) return [word];
  const parts: string[] = [];
  for (const letter of graphemes(word)) {
    const last = parts.at(-1);
    const joins =
      last !== undefined && (CLOSING.test(letter) || (!IDEOGRAPHIC.test(letter) && !IDEOGRAPHIC.test(last)));
    if (joins) parts[parts.length - 1] = last + letter;
    else parts.push(letter);
  }
  return parts;
}

const wordSegments = new Intl.Segmenter("th", { granularity: "word" });
const graphemeSegments = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Splits text into user-perceived characters. */
function graphemes(text: string): string[] {
  return Array.from(graphemeSegments.segment(text), ({ segment }) => segment);
}
