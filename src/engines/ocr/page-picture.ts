import type { Device, DisplayList, Matrix } from "mupdf";
import { drawn, type OpenPdf, type PageList, pageList } from "../pdf/document/document.ts";
import { allowPage, mostRows } from "../pdf/content/page-work.ts";
import { limits } from "../../limits.ts";
import { enlarged, sourceOf } from "./enlarge.ts";
import type { GrayRaster } from "./tesseract.ts";
import type { PixelBox } from "./tesseract-results.ts";

/** Pixels of a page when it is recognized: A3 at 200 dpi. Larger pages are rendered at a lower resolution. */
const PAGE_PIXELS = 8_000_000;

/** Points per inch. */
const POINTS = 72;
/**
 * Pixels per band. MuPDF decodes the images of a page again for each band, so fewer, larger bands are faster. Transparency
 * takes up to five bytes per pixel for each level of nested groups and masks, so pages with transparency use small bands.
 */
const BAND_PIXELS = 2 * 1024 * 1024;
const BAND_PIXELS_TRANSPARENT = 512 * 1024;
/**
 * MuPDF interpolates an image at up to twice its size (fz_paint_image_imp). Beyond that, each pixel becomes a square, and small letters
 * cannot be read: such pages are drawn at this many times the resolution of their image, and enlarged from there.
 */
const MOST_INTERPOLATED = 1.99;
/** Fuel per interpolated pixel. */
const ENLARGED_WORK = 4;

/** A page is a scan if its largest image covers more than this. */
const SCAN_SHARE = 0.5;

/** x0, y0, x1, y1 in points, origin at the top left of the visible page, y down. */
export type PointBox = readonly [number, number, number, number];

/** How to draw a page. */
export interface PictureView {
  /** Pixels per inch. */
  readonly dpi: number;
  /** Degrees clockwise. */
  readonly turn: number;
  /** The resolution reported to the recognizer, if the page's dimensions do not indicate the size of its letters. */
  readonly readAs?: number;
  /** The part to draw; default: all of it. */
  readonly part?: PointBox;
}

interface Surveyed extends PageList {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly scanDpi: number | undefined;
  /** Whether anything is first drawn into a group or a mask. */
  readonly transparent: boolean;
}

/** A page that is drawn in gray, at several resolutions and rotations, but interpreted only once. */
export class PagePicture implements Disposable {
  /** Size of the visible page in points. */
  readonly width: number;
  readonly height: number;
  readonly #open: OpenPdf;
  /** 0-based. */
  readonly #page: number;
  readonly #list: DisplayList;
  readonly #bounds: readonly [number, number, number, number];
  /** Pixels per inch of the image that the page mostly consists of; undefined if there is none. */
  readonly scanDpi: number | undefined;
  readonly #bandPixels: number;

  /**
   * @param page 0-based
   * @throws Refusal `invalid_file`, `limit_exceeded`, `overloaded` (memory)
   */
  static async of(open: OpenPdf, page: number): Promise<PagePicture> {
    const { bounds, list } = await pageList(open, page);
    const [x0, y0, x1, y1] = bounds;
    const [width, height] = [Math.max(1, x1 - x0), Math.max(1, y1 - y0)];
    return new PagePicture(open, { page, bounds, list, width, height, ...(await survey(open, list, width * height)) });
  }

