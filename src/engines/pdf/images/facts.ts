/** The entries of an image dictionary that determine what may be done with its samples (ISO 32000-2, 8.9.5). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import type { Refusal } from "../../errors.ts";
import { imageTooLargeForGray, imagesTooLargeForGray } from "../../limit-errors.ts";
import { jpegCoefficients } from "../../image/jpeg-segments.ts";
import { type JpxFacts, readJpx } from "../../image/jpx-header.ts";
import { isNamed } from "../objects/objects.ts";
import { type Components, readSpace } from "../objects/color-space.ts";
import { filtersOf } from "../objects/filters.ts";

export interface ImageFacts {
  readonly number: number;
  /** Samples. */
  readonly width: number;
  readonly height: number;
  /** Bits per component; 1 for a stencil mask. */
  readonly bits: number;
  readonly isStencil: boolean;
  /** The last filter, or undefined if there is none. */
  readonly filter: string | undefined;
  /** Coefficients that are held while it is decoded: those of a progressive JPEG. */
  readonly coefficients: number;
  /** Facts from the data of JPEG 2000, if they can be read. */
  readonly jpx: JpxFacts | undefined;
  /** Length of the data as stored in the file, in bytes. */
  readonly bytes: number;
  /** Family of the color space. Undefined if it is defined by the data (JPEG 2000) or not at all. */
  readonly space: string | undefined;
  /** Components per sample; for an Indexed space, those of its base. Undefined if unknown or stored differently. */
  readonly components: Components | undefined;
  readonly isIndexed: boolean;
  /** `color-key`: some colors are transparent. `in data`: the data has the opacity, as JPEG 2000 can. `baked`: the colors are premultiplied. */
  readonly transparency: "none" | "mask" | "color-key" | "in data" | "baked";
}

/** The facts of an image, or undefined if it is not an image that can be drawn. */
export function readImageFacts(image: PDFObject): ImageFacts | undefined {
  if (!image.isStream() || !isNamed(image.get("Subtype"), "Image")) return undefined;
  const [width, height] = [image.get("Width").asNumber(), image.get("Height").asNumber()];
  if (!(width > 0) || !(height > 0)) return undefined;
  const stencil = image.get("ImageMask");
  const isStencil = stencil.isBoolean() && stencil.asBoolean();
  const filters = filtersOf(image);
  const color = readSpace(image.get("ColorSpace"));
  const bits = isStencil ? 1 : image.get("BitsPerComponent").asNumber();
  return {
    number: image.asIndirect(),
    width,
    height,
    bits,
    isStencil,
    filter: filters.at(-1),
    coefficients: filters.length === 1 && filters[0] === "DCTDecode" ? inData(image, jpegCoefficients) : 0,
    jpx: filters.length === 1 && filters[0] === "JPXDecode" ? inData(image, readJpx) : undefined,
    bytes: Math.max(0, image.get("Length").asNumber()),
    ...(isStencil ? { space: undefined, components: 1 as const, isIndexed: false } : color),
    transparency: transparencyOf(image),
  };
}

function inData<T>(image: PDFObject, read: (data: Uint8Array) => T): T {
  const data = image.readRawStream();
  const result = read(data.asUint8Array());
  data.destroy();
  return result;
}

/** The opacity in the data of an image, from its `SMaskInData` (table 87). */
export function opacityInData(image: PDFObject): "none" | "opacity" | "premultiplied" {
  return (["none", "opacity", "premultiplied"] as const)[image.get("SMaskInData").asNumber()] ?? "none";
}

function transparencyOf(image: PDFObject): ImageFacts["transparency"] {
  const softMask = image.get("SMask");
  // A mask with which its image is premultiplied has the size of the image (11.6.5.2).
  if (image.get("Matte").isArray()) return "baked";
  const inData = opacityInData(image);
  if (inData !== "none") return inData === "premultiplied" ? "baked" : "in data";
  if (softMask.isStream()) return softMask.get("Matte").isArray() ? "baked" : "mask";
  const mask = image.get("Mask");
  if (mask.isArray()) return "color-key";
  return mask.isStream() ? "mask" : "none";
}

/** `total`: samples of all images up to this one. */
export function tooLargeForGray(image: ImageFacts, total: number): Refusal {
  if (total > limits.compress.pixels) return imagesTooLargeForGray(total);
  const isJpx = image.filter === "JPXDecode";
  const kind = isJpx ? "a JPEG 2000" : image.coefficients > 0 ? "a progressive JPEG" : "one";
  return imageTooLargeForGray(kind, image);
}
