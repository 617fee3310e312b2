import { describe, expect, it } from "vitest";
import { imageKindOf, otherImageOf } from "../../src/engines/image/kind.ts";
import { DamagedLzw, Lzw, type LzwOptions } from "../../src/engines/image/lzw.ts";
import { FaxDecoder, FaxEncoder, FaxRow } from "../../src/engines/image/tiff/fax-rows.ts";
import { PackBits } from "../../src/engines/image/tiff/pack-bits.ts";
import { TiffStructure } from "../../src/engines/image/tiff-structure.ts";
import { Random } from "../harness/fuzz/random.ts";
import { lzw } from "../harness/images/lzw-writer.ts";
import { packBits } from "../harness/images/tiff-writer.ts";

/** All bytes that a decoder gives for pieces of so many bytes. */
function inPieces(bytes: Uint8Array, size: number, decode: (piece: Uint8Array) => Iterable<Uint8Array>): number[] {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    for (const chunk of decode(bytes.subarray(at, at + size))) out.push(...chunk);
  }
  return out;
}

describe("LZW", () => {
  const tiff: LzwOptions = { order: "msb", symbolBits: 8, isEarly: true };

  it("the example of the TIFF specification is decoded", () => {
    // 7 7 7 8 8 7 7 6 6: codes 256 7 258 8 8 258 6 6 257 of 9 bits (TIFF 6.0, section 13).
    const codes = [256, 7, 258, 8, 8, 258, 6, 6, 257].map((code) => code.toString(2).padStart(9, "0")).join("");
    const bits = codes.padEnd(Math.ceil(codes.length / 8) * 8, "0");
    const bytes = Uint8Array.from({ length: bits.length / 8 }, (_, at) =>
      Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2),
    );
    for (const size of [1, 3, 100]) {
      const stream = new Lzw(tiff);
      expect(inPieces(bytes, size, (piece) => stream.decode(piece))).toEqual([7, 7, 7, 8, 8, 7, 7, 6, 6]);
      expect(stream.hasEnded).toBe(true);
    }
  });

  it.each([
    ["as in TIFF", tiff],
    ["as in GIF", { order: "lsb", symbolBits: 8, isEarly: false }],
    ["of few colors", { order: "lsb", symbolBits: 2, isEarly: false }],
  ] as const)("the output of an encoder is decoded to its input: %s", (_, options) => {
    const random = new Random(options.symbolBits);
    const symbols = Uint8Array.from({ length: 40_000 }, (_value, index) =>
      index % 5_000 < 2_000 ? 1 : random.below(1 << options.symbolBits),
    );
    const stream = new Lzw(options);
    expect(inPieces(lzw(symbols, options), 777, (piece) => stream.decode(piece))).toEqual([...symbols]);
  });

  it("a code that the table does not have is an error", () => {
    const stream = new Lzw(tiff);
    expect(() => [...stream.decode(Uint8Array.of(0x80, 0x7f, 0xff, 0xff))]).toThrow(DamagedLzw);
  });
});

describe("PackBits", () => {
  it("the example of the TIFF specification is decoded, in pieces of any size", () => {
    const packed = Uint8Array.of(0xfe, 0xaa, 2, 0x80, 0, 0x2a, 0xfd, 0xaa, 3, 0x80, 0, 0x2a, 0x22, 0x80, 0xf7, 0xaa);
    const plain = [
      0xaa,
      0xaa,
      0xaa,
      0x80,
      0,
      0x2a,
      0xaa,
      0xaa,
      0xaa,
      0xaa,
      0x80,
      0,
      0x2a,
      0x22,
      ...Array.from({ length: 10 }, () => 0xaa),
    ];
    for (const size of [1, 2, 5, 100]) {
      const stream = new PackBits();
      expect(inPieces(packed, size, (piece) => [stream.decode(piece)])).toEqual(plain);
    }
  });

  it("the longest runs fit", () => {
    const stream = new PackBits();
    const out = inPieces(packBits(new Uint8Array(100_000).fill(9), 100_000), 64, (piece) => [stream.decode(piece)]);
    expect(out).toHaveLength(100_000);
    expect(out.every((byte) => byte === 9)).toBe(true);
  });
});

