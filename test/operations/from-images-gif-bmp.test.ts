import { PDFName } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { lzw } from "../harness/images/lzw-writer.ts";
import { draw, imagesOf, post, refusal } from "./image-pdf.ts";

const number16 = (value: number): number[] => [value & 255, (value >> 8) & 255];
const number32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);

describe("GIF", () => {
  const [width, height] = [19, 23];
  const colorOf = (index: number): number[] => [index * 16, 255 - index * 16, (index * 40) % 256];
  const indexOf = (x: number, y: number): number => (x * 3 + y * 5 + (x >> 2) * y) % 16;

  interface GifOptions {
    readonly screen?: readonly [number, number];
    readonly at?: readonly [number, number];
    readonly isInterlaced?: boolean;
    readonly transparent?: number;
    readonly colors?: number;
    readonly frames?: number;
    readonly cut?: number;
  }

  function gifOf({
    screen = [width, height],
    at = [0, 0],
    isInterlaced = false,
    transparent,
    colors = 16,
    frames = 1,
    cut,
  }: GifOptions): Uint8Array {
    const order = isInterlaced
      ? [
          [0, 8],
          [4, 8],
          [2, 4],
          [1, 2],
        ].flatMap(([first = 0, step = 1]) =>
          Array.from({ length: height }, (_, y) => y).filter((y) => y >= first && (y - first) % step === 0),
        )
      : Array.from({ length: height }, (_, y) => y);
    const symbols = Uint8Array.from(order.flatMap((y) => Array.from({ length: width }, (_, x) => indexOf(x, y))));
    const symbolBits = Math.log2(colors);
    const data = lzw(symbols, { order: "lsb", symbolBits, isEarly: false }).slice(0, cut);
    const blocks: number[] = [];
    for (let from = 0; from < data.length; from += 255) {
      const block = data.subarray(from, from + 255);
      blocks.push(block.length, ...block);
    }
    const control = transparent === undefined ? [] : [0x21, 0xf9, 4, 1, 0, 0, transparent, 0];
    const frame = [
      0x2c,
      ...[...at, width, height].flatMap(number16),
      isInterlaced ? 0x40 : 0,
      symbolBits,
      ...blocks,
      0,
    ];
    const palette = Array.from({ length: colors }, (_, index) => colorOf(index)).flat();
    const comment = [0x21, 0xfe, 2, 104, 105, 0];
    return Uint8Array.from([
      ...new TextEncoder().encode("GIF89a"),
      ...screen.flatMap(number16),
      0x80 | (symbolBits - 1),
      0,
      0,
      ...palette,
      ...comment,
      ...control,
      ...Array.from({ length: frames }, () => frame).flat(),
      0x3b,
    ]);
  }

  /** Compares the pixels of the page with those of the frame, or transparent ones, and returns the status. */
  async function comparedFrame(
    gif: Uint8Array,
    { screen = [width, height], at = [0, 0], transparent }: GifOptions,
  ): Promise<number> {
    const { status, headers, body } = await post(gif);
    expect([status, headers.get("X-Page-Count")]).toEqual([200, "1"]);
    const drawn = await draw(body);
    expect([drawn.width, drawn.height]).toEqual(screen);
    for (let index = 0; index < drawn.width * drawn.height; index++) {
      const [x, y] = [(index % drawn.width) - at[0], Math.floor(index / drawn.width) - at[1]];
      const color = x < 0 || y < 0 || x >= width || y >= height ? transparent : indexOf(x, y);
      const wanted =
        color === undefined || color === transparent ? [0, 0, 0, 0] : [...colorOf(color).map((one) => one & 255), 255];
      expect([...drawn.pixels.subarray(index * 4, index * 4 + 4)], `${x}, ${y}`).toEqual(wanted);
    }
    return status;
  }

  it.each([
    ["plain", {}],
    ["interlaced", { isInterlaced: true }],
    ["with a transparent color", { transparent: 5 }],
    ["smaller than its screen", { screen: [30, 40], at: [4, 9] }],
    ["smaller than its screen, with a transparent color", { screen: [30, 40], at: [4, 9], transparent: 3 }],
    ["animated", { frames: 3 }],
  ] as const)("the first frame of a GIF keeps its pixels: %s", async (_, options) => {
    expect(await comparedFrame(gifOf(options), options)).toBe(200);
  });

  it("a frame that uses all colors is the image, without what is around it", async () => {
    expect(await comparedFrame(gifOf({ screen: [30, 40], at: [4, 9], colors: 256 }), {})).toBe(200);
  });

  it.each([
    ["without a frame", gifOf({}).subarray(0, 60), "is truncated or damaged: it has no frame"],
    ["of a cut frame", gifOf({ cut: 100 }), "some of its rows are missing"],
    [
      "of a frame without width",
      gifOf({}).map((byte, at) => (at === 13 + 48 + 6 + 5 ? 0 : byte)),
      "has no width or height",
    ],
  ])("a GIF is refused by name: %s", async (_, gif, problem) => {
    expect(await refusal(gif)).toContain(
      `400 invalid_file: \`image0\` ${problem.startsWith("some") ? "is truncated or damaged: " : ""}${problem}`,
    );
  });

  it("a large interlaced frame that is not in the file takes no memory for long", async () => {
    const gif = gifOf({ isInterlaced: true });
    gif.set([0x10, 0x27, 0x10, 0x27], 13 + 48 + 6 + 5);
    expect(await refusal(gif)).toMatch(/^(400 invalid_file|413 limit_exceeded)/);
    gif.set([255, 255, 255, 255], 13 + 48 + 6 + 5);
    expect(await refusal(gif)).toContain("413 limit_exceeded: `image0` has too many pixels");
  });
});

