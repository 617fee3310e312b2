/** The conversion of colors that pages need most. */
import type { default as MuPDF } from "mupdf";

/**
 * Makes MuPDF keep its conversion of gray to RGB, for text, by drawing with it. It computes it from two ICC profiles, even for device colors: an eighth of
 * the work of drawing one page of text. That of RGB to gray, for shadings, would make the start of an instance too long a piece of work, and that of CMYK
 * would take fifteen times as long, and 1.2 MB.
 */
export function linkColors({ ColorSpace, DrawDevice, Matrix, Path, Pixmap }: typeof MuPDF): void {
  const pixmap = new Pixmap(ColorSpace.DeviceRGB, [0, 0, 1, 1], false);
  const device = new DrawDevice(Matrix.identity, pixmap);
  const path = new Path();
  path.rect(0, 0, 1, 1);
  device.fillPath(path, false, Matrix.identity, ColorSpace.DeviceGray, [0], 1);
  device.close();
  for (const made of [path, device, pixmap]) made.destroy();
}
