import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { ImageCalls, imagesOf } from "../harness/requests/image-pdf-response.ts";
import { drawPage } from "../harness/engines/drawn-page.ts";
import { exif } from "../harness/images/jpeg-fixtures.ts";
import { numbers32, writePng, type PngOptions, type Sample } from "../harness/images/png-writer.ts";

const { baseUrl, liveKey } = ownServer();
const calls = new ImageCalls({ baseUrl, key: liveKey });

const WIDTH = 21;
const HEIGHT = 13;
const size = { width: WIDTH, height: HEIGHT };

/** Values that differ from neighbor to neighbor and use all bits of a sample. */
const sampleOf =
  (depth: number): Sample =>
  (x, y, channel) =>
    (x * 2_654_435_761 + y * 40_503 * 7_919 + channel * 97_531) % 2 ** depth;

const palette = (depth: number): Uint8Array =>
  Uint8Array.from({ length: 3 << depth }, (_, index) => (index * 89 + (index % 3) * 50) % 256);

/** MuPDF drops the lower eight bits of alpha before it multiplies. */
const ALPHA_SLACK = 2.5;

type Rgba = readonly [number, number, number, number];

/** The pixel that the standard says is meant, eight bits a sample. */
function meant({ colorType, depth, chunks = [] }: PngOptions, sample: Sample, x: number, y: number): Rgba {
  const value = (channel: number): number => (sample(x, y, channel) * 255) / (2 ** depth - 1);
  const transparency = chunks.find(([type]) => type === "tRNS")?.[1];
  if (colorType === 3) {
    const index = sample(x, y, 0);
    const colors = chunks.find(([type]) => type === "PLTE")?.[1] ?? new Uint8Array();
    const [r = 0, g = 0, b = 0] = colors.subarray(index * 3, index * 3 + 3);
    return [r, g, b, transparency?.[index] ?? 255];
  }
  const hasChannel = colorType >= 4;
  const colors = colorType === 0 || colorType === 4 ? 1 : 3;
  const [r, g, b] = colors === 1 ? [value(0), value(0), value(0)] : [value(0), value(1), value(2)];
  const isKey =
    transparency !== undefined &&
    Array.from({ length: colors }, (_, channel) => channel).every(
      (channel) =>
        sample(x, y, channel) === (transparency[channel * 2] ?? 0) * 256 + (transparency[channel * 2 + 1] ?? 0),
    );
  return [r, g, b, hasChannel ? value(colors) : isKey ? 0 : 255];
}

/** Draws the PDF of a PNG, one point a pixel, and compares each pixel with what is meant; gives those that differ. */
async function compare(options: PngOptions, sample: Sample): Promise<{ pdf: Uint8Array; wrong: string[] }> {
  const pdf = await calls.pdf([writePng(options, sample)]);
  const page = drawPage(pdf);
  const wrong: string[] = [];
  if (page.width !== options.width || page.height !== options.height) wrong.push(`${page.width} by ${page.height}`);
  for (let y = 0; y < options.height; y++) {
    for (let x = 0; x < options.width; x++) {
      const [drawn, wanted] = [page.at(x, y), meant(options, sample, x, y)];
      // Colors that are hardly seen come back from the multiplication by alpha with few of their bits.
      const slack = 1.5 + 255 / Math.max(1, wanted[3]);
      const isSame =
        Math.abs(drawn[3] - wanted[3]) <= ALPHA_SLACK &&
        (wanted[3] < 16 || [0, 1, 2].every((at) => Math.abs((drawn[at] ?? 0) - (wanted[at] ?? 0)) <= slack));
      if (!isSame) wrong.push(`${x},${y}: ${drawn.join(" ")} for ${wanted.map(Math.round).join(" ")}`);
    }
  }
  return { pdf, wrong: wrong.slice(0, 5) };
}

const kinds = [
  ...[1, 2, 4, 8, 16].map((depth) => [0, depth] as const),
  ...[8, 16].map((depth) => [2, depth] as const),
  ...[1, 2, 4, 8].map((depth) => [3, depth] as const),
  ...[8, 16].map((depth) => [4, depth] as const),
  ...[8, 16].map((depth) => [6, depth] as const),
];

