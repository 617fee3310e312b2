/** Reads BMPs: Microsoft's BITMAPFILEHEADER with any BITMAPINFOHEADER, and OS/2's BITMAPCOREHEADER. */
import type { EngineBytes } from "../memory/heap.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import { BadImage, type ImageFileFacts, perInch, plausibleResolution } from "./facts.ts";
import { MOST_PROFILE_BYTES } from "./icc.ts";

export interface BmpFacts extends ImageFileFacts {
  /** Bits of a pixel. */
  readonly bits: 1 | 2 | 4 | 8 | 16 | 24 | 32;
  /** Whether the pixels are runs of indices. */
  readonly isRunLength: boolean;
  /** Whether the first stored row is the top one. */
  readonly isTopDown: boolean;
  /** Red, green, and blue of each index, for up to 8 bits. */
  readonly palette: Uint8Array | undefined;
  /** Which bits of a pixel are red, green, blue, and alpha, for more than 8 bits. */
  readonly masks: readonly [number, number, number, number] | undefined;
  readonly profile: Uint8Array | undefined;
  /** Offset of the pixels. */
  readonly data: number;
}

const FILE_HEADER = 14;
const CORE_HEADER = 12;
const INFO_HEADER = 40;

const COMPRESSION = { none: 0, rle8: 1, rle4: 2, bitFields: 3, jpeg: 4, png: 5, alphaBitFields: 6 } as const;
/** `MBED` as a number: the profile is in the file. */
const EMBEDDED = 0x4d42_4544;

/** @throws BadImage if the header is damaged, or of a kind that is not supported */
export function readBmp(bytes: Uint8Array): BmpFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = bytes[FILE_HEADER] ?? 0;
  if (bytes.length < FILE_HEADER + header) throw new BadImage("is truncated: its header is incomplete");
  const at = (offset: number): number => FILE_HEADER + offset;
  const isCore = header === CORE_HEADER;
  const [width, height] = isCore
    ? [view.getUint16(at(4), true), view.getUint16(at(6), true)]
    : [view.getInt32(at(4), true), view.getInt32(at(8), true)];
  if (width <= 0 || height === 0) throw new BadImage("has no width or height");
  const bits = view.getUint16(at(isCore ? 10 : 14), true);
  if (!isBits(bits)) throw new BadImage(`is a BMP with ${bits} bits per pixel, which is not supported`);
  const long = (offset: number): number =>
    offset + 4 <= header || (header === INFO_HEADER && offset < 56 && at(offset) + 4 <= bytes.length)
      ? view.getUint32(at(offset), true)
      : 0;
  const compression = header > 16 ? long(16) : COMPRESSION.none;
  const isRunLength =
    (compression === COMPRESSION.rle8 && bits === 8) || (compression === COMPRESSION.rle4 && bits === 4);
  const hasMasks =
    (compression === COMPRESSION.bitFields || compression === COMPRESSION.alphaBitFields) &&
    (bits === 16 || bits === 32) &&
    header !== 64;
  if (compression !== COMPRESSION.none && !isRunLength && !hasMasks) {
    const inside = { [COMPRESSION.jpeg]: "JPEG data", [COMPRESSION.png]: "PNG data" }[compression];
    throw new BadImage(
      `is a BMP with ${inside ?? `compression ${compression} and ${bits} bits`}, which is not supported. Save it as PNG`,
    );
  }
  const isTopDown = height < 0;
  if (isTopDown && isRunLength) throw new BadImage("is damaged: its rows cannot be both compressed and top-down");
  const maskBytes = hasMasks && header === INFO_HEADER ? (compression === COMPRESSION.bitFields ? 12 : 16) : 0;
  const hasAlphaMask = header >= 56 || compression === COMPRESSION.alphaBitFields;
  return {
    width,
    height: Math.abs(height),
    orientation: 1,
    resolution: header < INFO_HEADER ? undefined : plausibleResolution(perInch(long(24)), perInch(long(28))),
    bits,
    isRunLength,
    isTopDown,
    palette: bits > 8 ? undefined : paletteOf(bytes, at(header + maskBytes), 1 << bits, isCore ? 3 : 4, long(32)),
    masks: masksOf(bits, hasMasks ? [long(40), long(44), long(48), hasAlphaMask ? long(52) : 0] : undefined),
    profile: header === 124 && long(56) === EMBEDDED ? profileOf(bytes, at(long(112)), long(116)) : undefined,
    data: view.getUint32(10, true),
  };
}

const isBits = (bits: number): bits is BmpFacts["bits"] => [1, 2, 4, 8, 16, 24, 32].includes(bits);

/** `used`: how many colors the file has; 0 if all. Indices without a color are black. */
function paletteOf(bytes: Uint8Array, start: number, most: number, entryBytes: number, used: number): Uint8Array {
  const palette = new Uint8Array(most * 3);
  const count = used === 0 ? most : Math.min(used, most);
  for (let index = 0; index < count; index++) {
    const at = start + index * entryBytes;
    palette.set([bytes[at + 2] ?? 0, bytes[at + 1] ?? 0, bytes[at] ?? 0], index * 3);
  }
  return palette;
}