describe("BMP", () => {
  const [width, height] = [21, 13];
  const indexOf =
    (bits: number) =>
    (x: number, y: number): number =>
      (x * 5 + y * 11 + (x >> 3)) % 2 ** bits;
  const colorOf = (index: number): number[] => [(index * 37) % 256, (index * 91 + 5) % 256, (index * 13 + 9) % 256];
  const rgb = (x: number, y: number): number[] => [(x * 12) % 256, (y * 19) % 256, (x * y) % 256];

  interface BmpOptions {
    readonly bits: number;
    readonly header?: number;
    readonly compression?: number;
    readonly isTopDown?: boolean;
    readonly masks?: readonly number[];
    readonly colors?: number;
    readonly perMeter?: number;
    readonly rows: readonly (readonly number[])[] | { readonly runs: readonly number[] };
  }

  function bmpOf({
    bits,
    header = 40,
    compression = 0,
    isTopDown = false,
    masks = [],
    colors = 0,
    perMeter = 0,
    rows,
  }: BmpOptions): Uint8Array {
    const padded = (row: readonly number[]): number[] => [...row, 0, 0, 0].slice(0, Math.ceil(row.length / 4) * 4);
    const data = "runs" in rows ? [...rows.runs] : (isTopDown ? rows : rows.toReversed()).flatMap(padded);
    const palette = Array.from({ length: colors }, (_, index) => {
      const [red = 0, green = 0, blue = 0] = colorOf(index);
      return header === 12 ? [blue, green, red] : [blue, green, red, 0];
    }).flat();
    const maskBytes = masks.flatMap(number32);
    const info =
      header === 12
        ? [...number32(12), ...number16(width), ...number16(height), ...number16(1), ...number16(bits)]
        : [
            ...number32(header),
            ...number32(width),
            ...number32(isTopDown ? -height : height),
            ...number16(1),
            ...number16(bits),
            ...number32(compression),
            ...number32(data.length),
            ...number32(perMeter),
            ...number32(perMeter),
            ...number32(colors),
            ...number32(0),
            ...maskBytes,
            ...Array.from({ length: Math.max(0, header - 40 - maskBytes.length) }, () => 0),
          ];
    const before = [...info, ...palette];
    const start = 14 + before.length;
    return Uint8Array.from([
      0x42,
      0x4d,
      ...number32(start + data.length),
      0,
      0,
      0,
      0,
      ...number32(start),
      ...before,
      ...data,
    ]);
  }

  const rowsOf = (pixel: (x: number, y: number) => readonly number[]): number[][] =>
    Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_value, x) => pixel(x, y)).flat());

  /** Indices as packed bytes. */
  const packedRows = (bits: number): number[][] =>
    Array.from({ length: height }, (_, y) => {
      const row = Array.from({ length: Math.ceil((width * bits) / 8) }, () => 0);
      for (let x = 0; x < width; x++) {
        const at = (x * bits) >> 3;
        row[at] = (row[at] ?? 0) | (indexOf(bits)(x, y) << (8 - bits - ((x * bits) & 7)));
      }
      return row;
    });

  /** The first pixels of the page of a BMP that differ from the wanted ones. */
  async function wrongPixels(bmp: Uint8Array, pixel: (x: number, y: number) => readonly number[]): Promise<string[]> {
    const { status, body } = await post(bmp);
    if (status !== 200) return [`${status}`];
    const drawn = await draw(body);
    if (drawn.width !== width || drawn.height !== height) return [`${drawn.width} by ${drawn.height}`];
    const wrong = Array.from({ length: width * height }, (_, index) => {
      const [x, y] = [index % width, Math.floor(index / width)];
      const wanted = [...pixel(x, y), 255].slice(0, 4).join(" ");
      const found = drawn.pixels.subarray(index * 4, index * 4 + 4).join(" ");
      return found === wanted ? [] : [`${x}, ${y}: ${found} for ${wanted}`];
    });
    return wrong.flat().slice(0, 5);
  }

  it.each(
    [1, 4, 8].flatMap((bits) =>
      [12, 40, 124].flatMap((header) => [false, true].map((isTopDown) => [bits, header, isTopDown] as const)),
    ),
  )("indices keep their colors: %i bits, a header of %i bytes, top-down: %s", async (bits, header, isTopDown) => {
    const options = { bits, header, isTopDown: isTopDown && header > 12, colors: 1 << bits, rows: packedRows(bits) };
    expect(await wrongPixels(bmpOf(options), (x, y) => colorOf(indexOf(bits)(x, y)))).toEqual([]);
    expect((await imagesOf((await post(bmpOf(options))).body))[0]?.bits).toBe(bits);
  });

  it("24 and 32 bits keep their colors, and a fourth byte without a meaning is ignored", async () => {
    const blueFirst = (x: number, y: number): number[] => rgb(x, y).toReversed();
    expect(await wrongPixels(bmpOf({ bits: 24, rows: rowsOf(blueFirst) }), rgb)).toEqual([]);
    expect(await wrongPixels(bmpOf({ bits: 32, rows: rowsOf((x, y) => [...blueFirst(x, y), 7]) }), rgb)).toEqual([]);
  });

  it.each([
    ["5 bits each", 0, [], [0x7c00, 0x3e0, 0x1f]],
    ["5, 6, and 5 bits", 3, [0xf800, 0x7e0, 0x1f], [0xf800, 0x7e0, 0x1f]],
  ] as const)("16 bits keep their colors: %s", async (_, compression, masks, [red, green, blue]) => {
    const value = (x: number, y: number): number => (x * 2_731 + y * 911) & 0xffff;
    const part = (pixel: number, mask: number): number => {
      const low = mask & -mask;
      return Math.round((((pixel & mask) / low) * 255) / (mask / low));
    };
    const rows = rowsOf((x, y) => number16(value(x, y)));
    expect(
      await wrongPixels(bmpOf({ bits: 16, compression, masks, rows }), (x, y) =>
        [red, green, blue].map((mask) => part(value(x, y), mask)),
      ),
    ).toEqual([]);
  });

  it("alpha becomes a soft mask, unless it is 0 everywhere", async () => {
    const masks = [0xff_0000, 0xff00, 0xff, 0xff00_0000];
    const of = (alpha: (x: number) => number): Uint8Array =>
      bmpOf({
        bits: 32,
        header: 108,
        compression: 3,
        masks,
        rows: rowsOf((x, y) => [...rgb(x, y).toReversed(), alpha(x)]),
      });
    const [image] = await imagesOf((await post(of((x) => x * 12))).body);
    expect(image?.mask?.rows).toEqual(Uint8Array.from({ length: width * height }, (_, index) => (index % width) * 12));
    expect(image?.rows?.subarray(width * 3 * 2, width * 3 * 2 + 6)).toEqual(Uint8Array.of(...rgb(0, 2), ...rgb(1, 2)));
    expect(
      await wrongPixels(
        of(() => 0),
        rgb,
      ),
    ).toEqual([]);
  });

  it("runs are expanded, from the bottom, with jumps", async () => {
    const top = [0, 3, 9, 8, 7, 0]; // Three literal pixels, and a byte of padding.
    const runs = [21, 5, 0, 0, 4, 6, 0, 2, 2, 10, ...top, 0, 1];
    const row = (y: number): number => height - 1 - y;
    const wanted = (x: number, y: number): number => {
      if (row(y) === 0) return 5;
      if (row(y) === 1) return x < 4 ? 6 : 0;
      return row(y) === 11 ? ([9, 8, 7][x - 6] ?? 0) : 0;
    };
    const bmp = bmpOf({ bits: 8, compression: 1, colors: 256, rows: { runs } });
    expect(await wrongPixels(bmp, (x, y) => colorOf(wanted(x, y)))).toEqual([]);
    const nibbles = bmpOf({
      bits: 4,
      compression: 2,
      colors: 16,
      rows: { runs: [5, 0x12, 0, 5, 0x34, 0x56, 0x70, 0, 0, 1] },
    });
    const first = [1, 2, 1, 2, 1, 3, 4, 5, 6, 7];
    expect(await wrongPixels(nibbles, (x, y) => colorOf(row(y) === 0 ? (first[x] ?? 0) : 0))).toEqual([]);
  });

  it("pixels per meter give the size of the page", async () => {
    const { body } = await post(bmpOf({ bits: 24, perMeter: 5_669, rows: rowsOf(rgb) }));
    const [image] = await imagesOf(body);
    expect(image?.width).toBe(width);
    const drawn = await draw(body);
    expect([drawn.width, drawn.height]).toEqual([11, 7]);
    expect(image?.dict.get(PDFName.of("SMask"))).toBeUndefined();
  });

  const plain = bmpOf({ bits: 24, rows: rowsOf(rgb) });
  const changed = (at: number, ...bytes: readonly number[]): Uint8Array => {
    const copy = plain.slice();
    copy.set(bytes, at);
    return copy;
  };

  it.each([
    ["cut in its header", plain.subarray(0, 40), "400 invalid_file: `image0` is truncated: its header is incomplete"],
    ["cut in its pixels", plain.subarray(0, -100), "some of its rows are missing"],
    ["without width", changed(18, 0, 0, 0, 0), "has no width or height"],
    ["with 3 bits", changed(28, 3), "is a BMP with 3 bits per pixel"],
    ["with JPEG data", changed(30, 4), "is a BMP with JPEG data, which is not supported. Save it as PNG"],
    ["with runs of 24 bits", changed(30, 1), "is a BMP with compression 1 and 24 bits"],
    [
      "with too many pixels",
      changed(18, 255, 255, 0, 0, 255, 255, 0, 0),
      "413 limit_exceeded: `image0` has too many pixels",
    ],
    ["with pixels before the file", changed(10, 0, 0, 0, 0), "some of its rows are missing"],
    [
      "with damaged masks",
      bmpOf({ bits: 16, compression: 3, masks: [0x5000, 1, 2], rows: rowsOf(() => [0, 0]) }),
      "the masks of its colors are invalid",
    ],
    [
      "with colors of 10 bits",
      bmpOf({ bits: 32, compression: 3, masks: [0x3ff0_0000, 0xffc00, 0x3ff], rows: rowsOf(() => [0, 0, 0, 0]) }),
      "more than 8 bits per color",
    ],
    [
      "with a run that is too long",
      bmpOf({ bits: 8, compression: 1, colors: 256, rows: { runs: [200, 5, 0, 1] } }),
      "a row is too long",
    ],
    [
      "with runs that end early",
      bmpOf({ bits: 8, compression: 1, colors: 256, rows: { runs: [5, 5] } }),
      "its end is missing",
    ],
  ])("a BMP is refused by name: %s", async (_, bmp, problem) => {
    expect(await refusal(bmp)).toContain(problem);
  });
});
