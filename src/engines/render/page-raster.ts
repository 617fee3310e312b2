import type { DisplayList, Pixmap } from "mupdf";
import { limits } from "../../limits.ts";
import { pageHasTooManyPixels, pagesHaveTooManyPixels } from "../limit-errors.ts";
import type { JpegEncoder } from "../image/jpeg/encode.ts";
import type { SteppedStage, Work } from "../work.ts";
import { mostRows } from "../pdf/content/page-work.ts";
import { drawn, type OpenPdf, type PageList, pageList } from "../pdf/document/document.ts";
import { fetchPages } from "../pdf/document/fetch-pages.ts";
import { storeTrimmer } from "../pdf/mupdf/store.ts";
import { ColorFound, isGray } from "./gray-pixels.ts";

/** Points per inch. */
const POINTS = 72;

/**
 * Bytes of a band's pixels. A page of ordinary size at 150 dpi is one band, which is fastest; at 600 dpi its bands have about
 * 1,000 rows. Each band reads the page's images again, so smaller bands would take longer.
 */
const BAND_BYTES = 16 * 1024 * 1024;
/** Rows per band are a multiple of this, so that each ends with a row of JPEG blocks. */
const BAND_STEP = 16;

/** Fuel for reading the size of a page. */
const PAGE_WORK = 1_000;

interface RasterOptions {
  readonly dpi: number;
  /** Whether each pixel has a fourth byte after its colors: an alpha of about 255. */
  readonly alpha: boolean;
}

/** The pixel area of a page: device space, `dpi` pixels per inch, origin top-left, y down. */
interface PixelBox {
  readonly x: number;
  readonly y: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Some rows of a page, top first. `pixels` is a view of the engine's heap: valid until the engine runs again. */
export interface Band {
  /** The first row. */
  readonly top: number;
  readonly rows: number;
  readonly pixels: Uint8Array;
}

/**
 * The size of a page (0-based) at `dpi`: its CropBox, rotated by Rotate and scaled by UserUnit, in whole pixels.
 * @throws Refusal `invalid_file`
 */
export async function pixelsOf(open: OpenPdf, page: number, dpi: number): Promise<PixelBox> {
  return drawn(open, async () => {
    await fetchPages(open, [page]);
    const loaded = await open.engine.long.loadPage(open.document, page);
    try {
      return pixelBox(loaded.getBounds(), dpi);
    } finally {
      loaded.destroy();
    }
  });
}

/** Rounds like MuPDF: anything less than a thousandth of a pixel past an edge is ignored. */
function pixelBox(bounds: readonly number[], dpi: number): PixelBox {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = bounds.map((value) => (value * dpi) / POINTS);
  const [x, y] = [Math.floor(x0 + 0.001), Math.floor(y0 + 0.001)];
  return { x, y, width: Math.max(1, Math.ceil(x1 - 0.001) - x), height: Math.max(1, Math.ceil(y1 - 0.001) - y) };
}

/** `most`: rows that may be drawn at a time, regardless of their size. */
function bandRows(width: number, height: number, samples: number, most = height): number {
  const rows = Math.min(most, Math.floor(BAND_BYTES / (width * samples)));
  return rows >= height ? height : Math.min(height, Math.max(BAND_STEP, Math.floor(rows / BAND_STEP) * BAND_STEP));
}

/** Bytes of MuPDF's heap for the pixels of a page while it is drawn, one band at a time. */
export const bandBytes = (width: number, height: number, samples: number): number =>
  width * samples * bandRows(width, height, samples);

/**
 * Rejects pages (0-based) with too many pixels at `dpi`, one of them or all together.
 * @throws Refusal `limit_exceeded`
 */
export async function checkPixels(open: OpenPdf, pages: readonly number[], dpi: number): Promise<void> {
  const { pagePixels, callPixels } = limits.raster;
  let total = 0;
  for (const page of pages) {
    const { width, height } = await pixelsOf(open, page, dpi);
    open.engine.work.spend(PAGE_WORK);
    await open.engine.work.pause();
    const pixels = width * height;
    if (pixels > pagePixels) throw pageHasTooManyPixels(page + 1, dpi, pixels);
    total += pixels;
  }
  if (total > callPixels) throw pagesHaveTooManyPixels(total);
}

/**
 * A page rendered on white, band by band, with annotations and form fields. It is drawn from one display list, so that the page
 * is interpreted only once and is never in memory as a whole.
 */
export class PageRaster implements Disposable {
  readonly width: number;
  readonly height: number;
  /**
   * Samples per pixel: 3, or 4 with an alpha. The page is opaque white, but MuPDF blends soft masks into it in 8 bits, which leaves an
   * alpha of 254 here and there.
   */
  readonly samples: 3 | 4;
  readonly #open: OpenPdf;
  readonly #box: PixelBox;
  readonly #scale: number;
  readonly #list: DisplayList;
  readonly #bandRows: number;
  readonly #drawing: SteppedStage;
  /** MuPDF caches the decoded part of a large image for a band, which no other band needs. */
  readonly #trim: () => void;
  /** The band drawn last. */
  #drawn: { readonly top: number; readonly pixmap: Pixmap } | undefined;
  /** Rows from the top that are known to be gray. */
  #grayRows = 0;
  #colored = false;
  #decides = false;

