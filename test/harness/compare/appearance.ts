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

/** Pixels of a block's sides. */
export const BLOCK = 8;

/** The means of a picture's blocks: pixels where each block begins, from the top left, and the mean of each component, 0 to 255. */
export type BlockMeans = readonly { readonly left: number; readonly top: number; readonly means: readonly number[] }[];

/** Where blocks begin that cover `length` pixels; the last one ends at the edge, and may overlap the one before. */
function starts(length: number): number[] {
  const count = Math.max(1, Math.ceil(length / BLOCK));
  return Array.from({ length: count }, (_, index) => Math.max(0, Math.min(index * BLOCK, length - BLOCK)));
}

export function blockMeans({ width, height, components, data }: Picture): BlockMeans {
  return starts(height).flatMap((top) =>
    starts(width).map((left) => {
      const right = Math.min(width, left + BLOCK);
      const bottom = Math.min(height, top + BLOCK);
      let [first, second, third] = [0, 0, 0];
      for (let y = top; y < bottom; y++) {
        const end = (y * width + right) * components;
        for (let at = (y * width + left) * components; at < end; at += components) {
          first += data[at] ?? 0;
          if (components === 1) continue;
          second += data[at + 1] ?? 0;
          third += data[at + 2] ?? 0;
        }
      }
      const count = (right - left) * (bottom - top);
      return { left, top, means: (components === 1 ? [first] : [first, second, third]).map((sum) => sum / count) };
    }),
  );
}

/** For each block, the largest difference between the means of a component, 0 to 255. The pictures have the same size. */
export function blockErrors(a: BlockMeans, b: BlockMeans): number[] {
  return a.map(({ means }, index) =>
    Math.max(...means.map((mean, part) => Math.abs(mean - (b[index]?.means[part] ?? 0)))),
  );
}

/** The largest difference between the means of blocks of 8 by 8 pixels, over all components, 0 to 255. */
export function largestBlockError(a: Picture, b: Picture): number {
  return blockErrors(blockMeans(a), blockMeans(b)).reduce((largest, error) => Math.max(largest, error), 0);
}
