/** Text in the form in which it is searched: as a reader sees it, independent of the characters in the file. */

/** Folded text, and the place in the source that each of its UTF-16 units comes from. */
export interface FoldedText {
  readonly text: string;
  /** By UTF-16 unit: the index of the piece that it comes from. */
  readonly origins: readonly number[];
}

/** Quotation marks and dashes that readers take for one another. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032\u02bc]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212\u00ad]/g, "-"],
];

/** Characters without a shape of their own: joiners, directional marks, byte order marks. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu;

/** Whether a text has only characters that folding keeps: most have. */
export const isFolded = (text: string): boolean => /^[\x20-\x7e\n]*$/.test(text);

/**
 * Folds a piece of text: compatibility decomposition (so that ligatures are letters, and accents characters of their own), one kind of
 * quotation mark and dash, a space for all white space. Line feeds stay.
 */
export function fold(piece: string): string {
  if (isFolded(piece)) return piece;
  let text = piece.replaceAll(/\r\n?/g, "\n").normalize("NFKD");
  for (const [marks, mark] of SAME) text = text.replaceAll(marks, mark);
  return text
    .replaceAll(/[^\S\n]/gu, " ")
    .replaceAll("\n", "\ufffc")
    .replaceAll(INVISIBLE, "")
    .replaceAll("\ufffc", "\n");
}

/**
 * Ends between the glyphs of a page, as characters that no text of a page has, except the line feed. They are the ends of a line whose text
 * continues in the next one, any other line, a cell of a table, and text unrelated to the rest.
 */
export const ENDS = { "goes on": "\n", line: "\u2029", cell: "\ufdd1", apart: "\ufdd2" } as const;

/** Folds pieces: the characters of a string, or the glyphs of a page and the ends between them. */
export function foldPieces(pieces: Iterable<string | { readonly ends: keyof typeof ENDS }>): FoldedText {
  let text = "";
  const origins: number[] = [];
  let index = 0;
  /** Folded pieces by their text: a page repeats the few that are not plain. */
  const known = new Map<string, string>();
  for (const piece of pieces) {
    if (typeof piece !== "string") {
      origins.push(index++);
      text += ENDS[piece.ends];
      continue;
    }
    // Most are, and a search in thousands of short strings would spend its time on looking at each of their characters.
    if (piece.length === 1 && piece >= " " && piece <= "~") {
      origins.push(index++);
      text += piece;
      continue;
    }
    let folded = known.get(piece);
    if (folded === undefined) known.set(piece, (folded = fold(piece)));
    for (let unit = 0; unit < folded.length; unit++) origins.push(index);
    text += folded;
    index++;
  }
  return { text, origins };
}
