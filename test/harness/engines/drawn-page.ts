import * as mupdf from "mupdf";

export interface DrawnPage {
  /** Points. */
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha, 0 to 255, of a pixel of the drawn page; the origin is its upper left corner. */
  at(x: number, y: number): readonly [number, number, number, number];
}

/** Draws a page, 0-based, without a background: MuPDF reads the file, which the service has written without it. */
export function drawPage(pdf: Uint8Array, index = 0, dpi = 72): DrawnPage {
  const document = mupdf.Document.openDocument(pdf.slice(), "application/pdf");
  const page = document.loadPage(index);
  const [x0, y0, x1, y1] = page.getBounds();
  const scale = dpi / 72;
  const pixmap = page.toPixmap(mupdf.Matrix.scale(scale, scale), mupdf.ColorSpace.DeviceRGB, true);
  const pixels = pixmap.getPixels().slice();
  const stride = pixmap.getStride();
  for (const handle of [pixmap, page, document]) handle.destroy();
  return {
    width: x1 - x0,
    height: y1 - y0,
    at(x, y) {
      const [r = 0, g = 0, b = 0, a = 0] = pixels.subarray(y * stride + x * 4, y * stride + x * 4 + 4);
      // MuPDF's are multiplied by alpha.
      const plain = (value: number): number => (a === 0 ? 0 : Math.min(255, Math.round((value * 255) / a)));
      return [plain(r), plain(g), plain(b), a];
    },
  };
}
