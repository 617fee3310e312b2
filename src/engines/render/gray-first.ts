import { ColorFound } from "./gray-pixels.ts";
import type { PageRaster } from "./page-raster.ts";

/** Bytes of an image held back until it is known whether the page has color. */
const WAITING = 4 * 1024 * 1024;

/**
 * Encodes a page in gray unless its first band has color, and again in color if a later band does: most pages without color are
 * drawn only once. The output is held back until the last band has been seen; once it gets long, the rest of the page is drawn
 * ahead.
 */
export async function* grayFirst(
  raster: PageRaster,
  encode: (gray: boolean) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  await raster.checkFirstBand();
  if (raster.gray === undefined) {
    const waiting: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of encode(true)) {
        waiting.push(chunk);
        bytes += chunk.byteLength;
        if (raster.gray === true) yield* waiting.splice(0);
        else if (bytes > WAITING) raster.checkAllBands();
      }
      return;
    } catch (error) {
      // Nothing has been output yet: that only happens once color is ruled out.
      if (!(error instanceof ColorFound)) throw error;
    }
  }
  yield* encode(raster.gray === true);
}
