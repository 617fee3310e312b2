import type { EngineBytes } from "../../engines/bytes/heap.ts";
import { latin1 } from "../../engines/bytes/latin1.ts";
import { imageKindOf } from "../../engines/image/kind.ts";
import type { FileKind } from "../../operations/fields.ts";

/** A PDF header may begin anywhere in this many first bytes: mail gateways and printers prepend lines of their own. */
const SIGNATURE_WITHIN = 1024;
/** With or without the rest of a valid header, plus the PostScript form that Acrobat accepts (ISO 32000-1, annex H). */
const PDF_SIGNATURE = /%PDF|%!PS-Adobe-\d\.\d PDF-\d\.\d/;
const LONGEST_SIGNATURE = 24;

/** The names of the kinds in messages. */
export const kindNames: Readonly<Record<FileKind, string>> = { pdf: "PDF", png: "PNG", jpeg: "JPEG", webp: "WebP" };

/** Whether a file is one of these kinds, by its bytes. A file can be two kinds at once; the expected one counts. */
export function isOneOf(kinds: readonly FileKind[], bytes: EngineBytes): boolean {
  const image = imageKindOf(bytes.view(0, bytes.length));
  if (image !== undefined && kinds.includes(image)) return true;
  return kinds.includes("pdf") && beginsAsPdf(bytes);
}

function beginsAsPdf(bytes: EngineBytes): boolean {
  const start = bytes.view(0, Math.min(bytes.length, SIGNATURE_WITHIN + LONGEST_SIGNATURE));
  const at = latin1(start).search(PDF_SIGNATURE);
  return at >= 0 && at < SIGNATURE_WITHIN;
}
