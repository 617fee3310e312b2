/** Converts BMPs to images as stored in a PDF. */
import { type BmpFacts, bmpRows, bmpRuns, channelOf } from "../../image/bmp.ts";
import { fitsComponents } from "../../image/icc.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { HeldRows } from "../mupdf/held-rows.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { EmbeddedImage } from "./embedded-image.ts";
import { FilteredRows } from "./filtered-rows.ts";

/** @throws BadImage if the data is damaged; Refusal `limit_exceeded` (memory, work) */
export async function embedBmp(engine: PdfEngine, bmp: BmpFacts, file: EngineBytes): Promise<EmbeddedImage> {
  const { width, height, palette, profile } = bmp;
  const space = { components: 3, ...(profile && fitsComponents(profile, 3) && { profile }) } as const;
  const image = { width, height, coding: "filtered" } as const;
  if (palette) {
    const bits = bmp.isRunLength ? 8 : bmp.bits;
    const whole = new Uint8Array(3 << bits);
    whole.set(palette);
    using rows = new FilteredRows(engine, Math.ceil((width * bits) / 8), 1);
    const stored = bmp.isRunLength ? expanded(engine, bmp, file) : bmpRows(engine.work, bmp, file);
    for await (const row of stored) await rows.write(row);
    return { ...image, bits, space: { ...space, palette: whole }, data: await rows.end() };
  }
  const [red, green, blue, opacity] = bmp.masks ?? [];
  const hasAlpha = opacity !== undefined && opacity !== 0;
  const pixels = readerOf(bmp);
  const [colorRow, alphaRow] = [new Uint8Array(width * 3), new Uint8Array(width)];
  using color = new FilteredRows(engine, colorRow.length, 3);
  using alpha = hasAlpha ? new FilteredRows(engine, width, 1) : undefined;
  const [toRed, toGreen, toBlue, toAlpha] = [red, green, blue, opacity].map((mask) => channelOf(mask ?? 0));
  let isInvisible = true;
  for await (const row of bmpRows(engine.work, bmp, file)) {
    const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
    for (let x = 0; x < width; x++) {
      const pixel = pixels(view, x);
      colorRow[x * 3] = toRed?.(pixel) ?? 0;
      colorRow[x * 3 + 1] = toGreen?.(pixel) ?? 0;
      colorRow[x * 3 + 2] = toBlue?.(pixel) ?? 0;
      if (hasAlpha) alphaRow[x] = toAlpha?.(pixel) ?? 0;
    }
    await color.write(colorRow);
    if (alpha) {
      isInvisible &&= alphaRow.every((value) => value === 0);
      await alpha.write(alphaRow);
    }
  }
  const data = await color.end();
  // Many programs declare alpha and leave it 0 everywhere.
  const isOpaque = alpha === undefined || alpha.isOpaque || isInvisible;
  const softMask = isOpaque ? undefined : ({ bits: 8, data: await alpha.end(), coding: "filtered" } as const);
  return { ...image, bits: 8, space, data, ...(softMask && { softMask }) };
}

/** Reads pixel `x` of a row as a number in which the masks find the colors. */
function readerOf({ bits }: BmpFacts): (row: DataView, x: number) => number {
  if (bits === 16) return (row, x) => row.getUint16(x * 2, true);
  if (bits === 32) return (row, x) => row.getUint32(x * 4, true);
  return (row, x) => (row.getUint8(x * 3 + 2) << 16) | (row.getUint8(x * 3 + 1) << 8) | row.getUint8(x * 3);
}

/** The rows of a compressed BMP from the top. */
async function* expanded(engine: PdfEngine, bmp: BmpFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  using held = new HeldRows(engine, bmp.width, bmp.height);
  for await (const { x, y, indices } of bmpRuns(engine.work, bmp, file)) held.put(bmp.height - 1 - y, indices, x);
  for (let y = 0; y < bmp.height; y++) yield held.row(y);
}
