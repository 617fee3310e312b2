/** Converts the first frame of a GIF to an image as stored in a PDF: indices with their palette. */
import { type GifFacts, gifRows, interlacedOrder } from "../../image/gif.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { HeldRows } from "../mupdf/held-rows.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { EmbeddedImage } from "./embedded-image.ts";
import { FilteredRows } from "./filtered-rows.ts";

/**
 * Pixels of the image outside the frame are transparent.
 * @throws BadImage if the data is damaged; Refusal `limit_exceeded` (memory, work)
 */
export async function embedGif(engine: PdfEngine, gif: GifFacts, file: EngineBytes): Promise<EmbeddedImage> {
  const { width, height, frame, palette, transparent } = gif;
  using rows = new FilteredRows(engine, width, 1);
  const outside = transparent ?? 0;
  const row = new Uint8Array(width).fill(outside);
  for (let y = 0; y < frame.top; y++) await rows.write(row);
  const inFrame = frame.isInterlaced ? deinterlaced(engine, gif, file) : gifRows(engine.work, gif, file);
  for await (const indices of inFrame) {
    row.set(indices, frame.left);
    await rows.write(row);
  }
  row.fill(outside);
  for (let y = frame.top + frame.height; y < height; y++) await rows.write(row);
  return {
    width,
    height,
    bits: 8,
    space: { components: 3, palette },
    coding: "filtered",
    data: await rows.end(),
    ...(transparent !== undefined && { colorKey: [transparent, transparent] }),
  };
}

/** The rows from the top. */
async function* deinterlaced(engine: PdfEngine, gif: GifFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  const { width, height } = gif.frame;
  using held = new HeldRows(engine, width, height);
  const order = interlacedOrder(height);
  for await (const row of gifRows(engine.work, gif, file)) held.put(order.next().value ?? 0, row);
  for (let y = 0; y < height; y++) yield held.row(y);
}
