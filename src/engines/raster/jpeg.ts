import type { ImageCodecs } from "./codecs.ts";
import { JpegBands } from "./jpeg-bands.ts";
import type { PageRaster } from "./page-raster.ts";

/** Pixels that are encoded at a time, about: with 20 bytes of memory for each the encoder need not grow. */
const PART_PIXELS = 512 * 1024;
const BLOCK_ROWS = 16;

/**
 * A page as a baseline JPEG with a JFIF header that says the dpi, greyscale where the page has no colour. `raster` has an
 * alpha. It is encoded in parts, which are joined: as a whole it would take 24 bytes of memory a pixel.
 * @throws Refusal `limit_exceeded`, `overloaded` (memory).
 */
export async function* jpegOf(
  raster: PageRaster,
  codecs: ImageCodecs,
  { dpi, quality }: { dpi: number; quality: number },
): AsyncGenerator<Uint8Array, void> {
  const { width, height, grey } = raster;
  const joined = new JpegBands({ height, dpi });
  const step = Math.max(BLOCK_ROWS, Math.floor(PART_PIXELS / width / BLOCK_ROWS) * BLOCK_ROWS);
  const stride = width * raster.samples;
  for (const { rows, pixels } of raster.bands()) {
    for (let first = 0; first < rows; first += step) {
      const last = Math.min(rows, first + step);
      const data = pixels.subarray(first * stride, last * stride);
      const part = await codecs.encodeJpeg({ data, width, height: last - first }, { quality, grey });
      yield* joined.add(part);
    }
  }
  yield* joined.finish();
}
