/** What an image's dictionary says, as far as it decides what may be done with its samples (ISO 32000-2, 8.9.5). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { isNamed } from "../content/streams.ts";
import { jpegIsProgressive } from "../../image/jpeg-segments.ts";
import { items } from "../objects/objects.ts";

/** How samples are stored: by the device space with as many components, whatever colours they stand for. */
export type Components = 1 | 3 | 4;

export interface ImageFacts {
  readonly number: number;
  /** Samples. */
  readonly width: number;
  readonly height: number;
  /** 1 for a stencil mask. */
  readonly bits: number;
  readonly isStencil: boolean;
  /** The last filter; `undefined` for none. */
  readonly filter: string | undefined;
  /** Whether it is a JPEG whose samples come in several passes. */
  readonly isProgressive: boolean;
  /** Length of the data as it stands in the file, in bytes. */
  readonly bytes: number;
  /** Family of the colour space, `undefined` where the data itself (JPEG 2000) or nothing says it. */
  readonly space: string | undefined;
  /** Components of a sample; of an Indexed space, those of its base. Undefined where they are not known or not stored so. */
  readonly components: Components | undefined;
  readonly isIndexed: boolean;
  /** `colour-key`: some colours are transparent. `baked`: the colours are premultiplied, or the data holds its own mask. */
  readonly transparency: "none" | "mask" | "colour-key" | "baked";
}

const DEVICE_COMPONENTS: ReadonlyMap<string, Components> = new Map(
  Object.entries<Components>({
    DeviceGray: 1,
    G: 1,
    CalGray: 1,
    DeviceRGB: 3,
    RGB: 3,
    CalRGB: 3,
    DeviceCMYK: 4,
    CMYK: 4,
    Separation: 1,
  }),
);

/** The facts of an image; undefined for what is none, or none that can be drawn. */
export function readImageFacts(image: PDFObject): ImageFacts | undefined {
  if (!image.isStream() || !isNamed(image.get("Subtype"), "Image")) return undefined;
  const [width, height] = [image.get("Width").asNumber(), image.get("Height").asNumber()];
  if (!(width > 0) || !(height > 0)) return undefined;
  const stencil = image.get("ImageMask");
  const isStencil = stencil.isBoolean() && stencil.asBoolean();
  const filters = filtersOf(image);
  const colour = readSpace(image.get("ColorSpace"));
  const bits = isStencil ? 1 : image.get("BitsPerComponent").asNumber();
  return {
    number: image.asIndirect(),
    width,
    height,
    bits,
    isStencil,
    filter: filters.at(-1),
    isProgressive: filters.length === 1 && filters[0] === "DCTDecode" && isProgressive(image),
    bytes: Math.max(0, image.get("Length").asNumber()),
    ...(isStencil ? { space: undefined, components: 1 as const, isIndexed: false } : colour),
    transparency: transparencyOf(image),
  };
}

function isProgressive(image: PDFObject): boolean {
  const data = image.readRawStream();
  const result = jpegIsProgressive(data.asUint8Array());
  data.destroy();
  return result;
}

/** The names of a stream's filters, in full. */
export function filtersOf(stream: PDFObject): string[] {
  const filter = stream.get("Filter");
  const names = (filter.isArray() ? items(filter) : [filter]).filter((name) => name.isName());
  return names.map((name) => FULL_NAMES.get(name.asName()) ?? name.asName());
}

/** Abbreviations that inline images use, and that readers take elsewhere, too. */
export const FULL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AHx: "ASCIIHexDecode",
    A85: "ASCII85Decode",
    LZW: "LZWDecode",
    Fl: "FlateDecode",
    RL: "RunLengthDecode",
    CCF: "CCITTFaxDecode",
    DCT: "DCTDecode",
  }),
);

export function readSpace(space: PDFObject): Pick<ImageFacts, "space" | "components" | "isIndexed"> {
  if (space.isName()) {
    return { space: space.asName(), components: DEVICE_COMPONENTS.get(space.asName()), isIndexed: false };
  }
  const family = space.get(0);
  if (!space.isArray() || !family.isName()) return { space: undefined, components: undefined, isIndexed: false };
  const name = family.asName();
  if (name === "Indexed" || name === "I") {
    const base = readSpace(space.get(1));
    return { space: base.space, components: base.isIndexed ? undefined : base.components, isIndexed: true };
  }
  if (name === "ICCBased") {
    const n = space.get(1, "N").asNumber();
    return { space: name, components: n === 1 || n === 3 || n === 4 ? n : undefined, isIndexed: false };
  }
  return { space: name, components: DEVICE_COMPONENTS.get(name), isIndexed: false };
}

function transparencyOf(image: PDFObject): ImageFacts["transparency"] {
  const softMask = image.get("SMask");
  // A mask that its image is premultiplied by has the image's size (11.6.5.2).
  if (image.get("Matte").isArray()) return "baked";
  if (image.get("SMaskInData").asNumber() > 0) return "baked";
  if (softMask.isStream()) return softMask.get("Matte").isArray() ? "baked" : "mask";
  const mask = image.get("Mask");
  if (mask.isArray()) return "colour-key";
  return mask.isStream() ? "mask" : "none";
}

export function tooLargeForGrey(image: ImageFacts): Refusal {
  return new Refusal("limit_exceeded", "An image of the PDF is too large to be converted to grayscale.", {
    limit: limits.compress.decodedPixels,
    actual: image.width * image.height,
  });
}
