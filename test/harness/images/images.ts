import { decode as decodePng } from "fast-png";
import { decode as decodeJpeg } from "jpeg-js";

/** An image as another decoder sees it. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Samples of a pixel in the file: 1 for grayscale. */
  readonly channels: number;
  /** Dots an inch that the file says. */
  readonly dpi: number | undefined;
  /** Red, green, blue at a pixel; 0 is at the top left. */
  at(x: number, y: number): [number, number, number];
}

/** A PNG, its checksums checked. */
export function readPng(file: Uint8Array): Picture {
  const { width, height, channels, data, resolution } = decodePng(file, { checkCrc: true });
  return {
    width,
    height,
    channels,
    dpi: resolution && Math.round(resolution.x * 0.0254),
    at: (x, y) => {
      const start = (y * width + x) * channels;
      const [red = -1, green = red, blue = red] = channels < 3 ? [data[start]] : data.subarray(start, start + 3);
      return [red, green, blue];
    },
  };
}

/** A JPEG. */
export function readJpeg(file: Uint8Array): Picture {
  const { width, height, data } = decodeJpeg(file, { useTArray: true, formatAsRGBA: true, maxMemoryUsageInMB: 1_000 });
  const frame = file.findIndex((byte, at) => byte === 0xff && file[at + 1] === 0xc0);
  if (frame < 0) throw new Error("not a baseline JPEG");
  return {
    width,
    height,
    channels: file[frame + 9] ?? 0,
    dpi: file[13] === 1 ? ((file[14] ?? 0) << 8) | (file[15] ?? 0) : undefined,
    at: (x, y) => {
      const [red = -1, green = -1, blue = -1] = data.subarray((y * width + x) * 4);
      return [red, green, blue];
    },
  };
}

/** Mean difference of the samples of two pictures of the same size, 0 to 255; every `step`th pixel each way is looked at. */
export function difference(a: Picture, b: Picture, step = 1): number {
  if (a.width !== b.width || a.height !== b.height) {
    throw new Error(`${a.width} x ${a.height} against ${b.width} x ${b.height}`);
  }
  let [sum, count] = [0, 0];
  for (let y = 0; y < a.height; y += step) {
    for (let x = 0; x < a.width; x += step) {
      const [one, other] = [a.at(x, y), b.at(x, y)];
      for (const index of [0, 1, 2] as const) sum += Math.abs(one[index] - other[index]);
      count += 3;
    }
  }
  return sum / count;
}

/** RGBA pixels of 8 bits as a picture; alpha is left out. */
export function pictureOf(pixels: {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}): Picture {
  const { data, width, height } = pixels;
  return {
    width,
    height,
    channels: 3,
    dpi: undefined,
    at: (x, y) => {
      const [red = -1, green = -1, blue = -1] = data.subarray((y * width + x) * 4);
      return [red, green, blue];
    },
  };
}
