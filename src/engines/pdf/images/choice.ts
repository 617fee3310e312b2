/** Chooses how to write an image: unchanged, as fax, losslessly, or as JPEG. */
import type { PDFObject, Pixmap } from "mupdf";
import { limits } from "../../../limits.ts";
import type { ImageCodecs } from "../../image/codecs.ts";
import { type ImageFacts, tooLargeForGray } from "./facts.ts";
import { type Fidelity, findQuality } from "./fidelity.ts";
import { encodeJpeg } from "./jpeg.ts";
import {
  type EncodedImage,
  encodeLossless,
  faxOf,
  isBlackAndWhite,
  type ImageTraits,
  traitsOf,
  type Samples,
} from "./lossless.ts";
import { shrinkByRows } from "./rows.ts";
import { quantized } from "./quantize.ts";
import { luminanceOf, similarity } from "./similarity.ts";
import { fits, fitsAsGray, isSmaller, readGrays, readKeyed, readSamples, type Size, timesDecoded } from "./samples.ts";
import { jpegComponents, jpegQuality } from "../../image/jpeg-segments.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Components } from "../objects/color-space.ts";

export interface ImageJob {
  readonly image: ImageFacts;
  /** The size it needs, in samples. */
  readonly size: Size;
  readonly isSoftMask: boolean;
  /** Whether it is converted to gray. If so, it is always re-encoded. */
  readonly turnsGray: boolean;
  readonly fidelity: Fidelity;
  /** Samples that are seen as one in each direction, where it is placed. */
  readonly scale: number;
}

/** An image in its new encoding. */
export interface NewImage {
  readonly size: Size;
  readonly encoded: EncodedImage;
  /** Whether its samples are now gray and need no Decode array or color space. */
  readonly isGray?: boolean;
  /** Replaces a color key, or the opacity in the data: 8 bits per sample. `isMatte`: the samples are premultiplied with it, on black. */
  readonly softMask?: EncodedMask | undefined;
}

export interface EncodedMask {
  readonly size: Size;
  readonly data: Uint8Array;
  readonly isMatte: boolean;
}

/** The image must stay unchanged although its resolution is higher than necessary, or its samples could not be read. */
export const KEPT = "kept";
type Kept = typeof KEPT;

/** Maximum relative size for a lossy encoding of the same dimensions. */
const WORTH_A_LOSS = 0.8;
/** Maximum size of a JPEG relative to the lossless encoding. */
const WORTH_A_JPEG = 0.8;
/** Share of pixels equal to their left neighbor at which an image counts as a drawing. */
const DRAWING = 0.6;
/** Share below which an image with a palette, or a soft mask, counts as a photograph. */
const GRAINY = 0.3;
/** Maximum size of a JPEG relative to such a drawing encoded losslessly. */
const WORTH_A_DRAWING = 0.5;
/** JPEG quality of soft masks at all levels. */
const MASK_QUALITY = { least: 60, most: 85 } as const;
/** Smallest soft mask in bytes that may become a JPEG. */
const SMALL_MASK = 4096;
/** Maximum size of gray at a lower resolution relative to black and white. */
const WORTH_A_GRAY = 0.5;

/** Fuel per sample that is decoded, and per sample that is encoded. Measured: 1 to 8.5, and 16 to 50. */
const DECODE_WORK = 10;
const ENCODE_WORK = 50;

/** Fuel that it takes at most to decode an image and to encode it at this size. */
export function encodingWork(image: ImageFacts, size: Size): number {
  const { width, height, components = 4 } = image;
  const decoding = width * height * DECODE_WORK * timesDecoded(image, size);
  return (decoding + size.width * size.height * ENCODE_WORK) * components;
}

/** The image in a smaller encoding. Undefined if there is none, or none that looks the same. */
export async function encodeImage(
  engine: PdfEngine,
  codecs: ImageCodecs,
  object: PDFObject,
  job: ImageJob,
): Promise<NewImage | Kept | undefined> {
  const { image } = job;
  if (job.turnsGray) return turned(engine, codecs, object, job);
  if (["color-key", "in data", "baked"].includes(image.transparency)) return keptIfTooFine(job);
  const found = await better(engine, codecs, object, job);
  return found === KEPT || (found && encodedSize(found.encoded) < image.bytes) ? found : undefined;
}

