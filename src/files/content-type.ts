import { beginsAsPdf, PDF_HEAD_BYTES } from "../bytes/pdf-signature.ts";
import { imageKindOf } from "../engines/image/kind.ts";

/** How many of a file's first bytes tell its type. */
export const HEAD_BYTES = PDF_HEAD_BYTES;

/** A local file header (APPNOTE.TXT 4.3.7). An uncompressed first entry can have a PDF's header within the bytes that are looked at. */
const ZIP_SIGNATURE = [0x50, 0x4b, 0x03, 0x04];

/** The types that files can have. */
export const CONTENT_TYPES = [
  "application/octet-stream",
  "application/pdf",
  "application/zip",
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/tiff",
  "image/gif",
  "image/bmp",
] as const;

/** The type of a file, by its first `HEAD_BYTES`, never by its name. */
export function contentTypeOf(head: Uint8Array): (typeof CONTENT_TYPES)[number] {
  const image = imageKindOf(head);
  if (image !== undefined) return `image/${image}`;
  if (ZIP_SIGNATURE.every((byte, index) => head[index] === byte)) return "application/zip";
  return beginsAsPdf(head) ? "application/pdf" : "application/octet-stream";
}