describe.each([false, true])("color types, interlaced: %s", (interlaced) => {
  test.each(kinds)("a PNG of color type %i with %i bits keeps its pixels", async (colorType, depth) => {
    const chunks = colorType === 3 ? [["PLTE", palette(depth)] as const] : [];
    const options = { ...size, colorType, depth, interlaced, chunks, dataBytes: 100 };
    const { pdf, wrong } = await compare(options, sampleOf(depth));
    expect(wrong).toEqual([]);
    const images = await imagesOf(pdf);
    expect(images.size).toBe(colorType >= 4 ? 2 : 1);
    for (const { dictionary } of images.values()) expect(dictionary["/BitsPerComponent"]).toBe(depth);
  });

  test.each([
    [0, 2, [0, 2]],
    [0, 8, [0, 77]],
    [0, 16, [0x12, 0x34]],
    [2, 8, [0, 10, 0, 20, 0, 30]],
    [2, 16, [1, 10, 2, 20, 3, 30]],
    [3, 4, [255, 0, 0, 0, 255]],
    [3, 8, [0, 64, 128, 255, 0, 192]],
    [3, 1, [0]],
  ])("the tRNS of color type %i with %i bits becomes transparency", async (colorType, depth, transparency) => {
    const chunks = [
      ...(colorType === 3 ? [["PLTE", palette(depth)] as const] : []),
      ["tRNS", Uint8Array.from(transparency)] as const,
    ];
    const plain = sampleOf(depth);
    const key = (channel: number): number =>
      (transparency[channel * 2] ?? 0) * 256 + (transparency[channel * 2 + 1] ?? 0);
    // A third of the pixels are the transparent color, or nearly: one sample differs.
    const sample: Sample = (x, y, channel) => {
      if (colorType === 3) return (x + y) % Math.min(7, 2 ** depth);
      if (x % 3 === 0) return key(channel);
      return x % 3 === 1 ? (key(channel) + (channel === 0 ? 1 : 0)) % 2 ** depth : plain(x, y, channel);
    };
    const { wrong } = await compare({ ...size, colorType, depth, interlaced, chunks }, sample);
    expect(wrong).toEqual([]);
  });
});

test.each([
  [4, 4],
  [9, 9],
  [3, 1000],
  [1000, 3],
])("an interlaced PNG of %i by %i is read", async (width, height) => {
  const { wrong } = await compare({ width, height, colorType: 2, depth: 8, interlaced: true }, sampleOf(8));
  expect(wrong).toEqual([]);
});

test.each([
  [1, 1],
  [2, 5],
  [5, 1],
])("an interlaced PNG of %i by %i is read: smaller than the smallest page", async (width, height) => {
  const pdf = await calls.pdf([writePng({ width, height, colorType: 2, depth: 8, interlaced: true }, () => 200)]);
  const page = drawPage(pdf);
  expect(Math.min(page.width, page.height)).toBe(3);
  expect(page.at(1, 1)).toEqual([200, 200, 200, 255]);
});

test("data without alpha and interlacing is copied into the PDF", async () => {
  const sample = sampleOf(8);
  const options = { ...size, colorType: 2, depth: 8 };
  const whole = await imagesOf(await calls.pdf([writePng(options, sample)]));
  const pieces = await imagesOf(await calls.pdf([writePng({ ...options, dataBytes: 17 }, sample)]));
  const [first, second] = [[...whole.values()][0], [...pieces.values()][0]];
  expect(first?.dictionary).toMatchObject({
    "/Filter": "/FlateDecode",
    "/DecodeParms": { "/Predictor": 15, "/Colors": 3, "/BitsPerComponent": 8, "/Columns": WIDTH },
  });
  expect(first?.data.length).toBeGreaterThan(100);
  expect(second?.data).toEqual(first?.data);
});

test("an opaque alpha channel is left out", async () => {
  const sample: Sample = (x, y, channel) => (channel === 3 ? 255 : (x * y + channel) % 256);
  for (const interlaced of [false, true]) {
    const { pdf, wrong } = await compare({ ...size, colorType: 6, depth: 8, interlaced }, sample);
    expect(wrong).toEqual([]);
    expect((await imagesOf(pdf)).size).toBe(1);
  }
});

test("indices beyond the palette are black", async () => {
  const options = { ...size, colorType: 3, depth: 8, chunks: [["PLTE", palette(2)] as const] };
  expect((await compare(options, (x, y) => (x + y) % 6)).wrong).toEqual([]);
});

