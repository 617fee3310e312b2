import type { EngineBytes } from "../../engines/bytes/heap.ts";
import { beginsAsPdf, PDF_HEAD_BYTES } from "../../engines/bytes/pdf-signature.ts";
import { imageKindOf } from "../../engines/image/kind.ts";
import type { FileKind } from "../../operations/definition/fields.ts";

/** The names of the kinds in messages. */
export const kindNames: Readonly<Record<FileKind, string>> = {
  pdf: "PDF",
  png: "PNG",
  jpeg: "JPEG",
  webp: "WebP",
  any: "file",
};

/** Whether a file is one of these kinds, by its bytes. A file can be two kinds at once; the expected one counts. */
export function isOneOf(kinds: readonly FileKind[], bytes: EngineBytes): boolean {
  if (kinds.includes("any")) return true;
  const head = bytes.view(0, Math.min(bytes.length, PDF_HEAD_BYTES));
  const image = imageKindOf(head);
  if (image !== undefined && kinds.includes(image)) return true;
  return kinds.includes("pdf") && beginsAsPdf(head);
}