/** The result for an image whose samples cannot be replaced. */
const keptIfTooFine = ({ image, size }: ImageJob): Kept | undefined => (isSmaller(size, image) ? KEPT : undefined);

function better(
  engine: PdfEngine,
  codecs: ImageCodecs,
  object: PDFObject,
  job: ImageJob,
): Promise<NewImage | Kept | undefined> {
  const { image } = job;
  if (image.bits === 1) return fitsAsFax(image) ? asFax(engine, object, image) : Promise.resolve(KEPT);
  const isUnknown = image.components === undefined || (image.isIndexed && object.get("Decode").isArray());
  // An opacity that is not the image's mask would darken it.
  const hasMore = image.jpx !== undefined && image.jpx.components > (image.components ?? 4);
  if (isUnknown || hasMore) return Promise.resolve(keptIfTooFine(job));
  if (image.filter === "DCTDecode") return lossyAgain(engine, codecs, object, job);
  return fromLossless(engine, codecs, object, job);
}

const fitsAsFax = ({ width, height }: ImageFacts): boolean =>
  Math.ceil(width / 8) * height <= limits.compress.decodedBytes / 4;

/** One bit per sample: fax G4 is lossless. JBIG2 would be smaller, but G4 is available here. */
export async function asFax(engine: PdfEngine, object: PDFObject, image: ImageFacts): Promise<NewImage | undefined> {
  if (image.filter === "JBIG2Decode" || image.filter === "JPXDecode" || image.filter === "DCTDecode") return undefined;
  if (image.filter === "CCITTFaxDecode" && object.get("DecodeParms", "K").asNumber() < 0) return undefined;
  if (!fitsAsFax(image)) return undefined;
  const stride = Math.ceil(image.width / 8);
  const rows = await engine.scope(async () => (await engine.long.readStream(object)).asUint8Array().slice());
  if (rows.length < stride * image.height) return undefined;
  const encoded = await faxOf(engine, rows.subarray(0, stride * image.height), image.width, image.height);
  return { size: image, encoded };
}

async function lossyAgain(
  engine: PdfEngine,
  codecs: ImageCodecs,
  object: PDFObject,
  job: ImageJob,
): Promise<NewImage | Kept | undefined> {
  const { image, size, fidelity } = job;
  const { now, components } = engine.scope(() => {
    const data = object.readRawStream().asUint8Array();
    return { now: jpegQuality(data) ?? 100, components: jpegComponents(data) };
  });
  if (components !== image.components) return keptIfTooFine(job);
  const shrinks = isSmaller(size, image);
  // Each encoding is lossy, so an image within the level stays.
  if (!shrinks && now <= fidelity.most) return undefined;
  if (!fits(image, size)) return KEPT;
  return withSamples(engine, object, job, size, async (pixmap, samples) => {
    // A higher quality than the image had only adds bytes.
    const { quality } = await findQuality(engine, codecs, samples, job);
    const encoded = await encodeJpeg(engine, codecs, pixmap, samples, Math.min(quality, Math.round(now)));
    return shrinks || encoded.bytes.length < image.bytes * WORTH_A_LOSS ? { size, encoded } : undefined;
  });
}

async function fromLossless(
  engine: PdfEngine,
  codecs: ImageCodecs,
  object: PDFObject,
  job: ImageJob,
): Promise<NewImage | Kept | undefined> {
  const { image, size } = job;
  const wasLossy = image.filter === "JPXDecode";
  const shrinks = isSmaller(size, image);
  const hasDecode = object.get("Decode").isArray();
  const fax =
    image.components === 1 && !wasLossy && fits(image, image) ? await asFaxOfBytes(engine, object, job) : undefined;
  if (!fax && !fits(image, size)) {
    const encoded = await shrinkByRows(engine, object, image, size);
    return encoded ? { size, encoded } : KEPT;
  }
  if (!fits(image, size) || (fax && !shrinks)) return fax;
  const other = await withSamples(engine, object, job, size, async (pixmap, samples) => {
    const own = await traitsOf(engine.work, samples);
    const traits: ImageTraits = hasDecode ? { ...own, colors: undefined } : own;
    if (job.isSoftMask) return { size, encoded: await softMask(engine, codecs, pixmap, samples, job, traits) };
    if (fax) return { size, encoded: await encodeLossless(engine, samples, traits) };
    const encoded = await photoOrDrawing(engine, codecs, pixmap, samples, job, traits);
    const isWorse = encoded.filter === "DCTDecode" && !shrinks && encoded.bytes.length > image.bytes * WORTH_A_JPEG;
    return isWorse ? undefined : { size, encoded };
  });
  // Black and white at a high resolution is better than gray at a lower one, unless the image is placed very small.
  return fax && (!other || fax.encoded.bytes.length * WORTH_A_GRAY < other.encoded.bytes.length) ? fax : other;
}

