import { grayFirst } from "./gray-first.ts";
import type { PageRaster } from "./page-raster.ts";

/**
 * Encodes a page as JPEG, in grayscale if the page has no color. `raster` has an alpha channel. Streams while the page is
 * drawn.
 */
export function jpegOf(
  raster: PageRaster,
  { dpi, quality }: { readonly dpi: number; readonly quality: number },
): AsyncGenerator<Uint8Array, void> {
  const { width, height, jpeg } = raster;
  return grayFirst(raster, (gray) => jpeg.encode({ width, height, dpi, quality, gray, bands: raster.bands({ gray }) }));
}
