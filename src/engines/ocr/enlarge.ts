/** Enlarges pictures smoothly. */
import type { PixelBox } from "./tesseract-results.ts";

/** Gray pixels, one byte each, in rows without padding. */
export interface GrayPart {
  readonly pixels: Uint8Array;
  /** The part of a picture that they are. */
  readonly box: PixelBox;
}

/** The part of a picture from which a part of it is made that is `factor` times as large. `whole`: all of the picture. */
export function sourceOf([left, top, right, bottom]: PixelBox, factor: number, whole: PixelBox): PixelBox {
  const first = (at: number): number => Math.floor((at + 0.5) / factor - 0.5);
  const clamped = (at: number, low: number, high: number): number => Math.min(Math.max(at, low), high);
  const [x0, x1] = [
    clamped(first(left), whole[0], whole[2] - 1),
    clamped(first(right - 1) + 2, whole[0] + 1, whole[2]),
  ];
  const [y0, y1] = [
    clamped(first(top), whole[1], whole[3] - 1),
    clamped(first(bottom - 1) + 2, whole[1] + 1, whole[3]),
  ];
  return [x0, y0, x1, y1];
}

/** Makes a part of a picture that is `factor` times as large, by bilinear interpolation. */
export function enlarged({ pixels, box: source }: GrayPart, box: PixelBox, factor: number): Uint8Array {
  const width = box[2] - box[0];
  const sourceWidth = source[2] - source[0];
  const columns = Array.from({ length: width }, (_, x) => around(box[0] + x, factor, source[0], source[2]));
  const result = new Uint8Array(width * (box[3] - box[1]));
  let at = 0;
  for (let y = box[1]; y < box[3]; y++) {
    const [above, below, down] = around(y, factor, source[1], source[3]);
    const [upper, lower] = [above * sourceWidth, below * sourceWidth];
    for (const [before, after, across] of columns) {
      const one = between(pixels[upper + before], pixels[upper + after], across);
      const other = between(pixels[lower + before], pixels[lower + after], across);
      result[at++] = Math.round(between(one, other, down));
    }
  }
  return result;
}

/** The pixels around a place, as offsets from the first one, and how near it is to the second of them (0 to 1). */
function around(
  pixel: number,
  factor: number,
  from: number,
  to: number,
): [before: number, after: number, share: number] {
  const place = (pixel + 0.5) / factor - 0.5;
  const before = Math.floor(place);
  const offset = (at: number): number => Math.min(Math.max(at, from), to - 1) - from;
  return [offset(before), offset(before + 1), place - before];
}

const between = (one = 0, other = 0, share: number): number => one + (other - one) * share;
