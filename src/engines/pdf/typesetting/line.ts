import type { Font } from "mupdf";

/** Lengths are in units of the text's em, thousandths of the font size. */
export const EM = 1000;
export const LINE_HEIGHT = 1.2 * EM;

/** A font used to set text. */
export interface StampFont {
  readonly font: Font;
  /** The file, or undefined if it is built into MuPDF. */
  readonly data: Uint8Array | undefined;
}

export interface ShapedGlyph {
  readonly font: StampFont;
  readonly id: number;
  /** The characters it represents. Empty for all but the first glyph of a cluster. */
  text: string;
  /** Position of its origin relative to the line's, y up. */
  readonly x: number;
  readonly y: number;
  readonly advance: number;
  readonly rightToLeft: boolean;
}

/** One line of text, starting at its origin: glyphs in visual order, each run in the direction of its script. */
export interface TypesetLine {
  readonly text: string;
  readonly glyphs: readonly ShapedGlyph[];
  readonly width: number;
}
