import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { CffFont, CffIndex, readDict, writeCff, writeEntry, writeIndex } from "../../../src/engines/pdf/fonts/cff.ts";
import { UnknownFont } from "../../../src/engines/pdf/fonts/unknown-font.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { boxFont, namedBoxFont } from "../../harness/fonts/cff-fixtures.ts";

const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");
const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");

describe("INDEX", () => {
  test("an INDEX is written with its count, offset size, offsets from 1, and items", () => {
    expect(hex(writeIndex([bytesOf("ab"), bytesOf(""), bytesOf("c")]))).toBe(
      "0003 01 01030304 616263".replaceAll(" ", ""),
    );
    expect(hex(writeIndex([]))).toBe("0000");
  });

  test.each([
    [254, 1],
    [255, 2],
    [65_534, 2],
    [65_535, 4],
  ])("an INDEX of %i bytes of data has offsets of %i bytes", (length, size) => {
    const index = new CffIndex(writeIndex([new Uint8Array(length)]), 0);
    expect([index.offSize, index.count, index.end]).toEqual([size, 1, 3 + 2 * size + length]);
  });

  test("an INDEX is read from its beginning, with offsets of any size", () => {
    for (const size of [1, 2, 3, 4]) {
      const written = Uint8Array.from([7, 7, ...writeIndex([bytesOf("ab"), bytesOf(""), bytesOf("c")], size), 9]);
      const index = new CffIndex(written, 2);
      expect([0, 1, 2].map((item) => latin1(index.item(item)))).toEqual(["ab", "", "c"]);
      expect(index.end).toBe(written.length - 1);
    }
  });

  test.each([
    ["that is cut off in its count", "00"],
    ["that is cut off in its offsets", "0002 01 0102"],
    ["with offsets of five bytes", "0001 05 0000000001 0000000002 61"],
  ])("an INDEX %s is rejected", (_, data) => {
    expect(() => new CffIndex(bytes(data), 0)).toThrow(UnknownFont);
  });

  test.each([
    ["ends before it begins", "0002 01 010301 6162", 1],
    ["exceeds the font", "0001 01 0109 61", 0],
    ["is not there", "0001 01 0102 61", 1],
  ])("an item that %s is rejected", (_, data, item) => {
    expect(() => new CffIndex(bytes(data), 0).item(item)).toThrow(UnknownFont);
  });
});

describe("DICT", () => {
  // Technical Note 5176, table 4, and section 4.
  test.each([
    [-2, "1d fffffffe", "89"],
    [100, "ef", "ef"],
    [-100, "27", "27"],
    [1000, "fa7c", "1c03e8"],
    [-1000, "fe7c", "1cfc18"],
    [10_000, "1c2710", "1c2710"],
    [-10_000, "1cd8f0", "1cd8f0"],
    [100_000, "1d000186a0", "1d000186a0"],
    [-100_000, "1dfffe7960", "1dfffe7960"],
  ])("a DICT holds the integer %i", (value, read, written) => {
    expect(readDict(bytes(`${read} 11`)).get(17)?.numbers).toEqual([value]);
    expect(hex(writeEntry(17, [value]))).toBe(`${written}11`);
  });

  test.each([
    [-2.25, "1ee2a25f"],
    [0.000140541, "1e0a000140541f"],
    [0.5, "1e0a5f"],
    [1.5e-9, "1e1a5c9f"],
    [0.140541e-9, "1e1a40541c10ff"],
  ])("a DICT holds the real number %f", (value, written) => {
    expect(hex(writeEntry(17, [value]))).toBe(`${written}11`);
  });

  test("a DICT is read with real numbers, operators of two bytes, and the bytes of each entry", () => {
    const dict = readDict(bytes("8c 1ee2a25f 0c07 8d 8e 12"));
    expect([...dict].map(([operator, entry]) => [operator, entry.numbers, hex(entry.bytes)])).toEqual([
      [0x0c07, [1, -2.25], "8c1ee2a25f0c07"],
      [18, [2, 3], "8d8e12"],
    ]);
  });

  test("a DICT that is cut off or has excessive numbers is rejected", () => {
    expect(() => readDict(bytes("1c 27"))).toThrow(RangeError);
    expect(() => readDict(bytes("1e 12"))).toThrow(RangeError);
    expect(() => readDict(new Uint8Array(16 * 1024 + 1))).toThrow(UnknownFont);
  });
});

