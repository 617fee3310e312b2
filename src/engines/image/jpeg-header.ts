/** The facts about a JPEG that a PDF needs to embed its data unchanged (ITU-T T.81, annex B). */
import { limits } from "../../limits.ts";
import { tooManyScans } from "../limit-errors.ts";
import { concat } from "../../bytes/concat.ts";
import { EOI, isFrame, markers, SOS, standsAlone } from "./jpeg-segments.ts";
import type { Work } from "../work.ts";
import { readExif, type Exif } from "./exif.ts";
import {
  BadImage,
  plausibleResolution,
  CENTIMETERS_PER_INCH,
  type ImageFileFacts,
  type Resolution,
  tag,
  uint16,
} from "./facts.ts";

export interface JpegFacts extends ImageFileFacts {
  /** 1: gray, 3: color, 4: CMYK. */
  readonly components: 1 | 3 | 4;
  /** Whether 0 means full ink, as Adobe's programs write CMYK. */
  readonly inverted: boolean;
  /** Whether three components are red, green and blue without a marker that tells a PDF reader so. */
  readonly untransformedRgb: boolean;
  /** A copy of the ICC profile; undefined if there is none or a piece of it is missing. */
  readonly profile: Uint8Array | undefined;
}

/** Fuel per marker. */
const MARKER_WORK = 20;

const APP0 = 0xe0;
const APP1 = 0xe1;
const APP2 = 0xe2;
const APP14 = 0xee;
/** Baseline, extended, and progressive, with Huffman codes: the kinds that PDF's DCTDecode supports (ISO 32000-2, 7.4.8). */
const EMBEDDABLE = new Set([0xc0, 0xc1, 0xc2]);

interface Frame {
  readonly marker: number;
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  readonly ids: string;
}

/** The facts from the segments before the first scan. */
class Header {
  frame: Frame | undefined;
  isJfif = false;
  resolution: Resolution | undefined;
  exif: Exif | undefined;
  /** The color transform from Adobe's marker. */
  adobe: number | undefined;
  readonly profile = new Map<number, Uint8Array>();
  profilePieces = 0;

  take(marker: number, data: Uint8Array): void {
    if (isFrame(marker)) this.frame ??= frameOf(marker, data);
    else if (marker === APP0 && tag(data, 0, 5) === "JFIF\0") this.#jfif(data);
    else if (marker === APP1 && tag(data, 0, 6) === "Exif\0\0") this.exif ??= readExif(data.subarray(6));
    else if (marker === APP2 && tag(data, 0, 12) === "ICC_PROFILE\0" && data.length > 14) {
      this.profilePieces = data[13] ?? 0;
      this.profile.set(data[12] ?? 0, data.subarray(14));
    } else if (marker === APP14 && tag(data, 0, 5) === "Adobe" && data.length >= 12) this.adobe = data[11];
  }

  #jfif(data: Uint8Array): void {
    this.isJfif = true;
    const scale = data[7] === 1 ? 1 : data[7] === 2 ? CENTIMETERS_PER_INCH : 0;
    this.resolution ??= plausibleResolution(uint16(data, 8) * scale, uint16(data, 10) * scale);
  }
}

/**
 * Reads a whole JPEG without decoding it.
 * @throws BadImage if it is truncated or of a kind that PDF's DCTDecode does not support; Refusal `limit_exceeded` (work)
 */
export async function readJpeg(work: Work, bytes: Uint8Array): Promise<JpegFacts> {
  const header = await readSegments(work, bytes);
  const { frame, exif, adobe } = header;
  if (!frame) throw new BadImage("is damaged: it has no frame");
  if (!EMBEDDABLE.has(frame.marker)) {
    throw new BadImage(
      "is a lossless, arithmetic-coded, or hierarchical JPEG, which PDF does not support. Convert it to PNG",
    );
  }
  if (frame.precision !== 8) {
    throw new BadImage(`is a JPEG with ${frame.precision} bits per sample; PDF supports 8. Convert it to PNG`);
  }
  if (frame.width === 0 || frame.height === 0) throw new BadImage("has no width or height");
  const components = frame.ids.length;
  if (components !== 1 && components !== 3 && components !== 4) {
    throw new BadImage(`has ${components} components; PDF supports JPEG images with 1, 3, or 4`);
  }
  return {
    width: frame.width,
    height: frame.height,
    components,
    orientation: exif?.orientation ?? 1,
    resolution: header.resolution ?? exif?.resolution,
    inverted: components === 4 && adobe !== undefined,
    untransformedRgb: components === 3 && frame.ids === "RGB" && adobe === undefined && !header.isJfif,
    profile: profileOf(header),
  };
}

/** Walks the markers up to the end of the image; anything after it is ignored. */
async function readSegments(work: Work, bytes: Uint8Array): Promise<Header> {
  const header = new Header();
  let scans = 0;
  for (const { marker, start, end } of markers(bytes)) {
    work.spend(MARKER_WORK);
    await work.pause();
    if (marker === EOI) {
      if (scans === 0) throw new BadImage("is damaged: it has no image data");
      return header;
    }
    if (standsAlone(marker)) continue;
    if (end < start) throw new BadImage("is damaged: a segment has no length");
    if (end > bytes.length) break;
    if (marker === SOS) {
      scans++;
      if (scans > limits.images.scans) throw tooManyScans(scans);
    } else if (scans === 0) header.take(marker, bytes.subarray(start, end));
  }
  throw new BadImage("is truncated: its end is missing");
}

function frameOf(marker: number, data: Uint8Array): Frame {
  const count = data[5] ?? 0;
  if (data.length < 6 + 3 * count) throw new BadImage("has a damaged frame header");
  const isSampled = Array.from({ length: count }, (_, index) => data[7 + 3 * index] ?? 0).every(isSampling);
  if (!isSampled) throw new BadImage("has a damaged frame header: sampling factors are from 1 to 4");
  const ids = Array.from({ length: count }, (_, index) => String.fromCharCode(data[6 + 3 * index] ?? 0)).join("");
  return { marker, precision: data[0] ?? 0, height: uint16(data, 1), width: uint16(data, 3), ids };
}

/** Whether a byte has two sampling factors, horizontal and vertical (B.2.2). */
const isSampling = (factors: number): boolean =>
  factors >> 4 >= 1 && factors >> 4 <= 4 && (factors & 15) >= 1 && (factors & 15) <= 4;

function profileOf({ profile, profilePieces }: Header): Uint8Array | undefined {
  if (profilePieces === 0 || profile.size !== profilePieces) return undefined;
  const pieces = Array.from({ length: profilePieces }, (_, index) => profile.get(index + 1));
  return pieces.every((piece) => piece !== undefined) ? concat(pieces) : undefined;
}
