/** The samples of images, decoded by MuPDF at their stored size or smaller. */
import type { ColorSpace, Pixmap, PDFObject } from "mupdf";
import { type ImageFacts, opacityInData } from "./facts.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { limits, MiB } from "../../../limits.ts";
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

/** Bytes per sample to decode JPEG 2000. */
const JPX_BYTES = 10;

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

/** Bytes of samples that are decoded at a time: more are drawn in bands, for each of which the image is decoded from its beginning to the band. */
const BAND_BYTES = 8 * MiB;

/** Rows of a band are a multiple of this: of the blocks of a JPEG. */
const BAND_STEP = 16;

/** The bytes of a band of JPEG 2000, of which only the band is decoded. */
const JPX_BAND_BYTES = 8 * MiB;

const isJpx = ({ filter }: ImageFacts): boolean => filter === "JPXDecode";

/** Bytes that are held of an image while it is drawn at `size`, if `components` of each sample are kept. */
function heldBytes(image: ImageFacts, size: Size, components: number): number {
  const { decoded, coefficients } = decodedBytes(image, size);
  return size.width * size.height * components + decoded / bandsOf(image, size) + coefficients;
}

/** Bytes of the samples of an image that MuPDF decodes to draw it at `size`, and of the coefficients that it holds meanwhile. */
function decodedBytes(image: ImageFacts, size: Size): { readonly decoded: number; readonly coefficients: number } {
  const samples = image.width * image.height * (image.components ?? 4);
  const power = isSmaller(size, image) ? halvings(image, size) : 0;
  if (isJpx(image)) {
    const levels = isReduced(image) ? Math.min(power, image.jpx?.spareLevels ?? 0) : 0;
    return { decoded: (samples / 4 ** levels) * JPX_BYTES, coefficients: 0 };
  }
  return { decoded: samples / 4 ** power, coefficients: image.coefficients * COEFFICIENT_BYTES };
}

/** Whether MuPDF decodes less of a JPEG 2000 image than all (mupdf/jpx.ts). */
const isReduced = ({ isIndexed, transparency }: ImageFacts): boolean => !isIndexed && transparency !== "color-key";

/** The number of bands in which an image is drawn at `size`. */
function bandsOf(image: ImageFacts, size: Size): number {
  const { decoded } = decodedBytes(image, size);
  if (!isJpx(image)) return Math.max(1, Math.ceil(decoded / BAND_BYTES));
  return isReduced(image) && image.jpx?.hasParts === true ? Math.max(1, Math.ceil(decoded / JPX_BAND_BYTES)) : 1;
}

/** How often, on average, each sample of an image is decoded that is drawn at `size`. */
export const timesDecoded = (image: ImageFacts, size: Size): number =>
  isJpx(image) ? 1 : (bandsOf(image, size) + 1) / 2;

/** Whether an image is drawn at `size`, rather than decoded unscaled. */
const isDrawn = (image: ImageFacts, size: Size): boolean =>
  isSmaller(size, image) || image.isIndexed || (isJpx(image) && bandsOf(image, size) > 1);

export const isSmaller = (size: Size, image: Size): boolean => size.width < image.width || size.height < image.height;

/** Whether the samples of an image fit the memory allowed for them when decoded for `size`. */
export function fits(image: ImageFacts, size: Size): boolean {
  const { decoded, coefficients } = decodedBytes(image, size);
  return mayBeRead(
    image,
    isDrawn(image, size) ? heldBytes(image, size, image.components ?? 4) : decoded + coefficients,
  );
}

/** The same for its gray values. */
export const fitsAsGray = (image: ImageFacts, size: Size): boolean =>
  mayBeRead(image, heldBytes(image, size, isJpx(image) ? 2 : 1));

const mayBeRead = ({ width, height }: ImageFacts, bytes: number): boolean =>
  bytes <= limits.compress.decodedBytes && width * height <= limits.compress.decodedPixels;

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
  const restore = withoutMeaning(engine, object, image, components);
  try {
    return await draw(engine, object, components, image, size);
  } finally {
    restore();
  }
}

/** A few rows of an image. `pixmap` is valid until the next ones. */
export interface SampleBand {
  readonly top: number;
  readonly rows: number;
  readonly pixmap: Pixmap;
}

/** The same samples at the size of the image, band by band from the top, for those that are not to be held as a whole. */
export async function* sampleBands(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
): AsyncGenerator<SampleBand, void> {
  const { components } = image;
  if (components === undefined) throw new Error("an image without components");
  const restore = withoutMeaning(engine, object, image, components);
  try {
    yield* drawBands(engine, object, { components, alpha: false }, image, image);
  } finally {
    restore();
  }
}

/** Makes the samples of an image numbers, without the entries that give them a meaning. The result undoes that. */
function withoutMeaning(engine: PdfEngine, object: PDFObject, image: ImageFacts, components: Components): () => void {
  const removed = MEANING.map((key) => [key, object.get(key)] as const).filter(([, value]) => !value.isNull());
  for (const [key] of removed) object.delete(key);
  if (!image.isStencil) object.put("ColorSpace", plainSpace(engine, object, removed, image, components));
  return () => {
    object.delete("ColorSpace");
    for (const [key, value] of removed) object.put(key, value);
  };
}

/**
 * The gray values of an image after its Decode array and color space, without its mask, and the opacity in its data if that is its mask. The caller
 * destroys the pixmap.
 */
