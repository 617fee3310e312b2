import { beginsAsPdf, PDF_HEAD_BYTES } from "../engines/bytes/pdf-signature.ts";
import { imageKindOf } from "../engines/image/kind.ts";

/** How many of a file's first bytes tell its type. */
export const HEAD_BYTES = PDF_HEAD_BYTES;

/** The type of a file, by its first `HEAD_BYTES`, never by its name. */
export function contentTypeOf(head: Uint8Array): string {
  const image = imageKindOf(head);
  if (image !== undefined) return `image/${image}`;
  return beginsAsPdf(head) ? "application/pdf" : "application/octet-stream";
}
