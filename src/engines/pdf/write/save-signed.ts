import type { OpenPdf } from "../document/document.ts";
import { isCertified, isSigned } from "../document/signatures.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { appendToPdf, rewritePdf } from "./save.ts";

/**
 * Writes a document that was changed in place so that its signatures can still be verified where that can be: behind its
 * own bytes. `broken`: a signature of it no longer verifies, since the file had to be written anew, or the signature
 * certifies the document and does not allow the change. `allowed`: whether the signatures allow it, where that was looked into. `changed`:
 * the pages that were changed (0-based).
 */
export async function saveSigned(
  open: OpenPdf,
  { allowed, changed }: { allowed?: boolean; changed?: readonly number[] | undefined } = {},
): Promise<{ readonly bytes: EngineBytes; readonly broken: boolean }> {
  const root = open.document.getTrailer().get("Root");
  if (!isSigned(root)) return { bytes: await rewritePdf(open, { changed }), broken: false };
  const forbidden = allowed === undefined ? isCertified(root) : !allowed;
  const appended = await appendToPdf(open, { changed });
  return { bytes: appended ?? (await rewritePdf(open, { changed })), broken: appended === undefined || forbidden };
}