function masksOf(bits: number, own: readonly [number, number, number, number] | undefined): BmpFacts["masks"] {
  if (bits <= 8) return undefined;
  if (!own) return bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff_0000, 0xff00, 0xff, 0];
  const isRun = (mask: number): boolean => Number.isInteger(Math.log2(valuesOf(mask)));
  if (own.every(isRun) && own.slice(0, 3).some((mask) => mask !== 0)) {
    if (own.every((mask) => valuesOf(mask) <= 256)) return own;
    throw new BadImage("is a BMP with more than 8 bits per color, which is not supported. Save it as PNG");
  }
  throw new BadImage("is damaged: the masks of its colors are invalid");
}

/** The bit where a mask begins. */
const shiftOf = (mask: number): number => (mask === 0 ? 0 : 31 - Math.clz32(mask & -mask));

/** How many values a color has. */
const valuesOf = (mask: number): number => (mask >>> shiftOf(mask)) + 1;

/** Reads one color of pixels: 0 to 255. */
export function channelOf(mask: number): (pixel: number) => number {
  const [shift, highest] = [shiftOf(mask), valuesOf(mask) - 1];
  return highest === 0 ? () => 0 : (pixel) => Math.round((((pixel & mask) >>> shift) * 255) / highest);
}

function profileOf(bytes: Uint8Array, start: number, length: number): Uint8Array | undefined {
  if (length === 0 || length > MOST_PROFILE_BYTES || start + length > bytes.length) return undefined;
  return bytes.slice(start, start + length);
}

/** Bytes of a stored row: padded to four. */
const storedBytes = ({ width, bits }: BmpFacts): number => Math.ceil((width * bits) / 32) * 4;

/** Bytes of stored rows that are copied at once. */
const COPIED = 64 * 1024;

/**
 * The stored rows from the top, for a BMP without compression. A row is valid until the next.
 * @throws BadImage if some are missing
 */
export async function* bmpRows(work: Work, bmp: BmpFacts, file: EngineBytes): AsyncGenerator<Uint8Array, void> {
  const meter = ParseMeter.ofRequest(work, "image");
  const { height, data, isTopDown } = bmp;
  const stride = storedBytes(bmp);
  // The padding of the last row is often missing.
  const bytes = Math.ceil((bmp.width * bmp.bits) / 8);
  if (data < FILE_HEADER || data + stride * (height - 1) + bytes > file.length) {
    throw new BadImage("is truncated or damaged: some of its rows are missing");
  }
  const most = Math.max(1, Math.floor(COPIED / stride));
  for (let y = 0; y < height; y += most) {
    const count = Math.min(most, height - y);
    const first = data + stride * (isTopDown ? y : height - y - count);
    const rows = file.view(first, Math.min(first + stride * count, file.length)).slice();
    for (let index = 0; index < count; index++) {
      const at = stride * (isTopDown ? index : count - 1 - index);
      meter.bytes(bytes);
      yield rows.subarray(at, at + bytes);
    }
    await meter.pause();
  }
}

/** A run of indices: pixels from the left of a row, counted from the bottom. */
export interface BmpRun {
  readonly x: number;
  readonly y: number;
  readonly indices: Uint8Array;
}

/**
 * The runs of a compressed BMP. Pixels that are in none of them keep the index 0.
 * @throws BadImage if one leads out of the image, or the data ends early
 */
export async function* bmpRuns(work: Work, bmp: BmpFacts, file: EngineBytes): AsyncGenerator<BmpRun, void> {
  const meter = ParseMeter.ofRequest(work, "image");
  const { width, height, bits } = bmp;
  const pieces = new BytesFrom(file, bmp.data);
  const next = (): number => pieces.next();
  const nibbles = (count: number, byteOf: (index: number) => number): Uint8Array =>
    Uint8Array.from({ length: count }, (_, index) =>
      bits === 8 ? byteOf(index) : (byteOf(index >> 1) >> (index % 2 === 0 ? 4 : 0)) & 15,
    );
  let [x, y] = [0, 0];
  while (y < height) {
    meter.element();
    await meter.pause();
    const [count, value] = [next(), next()];
    if (count === 0 && value === 1) return;
    if (count === 0 && value === 0) {
      x = 0;
      y++;
    } else if (count === 0 && value === 2) {
      x += next();
      y += next();
    } else {
      const length = count || value;
      const stored = bits === 8 ? value : (value + 1) >> 1;
      const indices = count > 0 ? nibbles(count, () => value) : nibbles(value, literal(stored));
      // Some programs write runs up to a whole byte.
      if (x + length > width + (bits === 4 ? 1 : 0)) throw new BadImage("is damaged: a row is too long");
      meter.bytes(length);
      yield { x, y, indices: indices.subarray(0, width - x) };
      x += length;
    }
  }

  /** Literal bytes, padded to two. */
  function literal(count: number): (index: number) => number {
    const bytes = Uint8Array.from({ length: count }, next);
    if (count % 2 === 1) next();
    return (index) => bytes[index] ?? 0;
  }
}

/** Reads bytes one by one, from copies: the heap that contains the file may move meanwhile. */
class BytesFrom {
  readonly #file: EngineBytes;
  #copy = new Uint8Array();
  #start: number;
  #at = 0;

  constructor(file: EngineBytes, start: number) {
    this.#file = file;
    this.#start = start;
  }

  /** @throws BadImage at the end */
  next(): number {
    if (this.#at === this.#copy.length) {
      this.#start += this.#copy.length;
      if (this.#start >= this.#file.length) throw new BadImage("is truncated or damaged: its end is missing");
      this.#copy = this.#file.view(this.#start, Math.min(this.#start + COPIED, this.#file.length)).slice();
      this.#at = 0;
    }
    return this.#copy[this.#at++] ?? 0;
  }
}
