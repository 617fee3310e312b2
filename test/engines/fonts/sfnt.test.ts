import { describe, expect, test } from "vitest";
import {
  bytesOfView,
  inFinerUnits,
  partsOf,
  SfntFont,
  symbolMap,
  withoutHints,
  writeOutlines,
  writeTables,
} from "../../../src/engines/pdf/fonts/sfnt.ts";
import { UnknownFont } from "../../../src/engines/pdf/fonts/unknown-font.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { smallFont, u16, u32 } from "../../harness/fonts/sfnt-fixtures.ts";

const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
const view = (...bytes: readonly number[]): DataView => new DataView(Uint8Array.from(bytes).buffer);

describe("fonts", () => {
  const font = new SfntFont(smallFont());

  test("a font has glyphs with outlines and advances", () => {
    expect([font.glyphCount, font.metricCount, font.isLong]).toEqual([6, 4, false]);
    expect([0, 1, 2, 3, 4, 5].map((glyph) => font.outlineOf(glyph).length)).toEqual([0, 24, 24, 26, 0, 24]);
    expect([0, 3, 4, 5].map((glyph) => font.advanceOf(glyph))).toEqual([250, 320, 320, 320]);
  });

  test("a font has metrics in thousandths of its size", () => {
    const { bbox, ascent, descent, thousandths } = font.metrics;
    expect([bbox, ascent, descent, thousandths(250)]).toEqual([[0, -200, 800, 900], 800, -200, 500]);
  });

  test("a font maps characters and codes to glyphs", () => {
    expect(font.characterMaps(meter()).map((map) => [...map])).toEqual([
      [
        [0x41, 1],
        [0x42, 2],
        [0x43, 3],
      ],
      [[0xf058, 5]],
    ]);
  });

  test("a font names glyphs by the standard names and its own", () => {
    const { byName, byCharacter } = font.namedGlyphs(meter());
    expect([...byName]).toEqual([
      ["blob", [4]],
      ["uni20AC", [5]],
    ]);
    expect([...byCharacter]).toEqual([
      [0x41, 1],
      [0x42, 2],
      [0x43, 3],
      [0x20ac, 5],
    ]);
  });

  test("a font has the 258 standard names for its glyphs in this order", () => {
    const { byCharacter } = new SfntFont(smallFont({ post: u32(0x10000) })).namedGlyphs(meter());
    expect(Array.from(["A", "Ä", "Ł", "đ"], (letter) => byCharacter.get(letter.codePointAt(0) ?? 0))).toEqual([
      36, 98, 226, 257,
    ]);
  });
});

describe("character maps", () => {
  const mapsOf = (platform: number, ...table: readonly number[]) =>
    new SfntFont(smallFont({ cmap: [...u16(0, 1, platform, 0), ...u32(12), ...table] }))
      .characterMaps(meter())
      .map((map) => [...map]);

  test("character maps of the Macintosh are also found by character", () => {
    const codes = Array.from({ length: 256 }, (_, code) => (code === 0x80 ? 3 : 0));
    const [own, byCharacter] = mapsOf(1, ...u16(0, 262, 0), ...codes);
    expect([own?.[0x80], byCharacter?.[0x80]]).toEqual([
      [0x80, 3],
      [0xc4, 3],
    ]);
  });

  test("character maps list glyphs in segments", () => {
    // Codes 0x41 and 0x42 are listed as 9 and 0, which is no glyph, and the delta is 1.
    const segments = u16(4, 0, 0, 4, 0, 0, 0, 0x42, 0xffff, 0, 0x41, 0xffff, 1, 1, 4, 0, 9, 0);
    expect(mapsOf(3, ...segments)).toEqual([[[0x41, 10]]]);
  });

  test("character maps have groups of characters beyond the first 65,536", () => {
    expect(mapsOf(3, ...u16(12, 0), ...u32(28, 0, 1, 0x1f600, 0x1f601, 7))).toEqual([
      [
        [0x1f600, 7],
        [0x1f601, 8],
      ],
    ]);
  });

  test.each([
    ["of a format that is not known", u16(2, 0)],
    ["with a group that is larger than any font", [...u16(12, 0), ...u32(28, 0, 1, 0, 0x1_0000, 0)]],
    ["with variations only", u16(14, 0)],
  ])("character maps %s are rejected", (_, table) => {
    expect(() => mapsOf(3, ...table)).toThrow(UnknownFont);
  });

  test("character maps with more codes than fonts have are rejected unread", () => {
    const start = 4 + 8 * 5;
    const tables = [0, 1, 2, 3, 4].map((table) => start + 28 * table);
    const cmap = [
      ...u16(0, 5),
      ...tables.flatMap((at) => [...u16(3, 1), ...u32(at)]),
      ...tables.flatMap(() => [...u16(12, 0), ...u32(28, 0, 1, 0, 0xffff, 0)]),
    ];
    const work = unlimitedWork();
    expect(() => new SfntFont(smallFont({ cmap })).characterMaps(new ParseMeter(work, "font"))).toThrow(UnknownFont);
    expect(work.spent).toBeLessThan(25 * 300_000);
  });
});

