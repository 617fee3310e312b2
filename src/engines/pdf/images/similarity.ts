/** How alike two images look: the structural similarity index, SSIM (Wang and others, 2004). */
import type { Work } from "../../work.ts";
import type { Samples } from "./lossless.ts";
import { eachRow } from "./each-row.ts";

/** Windows of 8 by 8 samples in steps of 4, and the constants of the index. */
const [WINDOW, STEP] = [8, 4];
const [C1, C2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** One sample per pixel. */
export interface Luminance {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/**
 * The luminance of gray or RGB samples, each the mean of a box of `scale` by `scale`: at a high resolution, a viewer does not see
 * single samples.
 */
export async function luminanceOf(
  work: Work,
  { data, width, height, components }: Samples,
  scale: number,
): Promise<Luminance> {
  const [columns, rows] = [Math.ceil(width / scale), Math.ceil(height / scale)];
  const result = new Uint8Array(columns * rows);
  const sums = new Float64Array(columns);
  const [green, blue] = components === 1 ? [0, 0] : [1, 2];
  await eachRow(work, { height: rows, samples: width * components * scale }, (row) => {
    const [top, bottom] = [row * scale, Math.min(height, (row + 1) * scale)];
    sums.fill(0);
    for (let y = top; y < bottom; y++) {
      for (let x = 0, at = y * width * components; x < width; x++, at += components) {
        const light = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + green] ?? 0) + 0.114 * (data[at + blue] ?? 0);
        const box = Math.floor(x / scale);
        sums[box] = (sums[box] ?? 0) + light;
      }
    }
    for (let box = 0; box < columns; box++) {
      const count = (bottom - top) * (Math.min(width, (box + 1) * scale) - box * scale);
      result[row * columns + box] = Math.round((sums[box] ?? 0) / count);
    }
  });
  return { data: result, width: columns, height: rows };
}

/** Mean over all windows; 1 for equal images. Both have the same size. */
export async function similarity(work: Work, a: Luminance, b: Luminance): Promise<number> {
  const [width, height] = [Math.min(WINDOW, a.width), Math.min(WINDOW, a.height)];
  let [sum, count] = [0, 0];
  const rows = Math.floor((a.height - height) / STEP) + 1;
  await eachRow(work, { height: rows, samples: a.width * Math.ceil(width / STEP) * height }, (row) => {
    for (let left = 0; left + width <= a.width; left += STEP) {
      sum += ofWindow(a, b, row * STEP * a.width + left, width, height);
      count++;
    }
  });
  return sum / Math.max(1, count);
}

function ofWindow(a: Luminance, b: Luminance, start: number, width: number, height: number): number {
  let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
  for (let row = 0, from = start; row < height; row++, from += a.width) {
    for (let at = from, end = from + width; at < end; at++) {
      const p = a.data[at] ?? 0;
      const q = b.data[at] ?? 0;
      sa += p;
      sb += q;
      saa += p * p;
      sbb += q * q;
      sab += p * q;
    }
  }
  const n = width * height;
  const [ma, mb] = [sa / n, sb / n];
  const [va, vb, covariance] = [saa / n - ma * ma, sbb / n - mb * mb, sab / n - ma * mb];
  return ((2 * ma * mb + C1) * (2 * covariance + C2)) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
}
