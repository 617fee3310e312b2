/** The accepted image formats, in the order used in messages. */
export const imageKinds = ["png", "jpeg", "webp", "tiff", "gif", "bmp"] as const;
export type ImageKind = (typeof imageKinds)[number];

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
const RIFF = Array.from("RIFF", (letter) => letter.charCodeAt(0));
/** With either byte order; and a BigTIFF, which is refused by name when it is read. */
const TIFF = [
  [0x49, 0x49, 42, 0],
  [0x4d, 0x4d, 0, 42],
  [0x49, 0x49, 43, 0],
  [0x4d, 0x4d, 0, 43],
];
/** Sizes of the headers of BMPs in use: OS/2 1 and 2, Windows 3, Adobe's two, Windows 4 and 5. */
const BMP_HEADERS = new Set([12, 16, 40, 52, 56, 64, 108, 124]);
const GIF = Array.from("GIF8", (letter) => letter.charCodeAt(0));
const WEBP = Array.from("WEBP", (letter) => letter.charCodeAt(0));

/** The kind of an image, by its first bytes; undefined for anything else. */
export function imageKindOf(bytes: Uint8Array): ImageKind | undefined {
  const has = (signature: readonly number[], at = 0): boolean =>
    signature.every((byte, index) => bytes[at + index] === byte);
  if (has(PNG)) return "png";
  if (has(JPEG)) return "jpeg";
  if (has(RIFF) && has(WEBP, 8)) return "webp";
  if (TIFF.some((signature) => has(signature))) return "tiff";
  if (has(GIF)) return "gif";
  // Two letters alone would fit many a text.
  const isBmp = has([0x42, 0x4d]) && BMP_HEADERS.has(bytes[14] ?? 0) && has([0, 0, 0], 15);
  return isBmp ? "bmp" : undefined;
}

/** Image formats that are known and not accepted. */
export type OtherImage = "HEIC" | "AVIF" | "SVG" | "PSD" | "JPEG 2000" | "ICO";

const SVG_START =
  /^(?:\u00ef\u00bb\u00bf)?\s*(?:<\?xml[^>]*>\s*|<!--(?:(?!-->)[^])*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/;

/** The format of an image that is not accepted; undefined for anything else. */
export function otherImageOf(head: Uint8Array): OtherImage | undefined {
  const text = Array.from(head, (byte) => String.fromCharCode(byte)).join("");
  if (text.slice(4, 8) === "ftyp") {
    const brand = text.slice(8, 12);
    if (/^(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/.test(brand)) return "HEIC";
    return /^avi[fs]$/.test(brand) ? "AVIF" : undefined;
  }
  if (text.startsWith("8BPS")) return "PSD";
  if (text.startsWith("\0\0\0\u000cjP  ") || text.startsWith("\u00ff\u004f\u00ff\u0051")) return "JPEG 2000";
  if (text.startsWith("\0\0\u0001\0")) return "ICO";
  return SVG_START.test(text) ? "SVG" : undefined;
}