  private constructor(open: OpenPdf, { page, bounds, list, width, height, scanDpi, transparent }: Surveyed) {
    this.#open = open;
    this.#page = page;
    [this.#bounds, this.#list] = [bounds, list];
    [this.width, this.height] = [width, height];
    this.scanDpi = scanDpi;
    this.#bandPixels = transparent ? BAND_PIXELS_TRANSPARENT : BAND_PIXELS;
  }

  /** The highest resolution at which the page stays within the pixel limit for one page. */
  get mostDpi(): number {
    return POINTS * Math.sqrt(PAGE_PIXELS / (this.width * this.height));
  }

  /**
   * The page as pixels. They are drawn when they are written, in bands, since transparency needs a multiple of their memory.
   */
  raster(view: PictureView): GrayRaster {
    const matrix = this.#matrix(view);
    const [left, top, right, bottom] = this.#pixels(view, matrix);
    const width = right - left;
    const size = { width, height: bottom - top };
    const rows = Math.max(1, Math.floor(this.#bandPixels / width));
    const most = (this.scanDpi ?? view.dpi) * MOST_INTERPOLATED;
    const draw = (band: PixelBox): Promise<Uint8Array> =>
      view.dpi > most ? this.#enlarged(band, view, most) : this.#draw(band, matrix);
    return {
      ...size,
      dpi: view.readAs ?? view.dpi,
      writeTo: async (target) => {
        await allowPage(this.#open, this.#page);
        const { work } = this.#open.engine;
        const drawing = work.stage("drawPage", width * (bottom - top) * limits.work.drawnPixel);
        const step = Math.min(rows, await mostRows(this.#open, this.#page, size));
        for (let y = top; y < bottom; y += step) {
          const band: PixelBox = [left, y, right, Math.min(bottom, y + step)];
          const pixels = await drawing.run(() => drawn(this.#open, () => draw(band)));
          target.set(pixels, (y - top) * width);
          // The fuel for them was counted before.
          await work.rest();
          // The next band needs another part of its images.
          if (step < rows) this.#open.engine.emptyStore();
        }
        // The images that MuPDF decoded would take memory that the recognition needs.
        this.#open.engine.emptyStore();
      },
    };
  }

  /**
   * Returns a function that maps a box in a drawing to the page. A box that is slanted on the page keeps its width and
   * height around its center.
   */
  boxIn(view: PictureView): (box: PixelBox) => PointBox {
    const { Matrix } = this.#open.engine.mupdf;
    const matrix = this.#matrix(view);
    const [left, top] = this.#pixels(view, matrix);
    const [a, b, c, d, e, f] = Matrix.invert(matrix);
    const scale = POINTS / view.dpi;
    const lies = Math.round(view.turn / 90) % 2 !== 0;
    const [x0, y0] = this.#bounds;
    return ([l, t, r, bottom]) => {
      const [x, y] = [(l + r) / 2 + left, (t + bottom) / 2 + top];
      const [middleX, middleY] = [a * x + c * y + e - x0, b * x + d * y + f - y0];
      const [across, down] = [((r - l) * scale) / 2, ((bottom - t) * scale) / 2];
      const [w, h] = lies ? [down, across] : [across, down];
      return [middleX - w, middleY - h, middleX + w, middleY + h];
    };
  }

  [Symbol.dispose](): void {
    this.#list.destroy();
  }

  #matrix({ dpi, turn }: PictureView): Matrix {
    const { Matrix } = this.#open.engine.mupdf;
    const scale = Matrix.scale(dpi / POINTS, dpi / POINTS);
    return turn === 0 ? scale : Matrix.concat(scale, Matrix.rotate(turn));
  }

  /** The pixels that the page, or the drawn part of it, covers: left, top, right, bottom. */
  #pixels({ part }: PictureView, matrix: Matrix): [number, number, number, number] {
    const { Rect } = this.#open.engine.mupdf;
    const [left, top, right, bottom] = this.#bounds;
    const [x0, y0, x1, y1] = Rect.transform(
      part
        ? [
            Math.max(left, left + part[0]),
            Math.max(top, top + part[1]),
            Math.min(right, left + part[2]),
            Math.min(bottom, top + part[3]),
          ]
        : [left, top, right, bottom],
      matrix,
    );
    const [x, y] = [Math.floor(x0 + 0.001), Math.floor(y0 + 0.001)];
    return [x, y, Math.max(x + 1, Math.ceil(x1 - 0.001)), Math.max(y + 1, Math.ceil(y1 - 0.001))];
  }

  /** A band of a view, made from the page drawn at `dpi`. */
  async #enlarged(band: PixelBox, view: PictureView, dpi: number): Promise<Uint8Array> {
    const smaller = { ...view, dpi };
    const matrix = this.#matrix(smaller);
    const factor = view.dpi / dpi;
    const box = sourceOf(band, factor, this.#pixels(smaller, matrix));
    const pixels = await this.#draw(box, matrix);
    const { work } = this.#open.engine;
    work.spend(ENLARGED_WORK * (band[2] - band[0]) * (band[3] - band[1]));
    await work.pause();
    return enlarged({ pixels, box }, band, factor);
  }

  async #draw(band: PixelBox, matrix: Matrix): Promise<Uint8Array> {
    const { mupdf, long } = this.#open.engine;
    const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [...band], false);
    try {
      pixmap.clear(255);
      const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
      await long.run(this.#list, device, matrix);
      device.close();
      device.destroy();
      return new Uint8Array(pixmap.getPixels());
    } finally {
      pixmap.destroy();
    }
  }
}

/** Finds the resolution of the largest image, and whether anything is drawn through a group or a mask. */
async function survey(
  open: OpenPdf,
  list: DisplayList,
  area: number,
): Promise<Pick<Surveyed, "scanDpi" | "transparent">> {
  let largest = SCAN_SHARE;
  let scanDpi: number | undefined;
  let transparent = false;
  const place = (image: { getWidth(): number; getHeight(): number }, [a, b, c, d]: Matrix): void => {
    const share = Math.min(1, Math.abs(a * d - b * c) / area);
    if (share <= largest) return;
    largest = share;
    const [across, down] = [Math.hypot(a, b), Math.hypot(c, d)];
    scanDpi = POINTS * Math.max(image.getWidth() / across, image.getHeight() / down);
  };
  const nested = (): void => void (transparent = true);
  const { mupdf } = open.engine;
  const run = (): void => {
    const device: Device = new mupdf.Device({
      fillImage: (image, matrix) => place(image, matrix),
      fillImageMask: (image, matrix) => place(image, matrix),
      beginGroup: nested,
      beginMask: nested,
    });
    try {
      list.run(device, mupdf.Matrix.identity);
      device.close();
    } finally {
      device.destroy();
    }
  };
  // The images passed to the device are handles, each of which keeps its image alive.
  await drawn(open, () => open.engine.scope(run));
  return { scanDpi, transparent };
}
