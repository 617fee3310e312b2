import type { Engines } from "../lease/engines.ts";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { type FillPixels, WEBP_SIDE, webpBytes } from "../image/codecs.ts";
import { bandBytes, PageRaster, pixelsOf } from "./page-raster.ts";
import { pngOf } from "./png.ts";
import { tooLargeForWebp } from "../result-errors.ts";

export interface WebpOptions {
  readonly dpi: number;
  /** 1 to 100. */
  readonly quality: number;
}

/**
 * Whether `quality` has no effect on some of these pages (0-based), because they may not fit into memory here and the service ignores it. Decided
 * before the first page is drawn, so that the response can report it.
 */
export async function ignoresQuality(
  open: OpenPdf,
  pages: readonly number[],
  engines: Engines,
  dpi: number,
): Promise<boolean> {
  if (!engines.webpService?.ignoresQuality) return false;
  for (const page of pages) if (await mayNotFit(open, page, engines, dpi)) return true;
  return false;
}

async function mayNotFit(open: OpenPdf, page: number, { sizes }: Engines, dpi: number): Promise<boolean> {
  const { width, height } = await pixelsOf(open, page, dpi);
  const drawn = limits.admission.engineOwnBytes + bandBytes(width, height, 4);
  return drawn + webpBytes(width * height).most > sizes.memoryBytes;
}

/**
 * A page (0-based) as lossy WebP: encoded here if the encoder has the memory for it, else by the given service.
 * @throws Refusal `raster_too_large` if there is no service, or if WebP does not support the size
 */
export async function* webpOf(
  open: OpenPdf,
  page: number,
  engines: Engines,
  options: WebpOptions,
): AsyncGenerator<Uint8Array, void> {
  const { codecs, webpService } = engines;
  const { width, height } = await pixelsOf(open, page, options.dpi);
  if (Math.max(width, height) > WEBP_SIDE) throw await tooLarge(open, page, engines, options);
  const fits = !(webpService?.ignoresQuality && (await mayNotFit(open, page, engines, options.dpi)));
  if (fits) {
    try {
      yield await encoded(open, page, engines, options);
      return;
    } catch (error) {
      // The response already reports that quality has an effect.
      if (!isLackOfMemory(error) || webpService?.ignoresQuality) throw error;
      codecs.drop();
      // Other requests hold the memory now: there may be enough in a moment.
      if (webpService === undefined)
        throw error.code === "overloaded" ? error : await tooLarge(open, page, engines, options);
    }
  }
  using raster = await PageRaster.of(open, page, { dpi: options.dpi, alpha: false });
  const png = pngOf(raster, options.dpi);
  try {
    yield* await webpService.encode(streamOf(png), options.quality);
  } finally {
    await png.return();
  }
}

async function encoded(
  open: OpenPdf,
  page: number,
  { codecs }: Engines,
  { dpi, quality }: WebpOptions,
): Promise<Uint8Array> {
  using raster = await PageRaster.of(open, page, { dpi, alpha: true });
  const { width, height } = await pixelsOf(open, page, dpi);
  const data: FillPixels = async (target) => {
    for await (const { top, pixels } of raster.bands()) {
      makeOpaque(pixels);
      target.set(pixels, top * width * raster.samples);
    }
  };
  // Awaited here, because the raster is needed until then.
  return await codecs.encodeWebp({ data, width, height }, { quality });
}

function makeOpaque(pixels: Uint8Array): void {
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
}

const isLackOfMemory = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === "overloaded" || error.code === "limit_exceeded");

async function tooLarge(open: OpenPdf, page: number, engines: Engines, options: WebpOptions): Promise<Refusal> {
  const maxDpi = await highestDpi(open, page, engines, options);
  return tooLargeForWebp(page + 1, maxDpi);
}

const LOWEST_DPI = 36;

/**
 * The highest resolution that works, or null if none does. The encoder's memory per pixel depends on the contents of the page, so the page is encoded
 * at the resolution that works for any page. At higher ones, the encoder does not need more memory per pixel.
 */
async function highestDpi(
  open: OpenPdf,
  page: number,
  engines: Engines,
  { dpi: asked, quality }: WebpOptions,
): Promise<number | null> {
  const { pdf, codecs, webpService } = engines;
  const { memoryBytes } = engines.sizes;
  const highest = async (fits: (pixels: number, band: number) => boolean): Promise<number | null> => {
    for (let dpi = asked; dpi >= LOWEST_DPI; dpi--) {
      const { width, height } = await pixelsOf(open, page, dpi);
      if (Math.max(width, height) <= WEBP_SIDE && fits(width * height, bandBytes(width, height, 4))) return dpi;
    }
    return null;
  };
  if (webpService !== undefined) return highest(() => true);
  const certain = await highest((pixels, band) => pdf.heapBytes + band + webpBytes(pixels).most <= memoryBytes);
  if (certain === null) return null;
  codecs.drop();
  await encoded(open, page, engines, { dpi: certain, quality });
  const { width, height } = await pixelsOf(open, page, certain);
  const pixelBytes = codecs.heapBytes / (width * height);
  codecs.drop();
  // The heap has had room for two bands at this resolution, or at the one that failed.
  const grown = (band: number): number => 2 * Math.max(0, band - bandBytes(width, height, 4));
  return (await highest((pixels, band) => pdf.heapBytes + grown(band) + pixels * pixelBytes <= memoryBytes)) ?? certain;
}

function streamOf(chunks: AsyncGenerator<Uint8Array, void>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}
