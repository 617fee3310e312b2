/** The entries of image dictionaries (ISO 32000-2, 8.9.5), for both writers of images: files of our own, and documents in MuPDF. */
import type { EmbeddedImage, SoftMask } from "./embedded-image.ts";

/** A value of an entry. A string is a name. */
export type EntryValue = string | number | boolean | readonly EntryValue[] | { readonly [name: string]: EntryValue };
export type Entries = Readonly<Record<string, EntryValue>>;

/** All entries but the color space, the soft mask, and the length. */
export function imageEntries(image: EmbeddedImage): Entries {
  const { bits, space, colorKey, inverted: isInverted } = image;
  return {
    ...sizeOf(image),
    BitsPerComponent: bits,
    ...codingOf(image, space.palette ? 1 : space.components),
    ...(isInverted && { Decode: Array.from({ length: space.components * 2 }, (_, place) => (place + 1) % 2) }),
    ...(colorKey && { Mask: colorKey }),
  };
}

export function softMaskEntries(image: EmbeddedImage, mask: SoftMask): Entries {
  const { space, inverted: isInverted } = image;
  return {
    ...sizeOf(image),
    BitsPerComponent: mask.bits,
    ColorSpace: "DeviceGray",
    ...(mask.coding === "filtered" ? filtered(image.width, mask.bits, 1) : { Filter: "FlateDecode" }),
    // The color of transparent pixels is that of samples of zero.
    ...(mask.isMatte && { Matte: Array.from({ length: space.components }, () => (isInverted ? 1 : 0)) }),
  };
}

const sizeOf = ({ width, height }: EmbeddedImage): Entries => ({
  Type: "XObject",
  Subtype: "Image",
  Width: width,
  Height: height,
});

function codingOf({ width, height, bits, coding, untransformedRgb, fax }: EmbeddedImage, colors: number): Entries {
  if (coding === "jpeg") {
    return { Filter: "DCTDecode", ...(untransformedRgb && { DecodeParms: { ColorTransform: 0 } }) };
  }
  return fax
    ? { Filter: "CCITTFaxDecode", DecodeParms: faxParameters(fax, width, height) }
    : filtered(width, bits, colors);
}

/** Parameters of fax data (7.4.6). */
const faxParameters = (
  { k, isByteAligned, hasEnd, isBlack1 }: NonNullable<EmbeddedImage["fax"]>,
  columns: number,
  rows: number,
): Entries => ({
  K: k,
  Columns: columns,
  Rows: rows,
  ...(isByteAligned && { EncodedByteAlign: true }),
  ...(!hasEnd && { EndOfBlock: false }),
  ...(isBlack1 && { BlackIs1: true }),
});

/** Parameters for rows with PNG filters (7.4.4.4). */
const filtered = (columns: number, bits: number, colors: number): Entries => ({
  Filter: "FlateDecode",
  DecodeParms: { Predictor: 15, Colors: colors, BitsPerComponent: bits, Columns: columns },
});

/** Entries in the syntax of a file (7.3). */
export const entriesSyntax = (entries: Entries): string =>
  Object.entries(entries)
    .map(([name, value]) => `/${name} ${syntaxOf(value)}`)
    .join(" ");

function syntaxOf(value: EntryValue): string {
  if (typeof value === "string") return `/${value}`;
  if (typeof value !== "object") return String(value);
  return isList(value) ? `[${value.map(syntaxOf).join(" ")}]` : `<< ${entriesSyntax(value)} >>`;
}

const isList = (value: EntryValue): value is readonly EntryValue[] => Array.isArray(value);
