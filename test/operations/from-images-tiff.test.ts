import { PDFName } from "pdf-lib";
import { describe, expect, it } from "vitest";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { countImages } from "../../src/engines/pdf/embed/embed.ts";
import { openImage } from "../../src/engines/pdf/embed/image-document.ts";
import {
  type Coding,
  pageOf,
  type TiffEntry,
  tiffOf,
  type TiffOptions,
  type TiffPage,
  writeTiff,
} from "../harness/images/tiff-writer.ts";
import type { Sample } from "../harness/images/png-writer.ts";
import { blockJpeg, blockTables } from "../harness/images/block-jpeg.ts";
import { draw, imagesOf, packed, post, refusal } from "./image-pdf.ts";

const size = { width: 37, height: 29 };

/** Values that use all bits of a sample, with runs in them. */
const sampleOf =
  (bits: number): Sample =>
  (x, y, channel) =>
    x > 20 ? (y >> 2) % 2 ** bits : (x * 2_654_435_761 + y * 40_503 * 7_919 + channel * 97_531) % 2 ** bits;

const colorMap = (bits: number): TiffEntry => [
  320,
  3,
  Array.from({ length: 3 << bits }, (_, index) => ((index * 89 + 7) % 256) * 257),
];

const kinds: readonly (readonly [string, Pick<TiffOptions, "bits" | "samples" | "photometric">])[] = [
  ["black and white", { bits: 1, photometric: 1 }],
  ["gray of 2 bits", { bits: 2, photometric: 1 }],
  ["gray of 4 bits from white", { bits: 4, photometric: 0 }],
  ["gray", { bits: 8, photometric: 1 }],
  ["gray of 16 bits", { bits: 16, photometric: 1 }],
  ["RGB", { bits: 8, samples: 3, photometric: 2 }],
  ["RGB of 16 bits", { bits: 16, samples: 3, photometric: 2 }],
  ["CMYK", { bits: 8, samples: 4, photometric: 5 }],
  ["a palette of 4 bits", { bits: 4, photometric: 3 }],
  ["a palette of 8 bits", { bits: 8, photometric: 3 }],
];

const SPACES: Readonly<Record<number, RegExp>> = {
  0: /Gray$/,
  1: /Gray$/,
  2: /RGB$/,
  3: /Indexed \/DeviceRGB/,
  5: /CMYK$/,
};

/** Compares the samples of the PDF of a TIFF with those of the TIFF, and returns the status. */
async function comparedSamples(options: TiffOptions, sample: Sample): Promise<number> {
  const entries = [...(options.photometric === 3 ? [colorMap(options.bits)] : []), ...(options.entries ?? [])];
  const { status, body } = await post(writeTiff({ ...options, entries }, sample));
  expect(status).toBe(200);
  const [image] = await imagesOf(body);
  expect(image).toMatchObject({ width: options.width, height: options.height, bits: options.bits });
  expect(image?.space).toMatch(SPACES[options.photometric] ?? /^$/);
  const channels = Array.from({ length: options.samples ?? 1 }, (_, channel) => channel);
  expect(image?.rows).toEqual(packed(options, channels, sample));
  const decode = String(image?.dict.get(PDFName.of("Decode")));
  expect(decode).toBe(options.photometric === 0 ? "[ 1 0 ]" : "undefined");
  return status;
}

