/** The conversions of colors that pages need most. */
import type { ColorSpace, default as MuPDF } from "mupdf";

/**
 * Makes MuPDF keep its conversions of gray to RGB, for text, and of RGB to gray, for shadings, by drawing with them. It computes each from two ICC
 * profiles, even for device colors. The first is an eighth of the work of drawing one page of text. That of CMYK would take fifteen times as long, and
 * 1.2 MB.
 */
export function linkColors(mupdf: typeof MuPDF): void {
  const { DeviceGray, DeviceRGB } = mupdf.ColorSpace;
  fill(mupdf, DeviceRGB, DeviceGray, [0]);
  fill(mupdf, DeviceGray, DeviceRGB, [1, 0, 0]);
}

function fill(
  { DrawDevice, Matrix, Path, Pixmap }: typeof MuPDF,
  to: ColorSpace,
  from: ColorSpace,
  color: [number] | [number, number, number],
): void {
  const pixmap = new Pixmap(to, [0, 0, 1, 1], false);
  const device = new DrawDevice(Matrix.identity, pixmap);
  const path = new Path();
  path.rect(0, 0, 1, 1);
  device.fillPath(path, false, Matrix.identity, from, color, 1);
  device.close();
  for (const made of [path, device, pixmap]) made.destroy();
}
