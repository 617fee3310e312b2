/** Finds the part of a page that has ink. */
import { PageRaster } from "../../render/page-raster.ts";
import { allowPage } from "../content/page-work.ts";
import type { StampPage } from "../content/page-content.ts";
import type { OpenPdf } from "../document/document.ts";
import type { CropArea } from "./crop-pages.ts";

/** Pixels per inch, and pixels of a page at most: larger ones are drawn at a lower resolution. */
const DPI = 144;
const MOST_PIXELS = 8_000_000;

/** Samples above this are paper: scans and JPEG have noise in white. */
const PAPER = 245;

/** Fuel per row, and per pixel that is looked at. */
const ROW_WORK = 20;
const PIXEL_WORK = 1;

/** The smallest area that holds all ink of a page as displayed, within half a point; undefined if it is blank. */
export async function inkOn(open: OpenPdf, { index, width, height }: StampPage): Promise<CropArea | undefined> {
  const scale = Math.min(DPI / 72, Math.sqrt(MOST_PIXELS / (width * height)));
  const { work } = open.engine;
  await allowPage(open, index);
  using raster = await PageRaster.of(open, index, { dpi: scale * 72, alpha: false });
  let [left, top, right, bottom] = [raster.width, -1, 0, 0];
  for await (const band of raster.bands()) {
    const row = raster.width * raster.samples;
    for (let y = 0; y < band.rows; y++) {
      const [from, to] = [y * row, (y + 1) * row];
      let first = from;
      while (first < to && (band.pixels[first] ?? 0) > PAPER) first++;
      let last = to - 1;
      while (last > first && (band.pixels[last] ?? 0) > PAPER) last--;
      work.spend(ROW_WORK + (first - from + to - last) * PIXEL_WORK);
      if (first === to) continue;
      if (top < 0) top = band.top + y;
      bottom = band.top + y + 1;
      left = Math.min(left, Math.floor((first - from) / raster.samples));
      right = Math.max(right, Math.floor((last - from) / raster.samples) + 1);
    }
    await work.pause();
  }
  if (top < 0) return undefined;
  const [x, y] = [left / scale, top / scale];
  return { x, y, width: Math.min(right / scale, width) - x, height: Math.min(bottom / scale, height) - y };
}
