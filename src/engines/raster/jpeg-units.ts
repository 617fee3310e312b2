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
 * of a page of text is white: only the others are gathered, close to each other, in an atlas.
 */
export class PictureUnits {
  /** Of each unit its colour, alpha in the highest byte, where it has only one, else `DRAWN`. */
  readonly colours: Uint32Array;
  readonly #words: Uint32Array;
  readonly #width: number;
  readonly #height: number;
  readonly #size: UnitSize;
  readonly #columns: number;

  /** Each pixel has an alpha of 255. `data` is read as long as atlases are made. */
  constructor({ data, width, height }: Rgba, size: UnitSize) {
    this.#words = new Uint32Array(data.buffer, data.byteOffset, width * height);
    this.#width = width;
    this.#height = height;
    this.#size = size;
    this.#columns = Math.ceil(width / size.across);
    this.colours = this.#find();
  }

  /** The units with these numbers as one picture; it is written where the encoder wants it. */
  atlas(units: Uint32Array): {
    width: number;
    height: number;
    data: { length: number; writeTo(to: Uint8Array): void };
  } {
    const { across, down } = this.#size;
    const columns = Math.min(ATLAS_COLUMNS, units.length);
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

  #find(): Uint32Array {
    const { across, down } = this.#size;
    const [words, width, height, columns] = [this.#words, this.#width, this.#height, this.#columns];
    const colours = new Uint32Array(columns * Math.ceil(height / down));
    let unit = 0;
    for (let top = 0; top < height; top += down) {
      const bottom = Math.min(top + down, height);
      for (let left = 0; left < width; left += across) {
        const right = Math.min(left + across, width);
        const colour = words[top * width + left] ?? 0;
        let same = true;
        for (let y = top; same && y < bottom; y++) {
          const end = y * width + right;
          for (let at = y * width + left; at < end; at++) {
            if (words[at] !== colour) {
              same = false;
              break;
            }
          }
        }
        colours[unit++] = same ? colour : DRAWN;
      }
    }
    return colours;
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

/** No colour: it would be transparent. */
export const DRAWN = 0;
