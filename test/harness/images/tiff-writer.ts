/** TIFFs of exact samples, in each way that the service reads, and the parts that other files are made of. */
import { zlibSync } from "fflate";
import { FaxEncoder, FaxRow } from "../../../src/engines/image/tiff/fax-rows.ts";
import { END_OF_LINE, LONG_RUN, RUN_CODES } from "../../../src/engines/image/tiff/fax-codes.ts";
import { lzw } from "./lzw-writer.ts";
import type { Sample } from "./png-writer.ts";

export type Coding = "none" | "lzw" | "deflate" | "pack-bits" | "fax-rows" | "fax-g3" | "fax-g4";

export interface TiffOptions {
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly bits: number;
  /** Samples of a pixel: 1 by default. */
  readonly samples?: number;
  /** 0 gray from white, 1 gray, 2 RGB, 3 palette, 5 CMYK. */
  readonly photometric: number;
  readonly coding?: Coding;
  readonly isBigEndian?: boolean;
  readonly isPlanar?: boolean;
  readonly hasPredictor?: boolean;
  /** The lowest bit of a byte is the first. */
  readonly isReversed?: boolean;
  readonly rowsPerStrip?: number;
  readonly tile?: { readonly width: number; readonly height: number };
  /** Other entries, or others instead: tag, type, and values. */
  readonly entries?: readonly TiffEntry[];
}

export type TiffEntry = readonly [tag: number, type: number, values: readonly number[]];

/** A page with its data, which is already coded. */
export interface TiffPage {
  readonly entries: readonly TiffEntry[];
  readonly parts: readonly Uint8Array[];
  readonly isTiled?: boolean;
}

const COMPRESSIONS: Readonly<Record<Coding, number>> = {
  none: 1,
  "fax-rows": 2,
  "fax-g3": 3,
  "fax-g4": 4,
  lzw: 5,
  deflate: 8,
  "pack-bits": 32_773,
};
const SIZES: Readonly<Record<number, number>> = { 1: 1, 3: 2, 4: 4, 5: 8, 7: 1 };

export const writeTiff = (options: TiffOptions, sample: Sample): Uint8Array =>
  tiffOf([pageOf(options, sample)], options.isBigEndian);

/** The page of an image. */
export function pageOf(options: TiffOptions, sample: Sample): TiffPage {
  const { width, height, bits, samples = 1, photometric, coding = "none", tile, isPlanar = false } = options;
  const part = tile ?? { width, height: options.rowsPerStrip ?? height };
  const own = options.entries ?? [];
  const given = new Set(own.map(([tag]) => tag));
  const common: TiffEntry[] = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array.from({ length: samples }, () => bits)],
    [259, 3, [COMPRESSIONS[coding]]],
    [262, 3, [photometric]],
    [277, 3, [samples]],
    ...(options.isReversed ? [[266, 3, [2]] as const] : []),
    ...(isPlanar ? [[284, 3, [2]] as const] : []),
    ...(options.hasPredictor ? [[317, 3, [2]] as const] : []),
    ...(tile
      ? ([
          [322, 3, [tile.width]],
          [323, 3, [tile.height]],
        ] as const)
      : ([[278, 4, [part.height]]] as const)),
  ];
  const planes = isPlanar
    ? Array.from({ length: samples }, (_, plane) => [plane])
    : [Array.from({ length: samples }, (_, channel) => channel)];
  const parts = planes.flatMap((channels) => {
    const found: Uint8Array[] = [];
    for (let top = 0; top < height; top += part.height) {
      for (let left = 0; left < width; left += part.width) {
        const rows = tile ? part.height : Math.min(part.height, height - top);
        found.push(code(options, coding, { left, top, width: part.width, rows, channels }, sample));
      }
    }
    return found;
  });
  const entries = [...common.filter(([tag]) => !given.has(tag)), ...own];
  return { entries, parts, isTiled: tile !== undefined };
}

interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly rows: number;
  readonly channels: readonly number[];
}

function code(options: TiffOptions, coding: Coding, part: Part, sample: Sample): Uint8Array {
  const bytes = coding.startsWith("fax") ? fax(coding, part, sample) : flat(options, coding, part, sample);
  return options.isReversed ? bytes.map(reverse) : bytes;
}

const reverse = (byte: number): number =>
  Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1) << (7 - bit)).reduce((sum, bit) => sum | bit, 0);

function flat(options: TiffOptions, coding: Coding, part: Part, sample: Sample): Uint8Array {
  const { bits, isBigEndian = false, hasPredictor = false } = options;
  const stride = Math.ceil((part.width * part.channels.length * bits) / 8);
  const raw = new Uint8Array(stride * part.rows);
  for (let y = 0; y < part.rows; y++) {
    for (let index = 0; index < part.width * part.channels.length; index++) {
      const at = (x: number): number =>
        part.left + x < options.width
          ? sample(part.left + x, part.top + y, part.channels[index % part.channels.length] ?? 0)
          : 0;
      const x = Math.floor(index / part.channels.length);
      const value = hasPredictor && x > 0 ? (at(x) - at(x - 1) + 2 ** bits) % 2 ** bits : at(x);
      if (bits === 16) {
        const [high, low] = [value >> 8, value & 255];
        raw.set(isBigEndian ? [high, low] : [low, high], y * stride + index * 2);
      } else {
        const place = index * bits;
        const byte = y * stride + (place >> 3);
        raw[byte] = (raw[byte] ?? 0) | (value << (8 - bits - (place & 7)));
      }
    }
  }
  if (coding === "lzw") return lzw(raw, { order: "msb", symbolBits: 8, isEarly: true });
  if (coding === "deflate") return zlibSync(raw);
  return coding === "pack-bits" ? packBits(raw, stride) : raw;
}

