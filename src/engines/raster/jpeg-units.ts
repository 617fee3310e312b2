import type { Rgba } from "./codecs.ts";

/** Units of a row of the atlas; what is left of the last row is encoded for nothing. */
const ATLAS_COLUMNS = 32;

/** Size in pixels of what a scan codes at a time (ISO/IEC 10918-1, A.2): the encoder chooses the sampling by the quality. */
export interface UnitSize {
  readonly across: number;
  readonly down: number;
}

/** What `ImageCodecs.encodeJpeg` makes of a quality from 1 to 100. */
export function unitSize({ quality, grey }: { quality: number; grey: boolean }): UnitSize {
  if (grey || quality >= 90) return { across: 8, down: 8 };
  return quality >= 80 ? { across: 16, down: 8 } : { across: 16, down: 16 };
}

/**
 * The units of some rows of a picture, from left to right and from top to bottom. Those of one colour need no encoder, and most
 * of a page of text is white: only the others are gathered, close to each other, in an atlas. Those without colour have one of
 * their own, of which only the luminance is encoded.
 */
export class PictureUnits {
  /** Of each unit its colour, alpha in the highest byte, where it has only one, else `DRAWN` or `SHADED`. */
  readonly colours: Uint32Array;
  readonly #words: Uint32Array;
  readonly #width: number;
  readonly #height: number;
  readonly #size: UnitSize;
  readonly #columns: number;

  /** Each pixel has an alpha of 255. `data` is read as long as atlases are made. `grey`: none is `SHADED`, all are without colour. */
  constructor({ data, width, height }: Rgba, size: UnitSize, { grey }: { grey: boolean }) {
    this.#words = new Uint32Array(data.buffer, data.byteOffset, width * height);
    this.#width = width;
    this.#height = height;
    this.#size = size;
    this.#columns = Math.ceil(width / size.across);
    this.colours = this.#find(grey);
  }

  /** The units from number `from` on, up to and without `to`, that are to be encoded: at most `most` of each kind. */
  part(from: number, most: number): { to: number; drawn: number[]; shaded: number[] } {
    const [drawn, shaded]: [number[], number[]] = [[], []];
    let to = from;
    for (; to < this.colours.length && drawn.length < most && shaded.length < most; to++) {
      if (this.colours[to] === DRAWN) drawn.push(to);
      else if (this.colours[to] === SHADED) shaded.push(to);
    }
    return { to, drawn, shaded };
  }

  /**
   * The units with these numbers as one picture; it is written where the encoder wants it. `blocks`: they are encoded as single
   * blocks, which must come out in the order that they have in a unit.
   */
  atlas(
    units: readonly number[],
    { blocks }: { blocks: boolean },
  ): {
    width: number;
    height: number;
    data: { length: number; writeTo(to: Uint8Array): void };
  } {
    const { across, down } = this.#size;
    const columns = blocks && across * down > 64 ? 1 : Math.min(ATLAS_COLUMNS, units.length);
    const width = columns * across;
    const height = Math.ceil(units.length / columns) * down;
    const places = (width * height) / (across * down);
    const writeTo = (to: Uint8Array): void => {
      const target = new Uint32Array(to.buffer, to.byteOffset, width * height);
      for (let place = 0; place < places; place++) {
        const unit = units[Math.min(place, units.length - 1)] ?? 0;
        this.#copy(unit, target, Math.floor(place / columns) * down * width + (place % columns) * across, width);
      }
    };
    return { width, height, data: { length: width * height * 4, writeTo } };
  }

  #find(grey: boolean): Uint32Array {
    const { across, down } = this.#size;
    const [width, height, columns] = [this.#width, this.#height, this.#columns];
    const colours = new Uint32Array(columns * Math.ceil(height / down));
    let unit = 0;
    for (let top = 0; top < height; top += down) {
      const bottom = Math.min(top + down, height);
      for (let left = 0; left < width; left += across) {
        colours[unit++] = this.#kind(left, top, Math.min(left + across, width), bottom, grey);
      }
    }
    return colours;
  }

  #kind(left: number, top: number, right: number, bottom: number, grey: boolean): number {
    const [words, width] = [this.#words, this.#width];
    const colour = words[top * width + left] ?? 0;
    let [different, coloured] = [0, 0];
    for (let y = top; y < bottom; y++) {
      for (let at = y * width + left, end = y * width + right; at < end; at++) {
        const pixel = words[at] ?? 0;
        different |= pixel ^ colour;
        // Red against green, and green against blue.
        coloured |= pixel ^ (pixel >>> 8);
      }
      if (different !== 0 && (grey || (coloured & 0xffff) !== 0)) return DRAWN;
    }
    return different === 0 ? colour : SHADED;
  }

  /** Beyond the edges of the picture its last pixels are repeated, as an encoder does. */
  #copy(unit: number, target: Uint32Array, start: number, stride: number): void {
    const { across, down } = this.#size;
    const [words, width] = [this.#words, this.#width];
    const top = Math.floor(unit / this.#columns) * down;
    const left = (unit % this.#columns) * across;
    const inside = Math.min(across, width - left);
    for (let row = 0; row < down; row++) {
      let from = Math.min(top + row, this.#height - 1) * width + left;
      let to = start + row * stride;
      const end = to + inside;
      while (to < end) target[to++] = words[from++] ?? 0;
      const edge = words[from - 1] ?? 0;
      for (const last = start + row * stride + across; to < last;) target[to++] = edge;
    }
  }
}

/** No colours: they would be transparent. What is to be encoded as it is, and what is of several greys. */
export const DRAWN = 0;
export const SHADED = 1;
