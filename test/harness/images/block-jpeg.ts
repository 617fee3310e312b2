/** Baseline JPEGs whose blocks of 8 by 8 pixels have one value each, which every decoder reads exactly. */

export interface BlockJpeg {
  /** Blocks in a row and column. */
  readonly across: number;
  readonly down: number;
  readonly components: 1 | 3 | 4;
  /** Rows of pixels, if the last block is cut. */
  readonly height?: number;
  /** Whether the tables are left out, for data that shares those of `blockTables`. */
  readonly hasNoTables?: boolean;
}

const segment = (marker: number, content: readonly number[]): number[] => [
  0xff,
  marker,
  (content.length + 2) >> 8,
  (content.length + 2) & 255,
  ...content,
];

/** All steps are 8: the mean of a block is then its value. */
const QUANTIZATION = segment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]);
/** Differences of 0 to 11 bits, with codes of 4 bits: the number of bits. */
const DC = segment(0xc4, [
  0,
  0,
  0,
  0,
  12,
  ...Array.from({ length: 12 }, () => 0),
  ...Array.from({ length: 12 }, (_, bits) => bits),
]);
/** Only the end of a block, with the code 0. */
const AC = segment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]);

/** The tables alone, as in the tag JPEGTables. */
export const blockTables = (): Uint8Array => Uint8Array.from([0xff, 0xd8, ...QUANTIZATION, ...DC, ...AC, 0xff, 0xd9]);

export function blockJpeg(
  { across, down, components, height = down * 8, hasNoTables = false }: BlockJpeg,
  value: (x: number, y: number, component: number) => number,
): Uint8Array {
  const ids = Array.from({ length: components }, (_, index) => index + 1);
  const frame = segment(0xc0, [
    8,
    height >> 8,
    height & 255,
    (across * 8) >> 8,
    (across * 8) & 255,
    components,
    ...ids.flatMap((id) => [id, 0x11, 0]),
  ]);
  const scan = segment(0xda, [components, ...ids.flatMap((id) => [id, 0]), 0, 63, 0]);
  const before = Array.from({ length: components }, () => 0);
  let bits = "";
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      for (let component = 0; component < components; component++) {
        const mean = value(x, y, component) - 128;
        const difference = mean - (before[component] ?? 0);
        before[component] = mean;
        const size = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
        const coded = difference < 0 ? difference + 2 ** size - 1 : difference;
        bits += size.toString(2).padStart(4, "0") + (size === 0 ? "" : coded.toString(2).padStart(size, "0")) + "0";
      }
    }
  }
  bits += "1".repeat((8 - (bits.length % 8)) % 8);
  const data = Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2));
  const stuffed = data.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]));
  const tables = hasNoTables ? [] : [...QUANTIZATION, ...DC, ...AC];
  return Uint8Array.from([0xff, 0xd8, ...tables, ...frame, ...scan, ...stuffed, 0xff, 0xd9]);
}
