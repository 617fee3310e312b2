/** Words whose letters are set apart, as in headings. */

/** A glyph, by its place along the line in points. */
interface Placed {
  readonly text: string;
  readonly start: number;
  end: number;
  /** Font size in points. */
  readonly size: number;
  readonly unspaced: boolean;
}

/** A gap wider than this, in font sizes, is a space. */
export const SPACE_GAP = 0.15;

/** The widest space between letters, and how much it varies, in font sizes. */
const [MOST_SPACING, SAME_SPACING] = [0.75, 0.06];
/** Letters of a line that are set apart, and of one in which nothing else tells words from letters. */
const [FEWEST, FEWEST_ALONE] = [4, 6];
/** Letters and their marks, or a piece of a word whose letters overlap. */
const LETTERS = /^[\p{L}\p{M}\p{N}\p{P}]{1,3}$/u;
const LETTER = /\p{L}/u;

/**
 * Closes the gaps between letters that are all as wide as each other, so that only wider gaps and the file's own spaces divide words. Changes the
 * ends of glyphs. Letters that are words or cells of their own have no wider gaps next to them, or are far apart.
 */
export function closeLetterSpacing(glyphs: readonly Placed[]): void {
  for (let from = 0; from < glyphs.length;) {
    let to = from + 1;
    while (to < glyphs.length && isApart(glyphs[to - 1], glyphs[to])) to++;
    if (to - from >= FEWEST) closeRun(glyphs.slice(from, to));
    from = to;
  }
}

/** Whether a gap between two pieces of words may be letter spacing, or the space between words that have it. */
function isApart(a: Placed | undefined, b: Placed | undefined): boolean {
  if (a === undefined || b === undefined || a.size !== b.size || a.unspaced || b.unspaced) return false;
  return b.start - a.end > SPACE_GAP * a.size && isPiece(a) && isPiece(b);
}

const isPiece = ({ text }: Placed): boolean => text.trim() === "" || LETTERS.test(text.trim());

function closeRun(run: readonly Placed[]): void {
  const gaps = run.slice(1).map((glyph, index) => {
    const before = run[index];
    // A gap next to a space of the file has no meaning.
    if (before === undefined || before.text.endsWith(" ") || glyph.text.startsWith(" ")) return undefined;
    return (glyph.start - before.end) / glyph.size;
  });
  const measured = gaps.filter((gap) => gap !== undefined).sort((a, b) => a - b);
  const spacing = measured[Math.floor(measured.length / 3)];
  if (spacing === undefined || spacing > MOST_SPACING) return;
  const isSpacing = (gap: number | undefined): boolean => gap !== undefined && Math.abs(gap - spacing) <= SAME_SPACING;
  const closed = gaps.filter(isSpacing).length;
  if (closed < 0.6 * gaps.length || closed < 2) return;
  const hasWords = gaps.some((gap) => gap === undefined || gap > spacing + SPACE_GAP);
  // Words of one letter each are not letter-spaced text.
  if (run.filter(({ text }) => LETTER.test(text)).length < (hasWords ? FEWEST : FEWEST_ALONE)) return;
  for (const [index, gap] of gaps.entries()) {
    const [before, after] = [run[index], run[index + 1]];
    if (before !== undefined && after !== undefined && isSpacing(gap)) before.end = after.start;
  }
}