  /**
   * @param page 0-based.
   * @throws Refusal `invalid_file`, `limit_exceeded`, `overloaded` (memory).
   */
  static async of(open: OpenPdf, page: number, options: RasterOptions): Promise<PageRaster> {
    const { work } = open.engine;
    const drawing = work.stage("drawPage");
    const list = await drawing.run(() => pageList(open, page));
    const box = pixelBox(list.bounds, options.dpi);
    return new PageRaster(open, list, box, drawing, { ...options, most: await mostRows(open, page, box) });
  }

  private constructor(
    open: OpenPdf,
    { list }: PageList,
    box: PixelBox,
    drawing: SteppedStage,
    { dpi, alpha, most }: RasterOptions & { readonly most: number },
  ) {
    this.#open = open;
    this.#trim = storeTrimmer(open.engine);
    this.samples = alpha ? 4 : 3;
    this.#scale = dpi / POINTS;
    [this.#box, this.#list] = [box, list];
    ({ width: this.width, height: this.height } = this.#box);
    this.#bandRows = bandRows(this.width, this.height, this.samples, most);
    this.#drawing = drawing;
    drawing.add(this.width * this.height * limits.work.drawnPixel);
  }

  /** The request's encoder of pictures. */
  get jpeg(): JpegEncoder {
    return this.#open.engine.jpeg;
  }

  /** The work budget of the request, for the page's encoders. */
  get work(): Work {
    return this.#open.engine.work;
  }

  /** Whether red, green and blue are equal in every pixel; undefined until that is known. */
  get gray(): boolean | undefined {
    if (this.#colored) return false;
    return this.#grayRows >= this.height ? true : undefined;
  }

  /** Looks for color in the first band. */
  async checkFirstBand(): Promise<void> {
    await this.#look(0);
  }

  /** Determines `gray` before the next band is output, by drawing all remaining bands. */
  checkAllBands(): void {
    this.#decides = true;
  }

  /**
   * The page from top to bottom. `gray`: the requester assumes the page has no color.
   * @throws ColorFound if it does
   */
  async *bands({ gray = false } = {}): AsyncGenerator<Band, void> {
    for (let top = 0; top < this.height; top += this.#bandRows) {
      if (gray) {
        do await this.#look(top);
        while (this.#decides && this.gray === undefined);
        if (this.#colored) throw new ColorFound();
      }
      yield await this.#band(top);
    }
  }

  [Symbol.dispose](): void {
    this.#forget();
    this.#list.destroy();
  }

  /** Looks for color in the next unchecked band; `needed` is the row that is requested. */
  async #look(needed: number): Promise<void> {
    if (this.gray !== undefined || (needed < this.#grayRows && !this.#decides)) return;
    const { top, rows, pixels } = await this.#band(this.#grayRows);
    if (isGray(pixels, this.samples)) this.#grayRows = top + rows;
    else this.#colored = true;
  }

  async #band(top: number): Promise<Band> {
    const rows = Math.min(this.#bandRows, this.height - top);
    if (this.#drawn?.top !== top) {
      // Frees the previous band first: two of them would take twice the memory.
      this.#forget();
      this.#trim();
      this.#drawn = {
        top,
        pixmap: await this.#drawing.run(() => drawn(this.#open, () => this.#draw(top, rows))),
      };
    }
    const { buffer, byteOffset, byteLength } = this.#drawn.pixmap.getPixels();
    return { top, rows, pixels: new Uint8Array(buffer, byteOffset, byteLength) };
  }

  async #draw(top: number, rows: number): Promise<Pixmap> {
    const { mupdf, long } = this.#open.engine;
    const { x, y, width } = this.#box;
    const box: [number, number, number, number] = [x, y + top, x + width, y + top + rows];
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, box, this.samples === 4);
    try {
      pixmap.clear(255);
      const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
      await long.run(this.#list, device, mupdf.Matrix.scale(this.#scale, this.#scale));
      device.close();
      device.destroy();
      return pixmap;
    } catch (error) {
      pixmap.destroy();
      throw error;
    }
  }

  #forget(): void {
    this.#drawn?.pixmap.destroy();
    this.#drawn = undefined;
  }
}
