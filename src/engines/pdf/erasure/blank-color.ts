/** The value of the erased pixels of an image (ISO 32000-2, 8.6 and 8.9.5.2): white like paper, if its color space has that. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { grayOfDevice, readSpace } from "../objects/color-space.ts";
import { items, objectNumber } from "../objects/objects.ts";

/** A pixel in its stored form. */
export interface Blank {
  /** Bits of a sample. */
  readonly bits: number;
  /** The sample of each component, of at most 8 bits. One of 16 bits is that twice. */
  readonly samples: readonly number[];
}

/** The role of an image. `opaque` and `transparent`: a soft mask, which shows or hides erased pixels. */
export type SampleRole = "image" | "stencil" | "opaque" | "transparent";

/** How much a channel may differ from white. */
const TOLERANCE = 4;

const DEVICE = new Set(["DeviceGray", "DeviceRGB", "DeviceCMYK"]);

/**
 * A blank pixel of an image whose samples are in a color space. In a stencil it is not painted. With a color key it is transparent. Otherwise it has
 * the color that is the most likely to be white. Undefined if the storage of samples is not known.
 */
export function blankOf(
  image: PDFObject,
  { bits, space, role }: { readonly bits: number; readonly space: PDFObject; readonly role: SampleRole },
): Blank | undefined {
  const most = 2 ** Math.min(bits, 8) - 1;
  const decode = numbersIn(image.get("Decode"));
  const inDecode = (color: readonly number[], ranges: readonly number[]): Blank => {
    const sample = (value: number, index: number): number => {
      const [first = 0, last = 1] = (decode.length === ranges.length ? decode : ranges).slice(index * 2, index * 2 + 2);
      return Math.round(Math.min(1, Math.max(0, last === first ? 0 : (value - first) / (last - first))) * most);
    };
    return { bits, samples: color.map(sample) };
  };
  if (role !== "image") return inDecode([role === "transparent" ? 0 : 1], [0, 1]);
  const key = numbersIn(image.get("Mask")).filter((_, index) => index % 2 === 0);
  if (key.length > 0 && bits <= 8 && key.every((value) => value >= 0 && value <= most)) return { bits, samples: key };
  const palette = lightestIn(space);
  if (palette !== undefined) {
    const [first = 0, last = most] = decode;
    if (first === 0 && last === most) return { bits, samples: [palette] };
    return first === most && last === 0 ? { bits, samples: [most - palette] } : undefined;
  }
  const white = whiteOf(space);
  return white && inDecode(white.color, white.ranges);
}

const numbersIn = (array: PDFObject): number[] => items(array).map((item) => item.asNumber());

/** The color of a space that is likely to be white, and the ranges of its components. Undefined if it is not known how many it has. */
function whiteOf(
  space: PDFObject,
): { readonly color: readonly number[]; readonly ranges: readonly number[] } | undefined {
  const family = space.isArray() ? space.get(0) : space;
  const { components, space: name, isIndexed } = readSpace(space);
  if (!family.isName() || isIndexed || name === "Pattern") return undefined;
  if (name === "Lab") {
    const [a0 = -100, a1 = 100, b0 = -100, b1 = 100] = numbersIn(space.get(1, "Range"));
    return { color: [100, 0, 0], ranges: [0, 100, a0, a1, b0, b1] };
  }
  const plain = (count: number, value: number) => ({
    color: Array.from({ length: count }, () => value),
    ranges: Array.from({ length: count }, () => [0, 1]).flat(),
  });
  // Of inks, none.
  if (name === "DeviceN") return plain(items(space.get(1)).length, 0);
  return components === undefined ? undefined : plain(components, components === 4 || name === "Separation" ? 0 : 1);
}

/** The index of the lightest color of a palette (8.6.6.3); undefined if the space has none, or its colors are not known. */
function lightestIn(space: PDFObject): number | undefined {
  const { components, space: base, isIndexed } = readSpace(space);
  if (!isIndexed) return undefined;
  // Of colors that are not known, any.
  if (components === undefined) return 0;
  const table = space.get(3);
  const colors = table.isStream() ? table.readStream().asUint8Array() : table.asByteString();
  const isInks = components === 4 || base === "Separation";
  let [lightest, most] = [0, -1];
  for (let index = 0; (index + 1) * components <= colors.length && index <= space.get(2).asNumber(); index++) {
    const color = [...colors.subarray(index * components, (index + 1) * components)].map((value) => value / 255);
    const gray = isInks && components === 1 ? 1 - (color[0] ?? 0) : grayOfDevice(color);
    if (gray > most) [lightest, most] = [index, gray];
  }
  return lightest;
}

/** Whether a blank pixel of an image looks white: it is drawn. */
export async function isWhiteColor(
  { document, engine }: OpenPdf,
  image: PDFObject,
  space: PDFObject,
  { bits, samples }: Blank,
): Promise<boolean> {
  const decode = image.get("Decode");
  if (!decode.isArray() && space.isName() && DEVICE.has(space.asName())) return true;
  const { mupdf, long } = engine;
  const row = new Uint8Array(Math.ceil((bits * samples.length) / 8));
  blankRun(row, [0, 1], { bits, samples });
  const pixel = document.addRawStream(row, {
    Type: document.newName("XObject"),
    Subtype: document.newName("Image"),
    ColorSpace: space,
    BitsPerComponent: bits,
    Width: 1,
    Height: 1,
    ...(decode.isArray() && { Decode: decode }),
  });
  using stack = new DisposableStack();
  stack.defer(() => document.deleteObject(objectNumber(pixel)));
  const drawn = stack.adopt(new mupdf.Pixmap(mupdf.ColorSpace.DeviceRGB, [0, 0, 1, 1], false), (made) =>
    made.destroy(),
  );
  drawn.clear(0);
  try {
    const loaded = stack.adopt(await long.loadImage(pixel), (made) => made.destroy());
    const device = stack.adopt(new mupdf.DrawDevice(mupdf.Matrix.identity, drawn), (made) => made.destroy());
    await engine.complete(() => long.fillImage(device, loaded, [1, 0, 0, 1, 0, 0]));
    device.close();
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return false;
  }
  return drawn.getPixels().every((channel) => channel >= 255 - TOLERANCE);
}

/** Pixels of a row, from the first up to the last. */
export type BlankRun = readonly [from: number, to: number];

/** Blanks pixels of a row in its stored form. */
export function blankRun(row: Uint8Array, [from, to]: BlankRun, { bits, samples }: Blank): void {
  const colors = samples.length;
  for (let at = from * colors; at < to * colors; at++) {
    const value = samples[at % colors] ?? 0;
    if (bits === 8) row[at] = value;
    else if (bits === 16) row[at * 2] = row[at * 2 + 1] = value;
    else {
      const [byte, shift] = [(at * bits) >> 3, 8 - bits - ((at * bits) & 7)];
      row[byte] = ((row[byte] ?? 0) & ~(((1 << bits) - 1) << shift)) | (value << shift);
    }
  }
}
