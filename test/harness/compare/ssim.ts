/** How alike two pictures are: SSIM (Wang and others, 2004), windows of 8 by 8 pixels in steps of 4. */

/** A picture of 8 bits a sample; `components` samples a pixel, rows from the top without padding. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly components: 1 | 3;
  readonly data: Uint8Array;
}

const WINDOW = 8;
const STEP = 4;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Reads the pictures of a binary PGM or PPM file (Netpbm), one behind the other. */
export function readNetpbm(file: Uint8Array): Picture[] {
  const pictures: Picture[] = [];
  for (let at = 0; at < file.length;) {
    const head = /^P([56])\s+(?:#.*\n)*(\d+)\s+(\d+)\s+255\s/.exec(
      Buffer.from(file.buffer, file.byteOffset + at, Math.min(200, file.length - at)).toString("latin1"),
    );
    if (!head) throw new Error(`no picture at byte ${at}`);
    const components = head[1] === "5" ? 1 : 3;
    const [width, height] = [Number(head[2]), Number(head[3])];
    const start = at + head[0].length;
    at = start + width * height * components;
    pictures.push({ width, height, components, data: file.subarray(start, at) });
  }
  return pictures;
}

/** Mean over all windows of the pictures' luminance; 1 for equal pictures, 0 where the sizes differ. */
export function ssim(a: Picture, b: Picture): number {
  if (a.width !== b.width || a.height !== b.height) return 0;
  if (a.components === b.components && a.data.every((sample, at) => sample === b.data[at])) return 1;
  const [x, y] = [luminance(a), luminance(b)];
  const window = Math.min(WINDOW, a.width, a.height);
  let [sum, count] = [0, 0];
  for (let top = 0; top + window <= a.height; top += STEP) {
    for (let left = 0; left + window <= a.width; left += STEP) {
      sum += windowSsim(x, y, a.width, top, left, window);
      count++;
    }
  }
  return sum / Math.max(1, count);
}

function windowSsim(x: Uint8Array, y: Uint8Array, width: number, top: number, left: number, size: number): number {
  let [sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0];
  for (let row = top; row < top + size; row++) {
    for (let at = row * width + left, end = at + size; at < end; at++) {
      const p = x[at] ?? 0;
      const q = y[at] ?? 0;
      sx += p;
      sy += q;
      sxx += p * p;
      syy += q * q;
      sxy += p * q;
    }
  }
  const n = size * size;
  const [mx, my] = [sx / n, sy / n];
  const [vx, vy, covariance] = [sxx / n - mx * mx, syy / n - my * my, sxy / n - mx * my];
  return ((2 * mx * my + C1) * (2 * covariance + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2));
}

/** One sample a pixel. */
export function luminance({ width, height, components, data }: Picture): Uint8Array {
  if (components === 1) return data;
  const samples = new Uint8Array(width * height);
  for (let pixel = 0, at = 0; pixel < samples.length; pixel++, at += 3) {
    samples[pixel] = Math.round(0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0));
  }
  return samples;
}
