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

/** How many pixels of two pictures of one size differ that are further than `margin` pixels from boxes. */
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
  let count = 0;
  for (const [at, isHidden] of hidden.entries()) {
    if (isHidden) continue;
    for (let channel = at * channels; channel < (at + 1) * channels; channel++) {
      if (Math.abs((a.data[channel] ?? 0) - (b.data[channel] ?? 0)) <= TOLERANCE) continue;
      count++;
      break;
    }
  }
  return count;
}
