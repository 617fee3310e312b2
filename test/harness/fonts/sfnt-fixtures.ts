/** Small TrueType fonts (OpenType 1.9), written here and not by the service. */
import { concatenate, latin1 } from "../fixtures/pdf-writer.ts";

export const u16 = (...values: readonly number[]): number[] =>
  values.flatMap((value) => [(value >> 8) & 255, value & 255]);
export const u32 = (...values: readonly number[]): number[] =>
  values.flatMap((value) => u16(value >>> 16, value & 0xffff));

/** A font file of tables, without checksums. */
export function fontOf(tables: Readonly<Record<string, readonly number[]>>): Uint8Array {
  const all = Object.entries(tables);
  let at = 12 + all.length * 16;
  const head = [...u32(0x10000), ...u16(all.length, 0, 0, 0)];
  for (const [tag, { length }] of all) {
    head.push(...latin1(tag), ...u32(0, at, length));
    at += length;
  }
  return concatenate([Uint8Array.from(head), ...all.map(([, bytes]) => Uint8Array.from(bytes))]);
}

/** A triangle with an instruction, as high as it says: 24 bytes. */
const triangle = (height: number): number[] => [
  ...u16(1, 0, 0, 100, height, 2, 1),
  // The instruction; flags of three points with short positive coordinates; and these.
  0xb0,
  0x37,
  0x37,
  0x37,
  0,
  100,
  0,
  0,
  0,
  height & 255,
];
/** Glyph 1 moved to the right, and glyph 2 at half its size. */
const composite = [...u16(-1, 0, 0, 300, 80), ...u16(0x1 | 0x2 | 0x20, 1, 200, 0), ...u16(0x2 | 0x8, 2, 0, 0x2000)];
/** Glyphs 1 and 2 are triangles, 3 is made of both, 4 is empty, and 5 is a triangle, too. */
const outlines = [[], triangle(50), triangle(80), composite, [], triangle(90)];

/** A font with six glyphs, which the tables find in several ways: A, B, and C by Unicode, 5 by a code for symbols, 4 and 5 by their names. */
export function smallFont(changes: Readonly<Record<string, readonly number[] | undefined>> = {}): Uint8Array {
  const offsets = outlines.map((_, glyph) => outlines.slice(0, glyph).flat().length / 2);
  const tables: Record<string, readonly number[] | undefined> = {
    cmap: [
      ...u16(0, 2, 3, 1),
      ...u32(20),
      ...u16(3, 0),
      ...u32(52),
      // Format 4: A to C are glyphs 1 to 3.
      ...u16(4, 32, 0, 4, 4, 1, 0, 0x43, 0xffff, 0, 0x41, 0xffff, -0x40, 1, 0, 0),
      // Format 6: U+F058 is glyph 5.
      ...u16(6, 12, 0, 0xf058, 1, 5),
    ],
    glyf: outlines.flat(),
    head: [
      ...u32(0x10000, 0, 0xdeadbeef, 0x5f0f3cf5),
      ...u16(0, 500),
      ...Array<number>(16).fill(0),
      ...u16(0, -100, 400, 450),
      ...u16(0, 8, 2, 0, 0),
    ],
    hhea: [...u32(0x10000), ...u16(400, -100), ...Array<number>(26).fill(0), ...u16(4)],
    // Four full entries; the others have the advance of the last.
    hmtx: u16(250, 0, 300, 1, 310, 2, 320, 3, 4, 5),
    loca: u16(...offsets, outlines.flat().length / 2),
    maxp: [...u32(0x10000), ...u16(6)],
    post: [
      ...u32(0x20000),
      ...Array<number>(28).fill(0),
      ...u16(6, 0, 36, 37, 38, 258, 259),
      ...latin1("\u0004blob\u0007uni20AC"),
    ],
    ...changes,
  };
  const kept = Object.entries(tables).filter((entry): entry is [string, readonly number[]] => entry[1] !== undefined);
  return fontOf(Object.fromEntries(kept));
}
