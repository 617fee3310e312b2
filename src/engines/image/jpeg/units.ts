import type { Rgba } from "../codecs.ts";
import { BLOCK_BYTES, BLUE, type BlockKernel, FIRST_SYMBOL, LIGHT, PIXELS, RED } from "./kernel.ts";
import { quantizationFactors, quantizationSteps } from "./tables.ts";
import type { ScanComponent, Symbols } from "./symbols.ts";

/** Findings of the kernel in a block: a pixel unlike the first of the unit, and one that is not gray. */
const [DIFFERENT, COLORED] = [1, 2];

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

/**
 * Converts the units of a picture to symbols. A unit of one color needs no transform, and most of a page of text is white; a
 * unit without color only needs its luminance transformed.
 */
export class UnitEncoder {
  readonly #kernel: BlockKernel;
  readonly #components: readonly ScanComponent[];
  readonly #size: UnitSize;
  readonly #gray: boolean;
  readonly #step: number;
  readonly #factors: Float32Array;
  readonly #flat = new Int32Array(3);

  constructor(
    kernel: BlockKernel,
    components: readonly ScanComponent[],
    { quality, gray }: { quality: number; gray: boolean },
  ) {
    const steps = quantizationSteps(quality);
    this.#kernel = kernel;
    this.#components = components;
    this.#size = unitSize({ quality, gray });
    this.#gray = gray;
    this.#step = steps[0] ?? 1;
    this.#factors = quantizationFactors(steps);
  }

  /** Appends a row of units whose first row of pixels is `top`. Alpha is ignored. */
  row({ data, width, height }: Rgba, top: number, symbols: Symbols): void {
    const kernel = this.#kernel;
    const { run } = kernel;
    const { across, down } = this.#size;
    const stride = this.#read({ data, width, height }, top);
    kernel.setFactors(this.#factors);
    const blocks = (across * down) >> 6;
    for (let unit = PIXELS; unit < PIXELS + stride; unit += across * 4) {
      const color = kernel.words[unit >> 2] ?? 0;
      let seen = 0;
      for (let block = 0; block < blocks; block++) seen |= run.look(this.#place(unit, stride, block), stride, color);
      if ((seen & DIFFERENT) === 0) symbols.flat(this.#flatValues(color));
      else if (this.#gray || (seen & COLORED) === 0) {
        for (let block = 0; block < blocks; block++) {
          run.gray(this.#place(unit, stride, block), stride, LIGHT);
          this.#block(0, LIGHT, symbols);
        }
        if (!this.#gray) for (let component = 1; component < 3; component++) symbols.flatBlock(component, 0);
      } else {
        for (let block = 0; block < blocks; block++) {
          const own = block * BLOCK_BYTES;
          run.color(this.#place(unit, stride, block), stride, LIGHT + own, BLUE + own, RED + own);
          this.#block(0, LIGHT + own, symbols);
        }
        this.#chroma(1, BLUE, symbols);
        this.#chroma(2, RED, symbols);
      }
    }
  }

  /** Copies a row of units into the kernel, repeating the last pixels past the edges of the picture. Returns the bytes of a row of pixels. */
  #read({ data, width, height }: Rgba, top: number): number {
    const { across, down } = this.#size;
    const stride = Math.ceil(width / across) * across * 4;
    this.#kernel.reserve(stride * down);
    const { bytes, words } = this.#kernel;
    for (let row = 0; row < down; row++) {
      const from = Math.min(top + row, height - 1) * width * 4;
      const to = PIXELS + row * stride;
      bytes.set(data.subarray(from, from + width * 4), to);
      words.fill(words[(to >> 2) + width - 1] ?? 0, (to >> 2) + width, (to + stride) >> 2);
    }
    return stride;
  }

  /** Where the pixels of a block of a unit begin. */
  #place(unit: number, stride: number, block: number): number {
    const wide = this.#size.across >> 4;
    return unit + (block >> wide) * stride * 8 + (block & wide) * 32;
  }

  #block(component: number, samples: number, symbols: Symbols): void {
    const kernel = this.#kernel;
    const end = kernel.symbolsOf(samples, this.#components[component]?.ac ?? 0);
    symbols.block(component, kernel.coefficients[samples >> 2] ?? 0, kernel.words, FIRST_SYMBOL, end);
  }

  /** Chrominance has one sample per sampling group: the mean of its pixels. */
  #chroma(component: number, samples: number, symbols: Symbols): void {
    const { run } = this.#kernel;
    const { across, down } = this.#size;
    if (across > 8) run.halfAcross(samples, samples + BLOCK_BYTES, samples);
    if (down > 8) {
      run.halfAcross(samples + 2 * BLOCK_BYTES, samples + 3 * BLOCK_BYTES, samples + BLOCK_BYTES);
      run.halfDown(samples, samples + BLOCK_BYTES, samples);
    }
    this.#block(component, samples, symbols);
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
}

/** The color space of JFIF; the last two are centered on 0. */
const lightOf = (red: number, green: number, blue: number): number => 0.299 * red + 0.587 * green + 0.114 * blue;
const blueOf = (red: number, green: number, blue: number): number =>
  -0.168_735_892 * red - 0.331_264_108 * green + 0.5 * blue;
const redOf = (red: number, green: number, blue: number): number =>
  0.5 * red - 0.418_687_589 * green - 0.081_312_411 * blue;