describe("colors of a PNG", () => {
  const spaceOf = async (...chunks: (readonly [string, Uint8Array])[]): Promise<unknown> => {
    const pdf = await calls.pdf([writePng({ ...size, colorType: 2, depth: 8, chunks }, sampleOf(8))]);
    return [...(await imagesOf(pdf)).values()][0]?.dictionary["/ColorSpace"];
  };
  const profile = (space: string): Uint8Array => {
    const bytes = Buffer.alloc(300);
    bytes.writeUInt32BE(300, 0);
    bytes.write(`\u0002\0\0\0mntr${space}XYZ `, 8, "latin1");
    bytes.write("acsp", 36, "latin1");
    return new Uint8Array(Buffer.concat([Buffer.from("name\0\0", "latin1"), deflateSync(bytes)]));
  };
  const profiled = ["/ICCBased", expect.any(String)];

  test("fitting profiles are kept, and gamma becomes a profile", async () => {
    expect(await spaceOf(["iCCP", profile("RGB ")])).toEqual(profiled);
    expect(await spaceOf(["iCCP", profile("GRAY")])).toBe("/DeviceRGB");
    expect(await spaceOf(["iCCP", Buffer.from("name\0\0damaged")])).toBe("/DeviceRGB");
    expect(await spaceOf(["iCCP", profile("RGB ")], ["gAMA", numbers32(100_000)])).toEqual(profiled);
    expect(await spaceOf(["gAMA", numbers32(45_455)])).toBe("/DeviceRGB");
    expect(await spaceOf(["gAMA", numbers32(0)])).toBe("/DeviceRGB");
    expect(await spaceOf(["sRGB", Uint8Array.of(0)], ["gAMA", numbers32(100_000)])).toBe("/DeviceRGB");
    expect(await spaceOf(["gAMA", numbers32(100_000)])).toEqual(profiled);
  });

  test("a gamma of 1 is drawn lighter, and gray stays gray", async () => {
    const linear = (colorType: number, gamma?: number): Promise<Uint8Array> => {
      const chunks = gamma === undefined ? [] : [["gAMA", numbers32(gamma)] as const];
      return calls.pdf([writePng({ ...size, colorType, depth: 8, chunks }, () => 55)]);
    };
    for (const colorType of [0, 2]) {
      expect(drawPage(await linear(colorType)).at(5, 5)).toEqual([55, 55, 55, 255]);
      const [r, g, b] = drawPage(await linear(colorType, 100_000)).at(5, 5);
      // 55 / 255 as light is 127 as sRGB (IEC 61966-2-1).
      for (const value of [r, g, b]) expect(Math.abs(value - 127)).toBeLessThan(4);
    }
  });

  test("wide primaries are drawn stronger", async () => {
    // Adobe RGB (1998): white D65, and a green beyond that of sRGB.
    const chromaticities = numbers32(31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000);
    const chunks = [["gAMA", numbers32(45_455)] as const, ["cHRM", chromaticities] as const];
    const pdf = await calls.pdf([
      writePng({ ...size, colorType: 2, depth: 8, chunks }, (_x, _y, c) => [100, 200, 100][c] ?? 0),
    ]);
    const [r, g, b] = drawPage(pdf).at(5, 5);
    expect(r).toBeLessThan(70);
    expect(Math.abs(g - 200)).toBeLessThan(6);
    expect(Math.abs(b - 97)).toBeLessThan(8);
  });
});

describe("placement", () => {
  const pageOf = async (...chunks: (readonly [string, Uint8Array])[]) => {
    const { width, height } = drawPage(
      await calls.pdf([writePng({ ...size, colorType: 0, depth: 8, chunks }, () => 9)]),
    );
    return [width, height].map((side) => Math.round(side * 100) / 100);
  };
  const density = (unit: number, x: number, y: number): readonly [string, Uint8Array] => [
    "pHYs",
    Buffer.concat([numbers32(x, y), Buffer.from([unit])]),
  ];

  test("a PNG has its resolution and orientation", async () => {
    expect(await pageOf()).toEqual([21, 13]);
    // 5,669 pixels a metre: 144 dpi.
    expect(await pageOf(density(1, 5_669, 2_835))).toEqual([10.5, 13]);
    expect(await pageOf(density(0, 5_669, 5_669))).toEqual([21, 13]);
    expect(await pageOf(density(1, 1, 1))).toEqual([21, 13]);
    expect(await pageOf(["eXIf", exif({ orientation: 6 })])).toEqual([13, 21]);
    expect(await pageOf(["eXIf", exif({ resolution: [144, 1] }, true)])).toEqual([10.5, 6.5]);
    expect(await pageOf(["eXIf", exif({ resolution: [300, 1] })], density(1, 5_669, 5_669))).toEqual([10.5, 6.5]);
  });
});
