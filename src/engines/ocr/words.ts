/** A word as recognized on a page. */
export interface Word {
  /** As Tesseract gives it: logical order, no spaces inside. */
  readonly text: string;
  /** x0, y0, x1, y1 in points, origin top-left of the page as a person sees it (CropBox, Rotate, UserUnit applied). */
  readonly bbox: readonly [number, number, number, number];
  /** 0 to 1. */
  readonly confidence: number;
}

/** Words of one line of text, in logical (reading) order. */
export interface Line {
  readonly words: readonly Word[];
  readonly bbox: readonly [number, number, number, number];
}

export interface RecognizedPage {
  /** Degrees by which the visible page must be turned clockwise to be read: 0, 90, 180 or 270. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly lines: readonly Line[];
}
