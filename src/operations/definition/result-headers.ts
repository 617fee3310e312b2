import type { OpenPdf } from "../../engines/pdf/document/document.ts";
import type { ResultHeaders } from "./define.ts";

/** The result headers shared by all operations on PDFs. */
export function resultHeadersOf(
  opened: readonly OpenPdf[],
  facts: { pageCount?: number; signed: boolean },
): ResultHeaders {
  return {
    ...(facts.pageCount === undefined ? {} : { "X-Page-Count": String(facts.pageCount) }),
    ...(opened.some(({ repaired }) => repaired) ? { "X-Input-Repaired": "true" } : {}),
    ...(facts.signed ? { "X-Signature-Invalidated": "true" } : {}),
  };
}
