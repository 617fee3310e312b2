import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { deflatedRun } from "../harness/bombs/deflated-run.ts";
import { withoutIdentifiers } from "../harness/compare/identifiers.ts";
import { ImageCalls } from "../harness/requests/image-pdf-response.ts";
import { makeJpeg } from "../harness/images/jpeg-fixtures.ts";
import { filteredRows, pngOf, writePng } from "../harness/images/png-writer.ts";

const { baseUrl, liveKey } = ownServer();
const calls = new ImageCalls({ baseUrl, key: liveKey });

const jpeg = makeJpeg({ width: 40, height: 30, components: 3 }, (x, y) => (x * y) % 256);
const options = { width: 40, height: 30, colorType: 2, depth: 8 };
const sample = (x: number, y: number): number => (x * 7_919 + y * 31) % 256;
const png = writePng(options, sample);
const rows = filteredRows(options, sample);

/** The image with bytes changed, by their place from the start or, where it is negative, from the end. */
function changed(bytes: Uint8Array, ...changes: readonly (readonly [number, number])[]): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (const [at, value] of changes) copy[at < 0 ? copy.length + at : at] = value;
  return copy;
}

const frame = Buffer.from(jpeg).indexOf(Buffer.from([0xff, 0xc2]));
const animated = Buffer.concat([
  Buffer.from("RIFF\u0040\0\0\0WEBPVP8X\u000a\0\0\0\u0002\0\0\0\u0009\0\0\u0009\0\0", "latin1"),
  Buffer.alloc(40),
]);

describe("unreadable images", () => {
  test.each([
    ["a JPEG cut in half", jpeg.subarray(0, jpeg.length / 2), "is truncated: its end is missing"],
    ["a JPEG cut in its header", jpeg.subarray(0, 30), "is truncated: its end is missing"],
    ["the signature of a JPEG only", jpeg.subarray(0, 4), "is truncated: its end is missing"],
    ["a JPEG without a frame", changed(jpeg, [frame + 1, 0xef]), "is damaged: it has no frame"],
    ["an arithmetic JPEG", changed(jpeg, [frame + 1, 0xca]), "arithmetic-coded, or hierarchical JPEG"],
    ["a JPEG of 12 bits", changed(jpeg, [frame + 4, 12]), "is a JPEG with 12 bits per sample"],
    ["a JPEG without height", changed(jpeg, [frame + 5, 0], [frame + 6, 0]), "has no width or height"],
    ["a JPEG that samples a component 0 times", changed(jpeg, [frame + 11, 0x10]), "sampling factors are from 1 to 4"],
    ["a JPEG that samples a component 5 times", changed(jpeg, [frame + 11, 0x51]), "sampling factors are from 1 to 4"],
    ["a JPEG of 2 components", changed(jpeg, [frame + 9, 2]), "has 2 components"],
    ["a PNG cut in half", png.subarray(0, png.length / 2), "is truncated: its data is incomplete"],
    ["a PNG cut in its header", png.subarray(0, 20), "is truncated: its data is incomplete"],
    ["the signature of a PNG only", png.subarray(0, 8), "is truncated: its header is incomplete"],
    ["a PNG with a wrong checksum", changed(png, [60, 0x55]), "the checksum of the chunk IDAT is wrong"],
    ["a PNG without width", pngOf({ ...options, width: 0 }, deflateSync(rows)), "has no width or height"],
    [
      "a PNG of a depth that there is not",
      pngOf({ ...options, depth: 4 }, deflateSync(rows)),
      "an invalid color type or bit depth",
    ],
    ["a PNG without data", pngOf(options, new Uint8Array()), "it has no image data"],
    ["a PNG without a palette", pngOf({ ...options, colorType: 3 }, deflateSync(rows)), "it has no palette"],
    ["a PNG with too few rows", pngOf(options, deflateSync(rows.subarray(0, -121))), "some of its rows are missing"],
    ["a PNG with too many", pngOf(options, deflateSync(Buffer.concat([rows, rows]))), "more data than its size"],
    ["a PNG whose data is no zlib", pngOf(options, rows), "its data cannot be decompressed"],
    ["a PNG whose data ends early", pngOf(options, deflateSync(rows).subarray(0, 500)), "it"],
    ["a PNG with an unknown filter", pngOf(options, deflateSync(changed(rows, [0, 7]))), "a row has an unknown filter"],
    [
      "an interlaced PNG with too many rows",
      pngOf({ ...options, interlaced: true }, deflateSync(Buffer.concat([rows, rows]))),
      "is damaged",
    ],
    [
      "a PNG that needs another chunk",
      pngOf({ ...options, chunks: [["ABCD", rows]] }, rows),
      "has a critical ABCD chunk",
    ],
    ["a WebP cut off", animated.subarray(0, 20), "is truncated or has a damaged header"],
    ["an animated WebP", animated, "is animated. Send a still image"],
    ["a damaged WebP", changed(animated, [20, 0]), "is truncated or damaged"],
  ])("an unreadable image is refused by name: %s", async (_, image, problem) => {
    const [status, code, message, details] = await calls.refusal([png, image]);
    expect([status, code, details]).toEqual([400, "invalid_file", { input: "image1" }]);
    expect(message).toContain(problem);
    expect(message.startsWith("`image1` ")).toBe(true);
  });

  test("a bomb is refused before it is inflated", async () => {
    const image = { ...options, width: 1_000, height: 1_000 };
    const [status, code, message] = await calls.refusal([pngOf(image, deflatedRun(1024 ** 3, "\0"))]);
    expect([status, code]).toEqual([400, "invalid_file"]);
    expect(message).toContain("more data than its size allows");
  });

  test("other files and an empty request are refused", async () => {
    expect(await calls.refusal([png, new TextEncoder().encode("%PDF-1.7 not an image")])).toEqual([
      415,
      "unsupported_format",
      "`image1` is not a PNG, JPEG, WebP, TIFF, GIF, or BMP.",
      { input: "image1" },
    ]);
    expect(await calls.refusal([png, new Uint8Array()])).toMatchObject([400, "invalid_file", {}, { input: "image1" }]);
    expect(await calls.refusal([])).toEqual([
      400,
      "invalid_parameters",
      "`image0` is required: send at least 1 file, numbered from image0.",
      { fields: [{ name: "image0", issue: "is required: send at least 1 file, numbered from image0" }] },
    ]);
  });
});