describe("samples", () => {
  it.each(
    kinds.flatMap(([name, kind]) =>
      (["none", "lzw", "deflate", "pack-bits"] as const).flatMap((coding) =>
        [false, true].map((isBigEndian) => [name, coding, isBigEndian, kind] as const),
      ),
    ),
  )("a TIFF keeps its samples: %s, %s, big-endian: %s", async (_, coding, isBigEndian, kind) => {
    expect(await comparedSamples({ ...size, ...kind, coding, isBigEndian }, sampleOf(kind.bits))).toBe(200);
  });

  it.each(
    [8, 16].flatMap((bits) =>
      [false, true].flatMap((isBigEndian) =>
        (["lzw", "deflate"] as const).map((coding) => [bits, isBigEndian, coding] as const),
      ),
    ),
  )("a predictor is reversed: %i bits, big-endian: %s, %s", async (bits, isBigEndian, coding) => {
    const options = { ...size, bits, samples: 3, photometric: 2, coding, isBigEndian, hasPredictor: true };
    expect(await comparedSamples(options, sampleOf(bits))).toBe(200);
  });

  it.each([
    ["strips of 5 rows", { rowsPerStrip: 5 }],
    ["tiles", { tile: { width: 16, height: 16 } }],
    ["separate planes", { isPlanar: true }],
    ["separate planes in strips", { isPlanar: true, rowsPerStrip: 7 }],
    ["separate planes in tiles", { isPlanar: true, tile: { width: 16, height: 32 } }],
  ])("rows are put together from %s", async (_, layout) => {
    for (const coding of ["none", "lzw"] as const) {
      expect(
        await comparedSamples({ ...size, bits: 8, samples: 3, photometric: 2, coding, ...layout }, sampleOf(8)),
      ).toBe(200);
    }
  });

  it("tiles of packed samples, and bytes with the lowest bit first, are read", async () => {
    expect(
      await comparedSamples({ ...size, bits: 1, photometric: 1, tile: { width: 16, height: 16 } }, sampleOf(1)),
    ).toBe(200);
    for (const coding of ["none", "lzw", "pack-bits"] as const) {
      expect(await comparedSamples({ ...size, bits: 1, photometric: 1, coding, isReversed: true }, sampleOf(1))).toBe(
        200,
      );
    }
  });

  it("a large image fills the LZW table several times", async () => {
    expect(
      await comparedSamples({ width: 211, height: 190, bits: 8, photometric: 1, coding: "lzw" }, sampleOf(8)),
    ).toBe(200);
  });
});

describe("alpha", () => {
  it.each([
    ["separate", 2, ""],
    ["premultiplied", 1, "[ 0 0 0 ]"],
  ])("%s alpha becomes a soft mask", async (_, kind, matte) => {
    for (const bits of [8, 16]) {
      const sample = sampleOf(bits);
      const options = { ...size, bits, samples: 4, photometric: 2, entries: [[338, 3, [kind]]] as const };
      const { body } = await post(writeTiff(options, sample));
      const [image] = await imagesOf(body);
      expect(image?.rows).toEqual(packed(options, [0, 1, 2], sample));
      expect(image?.mask?.rows).toEqual(packed(options, [3], sample));
      expect(String(image?.mask?.dict.get(PDFName.of("Matte")) ?? "")).toBe(matte);
    }
  });

  it("alpha that hides nothing, and samples without a meaning, are left out", async () => {
    for (const [kind, value] of [
      [2, 255],
      [0, 7],
    ] as const) {
      const sample: Sample = (x, y, channel) => (channel === 3 ? value : x * y + channel);
      const options = { ...size, bits: 8, samples: 4, photometric: 2, entries: [[338, 3, [kind]]] as const };
      const [image] = await imagesOf((await post(writeTiff(options, (x, y, c) => sample(x, y, c) % 256))).body);
      expect(image?.mask).toBeUndefined();
      expect(image?.rows).toEqual(packed(options, [0, 1, 2], (x, y, c) => sample(x, y, c) % 256));
    }
  });
});

