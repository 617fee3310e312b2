/** The first frame of a GIF (GIF89a). */
import type { EngineBytes } from "../memory/heap.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import { BadImage, type ImageFileFacts, tag } from "./facts.ts";
import { DamagedLzw, Lzw } from "./lzw.ts";
import { splitRows } from "./split-rows.ts";

export interface GifFrame {
  /** Pixels from the left and the top of the image. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
}

/** The size is that of the whole image, which the frame need not fill. Only that of the frame if no color is left for the pixels around it. */
export interface GifFacts extends ImageFileFacts {
  readonly frame: GifFrame;
  /** Red, green, and blue of each index. */
  readonly palette: Uint8Array;
  /** The index of transparent pixels, such as those around the frame. */
  readonly transparent: number | undefined;
  /** Where the blocks of the data begin. */
  readonly data: number;
  /** Bits of a symbol of the data. */
  readonly symbolBits: number;
}

const EXTENSION = 0x21;
const FRAME = 0x2c;
const GRAPHIC_CONTROL = 0xf9;
const HEADER_BYTES = 13;
const FRAME_BYTES = 10;
const MOST_COLORS = 256;

/**
 * Reads up to the data of the first frame.
 * @throws BadImage if there is none, or it is truncated
 */
export async function readGif(work: Work, bytes: Uint8Array): Promise<GifFacts> {
  const meter = ParseMeter.ofRequest(work, "image");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const truncated = (): BadImage => new BadImage("is truncated or damaged: it has no frame");
  if (bytes.length < HEADER_BYTES || !/^GIF8[79]a$/.test(tag(bytes, 0, 6))) throw truncated();
  const paletteAt = (at: number, flags: number): Uint8Array | undefined =>
    (flags & 0x80) === 0 ? undefined : bytes.slice(at, at + 3 * (2 << (flags & 7)));
  const shared = paletteAt(HEADER_BYTES, bytes[10] ?? 0);
  let transparent: number | undefined;
  for (let at = HEADER_BYTES + (shared?.length ?? 0); ;) {
    meter.element();
    await meter.pause();
    if (bytes[at] === EXTENSION) {
      if (bytes[at + 1] === GRAPHIC_CONTROL && (bytes[at + 2] ?? 0) >= 4) {
        transparent = ((bytes[at + 3] ?? 0) & 1) === 1 ? (bytes[at + 6] ?? 0) : undefined;
      }
      at += 2;
      for (let length = bytes[at++] ?? 0; length > 0; length = bytes[at++] ?? 0) {
        meter.element();
        await meter.pause();
        at += length;
      }
      continue;
    }
    if (bytes[at] !== FRAME || at + FRAME_BYTES >= bytes.length) throw truncated();
    const [left = 0, top = 0, width = 0, height = 0] = [1, 3, 5, 7].map((place) => view.getUint16(at + place, true));
    if (width === 0 || height === 0) throw new BadImage("has no width or height");
    const flags = bytes[at + 9] ?? 0;
    const own = paletteAt(at + FRAME_BYTES, flags);
    const data = at + FRAME_BYTES + (own?.length ?? 0);
    const symbolBits = bytes[data] ?? 0;
    if (symbolBits < 1 || symbolBits > 8) throw new BadImage("is damaged: its data cannot be decompressed");
    const stored = own ?? shared ?? Uint8Array.of(0, 0, 0, 255, 255, 255);
    const frame = { left, top, width, height, isInterlaced: (flags & 0x40) !== 0 };
    const screen = {
      width: Math.max(view.getUint16(6, true), left + width),
      height: Math.max(view.getUint16(8, true), top + height),
    };
    const colors = Math.max(stored.length / 3, 1 << symbolBits);
    const isFull = screen.width === width && screen.height === height;
    const outside = transparent ?? (isFull ? undefined : colors);
    // With all colors in use, none is left for the pixels around the frame.
    const isCropped = outside === MOST_COLORS;
    const palette = new Uint8Array(3 * Math.max(colors, isCropped ? 0 : (outside ?? 0) + 1));
    palette.set(stored);
    return {
      ...(isCropped ? { width, height } : screen),
      orientation: 1,
      resolution: undefined,
      frame: isCropped ? { ...frame, left: 0, top: 0 } : frame,
      palette,
      transparent: isCropped ? undefined : outside,
      data: data + 1,
      symbolBits,
    };
  }
}

/**
 * The rows of the frame as stored: an index a byte. A row is valid until the next.
 * @throws BadImage if the data is damaged or truncated; Refusal `limit_exceeded` (work)
 */
export function gifRows(work: Work, gif: GifFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  return splitRows(indices(work, gif, file), gif.frame.width, gif.frame.height);
}

async function* indices(work: Work, gif: GifFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  const meter = ParseMeter.ofRequest(work, "image");
  const stream = new Lzw({ order: "lsb", symbolBits: gif.symbolBits, isEarly: false });
  try {
    for (let at = gif.data; at < file.length && !stream.hasEnded;) {
      const [length = 0] = file.view(at, at + 1);
      if (length === 0) return;
      meter.element();
      await meter.pause();
      for (const chunk of stream.decode(file.view(at + 1, Math.min(at + 1 + length, file.length)).slice())) {
        meter.bytes(chunk.length);
        await meter.pause();
        yield chunk;
      }
      at += 1 + length;
    }
  } catch (error) {
    throw error instanceof DamagedLzw ? new BadImage("is damaged: its data cannot be decompressed") : error;
  }
}

/** The rows of an interlaced frame in the order in which they are stored (appendix E). */
export function* interlacedOrder(height: number): Generator<number, void> {
  for (const [first, step] of [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const) {
    for (let y = first; y < height; y += step) yield y;
  }
}