describe("incomplete PNG", () => {
  test("a PNG without its end, or with bytes after its data, is read", async () => {
    const plain = await calls.pdf([png]);
    const cut = await calls.pdf([png.subarray(0, -12)]);
    const more = await calls.pdf([new Uint8Array(Buffer.concat([png, Buffer.alloc(500, 9)]))]);
    expect(withoutIdentifiers(cut).length).toBe(withoutIdentifiers(plain).length);
    expect(withoutIdentifiers(more).length).toBe(withoutIdentifiers(plain).length);
  });
});

describe("limits", () => {
  test.each([
    ["a PNG", pngOf({ ...options, width: 20_000, height: 5_001 }, deflateSync(rows)), 100_000_000, 100_020_000],
    ["a JPEG", changed(jpeg, ...[5, 6, 7, 8].map((at) => [frame + at, 0xff] as const)), 100_000_000, 65_535 ** 2],
    ["a PNG of one row", pngOf({ ...options, width: 100_001, height: 1 }, deflateSync(rows)), 100_000, 100_001],
  ])("excessive pixels of %s are refused", async (_, image, limit, actual) => {
    expect(await calls.refusal([image])).toMatchObject([413, "limit_exceeded", {}, { input: "image0", limit, actual }]);
  });

  test("an image of 100 megapixels is embedded", async () => {
    const rowsOfZeros = deflateSync(Buffer.alloc((1 + 1_250) * 10_000));
    const pdf = await calls.pdf([pngOf({ width: 10_000, height: 10_000, colorType: 0, depth: 1 }, rowsOfZeros)]);
    expect(pdf.length).toBeLessThan(100_000);
  });

  test("excessive decompressed bytes are refused", async () => {
    // Eight bytes a pixel: 800 MB.
    const image = pngOf({ width: 10_000, height: 10_000, colorType: 6, depth: 16 }, deflateSync(rows));
    expect(await calls.refusal([image])).toMatchObject([413, "limit_exceeded", {}, { limit: 512 * 1024 * 1024 }]);
  });

  test("100 images are accepted, and one more is refused", async () => {
    const images = Array.from({ length: 100 }, () => png);
    expect((await calls.response(images)).headers.get("X-Page-Count")).toBe("100");
    expect(await calls.refusal([...images, png])).toMatchObject([
      413,
      "limit_exceeded",
      {},
      { limit: 100, actual: 101 },
    ]);
  });
});