export async function readGrays(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
  size: Size,
): Promise<{ readonly grays: Pixmap; readonly alpha: Uint8Array | undefined }> {
  // MuPDF applies an opacity in the data even if it is not the image's mask.
  const alpha = isJpx(image);
  const opacity = alpha && opacityInData(object) !== "none" ? new Uint8Array(size.width * size.height) : undefined;
  const restore = withoutEntries(object, ["SMask", "Mask"]);
  try {
    const grays = await engine.scope(async () => {
      const { width, height } = size;
      const grays = new engine.mupdf.Pixmap(deviceSpace(engine, 1), [0, 0, width, height], false);
      // MuPDF's direct conversion from CMYK to gray is inaccurate.
      for await (const { top, rows, pixmap } of drawBands(engine, object, { components: 3, alpha }, image, size)) {
        const target = grays.getPixels().subarray(top * width);
        const into = { grays: target, alpha: opacity?.subarray(top * width) };
        await toGrays(engine.work, { width, height: rows }, pixmap.getPixels(), alpha ? 4 : 3, into);
      }
      return grays;
    });
    return { grays, alpha: opacity?.every((value) => value === 255) === true ? undefined : opacity };
  } finally {
    restore();
  }
}

/** Removes entries of an image. The result puts them back. */
function withoutEntries(object: PDFObject, keys: readonly string[]): () => void {
  const removed = keys.map((key) => [key, object.get(key)] as const).filter(([, value]) => !value.isNull());
  for (const [key] of removed) object.delete(key);
  return () => {
    for (const [key, value] of removed) object.put(key, value);
  };
}

/**
 * The colors of an image as drawn, band by band from the top, in premultiplied RGBA. The alpha is that of a color key or of JPEG 2000. Other masks
 * are left out.
 */
export async function* colorBands(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
): AsyncGenerator<SampleBand, void> {
  const masks = ["SMask", "Mask"].filter((key) => object.get(key).isStream());
  const restore = withoutEntries(object, masks);
  try {
    yield* drawBands(engine, object, { components: 3, alpha: true }, image, image);
  } finally {
    restore();
  }
}

/** The gray values of an image with a color key, and which samples are visible. */
export function readKeyed(
  engine: PdfEngine,
  object: PDFObject,
  image: ImageFacts,
): Promise<{ grays: Uint8Array; alpha: Uint8Array }> {
  return engine.scope(async () => {
    const colored = await draw(engine, object, 3, { ...image, isIndexed: true }, image, true);
    const pixels = colored.getPixels();
    const grays = new Uint8Array(image.width * image.height);
    const alpha = new Uint8Array(grays.length);
    await toGrays(engine.work, image, pixels, 4, { grays, alpha });
    return { grays, alpha };
  });
}

/** Uses the formula of ISO 32000-2, 10.4.2.2. `pixels`: RGB, or with an alpha, with which they are premultiplied. */
async function toGrays(
  work: Work,
  { width, height }: Size,
  pixels: Uint8ClampedArray,
  step: 3 | 4,
  into: { readonly grays: Uint8Array | Uint8ClampedArray; readonly alpha?: Uint8Array | undefined },
): Promise<void> {
  const { grays, alpha } = into;
  await eachRow(work, { height, samples: width * step }, (y) => {
    for (let index = y * width, end = index + width, at = index * step; index < end; index++, at += step) {
      const gray = 0.3 * (pixels[at] ?? 0) + 0.59 * (pixels[at + 1] ?? 0) + 0.11 * (pixels[at + 2] ?? 0);
      const opacity = step === 3 ? 255 : (pixels[at + 3] ?? 0);
      grays[index] = opacity === 0 ? 0 : Math.min(255, Math.round((gray * 255) / opacity));
      if (alpha) alpha[index] = opacity;
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
    if (!isDrawn(image, size)) {
      const loaded = await long.loadImage(object);
      try {
        const pixmap = await engine.complete(() => long.pixmapOf(loaded));
        if (pixmap.getNumberOfComponents() === components && !pixmap.getAlpha()) return pixmap;
      } finally {
        engine.emptyStore();
      }
    }
    const whole = new mupdf.Pixmap(deviceSpace(engine, components), [0, 0, size.width, size.height], alpha);
    const stride = whole.getStride();
    for await (const { top, pixmap } of drawBands(engine, object, { components, alpha }, image, size)) {
      whole.getPixels().set(pixmap.getPixels(), top * stride);
    }
    return whole;
  });
}

/** Draws an image at this size, band by band from the top. */
async function* drawBands(
  engine: PdfEngine,
  object: PDFObject,
  { components, alpha }: { readonly components: Components; readonly alpha: boolean },
  image: ImageFacts,
  size: Size,
): AsyncGenerator<SampleBand, void> {
  const { mupdf, long } = engine;
  const { width, height } = size;
  const step = Math.ceil(height / bandsOf(image, size) / BAND_STEP) * BAND_STEP;
  for (let top = 0; top < height; top += step) {
    using stack = new DisposableStack();
    // The store caches the decoded image under the object's number.
    stack.defer(() => engine.emptyStore());
    const loaded = stack.adopt(await long.loadImage(object), (made) => made.destroy());
    const rows = Math.min(step, height - top);
    const box: [number, number, number, number] = [0, top, width, top + rows];
    const pixmap = stack.adopt(new mupdf.Pixmap(deviceSpace(engine, components), box, alpha), (made) => made.destroy());
    if (alpha) pixmap.clear();
    else pixmap.clear(0);
    const device = stack.adopt(new mupdf.DrawDevice(mupdf.Matrix.identity, pixmap), (made) => made.destroy());
    // A decoder that runs out of memory just stops and leaves the rest empty.
    await engine.complete(() => long.fillImage(device, loaded, [width, 0, 0, height, 0, 0]));
    device.close();
    yield { top, rows, pixmap };
    await engine.work.pause();
  }
}
