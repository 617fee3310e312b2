import { Document, ColorSpace, Matrix } from "mupdf";
import { ssim, type Picture } from "./ssim.ts";

/** Pixels of a page's longer side. */
const LARGEST_SIDE = 800;
/** Pages of a document that are drawn. */
const MOST_PAGES = 6;

/** The pages of a PDF, drawn with annotations and form fields in RGB; the first few, and none larger than a screen. */
export function drawPages(bytes: Uint8Array, password?: string): Picture[] {
  const document = Document.openDocument(bytes, "application/pdf");
  try {
    if (password !== undefined) document.authenticatePassword(password);
    return Array.from({ length: Math.min(MOST_PAGES, document.countPages()) }, (_, index) => draw(document, index));
  } finally {
    document.destroy();
  }
}

function draw(document: Document, index: number): Picture {
  const page = document.loadPage(index);
  const [x0, y0, x1, y1] = page.getBounds();
  const scale = Math.min(1.5, LARGEST_SIDE / Math.max(x1 - x0, y1 - y0));
  const pixmap = page.toPixmap(Matrix.scale(scale, scale), ColorSpace.DeviceRGB, false, true);
  const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
  const picture = { width, height, components: 3 as const, data: Uint8Array.from(pixmap.getPixels()) };
  pixmap.destroy();
  page.destroy();
  return picture;
}

/** The pages that look different, in words. */
export function looksThatDiffer(before: readonly Picture[], after: readonly Picture[], least: number): string[] {
  if (before.length !== after.length) return [`${before.length} pages drawn before, ${after.length} after`];
  return before.flatMap((picture, index) => {
    const other = after[index];
    const alike = other ? ssim(picture, other) : 0;
    return alike >= least ? [] : [`page ${index + 1} looks different: SSIM ${alike.toFixed(3)}`];
  });
}

/** The largest difference between the means of blocks of 8 by 8 pixels, over all components, 0 to 255. */
export function largestBlockError(a: Picture, b: Picture): number {
  const BLOCK = 8;
  let largest = 0;
  for (let y = 0; y + BLOCK <= a.height; y += BLOCK) {
    for (let x = 0; x + BLOCK <= a.width; x += BLOCK) {
      const sums = [0, 0, 0];
      for (let pixel = 0; pixel < BLOCK * BLOCK; pixel++) {
        const at = ((y + (pixel >> 3)) * a.width + x + (pixel & 7)) * 3;
        for (let part = 0; part < 3; part++) {
          sums[part] = (sums[part] ?? 0) + (a.data[at + part] ?? 0) - (b.data[at + part] ?? 0);
        }
      }
      largest = Math.max(largest, ...sums.map((sum) => Math.abs(sum) / (BLOCK * BLOCK)));
    }
  }
  return largest;
}