describe("fax", () => {
  const page = { width: 150, height: 60 };
  /** Text-like runs, long and short, and rows that begin with black. */
  const ink: Sample = (x, y) => (y % 9 === 8 ? 1 : (x * (y % 5) + y * 31) % 23 < 6 || (x > 100 && y % 2 === 0) ? 1 : 0);

  async function expectInk(options: TiffOptions): Promise<Uint8Array> {
    const { status, body } = await post(writeTiff(options, ink));
    expect(status).toBe(200);
    const { width, height, pixels } = await draw(body);
    expect([width, height]).toEqual([page.width, page.height]);
    const wrong = Array.from({ length: width * height }, (_, index) => index).filter((index) => {
      const isBlack = (ink(index % width, Math.floor(index / width), 0) === 1) === (options.photometric === 0);
      return pixels[index * 4] !== (isBlack ? 0 : 255);
    });
    expect(wrong).toEqual([]);
    return body;
  }

  it.each(
    (["fax-rows", "fax-g3", "fax-g4"] as const satisfies readonly Coding[]).flatMap((coding) =>
      [0, 1].flatMap((photometric) => [false, true].map((isReversed) => [coding, photometric, isReversed] as const)),
    ),
  )("one strip is passed on as it is: %s, photometric %i, reversed: %s", async (coding, photometric, isReversed) => {
    const options = { ...page, bits: 1, photometric, coding };
    const body = await expectInk({ ...options, isReversed });
    const [image] = await imagesOf(body);
    expect(image?.filter).toBe("CCITTFaxDecode");
    expect(image?.data).toEqual(pageOf(options, ink).parts[0]);
  });

  it.each(["fax-rows", "fax-g3", "fax-g4"] as const)("strips become the data of one: %s", async (coding) => {
    const options = { ...page, bits: 1, photometric: 0, coding };
    const body = await expectInk({ ...options, rowsPerStrip: 7 });
    const [image] = await imagesOf(body);
    expect(image?.data).toEqual(pageOf({ ...options, coding: "fax-g4" }, ink).parts[0]);
  });

  it("tiles are decoded", async () => {
    const body = await expectInk({
      ...page,
      bits: 1,
      photometric: 0,
      coding: "fax-g4",
      tile: { width: 64, height: 16 },
    });
    expect((await imagesOf(body))[0]?.filter).toBe("FlateDecode");
  });
});

describe("JPEG", () => {
  const blocks = { across: 5, down: 6 };
  const value = (x: number, y: number, component: number): number => (x * 37 + y * 53 + component * 91) % 256;

  /** A page of JPEG data, in parts of so many blocks. */
  function jpegPage(
    components: 1 | 3 | 4,
    photometric: number,
    part: { readonly rows: number; readonly tile?: number; readonly hasTables?: boolean },
  ): TiffPage {
    const { across, down } = blocks;
    const columns = part.tile ?? across;
    const parts: Uint8Array[] = [];
    for (let top = 0; top < down; top += part.rows) {
      for (let left = 0; left < across; left += columns) {
        const rows = part.tile ? part.rows : Math.min(part.rows, down - top);
        const options = { across: columns, down: rows, components, hasNoTables: part.hasTables ?? false };
        parts.push(blockJpeg(options, (x, y, component) => value(left + x, top + y, component)));
      }
    }
    const entries: TiffEntry[] = [
      [256, 4, [across * 8]],
      [257, 4, [down * 8]],
      [258, 3, Array.from({ length: components }, () => 8)],
      [259, 3, [7]],
      [262, 3, [photometric]],
      [277, 3, [components]],
      ...(part.tile
        ? ([
            [322, 3, [part.tile * 8]],
            [323, 3, [part.rows * 8]],
          ] as const)
        : ([[278, 3, [part.rows * 8]]] as const)),
      ...(part.hasTables ? [[347, 7, [...blockTables()]] as const] : []),
    ];
    return { entries, parts, isTiled: part.tile !== undefined };
  }

  async function expectBlocks(page: TiffPage, read: (x: number, y: number) => readonly number[]): Promise<Uint8Array> {
    const { status, body } = await post(tiffOf([page]));
    expect(status).toBe(200);
    const { width, height, pixels } = await draw(body);
    expect([width, height]).toEqual([blocks.across * 8, blocks.down * 8]);
    for (let index = 0; index < width * height; index++) {
      const [x, y] = [Math.floor((index % width) / 8), Math.floor(index / width / 8)];
      expect([...pixels.subarray(index * 4, index * 4 + 3)], `${x}, ${y}`).toEqual(read(x, y));
    }
    return body;
  }

  const gray = (x: number, y: number): number[] => Array.from({ length: 3 }, () => value(x, y, 0));
  const rgb = (x: number, y: number): number[] => [0, 1, 2].map((component) => value(x, y, component));

  it("one strip is passed on as it is", async () => {
    const page = jpegPage(1, 1, { rows: 6 });
    const [image] = await imagesOf(await expectBlocks(page, gray));
    expect(image?.filter).toBe("DCTDecode");
    expect(image?.data).toEqual(page.parts[0]);
    const [negative] = await imagesOf(
      await expectBlocks(jpegPage(1, 0, { rows: 6 }), (x, y) => gray(x, y).map((one) => 255 - one)),
    );
    expect(negative?.data).toEqual(page.parts[0]);
  });

  it.each([false, true])("strips are joined without being decoded (shared tables: %s)", async (hasTables) => {
    for (const [components, photometric, read] of [
      [1, 1, gray],
      [3, 2, rgb],
    ] as const) {
      const body = await expectBlocks(jpegPage(components, photometric, { rows: 2, hasTables }), read);
      const [image] = await imagesOf(body);
      expect(image?.filter).toBe("DCTDecode");
      const whole = blockJpeg({ ...blocks, components }, value);
      // The data, two restart markers, and the interval between them.
      expect((image?.data.length ?? 0) - whole.length).toBeLessThan(6 + 2 * 2 + 12);
    }
  });

  it("tiles, and strips that end within a block, are decoded", async () => {
    const [image] = await imagesOf(await expectBlocks(jpegPage(3, 2, { rows: 4, tile: 2 }), rgb));
    expect(image?.filter).toBe("FlateDecode");
    const half = [0, 1].map(() => blockJpeg({ across: 5, down: 1, height: 4, components: 1 }, (x) => value(x, 0, 0)));
    const entries = jpegPage(1, 1, { rows: 6 }).entries.filter(([tag]) => tag !== 257 && tag !== 278);
    const cut = { entries: [...entries, [257, 4, [8]], [278, 3, [4]]] as const, parts: half };
    const { body } = await post(tiffOf([cut]));
    const [other] = await imagesOf(body);
    expect(other?.rows).toEqual(
      Uint8Array.from({ length: 40 * 8 }, (_, index) => value(Math.floor((index % 40) / 8), 0, 0)),
    );
  });

  it("a JPEG file in a TIFF of the obsolete kind is passed on", async () => {
    const file = blockJpeg({ ...blocks, components: 1 }, value);
    const { entries } = jpegPage(1, 1, { rows: 6 });
    const kept = entries.filter(([tag]) => tag !== 259);
    const tiff = tiffOf([{ entries: [...kept, [259, 3, [6]], [513, 4, [8]], [514, 4, [file.length]]], parts: [file] }]);
    const { body } = await post(tiff);
    expect((await imagesOf(body))[0]?.data).toEqual(file);
  });
});

