/** Finds the lowest JPEG quality at which an image still looks as the level of compression promises. */
import type { ImageCodecs } from "../../image/codecs.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { withMozjpeg } from "./jpeg.ts";
import type { Samples } from "./lossless.ts";
import { luminanceOf, similarity } from "./similarity.ts";

/** The promise of a level of compression. */
export interface Fidelity {
  /** The least similarity (SSIM) of an image to the original at the same size, viewed at `VIEWED_DPI`. */
  readonly similarity: number;
  /** The lowest and highest JPEG quality on libjpeg's scale: similarity does not measure colors, or details that only zooming shows. */
  readonly least: number;
  readonly most: number;
}

/** The resolution at which similarity is measured, in pixels per inch. */
export const VIEWED_DPI = 72;
/** Difference between the qualities that are tried. */
const STEP = 4;
/** Images with more pixels are measured in parts: squares of 32 by 32, at most 8 by 8. */
const MOST_MEASURED = 65_536;
const [TILE, MOST_TILES] = [32, 8];
/** Fuel per measured pixel, which is encoded and decoded about four times. Measured: 165 to 450. */
const MEASURE_WORK = 600;

export interface FoundQuality {
  readonly quality: number;
  /** Whether the image looks as promised; otherwise the quality is the highest. */
  readonly isEnough: boolean;
}

interface Promised {
  readonly fidelity: Fidelity;
  /** How many samples are seen as one in each direction. */
  readonly scale: number;
}

export async function findQuality(
  engine: PdfEngine,
  codecs: ImageCodecs,
  samples: Samples,
  promised: Promised,
): Promise<FoundQuality> {
  const part = measured(samples);
  return engine.work
    .stage("measureImage", part.width * part.height * MEASURE_WORK)
    .run(() => tried(engine, codecs, part, promised));
}

async function tried(
  engine: PdfEngine,
  codecs: ImageCodecs,
  part: Samples,
  { fidelity: { similarity: wanted, least, most }, scale }: Promised,
): Promise<FoundQuality> {
  const before = await luminanceOf(engine.work, part, scale);
  engine.work.spend(part.width * part.height);
  const isEnough = async (quality: number): Promise<boolean> => {
    const bytes = await withMozjpeg(codecs, part, quality);
    // No memory to measure.
    if (!bytes) return quality === most;
    engine.work.spend(part.width * part.height * 2);
    await engine.work.pause();
    const after = await luminanceOf(engine.work, decoded(engine, bytes, part), scale);
    return (await similarity(engine.work, before, after)) >= wanted;
  };
  let [low, high] = [0, Math.ceil((most - least) / STEP)];
  const qualityAt = (step: number): number => Math.min(most, least + step * STEP);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isEnough(qualityAt(middle))) high = middle;
    else low = middle + 1;
  }
  return { quality: qualityAt(low), isEnough: qualityAt(low) < most || (await isEnough(most)) };
}

function decoded({ mupdf, scope }: PdfEngine, jpeg: Uint8Array, { width, height, components }: Samples): Samples {
  return scope(() => {
    const pixmap = new mupdf.Image(jpeg).toPixmap();
    if (pixmap.getNumberOfComponents() !== components || pixmap.getWidth() !== width) {
      throw new Error("the encoder's file is another image");
    }
    return { data: new Uint8Array(pixmap.getPixels().slice()), width, height, components };
  });
}

/** A copy of the samples, or of squares of them that are spread over the image. CMYK is measured as RGB. */
function measured(samples: Samples): Samples {
  const part = partOf(samples);
  if (part.components !== 4) return part;
  const data = new Uint8Array(part.width * part.height * 3);
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    const light = 255 - (part.data[from + 3] ?? 0);
    for (let index = 0; index < 3; index++) data[to + index] = ((255 - (part.data[from + index] ?? 0)) * light) / 255;
  }
  return { ...part, data, components: 3 };
}

function partOf({ data, width, height, components }: Samples): Samples {
  if (width * height <= MOST_MEASURED) return { data: data.slice(), width, height, components };
  const [columns, rows] = [width, height].map((side) => Math.min(MOST_TILES, Math.floor(side / TILE)));
  const [across = 1, down = 1] = [columns, rows].map((count = 1) => Math.max(1, count));
  const [tileWidth, tileHeight] = [Math.min(TILE, width), Math.min(TILE, height)];
  const part = new Uint8Array(across * tileWidth * down * tileHeight * components);
  const startOf = (tile: number, count: number, side: number, length: number): number =>
    count === 1 ? 0 : Math.floor((tile * (side - length)) / (count - 1));
  let to = 0;
  for (let row = 0; row < down * tileHeight; row++) {
    const y = startOf(Math.floor(row / tileHeight), down, height, tileHeight) + (row % tileHeight);
    for (let column = 0; column < across; column++) {
      const from = (y * width + startOf(column, across, width, tileWidth)) * components;
      part.set(data.subarray(from, from + tileWidth * components), to);
      to += tileWidth * components;
    }
  }
  return { data: part, width: across * tileWidth, height: down * tileHeight, components };
}
