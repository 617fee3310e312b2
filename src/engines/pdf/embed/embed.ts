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

/**
 * Prepares a PNG, JPEG, or WebP for embedding in a PDF. Calls `countPixels` before anything is decoded. Keeps a JPEG
 * unchanged, and the data of a non-interlaced PNG without alpha.
 * @throws Refusal `invalid_file` (damaged, truncated, animated, or a kind of JPEG that PDF does not support),
 *   `limit_exceeded` (pixels, decompressed bytes, memory), `overloaded`
 */
export async function embedImage(
  engines: Engines,
  { field, bytes }: ImageInput,
  countPixels: (pixels: number) => void,
): Promise<Embedded> {
  const check = <F extends ImageFileFacts>(facts: F): F => {
    checkSize(field, facts);
    countPixels(facts.width * facts.height);
    return facts;
  };
  const { work } = engines.pdf;
  try {
    const whole = bytes.view(0, bytes.length);
    const kind = imageKindOf(whole);
    if (kind === "jpeg") {
      const facts = check(await readJpeg(work, whole));
      return { facts, image: embedJpeg(facts, bytes) };
    }
    if (kind === "png") {
      const facts = check(await readPng(work, whole));
      return { facts, image: await embedPng(engines.pdf, facts, bytes) };
    }
    if (kind !== "webp") throw new BadImage("is not a PNG, JPEG, or WebP");
    const facts = check(readWebp(whole));
    return { facts, image: await embedWebp(engines, facts, bytes) };
  } catch (error) {
    if (!(error instanceof BadImage)) throw error;
    throw imageUnusable(field, error.message, error);
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
