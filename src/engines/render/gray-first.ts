import { ColourFound } from "./gray-pixels.ts";
import type { PageRaster } from "./page-raster.ts";

/** Bytes of an image that wait until it is known whether the page has colour. */
const WAITING = 4 * 1024 * 1024;

/**
 * Encodes a page in grey, unless its first band has colour, and again in colour where a later one has: most pages without colour
 * are drawn once. What is encoded waits until the last band is seen; where it gets long, the rest of the page is drawn beforehand.
 */
export async function* greyFirst(
  raster: PageRaster,
  encode: (grey: boolean) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  await raster.look();
  if (raster.grey === undefined) {
    const waiting: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of encode(true)) {
        waiting.push(chunk);
        bytes += chunk.byteLength;
        if (raster.grey === true) yield* waiting.splice(0);
        else if (bytes > WAITING) raster.decide();
      }
      return;
    } catch (error) {
      // Nothing was given yet: that waits until there is no colour.
      if (!(error instanceof ColourFound)) throw error;
    }
  }
  yield* encode(raster.grey === true);
}
