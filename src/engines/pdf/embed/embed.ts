import { limits } from "../../../limits.ts";
import type { Engines } from "../../lease/engines.ts";
import { imageUnusable } from "../../file-errors.ts";
import { imageSideTooLong, tooManyPixels } from "../../limit-errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { embedPng } from "./png.ts";
import { embedWebp, readWebp } from "./webp.ts";
import type { EmbeddedImage } from "./embedded-image.ts";
import { fitsComponents } from "../../image/icc.ts";
import { BadImage, type ImageFileFacts } from "../../image/facts.ts";
import { imageKindOf } from "../../image/kind.ts";
import { type JpegFacts, readJpeg } from "../../image/jpeg-header.ts";
import { readPng } from "../../image/png-header.ts";
import { readBmp } from "../../image/bmp.ts";
import { readGif } from "../../image/gif.ts";
import { readTiff } from "../../image/tiff/pages.ts";
import { embedBmp } from "./bmp.ts";
import { convertRows } from "./filtered-rows.ts";
import { embedGif } from "./gif.ts";
import { TiffEmbedder } from "./tiff.ts";

/** An image in the request. */
export interface ImageInput {
  /** Identifies the image in errors: the name of its form field. */
  readonly field: string;
  readonly bytes: EngineBytes;
}

export interface Embedded {
  readonly facts: ImageFileFacts;
  readonly image: EmbeddedImage;
}

/** Called with the pixels of an image before anything of it is decoded. */
type CountPixels = (pixels: number) => void;

/**
 * Prepares the first image of a file for embedding in a PDF, as `embedImages` does.
 * @throws Refusal as `embedImages`
 */
export async function embedImage(engines: Engines, input: ImageInput): Promise<Embedded> {
  const { value } = await embedImages(engines, input, () => undefined).next();
  if (!value) throw new Error("a file without images is refused");
  return value;
}

/**
 * Prepares an image for embedding in a PDF, or the pages of a TIFF one by one. Keeps a JPEG unchanged, the data of a non-interlaced PNG without alpha, and
 * the fax and JPEG data of a TIFF where a PDF can hold it.
 * @throws Refusal `invalid_file` (damaged, truncated, animated, or of a kind that PDF does not support), `limit_exceeded` (pixels, decompressed bytes,
 *   memory, work), `overloaded`
 */
export async function* embedImages(
  engines: Engines,
  input: ImageInput,
  countPixels: CountPixels,
): AsyncGenerator<Embedded, void> {
  try {
    yield* embedded(engines, input, countPixels);
  } catch (error) {
    if (!(error instanceof BadImage)) throw error;
    throw imageUnusable(input.field, error.message, error);
  }
}

/** The number of images in a file: the pages of a TIFF. @throws Refusal as `embedImages` */
export async function countImages({ pdf: { work } }: Engines, { field, bytes }: ImageInput): Promise<number> {
  const whole = bytes.view(0, bytes.length);
  if (imageKindOf(whole) !== "tiff") return 1;
  try {
    return (await readTiff(work, whole)).length;
  } catch (error) {
    if (!(error instanceof BadImage)) throw error;
    throw imageUnusable(field, error.message, error);
  }
}

async function* embedded(
  engines: Engines,
  { field, bytes }: ImageInput,
  countPixels: CountPixels,
): AsyncGenerator<Embedded, void> {
  const check = <F extends ImageFileFacts>(facts: F): F => {
    checkSize(field, facts);
    countPixels(facts.width * facts.height);
    return facts;
  };
  const { pdf } = engines;
  const { work } = pdf;
  const whole = bytes.view(0, bytes.length);
  switch (imageKindOf(whole)) {
    case "jpeg": {
      const facts = check(await readJpeg(work, whole));
      yield { facts, image: embedJpeg(facts, bytes) };
      return;
    }
    case "png": {
      const facts = check(await readPng(work, whole));
      yield { facts, image: await embedPng(pdf, facts, bytes) };
      return;
    }
    case "webp": {
      const facts = check(readWebp(whole));
      yield { facts, image: await embedWebp(engines, facts, bytes) };
      return;
    }
    case "tiff": {
      const pages = await readTiff(work, whole);
      const tiff = new TiffEmbedder(pdf, bytes);
      for (const facts of pages) yield { facts: check(facts), image: await tiff.embed(facts) };
      return;
    }
    case "gif": {
      const facts = check(await readGif(work, whole));
      yield { facts, image: await convertRows(pdf, facts.width * facts.height, () => embedGif(pdf, facts, bytes)) };
      return;
    }
    case "bmp": {
      const facts = check(readBmp(whole));
      const pixelBytes = facts.palette ? 1 : 4;
      const bytesOfRows = facts.width * facts.height * pixelBytes;
      yield { facts, image: await convertRows(pdf, bytesOfRows, () => embedBmp(pdf, facts, bytes)) };
      return;
    }
    case undefined:
      throw new BadImage("is not an image that is supported");
  }
}

function embedJpeg(facts: JpegFacts, data: EngineBytes): EmbeddedImage {
  const { width, height, components, inverted, untransformedRgb, profile } = facts;
  const usable = profile && fitsComponents(profile, components) ? { profile } : {};
  const space = { components, ...usable };
  return { width, height, bits: 8, space, data, coding: "jpeg", inverted, untransformedRgb };
}

function checkSize(field: string, { width, height }: ImageFileFacts): void {
  const { pixels, side } = limits.images;
  if (Math.max(width, height) > side) throw imageSideTooLong(field, Math.max(width, height));
  if (width * height > pixels) throw tooManyPixels(field, width * height);
}
