import type { Engines } from "../lease/engines.ts";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { OpenPdf } from "../pdf/document/document.ts";
import { type FillPixels, WEBP_SIDE, webpBytes } from "../image/codecs.ts";
import { bandBytes, PageRaster, pixelsOf } from "./page-raster.ts";
import { pngOf } from "./png.ts";

export interface WebpOptions {
  readonly dpi: number;
  /** 1 to 100. */
  readonly quality: number;
}

/**
 * Whether `quality` has no effect on some of these pages (0-based), because they may not fit into memory here and the service ignores it. Known
 * before the first is drawn, so that the response can say so.
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

async function mayNotFit(open: OpenPdf, page: number, { memoryBytes }: Engines, dpi: number): Promise<boolean> {
  const { width, height } = await pixelsOf(open, page, dpi);
  const drawn = limits.admission.engineOwnBytes + bandBytes(width, height, 4);
  return drawn + webpBytes(width * height).most > memoryBytes;
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
  if (Math.max(width, height) > WEBP_SIDE) throw await tooLarge(open, page, engines);
  const fits = !(webpService?.ignoresQuality && (await mayNotFit(open, page, engines, options.dpi)));
  if (fits) {
    try {
      yield await encoded();
      return;
    } catch (error) {
      // The response says already that quality has an effect.
      if (!isLackOfMemory(error) || webpService?.ignoresQuality) throw error;
      codecs.drop();
      // Other requests hold the memory now: there may be enough in a moment.
      if (webpService === undefined) throw error.code === "overloaded" ? error : await tooLarge(open, page, engines);
    }
  }
  using raster = await PageRaster.of(open, page, { dpi: options.dpi, alpha: false });
  const png = pngOf(raster, options.dpi);
  try {
    yield* await webpService.encode(streamOf(png), options.quality);
  } finally {
    await png.return();
  }

  async function encoded(): Promise<Uint8Array> {
    using raster = await PageRaster.of(open, page, { dpi: options.dpi, alpha: true });
    const data: FillPixels = async (target) => {
      for await (const { top, pixels } of raster.bands()) {
        makeOpaque(pixels);
        target.set(pixels, top * width * raster.samples);
      }
    };
    // Awaited here, because the raster is needed until then.
    return await codecs.encodeWebp({ data, width, height }, options);
  }
}

function makeOpaque(pixels: Uint8Array): void {
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
}

const isLackOfMemory = (error: unknown): error is Refusal =>
  error instanceof Refusal && (error.code === "overloaded" || error.code === "limit_exceeded");

async function tooLarge(open: OpenPdf, page: number, engines: Engines): Promise<Refusal> {
  const maxDpi = await highestDpi(open, page, engines);
  const way = maxDpi === null ? "Use png or jpeg." : `Use ${maxDpi} dpi or less, png, or jpeg.`;
  return new Refusal("raster_too_large", `Page ${page + 1} is too large for WebP at this resolution. ${way}`, {
    page: page + 1,
    format: "webp",
    maxDpi,
  });
}

const LOWEST_DPI = 36;
const HIGHEST_DPI = 600;

/** The highest resolution that works whatever the page shows; null if none does. */
async function highestDpi(
  open: OpenPdf,
  page: number,
  { pdf, memoryBytes, webpService }: Engines,
): Promise<number | null> {
  for (let dpi = HIGHEST_DPI; dpi >= LOWEST_DPI; dpi--) {
    const { width, height } = await pixelsOf(open, page, dpi);
    if (Math.max(width, height) > WEBP_SIDE) continue;
    const drawn = pdf.heapBytes + bandBytes(width, height, 4);
    if (webpService !== undefined || drawn + webpBytes(width * height).most <= memoryBytes) return dpi;
  }
  return null;
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
