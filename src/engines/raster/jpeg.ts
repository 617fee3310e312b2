import type { ImageCodecs } from "./codecs.ts";
import { JoinedJpeg } from "./jpeg-joined.ts";
import { DRAWN, PictureUnits, unitSize } from "./jpeg-units.ts";
import type { PageRaster } from "./page-raster.ts";

/** Pixels that are encoded at a time, about: with 20 bytes of memory for each the encoder need not grow. */
const PART_PIXELS = 512 * 1024;

/**
 * A page as a baseline JPEG with a JFIF header that says the dpi, greyscale where the page has no colour. `raster` has an
 * alpha. Only what is not of one colour is encoded, in parts, which are joined: as a whole it would take 24 bytes of memory a
 * pixel.
 * @throws Refusal `limit_exceeded`, `overloaded` (memory).
 */
export async function* jpegOf(
  raster: PageRaster,
  codecs: ImageCodecs,
  { dpi, quality }: { dpi: number; quality: number },
): AsyncGenerator<Uint8Array, void> {
  const { width, height, grey } = raster;
  const unit = unitSize({ quality, grey });
  const joined = new JoinedJpeg({ width, height, dpi, unit });
  const atATime = Math.floor(PART_PIXELS / (unit.across * unit.down));
  for (const { top, rows, pixels } of raster.bands()) {
    const units = new PictureUnits({ data: pixels, width, height: rows }, unit, { grey });
    // The first part brings the tables, so it has something to encode.
    if (top === 0) units.colours[0] = DRAWN;
    for (let from = 0; from < units.colours.length;) {
      const { to, drawn, shaded } = units.part(from, atATime);
      const encode = (numbers: readonly number[], only: { grey: boolean }): Promise<Uint8Array> | undefined =>
        numbers.length === 0
          ? undefined
          : codecs.encodeJpeg(units.atlas(numbers, { blocks: only.grey }), { quality, ...only });
      const files = { drawn: await encode(drawn, { grey }), shaded: await encode(shaded, { grey: true }) };
      yield* joined.add(units.colours.subarray(from, to), files);
      from = to;
    }
  }
  yield* joined.finish();
}
