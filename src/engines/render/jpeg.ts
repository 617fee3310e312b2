import { encodeBaseline } from "../image/jpeg/encode.ts";
import { greyFirst } from "./gray-first.ts";
import type { PageRaster } from "./page-raster.ts";

/** A page as JPEG, grayscale where the page has no color. `raster` has an alpha. Streams while the page is drawn. */
export function jpegOf(
  raster: PageRaster,
  { dpi, quality }: { readonly dpi: number; readonly quality: number },
): AsyncGenerator<Uint8Array, void> {
  const { width, height, work } = raster;
  return greyFirst(raster, (grey) =>
    encodeBaseline(work, { width, height, dpi, quality, grey, bands: raster.bands({ grey }) }),
  );
}