/** Runs of at least three bytes as such, all others literally; none crosses the end of a row. */
export function packBits(raw: Uint8Array, stride: number): Uint8Array {
  const out: number[] = [];
  for (let start = 0; start < raw.length; start += stride) {
    const row = raw.subarray(start, start + stride);
    for (let at = 0; at < row.length;) {
      let run = 1;
      while (run < 128 && at + run < row.length && row[at + run] === row[at]) run++;
      if (run >= 3) out.push(257 - run, row[at] ?? 0);
      else {
        run = 1;
        while (run < 128 && at + run < row.length && !(row[at + run] === row[at + run + 1])) run++;
        out.push(run - 1, ...row.subarray(at, at + run));
      }
      at += run;
    }
  }
  return Uint8Array.from(out);
}

function fax(coding: Coding, part: Part, sample: Sample): Uint8Array {
  const rows = Array.from({ length: part.rows }, (_, y) => {
    const row = new FaxRow(part.width);
    let last = 0;
    for (let x = 0; x < part.width; x++) {
      const value = sample(part.left + x, part.top + y, 0);
      if (value !== last) row.add(x);
      last = value;
    }
    return row;
  });
  if (coding !== "fax-g4") return oneDimensional(rows, part.width, coding === "fax-g3");
  const out: number[] = [];
  const encoder = new FaxEncoder(part.width, (bytes) => out.push(...bytes));
  for (const [index, row] of rows.entries()) encoder.row(row, rows[index - 1] ?? new FaxRow(part.width));
  encoder.end();
  return Uint8Array.from(out);
}

/** Rows by themselves: after markers, or from bytes on. */
function oneDimensional(rows: readonly FaxRow[], width: number, hasMarkers: boolean): Uint8Array {
  let bits = "";
  for (const row of rows) {
    if (hasMarkers) bits += END_OF_LINE;
    for (let index = 0, from = 0; from < width; index++) {
      const [run, codes] = [row.at(index) - from, RUN_CODES[index & 1] ?? []];
      if (run >= LONG_RUN) bits += codes[LONG_RUN - 1 + (run >> 6)];
      bits += codes[run & (LONG_RUN - 1)];
      from = row.at(index);
    }
    if (!hasMarkers) bits += "0".repeat((8 - (bits.length % 8)) % 8);
  }
  bits += "0".repeat((8 - (bits.length % 8)) % 8);
  return Uint8Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
}

/** A file of pages, whose directories follow their data. */
export function tiffOf(pages: readonly TiffPage[], isBigEndian = false): Uint8Array {
  const bytes: number[] = [];
  const number = (value: number, size: number): number[] => {
    const all = Array.from({ length: size }, (_, index) => Math.floor(value / 2 ** (8 * index)) & 255);
    return isBigEndian ? all.toReversed() : all;
  };
  const put = (at: number, values: readonly number[]): void => {
    for (const [index, value] of values.entries()) bytes[at + index] = value;
  };
  bytes.push(...(isBigEndian ? [0x4d, 0x4d] : [0x49, 0x49]), ...number(42, 2), 0, 0, 0, 0);
  let link = 4;
  for (const { entries, parts, isTiled = false } of pages) {
    const offsets = parts.map((part) => {
      const at = bytes.length;
      for (const byte of part) bytes.push(byte);
      return at;
    });
    const [offsetTag, lengthTag] = isTiled ? [324, 325] : [273, 279];
    const all: TiffEntry[] = [
      [offsetTag, 4, offsets],
      [lengthTag, 4, parts.map(({ length }) => length)],
    ];
    const given = new Set(entries.map(([tag]) => tag));
    const sorted = [...all.filter(([tag]) => !given.has(tag)), ...entries].sort(([a], [b]) => a - b);
    const fields = sorted.map(([tag, type, values]) => {
      const size = SIZES[type] ?? 1;
      const coded = values.flatMap((value) =>
        type === 5 ? [...number(value * 100, 4), ...number(100, 4)] : number(value, size),
      );
      const at = bytes.length;
      if (coded.length > 4) bytes.push(...coded);
      const place = coded.length > 4 ? number(at, 4) : [...coded, 0, 0, 0, 0].slice(0, 4);
      return [...number(tag, 2), ...number(type, 2), ...number(values.length, 4), ...place];
    });
    put(link, number(bytes.length, 4));
    bytes.push(...number(fields.length, 2), ...fields.flat());
    link = bytes.length;
    bytes.push(0, 0, 0, 0);
  }
  return Uint8Array.from(bytes);
}
