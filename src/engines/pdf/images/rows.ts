/** Downsamples images that are too large to hold in memory, row by row during inflation. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { DamagedStream, inflate } from "../../flate/inflate.ts";
import { deflated } from "../../flate/deflate.ts";
import type { ImageFacts } from "./facts.ts";
import type { EncodedImage } from "./lossless.ts";
import { PngPredictor } from "./png-predictor.ts";
import type { Size } from "./samples.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { concat } from "../../../bytes/concat.ts";

/** Minimum ratio: below this, boxes of whole samples would differ too much in size. */
const LEAST_RATIO = 2;
const MOST_COLORS = 256;

/**
 * Downsamples an 8-bit image by averaging boxes of samples. The result is gray or has a palette. Undefined if the image has
 * more colors, would not become smaller, or uses anything other than deflate.
 */
export async function shrinkByRows(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
  size: Size,
): Promise<EncodedImage | undefined> {
  const { width, height, components } = image;
  if (image.bits !== 8 || image.isIndexed || components === undefined || object.get("Decode").isArray())
    return undefined;
  if (width < size.width * LEAST_RATIO || height < size.height * LEAST_RATIO) return undefined;
  if (width * height > limits.compress.decodedPixels) return undefined;
  const predictor = engine.scope(() => PngPredictor.of(object, { columns: width, colors: components }));
  if (!predictor) return undefined;
  const data = engine.scope(() => object.readRawStream().asUint8Array().slice());
  const boxes = new Boxes(image, components, size);
  const colors = components === 1 ? undefined : new Map<number, number>();
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of deflated(rows())) {
      pieces.push(piece);
      length += piece.length;
      if (length > image.bytes) return undefined;
    }
  } catch (error) {
    // A damaged image is left unchanged.
    if (error instanceof DamagedStream) return undefined;
    throw error;
  }
  if (!boxes.isWhole) return undefined;
  const encoded = { bytes: concat(pieces), filter: "FlateDecode", decodeParms: undefined, bits: 8 } as const;
  return colors ? { ...encoded, palette: paletteOf(colors, components) } : encoded;

  async function* rows(): AsyncGenerator<Uint8Array> {
    for await (const row of predictor?.rows(inflate(engine.work, [data]), height) ?? []) {
      engine.work.spend(row.length);
      const means = boxes.add(row);
      if (!means) continue;
      const stored = colors ? numbered(means, components ?? 1, colors) : means;
      if (!stored) return;
      yield stored;
    }
  }
}

/** The colors of a row as indices, or undefined if there are too many colors. */
function numbered(row: Uint8Array, components: number, colors: Map<number, number>): Uint8Array | undefined {
  const numbers = new Uint8Array(row.length / components);
  let [last, lastNumber] = [-1, 0];
  for (let index = 0, at = 0; index < numbers.length; index++) {
    let color = 0;
    for (let part = 0; part < components; part++) color = color * 256 + (row[at++] ?? 0);
    if (color !== last) {
      let number = colors.get(color);
      if (number === undefined) {
        if (colors.size === MOST_COLORS) return undefined;
        colors.set(color, (number = colors.size));
      }
      [last, lastNumber] = [color, number];
    }
    numbers[index] = lastNumber;
  }
  return numbers;
}

function paletteOf(colors: ReadonlyMap<number, number>, components: number): Uint8Array {
  const palette = new Uint8Array(colors.size * components);
  for (const [color, number] of colors) {
    for (let part = components - 1, rest = color; part >= 0; part--, rest = Math.floor(rest / 256)) {
      palette[number * components + part] = rest % 256;
    }
  }
  return palette;
}

/** Averages boxes of samples. */
class Boxes {
  readonly #from: Size;
  readonly #to: Size;
  readonly #components: number;
  /** Where the boxes of a row begin, and the end of the last one. */
  readonly #starts: Uint32Array;
  readonly #sums: Uint32Array;
  #rows = 0;
  #y = 0;

  constructor(from: Size, components: number, to: Size) {
    [this.#from, this.#to, this.#components] = [from, to, components];
    this.#starts = Uint32Array.from({ length: to.width + 1 }, (_, x) => Math.ceil((x * from.width) / to.width));
    this.#sums = new Uint32Array(to.width * components);
  }

  get isWhole(): boolean {
    return this.#y === this.#from.height;
  }

  /** Adds a row. Returns an output row once its boxes are complete. */
  add(row: Uint8Array): Uint8Array | undefined {
    const [starts, sums, components] = [this.#starts, this.#sums, this.#components];
    for (let box = 0; box < this.#to.width; box++) {
      const end = (starts[box + 1] ?? 0) * components;
      for (let at = (starts[box] ?? 0) * components, part = 0; at < end; at++) {
        const place = box * components + part;
        sums[place] = (sums[place] ?? 0) + (row[at] ?? 0);
        part = part + 1 === components ? 0 : part + 1;
      }
    }
    this.#rows++;
    const line = Math.floor((this.#y * this.#to.height) / this.#from.height);
    this.#y++;
    if (Math.floor((this.#y * this.#to.height) / this.#from.height) === line) return undefined;
    const means = new Uint8Array(sums.length);
    for (let at = 0; at < means.length; at++) {
      const box = Math.floor(at / components);
      const count = ((starts[box + 1] ?? 0) - (starts[box] ?? 0)) * this.#rows;
      means[at] = Math.round((sums[at] ?? 0) / count);
    }
    sums.fill(0);
    this.#rows = 0;
    return means;
  }
}