describe("pages", () => {
  const options = { ...size, bits: 8, photometric: 1 } as const;
  const sample = sampleOf(8);

  it("each page of a TIFF becomes a page, and previews and masks do not", async () => {
    const pages = [
      options,
      { ...options, entries: [[254, 4, [1]]] },
      { ...options, width: 10 },
      { ...options, entries: [[254, 4, [4]]] },
    ] as const;
    const tiff = tiffOf(pages.map((one) => pageOf(one, sample)));
    const { headers, body } = await post(tiff, writeTiff({ ...options, width: 12 }, sample), tiff);
    expect(headers.get("X-Page-Count")).toBe("5");
    expect((await imagesOf(body)).map(({ width }) => width)).toEqual([37, 10, 12, 37, 10]);
  });

  it("recognition and jobs see as many pages as a TIFF has", async () => {
    const tiff = tiffOf([pageOf(options, sample), pageOf({ ...options, width: 10 }, sample)]);
    const { engines, release } = await leaseEngines(() => true);
    const arena = engines.pdf.files.arena(tiff.length);
    arena.write(tiff);
    const file = { field: "file", bytes: arena.seal() };
    expect(await countImages(engines, file)).toBe(2);
    using open = await openImage(engines, file);
    expect(open.pageCount).toBe(2);
    release(false);
  });

  it("a file of previews only has its first page", async () => {
    const { headers } = await post(writeTiff({ ...options, entries: [[254, 4, [1]]] }, sample));
    expect(headers.get("X-Page-Count")).toBe("1");
  });

  it("the resolution of each direction and its unit give the size of the page", async () => {
    const at = (x: number, y: number, unit: number): TiffEntry[] => [
      [282, 5, [x]],
      [283, 5, [y]],
      [296, 3, [unit]],
    ];
    for (const [entries, width, height] of [
      [at(144, 72, 2), 19, 29],
      [at(20, 40, 3), 53, 21],
      [at(300, 300, 1), 37, 29],
    ] as const) {
      const drawn = await draw((await post(writeTiff({ ...options, entries }, sample))).body);
      expect([drawn.width, drawn.height]).toEqual([width, height]);
    }
  });

  it.each([
    [1, 0, 0],
    [2, 1, 0],
    [3, 1, 1],
    [4, 0, 1],
    [5, 0, 0],
    [6, 1, 0],
    [7, 1, 1],
    [8, 0, 1],
  ])("orientation %i is applied", async (orientation, right, bottom) => {
    const corner: Sample = (x, y) => (x < 8 && y < 8 ? 0 : 255);
    const { width, height, pixels } = await draw(
      (await post(writeTiff({ ...options, entries: [[274, 3, [orientation]]] }, corner))).body,
    );
    expect([width, height]).toEqual(orientation < 5 ? [37, 29] : [29, 37]);
    const at = (x: number, y: number): number | undefined => pixels[(y * width + x) * 4];
    for (const [x, y] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
    ] as const) {
      const isCorner = x === right && y === bottom;
      expect(at(x * (width - 6) + 3, y * (height - 6) + 3)).toBe(isCorner ? 0 : 255);
    }
  });

  it("an ICC profile of the right kind is kept", async () => {
    const profile = new Uint8Array(200);
    profile.set([0, 0, 0, 200]);
    profile.set([2], 8);
    for (const [at, text] of [
      [12, "mntr"],
      [16, "GRAY"],
      [36, "acsp"],
    ] as const)
      profile.set(new TextEncoder().encode(text), at);
    const { body } = await post(writeTiff({ ...options, entries: [[34_675, 7, [...profile]]] }, sample));
    expect((await imagesOf(body))[0]?.space).toMatch(/^\[ \/ICCBased \d+ 0 R \]$/);
  });
});