/** A font whose glyphs have these SIDs and outlines of one byte each. */
const written = (changes: Partial<Parameters<typeof writeCff>[0]> = {}): Uint8Array =>
  writeCff({
    names: writeIndex([bytesOf("Own")]),
    strings: writeIndex([bytesOf("blob"), bytesOf("dot")]),
    subroutines: writeIndex([]),
    outlines: writeIndex([14, 14, 14, 14].map((code) => Uint8Array.of(code))),
    entries: [writeEntry(5, [-10, 0, 500, 700])],
    charset: bytes("00 0022 0187 0188"),
    encoding: bytes("80 02 61 62 01 7a 0188"),
    hints: { size: 2, bytes: bytes("8b14 ffff") },
    ...changes,
  });

describe("fonts", () => {
  test("a font is read as it was written", () => {
    const font = new CffFont(written());
    expect(latin1(font.names.item(0))).toBe("Own");
    expect(font.numbersOf(5)).toEqual([-10, 0, 500, 700]);
    expect(font.charset(meter())).toEqual([0, 34, 391, 392]);
    expect(font.isCidKeyed).toBe(false);
    expect([font.outlines.count, font.hints.size, hex(font.hints.bytes)]).toEqual([4, 2, "8b14"]);
    const { outlines, encoding } = font.namedGlyphs(meter());
    expect([...outlines]).toEqual([
      [".notdef", 0],
      ["A", 1],
      ["blob", 2],
      ["dot", 3],
    ]);
    expect([...encoding]).toEqual([
      [0x61, "A"],
      [0x62, "blob"],
      [0x7a, "dot"],
    ]);
  });

  test("a font without an encoding and names has the standard ones", () => {
    const font = new CffFont(written({ encoding: undefined }));
    expect(font.namedGlyphs(meter()).encoding.get(0x41)).toBe("A");
  });

  test.each([
    ["01 0022 02", [0, 34, 35, 36]],
    ["02 0022 00ff", [0, 34, 35, 36]],
    ["00 0001 0002 0003", [0, 1, 2, 3]],
  ])("a font has the charset %s", (charset, numbers) => {
    expect(new CffFont(written({ charset: bytes(charset) })).charset(meter())).toEqual(numbers);
  });

  test("a font with CIDs has no glyph names", () => {
    const font = new CffFont(boxFont(3));
    expect([font.isCidKeyed, font.charset(meter())]).toEqual([true, [0, 101, 102]]);
    expect(() => font.namedGlyphs(meter())).toThrow(UnknownFont);
  });

  test("a font includes the subroutines of its Private DICT, found from its start", () => {
    // Subrs at 2, after the DICT: an INDEX with one item.
    const hints = { size: 2, bytes: bytes("8d13 0001 01 0102 0b") };
    expect(hex(new CffFont(written({ hints })).hints.bytes)).toBe("8d130001010102 0b".replaceAll(" ", ""));
  });

  test("a font is encoded by ranges of codes", () => {
    const { encoding } = new CffFont(namedBoxFont(30)).namedGlyphs(meter());
    expect([encoding.size, encoding.get(65), encoding.get(90)]).toEqual([26, "g1", "g26"]);
  });

  test("a font with other outlines keeps everything else in place", () => {
    const before = written();
    const after = new CffFont(before).withOutlines(
      [14, 14, 14, 14].map((code, glyph) => new Uint8Array(glyph % 2).fill(code)),
    );
    expect(after).toHaveLength(before.length);
    const font = new CffFont(after);
    expect([0, 1, 2, 3].map((glyph) => font.outlines.item(glyph).length)).toEqual([0, 1, 0, 1]);
    expect(font.charset(meter())).toEqual([0, 34, 391, 392]);
    expect(() => font.withOutlines([new Uint8Array(9), new Uint8Array(), new Uint8Array(), new Uint8Array()])).toThrow(
      UnknownFont,
    );
  });

  test.each([
    ["a charset in a format that is not known", { charset: bytes("03 0022") }],
    ["the encoding of experts", { encoding: undefined, entries: [writeEntry(16, [1])] }],
    ["a name that no string has", { charset: bytes("00 0022 0187 0189") }],
    ["a name of 128 bytes", { strings: writeIndex([new Uint8Array(128), bytesOf("dot")]) }],
    ["more than one Top DICT", { names: bytes("0000 0002 01 010203 8b8b") }],
  ])("a font with %s is rejected", (_, changes) => {
    expect(() => new CffFont(written(changes)).namedGlyphs(meter())).toThrow(UnknownFont);
  });

  test("a font that is cut off anywhere throws UnknownFont and nothing else", () => {
    const whole = written();
    // The Private DICT, which is not read here, has the last four bytes.
    for (let length = 0; length < whole.length - 4; length++) {
      const read = () => {
        const font = new CffFont(whole.slice(0, length));
        return [font.namedGlyphs(meter()), font.outlines.item(3)];
      };
      expect(read).toThrow(expect.toSatisfy((error) => error instanceof UnknownFont || error instanceof RangeError));
    }
  });
});
