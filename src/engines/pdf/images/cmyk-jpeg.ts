/**
 * Assembles four-component JPEGs from two JPEGs of an encoder that only supports photographs: cyan, magenta, and yellow as
 * one with three components, black as a gray one. JPEG allows each to have its own scan (ISO/IEC 10918-1, A.2).
 */
import type { ImageCodecs } from "../../image/codecs.ts";
import { concat } from "../../../bytes/concat.ts";
import type { Samples } from "./lossless.ts";
import { segments } from "../../image/jpeg-segments.ts";
import { bytesOf } from "../../../bytes/latin1.ts";

const [DQT, DHT, SOF0, SOS] = [0xdb, 0xc4, 0xc0, 0xda];
/** Adobe marker for YCCK: the first three components are luminance and chrominance of inverted cyan, magenta, and yellow. */
const ADOBE = [0xff, 0xee, 0, 14, ...bytesOf("Adobe"), 0, 100, 0, 0, 0, 0, 2];
const BLACK = { component: 4, table: 2 };

/** Undefined if the encoder's output cannot be combined. */
export async function encodeCmyk(
  codecs: ImageCodecs,
  samples: Samples,
  quality: number,
): Promise<Uint8Array | undefined> {
  const { width, height } = samples;
  const color = partsOf(await codecs.encodeJpeg({ data: lights(samples), width, height }, { quality }));
  const black = partsOf(await codecs.encodeJpeg({ data: blacks(samples), width, height }, { quality, gray: true }));
  if (!color || !black) return undefined;
  const [most = 0] = color.frame.subarray(7, 8);
  const frame = [...color.frame.subarray(0, 5), 4, ...color.frame.subarray(6), BLACK.component, most, BLACK.table];
  return concat([
    Uint8Array.of(0xff, 0xd8, ...ADOBE),
    ...color.quantization.map((table) => segment(DQT, table)),
    ...black.quantization.map((table) => segment(DQT, [((table[0] ?? 0) & 0xf0) | BLACK.table, ...table.subarray(1)])),
    segment(SOF0, frame),
    ...color.huffman.map((table) => segment(DHT, table)),
    segment(SOS, color.scanHead),
    color.scan,
    ...black.huffman.map((table) => segment(DHT, table)),
    segment(SOS, [1, BLACK.component, ...black.scanHead.subarray(2)]),
    black.scan,
    Uint8Array.of(0xff, 0xd9),
  ]);
}

function lights({ data, width, height }: Samples): CodecBytes {
  return pixelsOf(width * height * 4, (pixels, at) => {
    for (let part = 0; part < 3; part++) pixels[at + part] = 255 - (data[at + part] ?? 0);
  });
}

function blacks({ data, width, height }: Samples): CodecBytes {
  return pixelsOf(width * height * 4, (pixels, at) => pixels.fill(data[at + 3] ?? 0, at, at + 3));
}

function pixelsOf(length: number, write: (pixels: Uint8Array, at: number) => void): CodecBytes {
  return {
    length,
    writeTo: (pixels) => {
      for (let at = 0; at < length; at += 4) {
        write(pixels, at);
        pixels[at + 3] = 255;
      }
    },
  };
}

interface Parts {
  /** Contents of the segments. */
  readonly frame: Uint8Array;
  readonly quantization: readonly Uint8Array[];
  readonly huffman: readonly Uint8Array[];
  readonly scanHead: Uint8Array;
  /** The entropy-coded data of its only scan. */
  readonly scan: Uint8Array;
}

function partsOf(jpeg: Uint8Array): Parts | undefined {
  const quantization: Uint8Array[] = [];
  const huffman: Uint8Array[] = [];
  let frame: Uint8Array | undefined;
  let at = 2;
  for (const { marker, start, end } of segments(jpeg)) {
    const content = jpeg.subarray(start, end);
    at = end;
    if (marker === DHT) huffman.push(content);
    else if (marker === SOF0) frame = content;
    else if (marker === DQT) {
      // Consecutive tables of 65 bytes each.
      for (let from = 0; from < content.length; from += 65) quantization.push(content.subarray(from, from + 65));
    } else if (marker < 0xe0) return undefined;
  }
  if (!frame || quantization.some((table) => table.length !== 65 || (table[0] ?? 0) > 1)) return undefined;
  if (jpeg[at] !== 0xff || jpeg[at + 1] !== SOS || jpeg.at(-2) !== 0xff || jpeg.at(-1) !== 0xd9) return undefined;
  const start = at + 2 + (((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0));
  const scan = jpeg.subarray(start, -2);
  // No second scan and no restart markers.
  if (scan.some((byte, index) => byte === 0xff && scan[index + 1] !== 0)) return undefined;
  return { frame, quantization, huffman, scanHead: jpeg.subarray(at + 4, start), scan };
}

function segment(marker: number, content: ArrayLike<number>): Uint8Array {
  const length = content.length + 2;
  return Uint8Array.of(0xff, marker, length >> 8, length & 255, ...Array.from(content));
}
