/** Encodes images as JPEG. */
import type { Pixmap } from "mupdf";
import { Refusal } from "../../errors.ts";
import { concat } from "../../../bytes/concat.ts";
import type { JpegEncoder } from "../../image/jpeg/encode.ts";
import type { ImageCodecs } from "../../image/codecs.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { encodeCmyk } from "./cmyk-jpeg.ts";
import type { EncodedImage, Samples } from "./lossless.ts";
import { segments } from "../../image/jpeg-segments.ts";

/** The largest image that is encoded with mozjpeg, which takes up to 14 bytes per sample in addition to MuPDF's memory. Larger ones are encoded in bands. */
const MOZJPEG_PIXELS = 2_200_000;

/** Rows that are passed to the encoder at a time. */
const BAND_ROWS = 64;

/**
 * Encodes samples as JPEG with mozjpeg. If they are too large for that, with the encoder that takes bands, which needs no memory for the image, or,
 * for four components, with libjpeg. `pixmap` contains the same samples.
 */
export async function encodeJpeg(
  engine: PdfEngine,
  codecs: ImageCodecs,
  pixmap: Pixmap,
  samples: Samples,
  quality: number,
): Promise<EncodedImage> {
  const other = (): Promise<Uint8Array> =>
    samples.components === 4 ? withLibjpeg(engine, pixmap, quality) : inBands(engine, samples, quality);
  const bytes = (await withMozjpeg(codecs, samples, quality)) ?? (await other());
  return { bytes, filter: "DCTDecode", decodeParms: undefined, bits: 8 };
}

async function inBands({ jpeg }: PdfEngine, samples: Samples, quality: number): Promise<Uint8Array> {
  const { width, height, components } = samples;
  const stride = width * components;
  async function* bands(): AsyncGenerator<Samples> {
    for (let top = 0; top < height; top += BAND_ROWS) {
      const rows = Math.min(BAND_ROWS, height - top);
      yield { data: samples.data.subarray(top * stride), width, height: rows, components };
    }
  }
  return encodeBands(jpeg, { width, height, gray: components === 1, quality, bands: bands() });
}

/** Encodes samples of one or three components that arrive in bands, whose heights are multiples of 16 but for the last one. */
export async function encodeBands(
  encoder: JpegEncoder,
  picture: {
    readonly width: number;
    readonly height: number;
    readonly gray: boolean;
    readonly quality: number;
    readonly bands: AsyncIterable<Samples>;
  },
): Promise<Uint8Array> {
  async function* bands(): AsyncGenerator<{ rows: number; pixels: Uint8Array }> {
    let pixels = new Uint8Array();
    for await (const { data, width, height, components } of picture.bands) {
      for (let top = 0; top < height; top += BAND_ROWS) {
        const rows = Math.min(BAND_ROWS, height - top);
        if (pixels.length < width * rows * 4) pixels = new Uint8Array(width * rows * 4);
        const band = { data: data.subarray(top * width * components), width, height: rows, components };
        rgba(band).writeTo(pixels.subarray(0, width * rows * 4));
        yield { rows, pixels };
      }
    }
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of encoder.encode({ ...picture, dpi: 72, bands: bands() })) pieces.push(piece.slice());
  return concat(pieces);
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
  if (width * height > MOZJPEG_PIXELS) return undefined;
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
