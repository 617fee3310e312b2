import type { Font } from "mupdf";

/** Lengths in the em of the text, thousandths of the font size. */
export const EM = 1000;
export const LINE_HEIGHT = 1.2 * EM;

/** A font that text was set in. */
export interface StampFont {
  readonly font: Font;
  /** The file; undefined for one that is built into MuPDF. */
  readonly data: Uint8Array | undefined;
}

export interface Glyph {
  readonly font: StampFont;
  readonly id: number;
  /** The characters that it stands for; empty for the further glyphs of a cluster. */
  text: string;
  /** Place of its origin from the line's, upwards. */
  readonly x: number;
  readonly y: number;
  readonly advance: number;
  readonly rightToLeft: boolean;
}

/** One line of text from its origin on: glyphs in the order in which they stand, each run as its script goes. */
export interface Line {
  readonly text: string;
  readonly glyphs: readonly Glyph[];
  readonly width: number;
}
