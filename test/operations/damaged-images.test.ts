/** Damaged images: bytes from a seed, at random places and in every number of their headers. */
import { describe, expect, it } from "vitest";
import { Random } from "../harness/fuzz/random.ts";
import { blockJpeg } from "../harness/images/block-jpeg.ts";
import { lzw } from "../harness/images/lzw-writer.ts";
import { pageOf, tiffOf, type TiffOptions, writeTiff } from "../harness/images/tiff-writer.ts";
import type { Sample } from "../harness/images/png-writer.ts";
import { post } from "./image-pdf.ts";

const size = { width: 40, height: 30 };
const sample: Sample = (x, y, channel) => ((x * 7 + y * 3 + channel * 50) % 11) * 20;
const ink: Sample = (x, y) => ((x * y) % 7 < 2 ? 1 : 0);

const gray: TiffOptions = { ...size, bits: 8, photometric: 1 };
const rgb: TiffOptions = { ...size, bits: 8, samples: 3, photometric: 2 };

const gif = (): Uint8Array => {
  const data = lzw(
    Uint8Array.from({ length: 1_200 }, (_, index) => index % 4),
    { order: "lsb", symbolBits: 2, isEarly: false },
  );
  const head = [
    ...new TextEncoder().encode("GIF89a"),
    40,
    0,
    30,
    0,
    0x81,
    0,
    0,
    ...Array.from({ length: 12 }, (_, at) => at * 20),
  ];
  const blocks = [data.subarray(0, 250), data.subarray(250)].flatMap((block) =>
    block.length === 0 ? [] : [block.length, ...block],
  );
  return Uint8Array.from([
    ...head,
    0x21,
    0xf9,
    4,
    1,
    0,
    0,
    3,
    0,
    0x2c,
    0,
    0,
    0,
    0,
    40,
    0,
    30,
    0,
    0x40,
    2,
    ...blocks,
    0,
    0x3b,
  ]);
};

const bmp = (bits: number, compression: number, data: readonly number[]): Uint8Array => {
  const number = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
  const palette = bits > 8 ? [] : Array.from({ length: 4 << bits }, (_, at) => at & 255);
  const info = [
    ...number(40),
    ...number(20),
    ...number(10),
    1,
    0,
    bits,
    0,
    ...number(compression),
    ...[0, 0, 0, 0, 0].flatMap(number),
  ];
  return Uint8Array.from([
    0x42,
    0x4d,
    ...number(0),
    ...number(0),
    ...number(54 + palette.length),
    ...info,
    ...palette,
    ...data,
  ]);
};

const jpegTiff = (): Uint8Array => {
  const part = blockJpeg({ across: 5, down: 2, components: 3 }, (x, y) => x * 20 + y);
  const entries = pageOf({ ...rgb, rowsPerStrip: 16, height: 32, entries: [[259, 3, [7]]] }, sample).entries;
  return tiffOf([{ entries, parts: [part, part] }]);
};

const sources: readonly (readonly [string, Uint8Array])[] = [
  ["LZW", writeTiff({ ...rgb, coding: "lzw", hasPredictor: true, rowsPerStrip: 7 }, sample)],
  ["deflate in tiles", writeTiff({ ...gray, coding: "deflate", tile: { width: 16, height: 16 } }, sample)],
  ["PackBits in planes", writeTiff({ ...rgb, coding: "pack-bits", isPlanar: true, isBigEndian: true }, sample)],
  ["fax in strips", writeTiff({ ...size, bits: 1, photometric: 0, coding: "fax-g4", rowsPerStrip: 8 }, ink)],
  ["fax of G3 in strips", writeTiff({ ...size, bits: 1, photometric: 0, coding: "fax-g3", rowsPerStrip: 8 }, ink)],
  ["JPEG in strips", jpegTiff()],
  [
    "pages",
    tiffOf([pageOf(gray, sample), pageOf({ ...gray, coding: "lzw" }, sample), pageOf({ ...gray, width: 9 }, sample)]),
  ],
  ["a GIF", gif()],
  [
    "a BMP",
    bmp(
      24,
      0,
      Array.from({ length: 600 }, (_, at) => at & 255),
    ),
  ],
  ["a BMP of runs", bmp(8, 1, [20, 3, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 0, 2, 3, 3, 9, 7, 0, 1])],
];

/** Numbers that a header is likely to be believed with. */
const EXTREMES = [0, 1, 2, 127, 128, 255];

function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice(0, random.once(6) ? random.below(bytes.length) : bytes.length);
  // Directories are at the end of these files, and the headers of others at the start.
  const from = random.once(2) ? 0 : Math.max(0, copy.length - 260);
  for (let count = 1 + random.below(6); count > 0 && copy.length > 0; count--) {
    const at = random.once(3) ? random.below(copy.length) : Math.min(copy.length - 1, from + random.below(260));
    copy[at] = random.once(2) ? random.below(256) : (EXTREMES[random.below(EXTREMES.length)] ?? 0);
    if (random.once(4)) copy.copyWithin(at, random.below(copy.length), random.below(copy.length));
  }
  // Other files would be refused by their first bytes.
  copy.set(bytes.subarray(0, Math.min(4, copy.length)));
  return copy;
}

describe("damaged images", () => {
  it.each(sources)("damaged images are read, or refused with a reason: %s", async (name, bytes) => {
    expect((await post(bytes)).status).toBe(200);
    const random = new Random(
      20_261,
      sources.findIndex(([other]) => other === name),
    );
    const seen = new Map<number, number>();
    for (let round = 0; round < 60; round++) {
      const file = damaged(bytes, random);
      const { status, body } = await post(file);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      if (status === 200) continue;
      const { error } = JSON.parse(new TextDecoder().decode(body)) as { error: { code: string } };
      expect([`400 invalid_file`, `413 limit_exceeded`, `415 unsupported_format`], `round ${round}`).toContain(
        `${status} ${error.code}`,
      );
    }
    // Neither is everything accepted, nor does any damage make the file unreadable.
    expect(seen.size).toBeGreaterThan(1);
  });
});
