import { crc32, deflateSync } from "node:zlib";
import { predicted } from "./png-filter.ts";

export interface PngOptions {
  readonly width: number;
  readonly height: number;
  /** 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha. */
  readonly colorType: number;
  readonly depth: number;
  readonly interlaced?: boolean;
  /** Chunks between header and data, in order. */
  readonly chunks?: readonly (readonly [string, Uint8Array])[];
  /** Bytes of an IDAT chunk; all in one where it is not given. */
  readonly dataBytes?: number;
}

/** Value of a sample, from 0 to 2^depth - 1. */
export type Sample = (x: number, y: number, channel: number) => number;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** First column, first row, step between columns, step between rows. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A PNG of any color type and depth, its rows filtered in turn by each of the five filters. */
export function writePng(options: PngOptions, sample: Sample): Uint8Array {
  const data = new Uint8Array(deflateSync(filteredRows(options, sample)));
  return pngOf(options, data);
}

/** The rows of all passes before they are deflated. */
export function filteredRows({ width, height, colorType, depth, interlaced }: PngOptions, sample: Sample): Buffer {
  const channels = CHANNELS[colorType] ?? 1;
  const rows: Buffer[] = [];
  for (const [x0, y0, stepX, stepY] of interlaced === true ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
    const columns = Math.ceil((width - x0) / stepX);
    let above = Buffer.alloc(Math.ceil((columns * channels * depth) / 8));
    if (columns <= 0) continue;
    for (let y = y0, index = 0; y < height; y += stepY, index++) {
      const row = Buffer.alloc(above.length);
      for (let column = 0; column < columns; column++) {
        for (let channel = 0; channel < channels; channel++) {
          put(row, (column * channels + channel) * depth, depth, sample(x0 + column * stepX, y, channel));
        }
      }
      rows.push(filtered(row, above, index % 5, Math.max(1, (channels * depth) >> 3)));
      above = row;
    }
  }
  return Buffer.concat(rows);
}

/** A PNG around data that may be of any kind. */
export function pngOf(options: PngOptions, data: Uint8Array): Uint8Array {
  const { width, height, depth, colorType, interlaced, chunks = [], dataBytes = Infinity } = options;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlaced === true ? 1 : 0], 8);
  const parts = [Buffer.from(SIGNATURE), chunk("IHDR", header), ...chunks.map(([type, bytes]) => chunk(type, bytes))];
  for (let at = 0; at < data.length; at += dataBytes) parts.push(chunk("IDAT", data.subarray(at, at + dataBytes)));
  return new Uint8Array(Buffer.concat([...parts, chunk("IEND", new Uint8Array())]));
}

function chunk(type: string, bytes: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), bytes]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(bytes.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** Big-endian 32-bit numbers, for the contents of chunks. */
export function numbers32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

function put(row: Buffer, bit: number, depth: number, value: number): void {
  const at = bit >> 3;
  if (depth === 16) row.writeUInt16BE(value, at);
  else row[at] = (row[at] ?? 0) | (value << (8 - depth - (bit & 7)));
}

function filtered(row: Buffer, above: Buffer, filter: number, distance: number): Buffer {
  const out = Buffer.alloc(row.length + 1);
  out[0] = filter;
  for (let index = 0; index < row.length; index++) {
    const left = row[index - distance] ?? 0;
    const up = above[index] ?? 0;
    const corner = above[index - distance] ?? 0;
    out[index + 1] = (row[index] ?? 0) - predicted(filter, left, up, corner);
  }
  return out;
}
