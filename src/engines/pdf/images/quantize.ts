/** Reduces images to the 256 colors that represent them best: median cut (Heckbert, 1982). */
import type { Work } from "../../work.ts";
import type { Samples } from "./lossless.ts";
import { eachRow } from "./each-row.ts";

/** Bits of each component that distinguish colors. */
const BITS = 5;
const SIDE = 1 << BITS;
const MOST_COLORS = 256;

/** A range of colors. */
interface Box {
  /** Numbers of colors that occur. */
  readonly colors: readonly number[];
  readonly pixels: number;
  /** The component in which the colors differ most, and by how much; 0 for a single color. */
  readonly part: 0 | 1 | 2;
  readonly extent: number;
}

/** The samples of an RGB image with at most 256 colors, without dithering. */
export async function quantized(work: Work, { data, width, height, components }: Samples): Promise<Samples> {
  const counts = new Uint32Array(SIDE ** 3);
  const sums = [0, 1, 2].map(() => new Float64Array(SIDE ** 3));
  const stride = width * components;
  const rows = { height, samples: stride };
  await eachRow(work, rows, (y) => {
    for (let at = y * stride, end = at + stride; at < end; at += components) {
      const color = numberOf(data, at);
      counts[color] = (counts[color] ?? 0) + 1;
      sums.forEach((sum, part) => (sum[color] = (sum[color] ?? 0) + (data[at + part] ?? 0)));
    }
  });
  const means = new Uint8Array(SIDE ** 3 * 3);
  for (const { colors, pixels } of boxesOf(counts)) {
    const mean = sums.map((sum) => Math.round(colors.reduce((all, color) => all + (sum[color] ?? 0), 0) / pixels));
    for (const color of colors) means.set(mean, color * 3);
  }
  const result = new Uint8Array(data.length);
  await eachRow(work, rows, (y) => {
    for (let at = y * stride, end = at + stride; at < end; at += components) {
      const mean = numberOf(data, at) * 3;
      for (let part = 0; part < 3; part++) result[at + part] = means[mean + part] ?? 0;
    }
  });
  return { data: result, width, height, components };
}

function numberOf(data: Uint8Array, at: number): number {
  const [red, green, blue] = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
  return ((red >> (8 - BITS)) << (2 * BITS)) | ((green >> (8 - BITS)) << BITS) | (blue >> (8 - BITS));
}

const partOf = (color: number, part: number): number => (color >> (BITS * (2 - part))) & (SIDE - 1);

/** Divides the box with the most pixels, times its extent, until there are enough. */
function boxesOf(counts: Uint32Array): Box[] {
  const all = Array.from(counts.keys()).filter((color) => (counts[color] ?? 0) > 0);
  const boxes = [boxOf(all, counts)];
  while (boxes.length < MOST_COLORS) {
    let [worst, most] = [-1, 0];
    for (const [index, box] of boxes.entries()) {
      const badness = box.pixels * box.extent;
      if (badness > most) [worst, most] = [index, badness];
    }
    const box = boxes[worst];
    if (!box) break;
    const sorted = [...box.colors].sort((a, b) => partOf(a, box.part) - partOf(b, box.part));
    let [index, pixels] = [0, 0];
    while (index < sorted.length - 1 && (index === 0 || pixels < box.pixels / 2)) {
      pixels += counts[sorted[index++] ?? 0] ?? 0;
    }
    boxes.splice(worst, 1, boxOf(sorted.slice(0, index), counts), boxOf(sorted.slice(index), counts));
  }
  return boxes;
}

function boxOf(colors: readonly number[], counts: Uint32Array): Box {
  let [widest, extent]: [0 | 1 | 2, number] = [0, 0];
  for (const part of [0, 1, 2] as const) {
    let [least, most] = [SIDE, 0];
    for (const color of colors) {
      const value = partOf(color, part);
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (most - least > extent) [widest, extent] = [part, most - least];
  }
  return { colors, pixels: colors.reduce((sum, color) => sum + (counts[color] ?? 0), 0), part: widest, extent };
}
