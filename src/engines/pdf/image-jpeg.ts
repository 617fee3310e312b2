/** Images written as JPEG, and what a JPEG says of its quality (ISO/IEC 10918-1). */
import type { Pixmap } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { ImageCodecs } from "../raster/codecs.ts";
import type { EncodedImage, Samples } from "./image-lossless.ts";

/** Row 0 of the luminance table of Annex K at quality 50, which libjpeg and its kin scale; the other rows follow. */
const ANNEX_K_START = [16, 11, 12, 14, 12, 10, 16, 14];

/**
 * Writes samples as JPEG: grey and three components with mozjpeg, larger ones and CMYK with libjpeg, which goes row by row.
 * `pixmap` holds the same samples.
 */
export async function encodeJpeg(
  codecs: ImageCodecs,
  pixmap: Pixmap,
  samples: Samples,
  quality: number,
): Promise<EncodedImage> {
  const bytes = (await withMozjpeg(codecs, samples, quality)) ?? withoutProfile(pixmap.asJPEG(quality, false));
  return { bytes, filter: "DCTDecode", decodeParms: undefined, bits: 8 };
}

async function withMozjpeg(codecs: ImageCodecs, samples: Samples, quality: number): Promise<Uint8Array | undefined> {
  const { width, height, components } = samples;
  if (components === 4 || width * height > limits.compress.mozjpegPixels) return undefined;
  try {
    return await codecs.encodeJpeg({ data: rgba(samples), width, height }, { quality, grey: components === 1 });
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function rgba({ data, width, height, components }: Samples): Uint8Array {
  const pixels = new Uint8Array(width * height * 4);
  const [green, blue] = components === 3 ? [1, 2] : [0, 0];
  for (let from = 0, to = 0; to < pixels.length; from += components, to += 4) {
    pixels[to] = data[from] ?? 0;
    pixels[to + 1] = data[from + green] ?? 0;
    pixels[to + 2] = data[from + blue] ?? 0;
    pixels[to + 3] = 255;
  }
  return pixels;
}

/** The segments before the scan: marker, start and end of their content. */
function* segments(jpeg: Uint8Array): Generator<{ marker: number; start: number; end: number }> {
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff) {
    const marker = jpeg[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = ((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0);
    if (marker === 0xda || length < 2) return;
    yield { marker, start: at + 4, end: at + 2 + length };
    at += 2 + length;
  }
}

/** MuPDF puts the profile of its own device space in, which the PDF does not mean. */
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

/** Components of a JPEG, `undefined` where it does not say. */
export function jpegComponents(jpeg: Uint8Array): number | undefined {
  for (const { marker, start } of segments(jpeg)) {
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return jpeg[start + 5];
  }
  return undefined;
}

/** About the quality, 1 to 100 as libjpeg counts, that a JPEG was written with; by the first steps of its first table. */
export function jpegQuality(jpeg: Uint8Array): number | undefined {
  for (const { marker, start } of segments(jpeg)) {
    if (marker !== 0xdb) continue;
    const wide = (jpeg[start] ?? 0) >> 4 === 1;
    let scale = 0;
    for (const [index, step] of ANNEX_K_START.entries()) {
      const at = start + 1 + index * (wide ? 2 : 1);
      const value = wide ? ((jpeg[at] ?? 0) << 8) | (jpeg[at + 1] ?? 0) : (jpeg[at] ?? 0);
      scale += (value * 100) / step / ANNEX_K_START.length;
    }
    return Math.max(1, Math.min(100, scale <= 100 ? (200 - scale) / 2 : 5000 / scale));
  }
  return undefined;
}
