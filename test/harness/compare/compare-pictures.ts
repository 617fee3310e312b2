import type { Picture } from "./ssim.ts";

/** A rectangle of pixels, or of points where a point is a pixel. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How much a channel may differ. */
const TOLERANCE = 40;

/**
 * How many pixels of two pictures of one size differ that are further than `margin` pixels from boxes. Glyphs are drawn at whole pixels, so
 * a pixel may have the color of one beside it.
 */
export function differingPixels(a: Picture, b: Picture, boxes: readonly Box[] = [], margin = 0): number {
  const hidden = new Uint8Array(a.width * a.height);
  for (const { x, y, width, height } of boxes) {
    const left = Math.max(0, Math.floor(x - margin));
    const right = Math.min(a.width, Math.ceil(x + width + margin));
    const bottom = Math.min(a.height, Math.ceil(y + height + margin));
    for (let row = Math.max(0, Math.floor(y - margin)); row < bottom; row++)
      if (right > left) hidden.fill(1, row * a.width + left, row * a.width + right);
  }
  const channels = a.data.length / hidden.length;
  const isAlike = (at: number, other: number): boolean => {
    for (let channel = 0; channel < channels; channel++) {
      const [one, two] = [a.data[at * channels + channel] ?? 0, b.data[other * channels + channel] ?? 0];
      if (Math.abs(one - two) > TOLERANCE) return false;
    }
    return true;
  };
  const around = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => row * a.width + column));
  let count = 0;
  for (const [at, isHidden] of hidden.entries()) {
    if (isHidden !== 0 || isAlike(at, at)) continue;
    const inBoth = around.some((step) => isAlike(at, at + step)) && around.some((step) => isAlike(at + step, at));
    if (!inBoth) count++;
  }
  return count;
}
