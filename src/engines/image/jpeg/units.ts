import type { Rgba } from "../codecs.ts";
import { quantizationSteps } from "./tables.ts";
import type { Symbols } from "./symbols.ts";
import { quantizationFactors, transformBlock } from "./transform.ts";

/** Size in pixels of the unit that a scan codes at a time (ISO/IEC 10918-1, A.2). */
export interface UnitSize {
  readonly across: number;
  readonly down: number;
}

/** As in mozjpeg's programs: full color from quality 90 on, half from 80 on, a quarter below. */
export function unitSize({ quality, gray }: { quality: number; gray: boolean }): UnitSize {
  if (gray || quality >= 90) return { across: 8, down: 8 };
  return quality >= 80 ? { across: 16, down: 8 } : { across: 16, down: 16 };
}

/** Luminance samples per unit. */
const MOST_SAMPLES = 16 * 16;

/**
 * Converts the units of a picture to symbols. A unit of one color needs no transform, and most of a page of text is white; a
 * unit without color only needs its luminance transformed.
 */
export class UnitEncoder {
  readonly #size: UnitSize;
  readonly #gray: boolean;
  readonly #step: number;
  readonly #factors: Float64Array;
  readonly #flat = new Int32Array(3);
  /** The samples of a unit minus 128, block by block. */
  readonly #light = new Float64Array(MOST_SAMPLES);
  readonly #blue = new Float64Array(64);
  readonly #red = new Float64Array(64);

  constructor({ quality, gray }: { quality: number; gray: boolean }) {
    const steps = quantizationSteps(quality);
    this.#size = unitSize({ quality, gray });
    this.#gray = gray;
    this.#step = steps[0] ?? 1;
    this.#factors = quantizationFactors(steps);
  }

  /** Appends a row of units whose first row of pixels is `top`. Alpha is ignored. */
  row({ data, width, height }: Rgba, top: number, symbols: Symbols): void {
    const words = new Uint32Array(data.buffer, data.byteOffset, width * height);
    const { across, down } = this.#size;
    const bottom = Math.min(top + down, height);
    for (let left = 0; left < width; left += across) {
      const right = Math.min(left + across, width);
      if (isOneColor(words, width, left, right, top, bottom)) {
        symbols.flat(this.#flatValues(words[top * width + left] ?? 0));
      } else if (this.#readGrays(words, width, left, right, top, bottom) || this.#gray) {
        this.#blocks(symbols);
        if (!this.#gray) for (let component = 1; component < 3; component++) symbols.flatBlock(component, 0);
      } else {
        this.#readColors(words, width, left, right, top, bottom);
        this.#blocks(symbols);
        this.#chroma(this.#blue, 1, symbols);
        this.#chroma(this.#red, 2, symbols);
      }
    }
  }

  /** The DC value of each component in a unit of one color, in quantization steps: eight times the sample (A.3.3). */
  #flatValues(color: number): Int32Array {
    const [red, green, blue] = [color & 0xff, (color >>> 8) & 0xff, (color >>> 16) & 0xff];
    const flat = this.#flat;
    flat[0] = Math.round(((lightOf(red, green, blue) - 128) * 8) / this.#step);
    flat[1] = Math.round((blueOf(red, green, blue) * 8) / this.#step);
    flat[2] = Math.round((redOf(red, green, blue) * 8) / this.#step);
    return flat;
  }

  /**
   * Reads the unit as if it had no color; returns whether it has none. The last pixels are repeated past the edges of the picture.
   */
  #readGrays(words: Uint32Array, width: number, left: number, right: number, top: number, bottom: number): boolean {
    const { across, down } = this.#size;
    const light = this.#light;
    let colored = 0;
    let to = 0;
    for (let y = top; y < top + down; y += 8) {
      for (let x = left; x < left + across; x += 8) {
        const isWhole = x + 8 <= right;
        for (let row = y; row < y + 8; row++) {
          const start = Math.min(row, bottom - 1) * width;
          for (let column = x; column < x + 8; column++) {
            const pixel = words[start + (isWhole ? column : Math.min(column, right - 1))] ?? 0;
            // Compares red with green, and green with blue.
            colored |= pixel ^ (pixel >>> 8);
            light[to++] = (pixel & 0xff) - 128;
          }
        }
      }
    }
    return (colored & 0xffff) === 0;
  }

  /** Chrominance has one sample per sampling group: the mean of its pixels. */
  #readColors(words: Uint32Array, width: number, left: number, right: number, top: number, bottom: number): void {
    const { across, down } = this.#size;
    const light = this.#light;
    const blues = this.#blue.fill(0);
    const reds = this.#red.fill(0);
    const halfX = across >> 4;
    const halfY = down >> 4;
    const share = 64 / (across * down);
    for (let row = 0; row < down; row++) {
      const start = Math.min(top + row, bottom - 1) * width;
      const from = start + left;
      const end = start + right - 1;
      const line = (row >> halfY) * 8;
      for (let x = 0; x < across; x++) {
        const pixel = words[Math.min(from + x, end)] ?? 0;
        const red = pixel & 0xff;
        const green = (pixel >>> 8) & 0xff;
        const blue = (pixel >>> 16) & 0xff;
        const block = (row >> 3) * (across >> 3) + (x >> 3);
        light[(block << 6) | ((row & 7) << 3) | (x & 7)] = lightOf(red, green, blue) - 128;
        const at = line + (x >> halfX);
        blues[at] = (blues[at] ?? 0) + blueOf(red, green, blue) * share;
        reds[at] = (reds[at] ?? 0) + redOf(red, green, blue) * share;
      }
    }
  }

  /** Encodes the luminance block by block. */
  #blocks(symbols: Symbols): void {
    const samples = this.#size.across * this.#size.down;
    for (let from = 0; from < samples; from += 64) {
      transformBlock(this.#light, from);
      symbols.block(0, this.#light, from, this.#factors);
    }
  }

  #chroma(values: Float64Array, component: number, symbols: Symbols): void {
    transformBlock(values, 0);
    symbols.block(component, values, 0, this.#factors);
  }
}

/** Stops at the first pixel that differs: most units of one color are white, and most others differ early. */
function isOneColor(
  words: Uint32Array,
  width: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): boolean {
  const color = words[top * width + left] ?? 0;
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left, end = y * width + right; at < end; at++) {
      if ((((words[at] ?? 0) ^ color) & 0xff_ffff) !== 0) return false;
    }
  }
  return true;
}

/** The color space of JFIF; the last two are centered on 0. */
const lightOf = (red: number, green: number, blue: number): number => 0.299 * red + 0.587 * green + 0.114 * blue;
const blueOf = (red: number, green: number, blue: number): number =>
  -0.168_735_892 * red - 0.331_264_108 * green + 0.5 * blue;
const redOf = (red: number, green: number, blue: number): number =>
  0.5 * red - 0.418_687_589 * green - 0.081_312_411 * blue;
