/** Re-encodes the images of a document: downsampled to the size their placement needs, and lossy if they are photographs. */
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { ImageCodecs } from "../../image/codecs.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { type ImageFacts, readImageFacts, tooLargeForGray } from "./facts.ts";
import { encodeImage, encodingWork, type ImageJob, KEPT } from "./choice.ts";
import { type Fidelity, VIEWED_DPI } from "./fidelity.ts";
import { dropAllOuterFilters } from "./outer-filters.ts";
import { findPlacements, type Placement } from "./placements.ts";
import type { Size } from "./samples.ts";
import { writeImage } from "./write.ts";
import { objectNumber } from "../objects/objects.ts";

/** Images that fail to decode before the remaining ones are skipped. Each failure leaves frames on the engine's stack. */
const MOST_FAILURES = 50;

export interface ImageSettings {
  readonly fidelity: Fidelity;
  /** Samples per inch, as placed on the page, above which images are downsampled. */
  readonly maxDpi: number;
  /** Whether images are converted to gray. */
  readonly grayscale: boolean;
}

/**
 * Re-encodes images that become smaller, or that are converted to gray. An image that fails in any way is left unchanged. Returns the number of
 * images that had to stay unchanged.
 * @throws Refusal `limit_exceeded` if an image to convert to gray is too large
 */
export async function recompressImages(open: OpenPdf, codecs: ImageCodecs, settings: ImageSettings): Promise<number> {
  const { document, engine } = open;
  const { images, softMasks } = await listImages(open);
  if (images.length === 0) return 0;
  const placements = await findPlacements(open);
  let pixels = 0;
  let failures = 0;
  let kept = 0;
  for (const image of images.sort((a, b) => b.bytes - a.bytes)) {
    pixels += image.width * image.height;
    const turnsGray = settings.grayscale && !isGray(image);
    const isTooMuch = pixels > limits.compress.pixels;
    if (turnsGray && isTooMuch) throw tooLargeForGray(image, pixels);
    if (!turnsGray && (isTooMuch || failures >= MOST_FAILURES)) {
      kept++;
      continue;
    }
    const place = placements.get(image.number);
    const size = sizeFor(image, place, settings.maxDpi);
    const job: ImageJob = {
      image,
      size,
      isSoftMask: softMasks.has(image.number),
      turnsGray,
      fidelity: settings.fidelity,
      scale: scaleOf(size, place),
    };
    const object = document.newIndirect(image.number);
    try {
      const result = await engine.work
        .stage("encodeImage", encodingWork(image, size))
        .run(() => encodeImage(engine, codecs, object, job));
      if (result === KEPT) kept++;
      else if (result) engine.scope(() => writeImage(object, image, result));
    } catch (error) {
      failures++;
      kept++;
      const meaning = engine.explain(error);
      if (turnsGray && meaning instanceof Refusal && meaning.code !== "invalid_file") throw meaning;
      if (!engine.outlives(error)) throw error;
    } finally {
      object.destroy();
    }
  }
  return kept;
}

/** All images that are indirect objects, and the object numbers of those used as masks of others. */
async function listImages(open: OpenPdf): Promise<{ images: ImageFacts[]; softMasks: Set<number> }> {
  const images: ImageFacts[] = [];
  const softMasks = new Set<number>();
  await dropAllOuterFilters(open);
  await eachObject(open, (object) => {
    const image = readImageFacts(object);
    if (!image) return;
    images.push(image);
    for (const key of ["SMask", "Mask"]) softMasks.add(objectNumber(object.get(key)));
  });
  return { images, softMasks };
}

/** The size in samples that an image needs at its largest placement. Without a known placement, its full size. */
function sizeFor(image: ImageFacts, place: Placement | undefined, maxDpi: number): Size {
  const needed = (samples: number, points: number): number =>
    Math.max(1, Math.min(samples, Math.ceil((points / 72) * maxDpi - 0.01)));
  if (!place || !(place.width > 0) || !(place.height > 0)) return image;
  return { width: needed(image.width, place.width), height: needed(image.height, place.height) };
}

/** How many samples are seen as one in each direction. Without a known placement, each is seen. */
function scaleOf(size: Size, place: Placement | undefined): number {
  if (!place || !(place.width > 0) || !(place.height > 0)) return 1;
  const dpi = Math.min(size.width / place.width, size.height / place.height) * 72;
  return Math.max(1, Math.round(dpi / VIEWED_DPI));
}

function isGray({ isStencil, space, components }: ImageFacts): boolean {
  return isStencil || (components === 1 && space !== undefined && space !== "Separation");
}