describe("damaged fonts", () => {
  test("a table that exceeds the file is rejected, even if there are more bytes in memory", () => {
    const file = smallFont();
    const memory = new Uint8Array(file.length + 100);
    memory.set(file);
    expect(() => new SfntFont(memory.subarray(0, file.length - 1))).toThrow(UnknownFont);
    expect(new SfntFont(memory.subarray(0, file.length)).glyphCount).toBe(6);
  });

  test("a font that lacks a table is rejected", () => {
    expect(() => new SfntFont(smallFont({ loca: undefined })).outlineOf(1)).toThrow(UnknownFont);
    expect(() => new SfntFont(smallFont({ cmap: undefined })).characterMaps(meter())).toThrow(UnknownFont);
  });

  test("an outline that ends before it begins or exceeds the table is rejected", () => {
    const font = new SfntFont(smallFont({ loca: u16(0, 0, 12, 11, 400, 400, 400) }));
    expect(font.outlineOf(1)).toHaveLength(24);
    expect(() => font.outlineOf(2)).toThrow(UnknownFont);
    expect(() => font.outlineOf(3)).toThrow(UnknownFont);
    expect(() => font.outlineOf(6)).toThrow(RangeError);
  });

  test("a font without a directory is rejected", () => {
    expect(() => new SfntFont(Uint8Array.from([0, 1, 0, 0, 0, 1, 0]))).toThrow(RangeError);
  });
});

describe("outlines", () => {
  const font = new SfntFont(smallFont());

  test("a composite outline has components", () => {
    expect([...partsOf(font.outlineOf(3))].map(({ at, glyph, end }) => [at, glyph, end])).toEqual([
      [10, 1, 18],
      [18, 2, 26],
    ]);
    expect([...partsOf(font.outlineOf(1)), ...partsOf(new Uint8Array())]).toEqual([]);
  });

  test("an outline without hints has no instructions, and its components have other numbers", () => {
    const triangle = withoutHints(font.outlineOf(1), () => 0);
    expect(hex(triangle)).toBe(`${hex(font.outlineOf(1)).slice(0, 24)}0000${hex(font.outlineOf(1)).slice(30)}`);
    const composite = withoutHints(font.outlineOf(3), (glyph) => glyph + 10);
    expect([...partsOf(composite)].map(({ glyph }) => glyph)).toEqual([11, 12]);
    expect(hex(font.outlineOf(3))).toContain("00230001");
  });

  test("an outline begins at a multiple of the unit", () => {
    const parts = [Uint8Array.of(1, 2, 3), undefined, Uint8Array.of(4)];
    const written = ([2, 4] as const).map((unit) => writeOutlines(parts, unit));
    expect(written.map(({ glyf }) => hex(new Uint8Array(glyf.buffer)))).toEqual(["010203000400", "0102030004000000"]);
    expect(written.map(({ loca }) => hex(new Uint8Array(loca.buffer)))).toEqual([
      "0000000200020003",
      "00000000000000040000000400000008",
    ]);
  });
});

test("tables are written with a directory and checksums", () => {
  const head = Uint8Array.from(smallFont()).slice(0, 54);
  head.fill(0, 8, 12);
  const file = writeTables([
    ["glyf", view(1, 2, 3)],
    ["head", view(...head)],
  ]);
  expect(hex(file.subarray(0, 28))).toBe(
    "00010000000200200001 0000 676c7966 01020300 0000002c 00000003".replaceAll(" ", ""),
  );
  const read = new SfntFont(file);
  expect([...read.tables.keys()]).toEqual(["glyf", "head"]);
  expect(read.table("glyf").byteOffset).toBe(44);
  const words = new DataView(file.buffer);
  let sum = 0;
  for (let at = 0; at < file.length; at += 4) sum = (sum + words.getUint32(at)) >>> 0;
  // OpenType 1.9, "Calculating checksums".
  expect(sum).toBe(0xb1b0afba);
});

describe("fonts in larger buffers", () => {
  const file = writeTables([
    ["cvt ", view(1, 2, 3, 4)],
    ["head", view(...new Uint8Array(12))],
  ]);

  /** With another length of the first table. */
  function inHeap(length: number): Uint8Array {
    const heap = new Uint8Array(file.length + 2_000).fill(0xee);
    heap.set(file, 1_000);
    new DataView(heap.buffer, 1_000).setUint32(12 + 12, length);
    return heap.subarray(1_000, 1_000 + file.length);
  }

  test("a font in a larger buffer has its tables relative to the beginning of the file", () => {
    const table = new SfntFont(inHeap(4)).table("cvt ");
    expect([table.byteLength, table.getUint32(0)]).toEqual([4, 0x01020304]);
  });

  test("a table that exceeds the file is rejected, though the buffer has more bytes", () => {
    expect(() => new SfntFont(inHeap(1_500))).toThrow(UnknownFont);
  });
});

test("a table of symbols has a glyph for each code in the private use area", () => {
  const cmap = bytesOfView(
    symbolMap(
      new Map([
        [97, 2],
        [65, 5],
        [66, 1],
      ]),
    ),
  );
  const [map] = new SfntFont(smallFont({ cmap: [...cmap] })).encodedMaps(meter());
  expect([map?.platform, map?.encoding, [...(map?.map ?? [])]]).toEqual([
    3,
    0,
    [
      [0xf041, 5],
      [0xf042, 1],
      [0xf061, 2],
    ],
  ]);
});

test("finer units multiply the coordinates of glyphs and the places of their parts", () => {
  const font = new SfntFont(smallFont());
  expect([...inFinerUnits(font.outlineOf(1), 4)]).toEqual([
    ...u16(1, 0, 0, 400, 200, 2, 0),
    1,
    1,
    1,
    ...u16(0, 400, 0, 0, 0, 200),
  ]);
  expect([...inFinerUnits(font.outlineOf(3), 4)]).toEqual([
    ...u16(-1, 0, 0, 1200, 320),
    ...u16(0x1 | 0x2 | 0x20, 1, 800, 0),
    ...u16(0x1 | 0x2 | 0x8, 2, 0, 0, 0x2000),
  ]);
});