describe("fax", () => {
  const rowOf = (width: number, ...changes: readonly number[]): FaxRow => {
    const row = new FaxRow(width);
    for (const change of changes) row.add(change);
    return row;
  };
  const changesOf = (row: FaxRow): number[] => Array.from({ length: row.count }, (_, index) => row.at(index));

  it("rows are coded as T.6 says", () => {
    const out: number[] = [];
    const encoder = new FaxEncoder(16, (bytes) => out.push(...bytes));
    // White: a vertical code. Then 4 white and 3 black: horizontal. The same row: three vertical codes. Then the end.
    encoder.row(rowOf(16), rowOf(16));
    encoder.row(rowOf(16, 4, 7), rowOf(16));
    encoder.row(rowOf(16, 4, 7), rowOf(16, 4, 7));
    encoder.end();
    const bits = out.map((byte) => byte.toString(2).padStart(8, "0")).join("");
    expect(bits).toMatch(/^10011011101111(?:0{11}1){2}0*$/);
  });

  it("rows of any runs are read again from what is written", () => {
    const random = new Random(6);
    const width = 6_000;
    const rows = Array.from({ length: 200 }, (_, y) => {
      const row = new FaxRow(width);
      for (let x = random.below(3) * random.below(900); x < width; x += 1 + random.below(y % 3 === 0 ? 3_000 : 12))
        row.add(x);
      return row;
    });
    const out: number[] = [];
    const encoder = new FaxEncoder(width, (bytes) => out.push(...bytes));
    for (const [y, row] of rows.entries()) encoder.row(row, rows[y - 1] ?? new FaxRow(width));
    encoder.end();
    let at = 0;
    const decoder = new FaxDecoder({ width, coding: "g4", isTwoDimensional: false }, () => out[at++]);
    for (const row of rows) expect(changesOf(decoder.row())).toEqual(changesOf(row));
    expect(() => decoder.row()).toThrow("its fax data has an invalid code");
  });

  it.each([
    ["zeros before a marker", "g3", [0], 10_000],
    // White and black runs of no pixels.
    ["runs of no pixels", "rows", [0x35, 0x0d, 0xcd, 0x43, 0x73, 0x50, 0xdc, 0xd4, 0x37], 1_000],
  ] as const)("%s without an end are damage, long before the data ends", (_, coding, bytes, most) => {
    let at = 0;
    const next = (): number | undefined => bytes[at++ % bytes.length];
    const decoder = new FaxDecoder({ width: 100, coding, isTwoDimensional: false }, next);
    expect(() => decoder.row()).toThrow("its fax data has an invalid code");
    expect(at).toBeLessThan(most);
  });

  it("a row becomes packed samples", () => {
    expect([...rowOf(20, 3, 5, 8, 17).bits()]).toEqual([0b0001_1000, 0xff, 0b1000_0000]);
    expect([...rowOf(12, 0).bits()]).toEqual([0xff, 0xf0]);
    expect(changesOf(rowOf(12, 3, 3, 5, 12))).toEqual([5]);
  });
});

describe("TiffStructure", () => {
  it("entries with other tags are counted, and not kept", () => {
    const bytes = Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0, 0, 3, 0, 0, 0, 1, 0, 7, 0, 0]);
    const directory = TiffStructure.of(bytes)?.directory(8, 10, new Set([257]));
    expect([directory?.count, directory?.entries.size]).toEqual([1, 0]);
  });

  it("values inside and outside of an entry are read in both byte orders, and none outside the file", () => {
    const little = Uint8Array.from([
      0x49, 0x49, 42, 0, 8, 0, 0, 0, 2, 0, 0, 1, 3, 0, 1, 0, 0, 0, 7, 0, 0, 0, 2, 1, 4, 0, 2, 0, 0, 0, 38, 0, 0, 0, 9,
      0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0,
    ]);
    const structure = TiffStructure.of(little);
    const { entries, next } = structure?.directory(8, 10, new Set([256, 258])) ?? {};
    expect(next).toBe(9);
    expect(structure?.number(entries?.get(256))).toBe(7);
    expect([0, 1, 2].map((index) => structure?.number(entries?.get(258), index))).toEqual([5, 6, undefined]);
    expect(structure?.range({ type: 7, count: 100, at: 40 })).toBeUndefined();
    expect(structure?.directory(45, 10, new Set([256]))).toBeUndefined();
    const big = TiffStructure.of(
      Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0, 0, 3, 0, 0, 0, 1, 0, 7, 0, 0]),
    );
    const directory = big?.directory(8, 10, new Set([256]));
    expect(directory?.next).toBeUndefined();
    expect(big?.number(directory?.entries.get(256))).toBe(7);
  });
});

describe("kinds", () => {
  const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

  it.each([
    ["II*\0", "tiff"],
    ["MM\0*", "tiff"],
    ["II+\0", "tiff"],
    ["MM\0+", "tiff"],
    ["GIF87a", "gif"],
    ["GIF89a", "gif"],
    [`BM${"\0".repeat(12)}\u0028\0\0\0`, "bmp"],
    ["BMW is a carmaker.", undefined],
    ["IIII", undefined],
  ] as const)("the first bytes tell the kind: %j", (head, kind) => {
    expect(imageKindOf(latin(head))).toBe(kind);
  });

  it.each([
    ["\0\0\0\u0018ftypheic", "HEIC"],
    ["\0\0\0\u0018ftypmif1", "HEIC"],
    ["\0\0\0\u0018ftypavif", "AVIF"],
    ["\0\0\0\u0018ftypisom", undefined],
    ["8BPS", "PSD"],
    ["\0\0\0\u000cjP  ", "JPEG 2000"],
    ["\0\0\u0001\0", "ICO"],
    ["<svg xmlns='http://www.w3.org/2000/svg'>", "SVG"],
    ['\u00ef\u00bb\u00bf<?xml version="1.0"?>\n<!-- a --><!-- b -->\n<svg>', "SVG"],
    ["<!-- a -->".repeat(400), undefined],
    ["<html><svg>", undefined],
  ] as const)("other formats are known by name: %j", (head, kind) => {
    expect(otherImageOf(latin(head))).toBe(kind);
  });
});
