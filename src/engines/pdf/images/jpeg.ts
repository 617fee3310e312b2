/** Encodes images as JPEG. */
import type { Pixmap } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { ImageCodecs } from "../../image/codecs.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { encodeCmyk } from "./cmyk-jpeg.ts";
import type { EncodedImage, Samples } from "./lossless.ts";
import { segments } from "../../image/jpeg-segments.ts";

/**
 * Encodes samples as JPEG with mozjpeg, or with libjpeg row by row if they are too large for that. `pixmap` contains the
 * same samples.
 */
export async function encodeJpeg(
  engine: PdfEngine,
  codecs: ImageCodecs,
  pixmap: Pixmap,
  samples: Samples,
  quality: number,
): Promise<EncodedImage> {
  const bytes = (await withMozjpeg(codecs, samples, quality)) ?? (await withLibjpeg(engine, pixmap, quality));
  return { bytes, filter: "DCTDecode", decodeParms: undefined, bits: 8 };
}

async function withLibjpeg({ long }: PdfEngine, pixmap: Pixmap, quality: number): Promise<Uint8Array> {
  const file = await long.asJpeg(pixmap, quality);
  try {
    return withoutProfile(file.asUint8Array());
  } finally {
    file.destroy();
  }
}

/** Undefined if the image is too large for the encoder or for the memory that is left. */
export async function withMozjpeg(
  codecs: ImageCodecs,
  samples: Samples,
  quality: number,
): Promise<Uint8Array | undefined> {
  const { width, height, components } = samples;
  if (width * height > limits.compress.mozjpegPixels) return undefined;
  try {
    if (components === 4) return await encodeCmyk(codecs, samples, quality);
    return await codecs.encodeJpeg({ data: rgba(samples), width, height }, { quality, gray: components === 1 });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

/** Writes the pixels directly into the encoder's memory: next to a large file there is no room for another copy. */
function rgba({ data, width, height, components }: Samples): CodecBytes {
  const [green, blue] = components === 3 ? [1, 2] : [0, 0];
  return {
    length: width * height * 4,
    writeTo: (pixels) => {
      for (let from = 0, to = 0; to < pixels.length; from += components, to += 4) {
        pixels[to] = data[from] ?? 0;
        pixels[to + 1] = data[from + green] ?? 0;
        pixels[to + 2] = data[from + blue] ?? 0;
        pixels[to + 3] = 255;
      }
    },
  };
}

/** Removes the profile of MuPDF's device space, which the PDF does not intend. */
function withoutProfile(jpeg: Uint8Array): Uint8Array {
  const dropped = [...segments(jpeg)].filter(({ marker }) => marker === 0xe2);
  const length = dropped.reduce((sum, { start, end }) => sum + end - start + 4, 0);
  const result = new Uint8Array(jpeg.length - length);
  let [from, to] = [0, 0];
  for (const { start, end } of [...dropped, { start: jpeg.length + 4, end: jpeg.length }]) {
    result.set(jpeg.subarray(from, start - 4), to);
    to += start - 4 - from;
    from = end;
  }
  return result;
}
