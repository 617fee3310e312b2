/** The samples of images, decoded by MuPDF at their stored size or smaller. */
import type { ColorSpace, Pixmap, PDFObject } from "mupdf";
import type { ImageFacts } from "./facts.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { limits } from "../../../limits.ts";
import type { Work } from "../../work.ts";
import type { Components } from "../objects/color-space.ts";
import { eachRow } from "./each-row.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Entries that affect how MuPDF interprets the samples. Removed while they are read as numbers. */
const MEANING = ["SMask", "Mask", "Decode", "ColorSpace", "Intent"];

const DEVICE_NAMES = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" } as const;

/** Bytes per sample to decode JPEG 2000, which cannot be decoded at a smaller size. */
const JPX_BYTES = 6;

/** Bytes per coefficient of a progressive JPEG, which is held completely while it is decoded at any size. */
const COEFFICIENT_BYTES = 2;

function deviceSpace({ mupdf }: PdfEngine, components: Components): ColorSpace {
  const { DeviceGray, DeviceRGB, DeviceCMYK } = mupdf.ColorSpace;
  return { 1: DeviceGray, 3: DeviceRGB, 4: DeviceCMYK }[components];
}

/** How many times MuPDF halves an image when it is drawn at `size`. This determines the memory it needs. */
function halvings(from: Size, to: Size): number {
  let count = 0;
  while (count < 6 && from.width >> (count + 1) >= to.width + 2 && from.height >> (count + 1) >= to.height + 2) count++;
  return count;
}

/** Whether the samples of an image fit the memory allowed for them when decoded for `size`. */
export function fits(image: ImageFacts, size: Size): boolean {
  const components = image.components ?? 4;
  const samples = image.width * image.height * components;
  const most = limits.compress.decodedBytes;
  if (image.filter === "JPXDecode") return samples * JPX_BYTES <= most;
  if (image.width * image.height > limits.compress.decodedPixels) return false;
  const shrunk = size.width < image.width || size.height < image.height;
  const own = shrunk ? size.width * size.height * components : 0;
  const coefficients = image.isProgressive ? samples * COEFFICIENT_BYTES : 0;
  return samples / 4 ** (shrunk ? halvings(image, size) : 0) + own + coefficients <= most;
}

/**
 * The samples of an image as numbers from 0 to 255, ignoring its mask, Decode array, and color space, so that the image can
 * keep all of these. An Indexed image yields the colors of its base. The caller destroys the pixmap.
 */
export async function readSamples(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
  size: Size,
): Promise<Pixmap> {
  const { components } = image;
  if (components === undefined) throw new Error("an image without components");
  const removed = MEANING.map((key) => [key, object.get(key)] as const).filter(([, value]) => !value.isNull());
  for (const [key] of removed) object.delete(key);
  try {
    if (!image.isStencil) object.put("ColorSpace", plainSpace(engine, object, removed, image, components));
    return await draw(engine, object, components, image, size);
  } finally {
    object.delete("ColorSpace");
    for (const [key, value] of removed) object.put(key, value);
  }
}

/** The gray values of an image after its Decode array and color space, without its mask. The caller destroys the pixmap. */
export async function readGrays(engine: PdfEngine, object: PDFObject, image: ImageFacts, size: Size): Promise<Pixmap> {
  const removed = ["SMask", "Mask"]
    .map((key) => [key, object.get(key)] as const)
    .filter(([, value]) => !value.isNull());
  for (const [key] of removed) object.delete(key);
  try {
    return await engine.scope(async () => {
      const colored = await drawColored(engine, object, image, size, false);
      const grays = new engine.mupdf.Pixmap(deviceSpace(engine, 1), [0, 0, size.width, size.height], false);
      await toGrays(engine.work, size, colored.getPixels(), 3, grays.getPixels());
      return grays;
    });
  } finally {
    for (const [key, value] of removed) object.put(key, value);
  }
}

/** The gray values of an image with a color key, and which samples are visible. */
export function readKeyed(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
): Promise<{ grays: Uint8Array; alpha: Uint8Array }> {
  return engine.scope(async () => {
    const pixels = (await drawColored(engine, object, image, image, true)).getPixels();
    const grays = new Uint8Array(image.width * image.height);
    await toGrays(engine.work, image, pixels, 4, grays);
    return { grays, alpha: Uint8Array.from(grays, (_, index) => pixels[index * 4 + 3] ?? 0) };
  });
}

/** Draws in RGB first: MuPDF's direct conversion from CMYK to gray is inaccurate. */
function drawColored(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
  size: Size,
  alpha: boolean,
): Promise<Pixmap> {
  return draw(engine, object, 3, { ...image, isIndexed: true }, size, alpha);
}

/** Uses the formula of ISO 32000-2, 10.4.2.2. */
async function toGrays(
  work: Work,
  { width, height }: Size,
  pixels: Uint8ClampedArray,
  step: 3 | 4,
  grays: Uint8Array | Uint8ClampedArray,
): Promise<void> {
  await eachRow(work, { height, samples: width * step }, (y) => {
    for (let index = y * width, end = index + width, at = index * step; index < end; index++, at += step) {
      const gray = 0.3 * (pixels[at] ?? 0) + 0.59 * (pixels[at + 1] ?? 0) + 0.11 * (pixels[at + 2] ?? 0);
      grays[index] = Math.round(gray);
    }
  });
}

function plainSpace(
  engine: PdfEngine,
  object: PDFObject,
  removed: readonly (readonly [string, PDFObject])[],
  image: ImageFacts,
  components: Components,
): PDFObject {
  const document = object._doc;
  const name = document.newName(DEVICE_NAMES[components]);
  if (!image.isIndexed) return name;
  const own = removed.find(([key]) => key === "ColorSpace")?.[1];
  if (!own) throw new Error("an Indexed image without a color space");
  const space = document.newArray();
  space.push(document.newName("Indexed"));
  space.push(name);
  space.push(own.get(2));
  space.push(own.get(3));
  return space;
}

/** Draws an image so that it fills a pixmap of this size. */
function draw(
  engine: PdfEngine,
  object: PDFObject,
  components: Components,
  image: ImageFacts,
  size: Size,
  alpha = false,
): Promise<Pixmap> {
  const { mupdf, long } = engine;
  return engine.scope(async () => {
    const loaded = await long.loadImage(object);
    try {
      const asStored = size.width >= image.width && size.height >= image.height;
      if (asStored && !image.isIndexed) {
        const pixmap = await engine.complete(() => long.pixmapOf(loaded));
        if (pixmap.getNumberOfComponents() === components && !pixmap.getAlpha()) return pixmap;
      }
      const pixmap = new mupdf.Pixmap(deviceSpace(engine, components), [0, 0, size.width, size.height], alpha);
      if (alpha) pixmap.clear();
      else pixmap.clear(0);
      const device = new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap);
      // A decoder that runs out of memory just stops and leaves the rest empty.
      await engine.complete(() => long.fillImage(device, loaded, [size.width, 0, 0, size.height, 0, 0]));
      device.close();
      return pixmap;
    } finally {
      // The store caches this version of the image under the object's number.
      engine.lib._wasm_empty_store();
    }
  });
}