/** Encodes an 8-bit image with only black and white as a 1-bit image. */
function asFaxOfBytes(engine: PdfEngine, object: PDFObject, job: ImageJob): Promise<NewImage | undefined> {
  const { image } = job;
  return withSamples(engine, object, job, image, async (_, samples) => {
    const traits = await traitsOf(engine.work, samples);
    const two = traits.colors !== undefined && isBlackAndWhite(traits.colors, 1);
    return two ? { size: image, encoded: await encodeLossless(engine, samples, traits) } : undefined;
  });
}

/** JPEG for photographs, and for drawings only if it is much smaller and looks the same. */
async function photoOrDrawing(
  engine: PdfEngine,
  codecs: ImageCodecs,
  pixmap: Pixmap,
  samples: Samples,
  job: ImageJob,
  traits: ImageTraits,
): Promise<EncodedImage> {
  const { image } = job;
  const kind = image.filter === "JPXDecode" ? "no" : isDrawing(traits, image, samples.components);
  if (kind === "few colors") return encodeLossless(engine, samples, traits);
  const { quality, isEnough } = await findQuality(engine, codecs, samples, job);
  const jpeg = kind === "no" || isEnough ? await encodeJpeg(engine, codecs, pixmap, samples, quality) : undefined;
  if (jpeg && kind === "no" && !image.isIndexed) return jpeg;
  const lossless =
    (await withFewerColors(engine, samples, job, traits)) ?? (await encodeLossless(engine, samples, traits));
  const worth = kind === "no" ? WORTH_A_JPEG : WORTH_A_DRAWING;
  return jpeg && jpeg.bytes.length < encodedSize(lossless) * worth ? jpeg : lossless;
}

const encodedSize = ({ bytes, palette }: EncodedImage): number => bytes.length + (palette?.length ?? 0);

/**
 * An image with at most 256 colors that has more at a lower resolution, with 256 colors again. Undefined if it would not look
 * the same, even close up.
 */
async function withFewerColors(
  engine: PdfEngine,
  samples: Samples,
  { image, fidelity }: ImageJob,
  traits: ImageTraits,
): Promise<EncodedImage | undefined> {
  if (!image.isIndexed || samples.components !== 3 || traits.colors) return undefined;
  engine.work.spend(samples.width * samples.height * 4);
  const fewer = await quantized(engine.work, samples);
  const before = await luminanceOf(engine.work, samples, 1);
  const after = await luminanceOf(engine.work, fewer, 1);
  const alike = await similarity(engine.work, before, after);
  if (alike < fidelity.similarity) return undefined;
  return encodeLossless(engine, fewer, await traitsOf(engine.work, fewer));
}

/** A soft mask with many levels, such as a shadow, is a photograph, but it is looked at closely: as the edge of its image. */
async function softMask(
  engine: PdfEngine,
  codecs: ImageCodecs,
  pixmap: Pixmap,
  samples: Samples,
  job: ImageJob,
  traits: ImageTraits,
): Promise<EncodedImage> {
  const lossless = await encodeLossless(engine, samples, traits, { plain: true });
  if (samples.components !== 1 || (traits.colors?.size ?? 256) <= 16 || lossless.bytes.length < SMALL_MASK)
    return lossless;
  const fidelity = { ...job.fidelity, ...MASK_QUALITY };
  const { quality, isEnough } = await findQuality(engine, codecs, samples, { fidelity, scale: 1 });
  const jpeg =
    isEnough || traits.flatness < GRAINY ? await encodeJpeg(engine, codecs, pixmap, samples, quality) : undefined;
  return jpeg && jpeg.bytes.length < lossless.bytes.length * WORTH_A_DRAWING ? jpeg : lossless;
}