describe("refusals", () => {
  const options = { ...size, bits: 8, photometric: 1 } as const;
  const sample = sampleOf(8);
  const withEntries = (...entries: readonly TiffEntry[]): Uint8Array => writeTiff({ ...options, entries }, sample);
  const plain = withEntries();
  const changed = (at: number, ...bytes: readonly number[]): Uint8Array => {
    const copy = plain.slice();
    copy.set(bytes, at < 0 ? copy.length + at : at);
    return copy;
  };
  const first = new DataView(plain.buffer).getUint32(4, true);

  it.each([
    ["a BigTIFF", changed(2, 43), "400 invalid_file: `image0` is a BigTIFF"],
    ["a header alone", plain.subarray(0, 6), "400 invalid_file: `image0` is truncated: its header is incomplete"],
    ["no pages", changed(4, 0, 0, 0, 0), "400 invalid_file: `image0` is damaged: it has no pages"],
    ["a directory outside the file", changed(4, 255, 255, 255, 127), "a page lies outside the file"],
    ["a directory that is cut", plain.subarray(0, -8), "a page lies outside the file"],
    ["a loop", changed(-4, ...plain.subarray(4, 8)), "its list of pages has a loop"],
    ["no width", withEntries([256, 4, [0]]), "has a page without width or height"],
    [
      "too many pixels",
      withEntries([256, 4, [65_535]], [257, 4, [65_535]]),
      "413 limit_exceeded: `image0` has too many pixels",
    ],
    [
      "a row that is too long",
      withEntries([256, 4, [4_000_000_000]]),
      "413 limit_exceeded: `image0` has too many pixels in one",
    ],
    ...[4, 5, 32_773].map((compression): [string, Uint8Array, string] => [
      `tiles wider than any page, with compression ${compression}`,
      withEntries(
        [258, 3, [1]],
        [259, 3, [compression]],
        [322, 4, [0x7fff_fff8]],
        [323, 4, [8]],
        [324, 4, [8]],
        [325, 4, [8]],
      ),
      "400 invalid_file: `image0` is damaged: its tiles have sides of more than 100000 pixels",
    ]),
    ["strips outside the file", withEntries([273, 4, [4_000_000_000]]), "a strip or tile lies outside the file"],
    [
      "strips longer than the file",
      withEntries([259, 3, [5]], [279, 4, [4_000_000_000]]),
      "a strip or tile lies outside the file",
    ],
    ["too few strips", withEntries([278, 3, [1]]), "a page has too few strips or tiles"],
    [
      "strips that overlap",
      withEntries([259, 3, [5]], [278, 3, [15]], [273, 4, [8, 9]], [279, 4, [1_000, 1_000]]),
      "overlap",
    ],
    ["no strips", withEntries([273, 13, []]), "a page has"],
    [
      "too few rows",
      writeTiff(
        {
          ...options,
          coding: "deflate",
          entries: [
            [257, 4, [60]],
            [278, 4, [60]],
          ],
        },
        sample,
      ),
      "some of its rows are missing",
    ],
    ["LZW data of the first kind", withEntries([259, 3, [5]]), "has LZW data of the kind before TIFF 5.0"],
    [
      "damaged LZW",
      writeTiff({ ...options, coding: "lzw" }, sample).map((byte, at) => (at > 20 && at < 40 ? 255 : byte)),
      "its data cannot be decompressed",
    ],
    ["damaged deflate", withEntries([259, 3, [8]]), "its data cannot be decompressed"],
    ["tiles of no width", withEntries([322, 3, [0]], [323, 3, [16]], [324, 4, [8]]), "a page has no data"],
    ["a palette without colors", withEntries([262, 3, [3]]), "a page has no complete palette"],
    [
      "an unknown compression",
      withEntries([259, 3, [999]]),
      "a compression that is not supported: number 999. Save it with",
    ],
    ["JPEG 2000", withEntries([259, 3, [34_712]]), "not supported: JPEG 2000"],
    ["Zstandard", withEntries([259, 3, [50_000]]), "not supported: Zstandard"],
    ["obsolete JPEG data", withEntries([259, 3, [6]]), "not supported: JPEG of the obsolete kind"],
    ["CIELab", withEntries([262, 3, [8]]), "colors that are not supported: CIELab. Save it as RGB"],
    ["camera raw", withEntries([262, 3, [32_803]]), "not supported: camera raw"],
    ["other inks", withEntries([262, 3, [5]], [332, 3, [2]]), "not supported: inks other than CMYK"],
    ["YCbCr", withEntries([262, 3, [6]], [277, 3, [3]], [258, 3, [8, 8, 8]]), "has a page with YCbCr colors"],
    ["floating-point samples", withEntries([339, 3, [3]]), "has signed or floating-point samples"],
    ["12 bits", withEntries([258, 3, [12]]), "has a page with 12 bits per sample; PDF supports 1, 2, 4, 8, and 16"],
    [
      "a predictor for floating-point samples",
      withEntries([259, 3, [5]], [317, 3, [3]]),
      "has a page with predictor 3",
    ],
    ["a fax of gray", withEntries([259, 3, [4]]), "a fax has one bit per pixel"],
    [
      "a fax with uncompressed parts",
      withEntries([259, 3, [3]], [258, 3, [1]], [292, 4, [2]]),
      "is a fax with uncompressed parts",
    ],
  ])("a TIFF is refused by name: %s", async (_, tiff, problem) => {
    expect(await refusal(tiff)).toContain(problem);
    expect(first).toBeGreaterThan(8);
  });

  it("strips of damaged fax data are refused", async () => {
    const fax = { ...size, bits: 1, photometric: 0, rowsPerStrip: 8 };
    for (const coding of [2, 3, 4]) {
      const tiff = writeTiff({ ...fax, entries: [[259, 3, [coding]]] }, () => 0);
      expect(await refusal(tiff)).toContain("its fax data has an invalid code");
    }
  });

  it("more pages than a document can have are refused before any is read", async () => {
    const directory = (next: number): number[] => [1, 0, 0, 1, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0, ...numbers32(next)];
    const count = 5_001;
    const bytes = Array.from({ length: count }, (_, index) =>
      directory(index === count - 1 ? 0 : 8 + (index + 1) * 18),
    ).flat();
    const reply = await refusal(Uint8Array.from([0x49, 0x49, 42, 0, 8, 0, 0, 0, ...bytes]));
    expect(reply).toBe("413 limit_exceeded: The PDF would have more than 5,000 pages.");
  });
});

const numbers32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255);
