import { latin1 } from "./latin1.ts";

/** A PDF header may begin anywhere in this many first bytes: mail gateways and printers prepend lines of their own. */
const SIGNATURE_WITHIN = 1024;
/** With or without the rest of a valid header, plus the PostScript form that Acrobat accepts (ISO 32000-1, annex H). */
const PDF_SIGNATURE = /%PDF|%!PS-Adobe-\d\.\d PDF-\d\.\d/;
const LONGEST_SIGNATURE = 24;

/** How many of the first bytes of a file tell whether it is a PDF. */
export const PDF_HEAD_BYTES = SIGNATURE_WITHIN + LONGEST_SIGNATURE;

/** Whether a file begins as a PDF, by its first `PDF_HEAD_BYTES`. */
export function beginsAsPdf(head: Uint8Array): boolean {
  const at = latin1(head.subarray(0, PDF_HEAD_BYTES)).search(PDF_SIGNATURE);
  return at >= 0 && at < SIGNATURE_WITHIN;
}
