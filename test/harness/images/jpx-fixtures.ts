/** JPEG 2000 (ISO/IEC 15444-1) without an encoder: the coded bytes are any, and each tile decodes to blots of its own. */
import { concatenate } from "../fixtures/pdf-writer.ts";

export interface JpxPicture {
  /** Samples of a side; whole tiles. */
  readonly side: number;
  readonly components: 1 | 2 | 3 | 4;
  /** Resolution levels below the full one. */
  readonly levels: number;
  /** Samples of a side of a tile: 32 at the lowest resolution. */
  readonly tile: number;
}

/** Bytes of the only code-block of a tile that has any, and its passes over bit-planes. */
const [BLOCK_BYTES, PASSES] = [600, 19];

/** A codestream whose tiles are unlike each other. */
export function blots({ side, components, levels, tile }: JpxPicture): Uint8Array {
  const across = side / tile;
  const tiles = Array.from({ length: across * across }, (_, index) => tilePart(index, components, levels));
  const size = integers(side, side, 0, 0, tile, tile, 0, 0);
  const perComponent = Array.from({ length: components }, () => [7, 1, 1]).flat();
  const header = [
    255,
    0x4f,
    ...marker(0x51, ...u16(0), ...size, ...u16(components), ...perComponent),
    // One layer, blocks of 32 by 32, the reversible transformation.
    ...marker(0x52, 0, 0, ...u16(1), 0, levels, 3, 3, 0, 1),
    // Two guard bits, and eight bits of each subband.
    ...marker(0x5c, 0x40, ...Array.from({ length: 3 * levels + 1 }, () => 8 << 3)),
  ];
  return concatenate([Uint8Array.from(header), ...tiles, Uint8Array.of(255, 0xd9)]);
}

/** Blots of gray or colors, of which the last component is the opacity, in a file that says so (Annex I). */
export function blotsWithOpacity(picture: JpxPicture, kind: "opacity" | "premultiplied" = "opacity"): Uint8Array {
  const { side, components } = picture;
  const colors = components - 1;
  const channels = Array.from({ length: components }, (_, index) =>
    // Number, type, and the color that it belongs to, or the whole image.
    [u16(index), u16(index < colors ? 0 : kind === "opacity" ? 1 : 2), u16(index < colors ? index + 1 : 0)].flat(),
  );
  return concatenate([
    box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    box("ftyp", [...letters("jp2 "), ...integers(0), ...letters("jp2 ")]),
    box("jp2h", [
      ...box("ihdr", [...integers(side, side), ...u16(components), 7, 7, 0, 0]),
      ...box("colr", [1, 0, 0, ...integers(colors === 1 ? 17 : 16)]),
      ...box("cdef", [...u16(components), ...channels.flat()]),
    ]),
    box("jp2c", blots(picture)),
  ]);
}

const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));
const box = (name: string, content: ArrayLike<number>): Uint8Array =>
  concatenate([Uint8Array.from([...integers(content.length + 8), ...letters(name)]), Uint8Array.from(content)]);

function tilePart(index: number, components: number, levels: number): Uint8Array {
  // Resolution by resolution: at the lowest, a packet of each component; above it, empty packets.
  const packets = Array.from({ length: components }, (_, component) => packet(index * components + component));
  const body = concatenate([...packets, new Uint8Array(components * levels)]);
  const length = integers(body.length + 14);
  return concatenate([Uint8Array.from([255, 0x90, ...u16(10), ...u16(index), ...length, 0, 1, 255, 0x93]), body]);
}

/** A packet with one code-block (B.10). */
function packet(seed: number): Uint8Array {
  const bits = [
    // Not empty, included, two bit-planes that are zero.
    "11001",
    // From 6 to 36 passes.
    `1111${(PASSES - 6).toString(2).padStart(5, "0")}`,
    // Three more bits for its length, which has 3 bits, and 4 for so many passes.
    `1110${BLOCK_BYTES.toString(2).padStart(10, "0")}`,
  ].join("");
  const header = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, "0"), 2));
  let state = seed * 7919 + 1;
  const block = Uint8Array.from({ length: BLOCK_BYTES }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    // No byte looks like the beginning of a marker.
    return (state >> 16) & 0x7f;
  });
  return concatenate([Uint8Array.from(header), block]);
}

const u16 = (value: number): number[] => [value >> 8, value & 255];
const integers = (...values: number[]): number[] =>
  values.flatMap((value) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const marker = (code: number, ...data: number[]): number[] => [255, code, ...u16(data.length + 2), ...data];