/** An image that is converted to gray. */
async function turned(
  engine: PdfEngine,
  codecs: ImageCodecs,
  object: PDFObject,
  job: ImageJob,
): Promise<NewImage | undefined> {
  const { image } = job;
  // Premultiplied colors and color keys depend on the exact samples.
  const isKeyed = image.transparency === "color-key";
  const size = image.transparency === "baked" || isKeyed ? image : job.size;
  const isReadable = isKeyed ? fits({ ...image, components: 4 }, size) : fitsAsGray(image, size);
  if (!isReadable) throw tooLargeForGray(image, image.width * image.height);
  if (isKeyed) {
    const { grays, alpha } = await readKeyed(engine, object, image);
    const samples = { data: grays, width: image.width, height: image.height, components: 1 as const };
    const encoded = await encodeLossless(engine, samples, await traitsOf(engine.work, samples));
    return { size, encoded, isGray: true, softMask: { size, data: alpha, isMatte: false } };
  }
  const { grays: pixmap, alpha } = await readGrays(engine, object, image, size);
  const softMask = alpha && { size, data: alpha, isMatte: image.transparency === "baked" };
  const now =
    image.filter === "DCTDecode" ? engine.scope(() => jpegQuality(object.readRawStream().asUint8Array())) : 100;
  return withPixmap(pixmap, 1, async (samples) => {
    const traits = await traitsOf(engine.work, samples);
    const isExact = image.transparency === "baked" || (traits.colors?.size ?? 256) <= 16;
    if (isExact) return { size, encoded: await encodeLossless(engine, samples, traits), isGray: true, softMask };
    if (image.filter !== "DCTDecode") {
      return {
        size,
        encoded: await photoOrDrawing(engine, codecs, pixmap, samples, job, traits),
        isGray: true,
        softMask,
      };
    }
    const { quality } = await findQuality(engine, codecs, samples, job);
    const encoded = await encodeJpeg(engine, codecs, pixmap, samples, Math.min(quality, Math.round(now ?? 100)));
    return { size, encoded, isGray: true };
  });
}

/**
 * JPEG artifacts show on lines and flat areas. Few colors alone do not make a drawing, since gray photographs have few as
 * well.
 */
function isDrawing(
  { colors, flatness }: ImageTraits,
  image: ImageFacts,
  components: Components,
): "few colors" | "flat" | "no" {
  const few = colors !== undefined && (components !== 1 || image.isIndexed || colors.size <= 16);
  // A photograph whose colors were reduced has many, and no flat areas.
  if (few && (colors.size <= 64 || flatness >= GRAINY)) return "few colors";
  return flatness >= DRAWING ? "flat" : "no";
}

/** Runs the work with the samples of an image, before its Decode array, color space, and mask apply. */
export async function withSamples<T>(
  engine: PdfEngine,
  object: PDFObject,
  { image }: Pick<ImageJob, "image">,
  size: Size,
  work: (pixmap: Pixmap, samples: Samples) => Promise<T>,
): Promise<T> {
  const pixmap = await readSamples(engine, object, image, size);
  return withPixmap(pixmap, image.components, (samples) => work(pixmap, samples));
}

async function withPixmap<T>(
  pixmap: Pixmap,
  wanted: Components | undefined,
  work: (samples: Samples) => Promise<T>,
): Promise<T> {
  try {
    const [width, height, components] = [pixmap.getWidth(), pixmap.getHeight(), pixmap.getNumberOfComponents()];
    if (wanted === undefined || components !== wanted || pixmap.getStride() !== width * components) {
      throw new Error("the pixmap is not as asked for");
    }
    return await work({
      // The heap may have grown since the last access.
      get data() {
        const view = pixmap.getPixels();
        return new Uint8Array(view.buffer, view.byteOffset, width * height * wanted);
      },
      width,
      height,
      components: wanted,
    });
  } finally {
    pixmap.destroy();
  }
}
