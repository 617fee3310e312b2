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
    const units = new PictureUnits({ data: pixels, width, height: rows }, unit);
    const { colours } = units;
    // The first part brings the tables, so it has something to encode.
    if (top === 0) colours[0] = DRAWN;
    const drawn = Uint32Array.from(colours.keys()).filter((index) => colours[index] === DRAWN);
    let [from, next] = [0, 0];
    do {
      const part = drawn.subarray(next, next + atATime);
      next += part.length;
      const to = next < drawn.length ? (drawn[next] ?? 0) : colours.length;
      const file = part.length > 0 ? await codecs.encodeJpeg(units.atlas(part), { quality, grey }) : undefined;
      yield* joined.add(colours.subarray(from, to), file);
      from = to;
    } while (next < drawn.length);
  }
  yield* joined.finish();
}
