/** Draws redacted regions before they are covered: nothing is left to see in them. */
import { boxAround, type Matrix } from "../../../geometry.ts";
import type { DisplayList, PDFPage } from "mupdf";
import { withoutStructure } from "../../document/without-structure.ts";
import type { OpenPdf } from "../../document/document.ts";
import type { Rectangle } from "./glyphs.ts";

/** Least pixels per point: 72 dpi. */
const SCALE = 1;

/** Least pixels of a side of a region, and most pixels per point that it is enlarged to for them. */
const [LEAST_SIDE, MOST_SCALE] = [18, 8];

/** Most pixels of a region, 3 MB: one that is larger is drawn smaller. */
const MOST_PIXELS = 1_000_000;

/** Pixels at the edge that are left out: content around a region is antialiased, and images are interpolated. */
const EDGE = 3;

/** How much a channel may differ from white: samples that were encoded with loss. */
const TOLERANCE = 10;

/** Fuel per pixel that is looked at. */
const PIXEL_WORK = 4;

/**
 * Whether nothing is drawn in regions of a page (0-based) that are redacted, in units of its content, by the page, its annotations, or its form
 * fields.
 */
export async function areBlank(open: OpenPdf, index: number, regions: readonly Rectangle[]): Promise<boolean> {
  const { engine, document } = open;
  using stack = new DisposableStack();
  const page = stack.adopt(await engine.long.loadPage(document, index), (made) => made.destroy());
  const list = await withoutStructure(document, () => engine.long.displayList(page));
  stack.adopt(list, (made) => made.destroy());
  engine.refuseSkipped();
  for (const region of regions) if (!(await isBlank(open, page, list, region))) return false;
  return true;
}

async function isBlank(open: OpenPdf, page: PDFPage, list: DisplayList, region: Rectangle): Promise<boolean> {
  const { mupdf, long, work } = open.engine;
  const shown = boxAround(region, page.getTransform() as unknown as Matrix);
  const visible = page.getBounds();
  // Coordinates of regions are limited to the page, but their boxes may reach out of it.
  const [left, top] = [Math.max(shown[0], visible[0]), Math.max(shown[1], visible[1])];
  const [right, bottom] = [Math.min(shown[2], visible[2]), Math.min(shown[3], visible[3])];
  const [width, height] = [right - left, bottom - top];
  if (!(width > 0) || !(height > 0)) return true;
  const enlarged = Math.min(MOST_SCALE, Math.max(SCALE, LEAST_SIDE / Math.min(width, height)));
  const scale = Math.min(enlarged, Math.sqrt(MOST_PIXELS / (width * height)));
  const box: [number, number, number, number] = [
    Math.floor(left * scale) + EDGE,
    Math.floor(top * scale) + EDGE,
    Math.ceil(right * scale) - EDGE,
    Math.ceil(bottom * scale) - EDGE,
  ];
  if (box[2] <= box[0] || box[3] <= box[1]) return true;
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, box, false);
  try {
    pixmap.clear(255);
    const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
    await long.run(list, device, mupdf.Matrix.scale(scale, scale));
    device.close();
    device.destroy();
    open.engine.refuseSkipped();
    const pixels = pixmap.getPixels();
    work.spend(pixels.length * PIXEL_WORK);
    return pixels.every((channel) => channel >= 255 - TOLERANCE);
  } finally {
    pixmap.destroy();
    await work.pause();
  }
}
