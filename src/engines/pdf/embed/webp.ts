/**
 * Converts WebPs to images as stored in a PDF: decoded, since PDF readers do not support the format, and without further
 * loss.
 */
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { ImageCodecs, Rgba } from "../../image/codecs.ts";
import { DeflatedAtOnce } from "./deflated.ts";
import type { EmbeddedImage } from "./embedded-image.ts";
import { type Exif, readExif } from "../../image/exif.ts";
import { fitsComponents } from "../../image/icc.ts";
import { BadImage, type ImageFileFacts, tag } from "../../image/facts.ts";
import { RowFilter } from "../../image/row-filter.ts";
import { readWebpHeader } from "../../image/webp-header.ts";

export interface WebpFacts extends ImageFileFacts {
  /** A copy of the ICC profile. */
  readonly profile: Uint8Array | undefined;
}

const FIRST_CHUNK = 12;
const CHUNK_HEAD = 8;
const OPAQUE = 255;

/**
 * Reads the chunks of a WebP (RFC 9649).
 * @throws BadImage if it is truncated, damaged, or animated
 */
export function readWebp(bytes: Uint8Array): WebpFacts {
  const header = readWebpHeader(bytes);
  if (!header || header.width === 0 || header.height === 0) throw new BadImage("is truncated or has a damaged header");
  if (header.animated) throw new BadImage("is animated. Send a still image");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let exif: Exif | undefined;
  let profile: Uint8Array | undefined;
  for (let at = FIRST_CHUNK; at + CHUNK_HEAD <= bytes.length;) {
    const length = view.getUint32(at + 4, true);
    const content = bytes.subarray(at + CHUNK_HEAD, at + CHUNK_HEAD + length);
    const type = tag(bytes, at, 4);
    // Some programs prefix it with the header of a JPEG segment.
    if (type === "EXIF") exif ??= readExif(tag(content, 0, 6) === "Exif\0\0" ? content.subarray(6) : content);
    if (type === "ICCP") profile ??= content.slice();
    at += CHUNK_HEAD + length + (length & 1);
  }
  const { width, height } = header;
  return { width, height, orientation: exif?.orientation ?? 1, resolution: exif?.resolution, profile };
}

/**
 * Decodes a WebP and deflates its pixels. Takes about 6 bytes of memory per pixel plus the result.
 * @throws BadImage if it is damaged; Refusal `limit_exceeded`, `overloaded` (memory)
 */
export async function embedWebp(
  { pdf, codecs }: { readonly pdf: PdfEngine; readonly codecs: ImageCodecs },
  { width, height, profile }: WebpFacts,
  file: EngineBytes,
): Promise<EmbeddedImage> {
  const samples = await codecs.decodeWebp(file.view(0, file.length), (pixels, alpha) => {
    if (pixels.width !== width || pixels.height !== height) throw new BadImage("is damaged: its sizes do not match");
    return samplesOf(pdf, pixels, alpha);
  });
  // Frees memory for the next image.
  codecs.drop();
  if (!samples) throw new BadImage("is truncated or damaged");
  const usable = profile && fitsComponents(profile, 3) ? { profile } : {};
  return { width, height, bits: 8, space: { components: 3, ...usable }, coding: "filtered", ...samples };
}

function samplesOf(
  engine: PdfEngine,
  { data, width, height }: Rgba,
  hasAlpha: boolean,
): Pick<EmbeddedImage, "data" | "softMask"> {
  const colorRow = new Uint8Array(width * 3);
  const alphaRow = new Uint8Array(width);
  const [color, colorFilter] = [new DeflatedAtOnce(engine), new RowFilter(colorRow.length, 3)];
  const alpha = hasAlpha ? new DeflatedAtOnce(engine) : undefined;
  const alphaFilter = new RowFilter(alphaRow.length, 1);
  let opaque = true;
  for (let y = 0; y < height; y++) {
    let from = y * width * 4;
    for (let x = 0; x < width; x++, from += 4) {
      colorRow[x * 3] = data[from] ?? 0;
      colorRow[x * 3 + 1] = data[from + 1] ?? 0;
      colorRow[x * 3 + 2] = data[from + 2] ?? 0;
      alphaRow[x] = data[from + 3] ?? 0;
    }
    color.write(colorFilter.filter(colorRow));
    alpha?.write(alphaFilter.filter(alphaRow));
    opaque &&= alpha === undefined || alphaRow.every((value) => value === OPAQUE);
  }
  const samples = { data: color.end() };
  return alpha && !opaque ? { ...samples, softMask: { bits: 8, data: alpha.end(), coding: "filtered" } } : samples;
}
