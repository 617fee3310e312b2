/** Descriptions of the spot colors in DeviceN color spaces, which PDF/A requires (ISO 19005-2, 6.2.4.4). */
import type { PDFObject } from "mupdf";
import { readStream } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { items } from "../objects/objects.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";

/** Bits of a sample of a function. */
const SAMPLE_BITS = [1, 2, 4, 8, 12, 16, 24, 32];
/** Colorants of a space that is described: PDF/A allows no more (6.1.13). */
export const MOST_COLORANTS = 32;
/** Bytes of a function that is divided. */
const MOST_BYTES = 1 << 16;

/** The numbers of the objects that a Separation refers to. */
export type SeparationParts = readonly [alternate: number, transform: number];

/**
 * The alternate space and the transform of one colorant of a DeviceN space: those of the space, with all other colorants at 0. Undefined if the
 * transform is neither a program nor has samples.
 */
export async function colorantParts(
  open: OpenPdf,
  space: PDFObject,
  colorant: number,
): Promise<SeparationParts | undefined> {
  const { document } = open;
  const transform = space.get(3);
  const count = space.get(1).length;
  const data = await readStream(open, transform);
  if (!data || count > MOST_COLORANTS) return undefined;
  const kind = transform.get("FunctionType").asNumber();
  const own =
    kind === 4
      ? programOf(open, transform, latin1(data), colorant, count)
      : kind === 0
        ? samplesOf(open, transform, data, colorant, count)
        : undefined;
  if (!own) return undefined;
  const alternate = space.get(2);
  return [(alternate.isIndirect() ? alternate : document.addObject(alternate)).asIndirect(), own.asIndirect()];
}

/** A program gets zeros for the other colorants. */
function programOf({ document }: OpenPdf, transform: PDFObject, program: string, colorant: number, count: number) {
  const begin = program.indexOf("{");
  if (begin < 0) return undefined;
  const zeros = "0 exch ".repeat(colorant) + "0 ".repeat(count - 1 - colorant);
  const text = `{ ${zeros}${program.slice(begin + 1)}`;
  return document.addStream(bytesOf(text), { FunctionType: 4, Domain: [0, 1], Range: transform.get("Range") });
}

/** Of samples, those stay in which the other colorants are 0. */
function samplesOf({ document, engine }: OpenPdf, transform: PDFObject, data: Uint8Array, own: number, count: number) {
  const numbers = (key: string): number[] => items(transform.get(key)).map((value) => value.asNumber());
  const [sizes, domain, range, bits] = [
    numbers("Size"),
    numbers("Domain"),
    numbers("Range"),
    transform.get("BitsPerSample").asNumber(),
  ];
  const encode = transform.get("Encode").isArray() ? numbers("Encode") : sizes.flatMap((size) => [0, size - 1]);
  const outputs = range.length / 2;
  const size = sizes[own] ?? 0;
  if (sizes.length !== count || !SAMPLE_BITS.includes(bits) || !(size > 0) || !(outputs > 0)) return undefined;
  /** The index of each other colorant at 0. */
  const fixed = sizes.map((most, at) => {
    const [low = 0, high = 1, from = 0, to = 0] = [
      domain[at * 2],
      domain[at * 2 + 1],
      encode[at * 2],
      encode[at * 2 + 1],
    ];
    const index = high > low ? from + ((0 - low) * (to - from)) / (high - low) : 0;
    return Math.min(most - 1, Math.max(0, Math.round(index)));
  });
  const length = Math.ceil((size * outputs * bits) / 8);
  if (length > MOST_BYTES) return undefined;
  const strides = sizes.map((_, at) => sizes.slice(0, at).reduce((product, each) => product * each, 1));
  const start = fixed.reduce((sum, index, at) => sum + (at === own ? 0 : index * (strides[at] ?? 0)), 0);
  const samples = new Uint8Array(length);
  engine.work.spend(size * outputs * bits);
  for (let index = 0; index < size; index++) {
    for (let bit = 0; bit < outputs * bits; bit++) {
      const from = (start + index * (strides[own] ?? 0)) * outputs * bits + bit;
      if (((data[from >> 3] ?? 0) & (128 >> (from & 7))) === 0) continue;
      const to = index * outputs * bits + bit;
      samples[to >> 3] = (samples[to >> 3] ?? 0) | (128 >> (to & 7));
    }
  }
  const made = document.addStream(samples, {
    FunctionType: 0,
    Domain: domain.slice(own * 2, own * 2 + 2),
    Range: range,
    Size: [size],
    BitsPerSample: bits,
    Encode: encode.slice(own * 2, own * 2 + 2),
  });
  for (const key of ["Decode", "Order"]) if (!transform.get(key).isNull()) made.put(key, transform.get(key));
  return made;
}

/** Adds a Separation to the description of a DeviceN space. */
export function describeColorant(
  { document }: OpenPdf,
  space: PDFObject,
  name: PDFObject,
  parts: SeparationParts,
): void {
  const attributes = space.get(4);
  // Others may share them.
  const own = document.newDictionary();
  if (attributes.isDictionary()) attributes.forEach((value, key) => own.put(key, value));
  const colorants = document.newDictionary();
  const before = own.get("Colorants");
  if (before.isDictionary()) before.forEach((value, key) => colorants.put(key, value));
  const separation = document.newArray();
  for (const part of [document.newName("Separation"), name, ...parts.map((number) => document.newIndirect(number))])
    separation.push(part);
  colorants.put(name, document.addObject(separation));
  own.put("Colorants", colorants);
  if (space.length > 4) space.put(4, own);
  else space.push(own);
}
