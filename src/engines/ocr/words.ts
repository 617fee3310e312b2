/** A word as recognized on a page. */
export interface RecognizedWord {
  /** As Tesseract returns it: logical order, without spaces. */
  readonly text: string;
  /** x0, y0, x1, y1 in points, origin at the top left of the page as displayed (CropBox, Rotate, and UserUnit applied). */
  readonly bbox: readonly [number, number, number, number];
  /** 0 to 1. */
  readonly confidence: number;
}

/** Words of one line of text, in logical (reading) order. */
export interface RecognizedLine {
  readonly words: readonly RecognizedWord[];
  readonly bbox: readonly [number, number, number, number];
}

export interface RecognizedPage {
  /** Clockwise degrees by which the visible page must be rotated to be readable: 0, 90, 180, or 270. */
  readonly rotation: 0 | 90 | 180 | 270;
  readonly lines: readonly RecognizedLine[];
}
