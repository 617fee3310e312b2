/**
 * Reads the chunks of a PNG (ISO/IEC 15948:2004, clause 11; PNG 3rd edition): everything known about it before its rows are
 * read.
 */
import { limits } from "../../limits.ts";
import { tooManyChunks } from "../limit-errors.ts";
import type { Work } from "../work.ts";
import { crc32 } from "../../bytes/crc.ts";
import { type Exif, readExif } from "./exif.ts";
import { BadImage, plausibleResolution, type ImageFileFacts, perInch, type Resolution, tag, uint32 } from "./facts.ts";
import { PngColor } from "./png-color.ts";

/** Color types (table 11.1). */
export const GRAY = 0;
const RGB = 2;
export const PALETTE = 3;
export const GRAY_ALPHA = 4;
export const RGB_ALPHA = 6;

const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  [GRAY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  [GRAY_ALPHA]: [8, 16],
  [RGB_ALPHA]: [8, 16],
};
const CHANNELS: Readonly<Record<number, number>> = {
  [GRAY]: 1,
  [RGB]: 3,
  [PALETTE]: 1,
  [GRAY_ALPHA]: 2,
  [RGB_ALPHA]: 4,
};

export interface PngFacts extends ImageFileFacts {
  readonly colorType: number;
  /** Bits per sample, or per palette index. */
  readonly depth: number;
  /** Samples per pixel, including alpha. */
  readonly channels: number;
  readonly interlaced: boolean;
  /** Red, green, blue of each color; empty without a palette. */
  readonly palette: Uint8Array;
  /** The contents of tRNS (11.3.2.1); empty without it. */
  readonly transparency: Uint8Array;
  /** The colors of the samples. Undefined if they are in the color space of screens. */
  readonly profile: Uint8Array | undefined;
  /** Byte ranges of the compressed data in the file: one stream in pieces. */
  readonly data: readonly { readonly start: number; readonly end: number }[];
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colorType: number;
  readonly interlaced: boolean;
}

const SIGNATURE_BYTES = 8;
/** Length, type and CRC of a chunk. */
const CHUNK_BYTES = 12;
/** Fuel per chunk, in addition to the cost of its bytes. */
const CHUNK_WORK = 100;

/**
 * Reads a PNG up to its last chunk. As in libpng, critical chunks must be valid, and other chunks with a wrong CRC are ignored.
 * A missing end does not matter if the data is complete, which shows when it is inflated.
 * @throws BadImage; Refusal `limit_exceeded` (chunks, work)
 */
export async function readPng(work: Work, bytes: Uint8Array): Promise<PngFacts> {
  let header: Header | undefined;
  let palette = new Uint8Array();
  let transparency = new Uint8Array();
  let resolution: Resolution | undefined;
  let exif: Exif | undefined;
  const color = new PngColor();
  const data: { start: number; end: number }[] = [];
  for (const { type, start, end } of chunks(bytes)) {
    work.spend(CHUNK_WORK + end - start);
    await work.pause();
    const content = bytes.subarray(start, end);
    if (header === undefined && type !== "IHDR") throw new BadImage("is damaged: it does not start with a header");
    if (type === "IHDR") header ??= readHeader(content);
    else if (type === "IDAT") data.push({ start, end });
    else if (type === "PLTE") palette = content.slice();
    else if (type === "tRNS") transparency = content.slice();
    else if (type === "pHYs" && content[8] === 1) {
      resolution = plausibleResolution(perInch(uint32(content, 0)), perInch(uint32(content, 4)));
    } else if (type === "eXIf") exif = readExif(content);
    else color.take(type, content);
  }
  if (!header) throw new BadImage("is truncated: its header is incomplete");
  if (data.length === 0) throw new BadImage("is truncated or damaged: it has no image data");
  const { depth, colorType } = header;
  if (colorType === PALETTE) {
    if (palette.length === 0 || palette.length % 3 > 0) throw new BadImage("is damaged: it has no palette");
    palette = palette.subarray(0, 3 << depth);
  }
  return {
    ...header,
    channels: CHANNELS[colorType] ?? 1,
    orientation: exif?.orientation ?? 1,
    resolution: resolution ?? exif?.resolution,
    palette: colorType === PALETTE ? palette : new Uint8Array(),
    transparency: usableTransparency(header, transparency),
    profile: await color.profile(work, colorType === GRAY || colorType === GRAY_ALPHA ? 1 : 3),
    data,
  };
}

function usableTransparency({ colorType, depth }: Header, content: Uint8Array): Uint8Array {
  if (colorType === PALETTE) return content.subarray(0, 1 << depth);
  const bytes = colorType === GRAY ? 2 : colorType === RGB ? 6 : 0;
  return content.length === bytes ? content : new Uint8Array();
}

function* chunks(bytes: Uint8Array): Generator<{ type: string; start: number; end: number }, void> {
  for (let at = SIGNATURE_BYTES, count = 1; at < bytes.length; count++) {
    if (count > limits.images.chunks) throw tooManyChunks(count);
    const length = uint32(bytes, at);
    const type = tag(bytes, at + 4, 4);
    const [start, end] = [at + 8, at + 8 + length];
    if (end + 4 > bytes.length) {
      // The image needs nothing after its data.
      if (type !== "IDAT" && type !== "IHDR" && type !== "PLTE") return;
      throw new BadImage("is truncated: its data is incomplete");
    }
    if (!/^[A-Za-z]{4}$/.test(type)) throw new BadImage("has a damaged chunk");
    // The case of the first letter shows whether the chunk is critical (5.4).
    const needed = /^[A-Z]/.test(type);
    const known = type === "IHDR" || type === "PLTE" || type === "IDAT" || type === "IEND";
    const whole = crc32(bytes.subarray(at + 4, end)) === uint32(bytes, end);
    if (needed && !whole) throw new BadImage(`is damaged: the checksum of the chunk ${type} is wrong`);
    if (needed && !known) throw new BadImage(`has a critical ${type} chunk, which is unknown`);
    if (type === "IEND") return;
    if (whole) yield { type, start, end };
    at = end + 4;
  }
}

function readHeader(content: Uint8Array): Header {
  const [width, height] = [uint32(content, 0), uint32(content, 4)];
  const [depth = 0, colorType = 0, compression, filter, interlace = 2] = content.subarray(8);
  if (width === 0 || height === 0) throw new BadImage("has no width or height");
  if (content.length !== CHUNK_BYTES + 1 || compression !== 0 || filter !== 0 || interlace > 1) {
    throw new BadImage("has a damaged header");
  }
  if (!DEPTHS[colorType]?.includes(depth)) throw new BadImage("has an invalid color type or bit depth");
  return { width, height, depth, colorType, interlaced: interlace === 1 };
}
