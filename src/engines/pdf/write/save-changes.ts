import type { OpenPdf } from "../document/document.ts";
import { isCertified, isSigned } from "../document/signatures.ts";
import { Refusal } from "../../errors.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { appendToPdf, rewritePdf } from "./save.ts";

/**
 * Saves a document that was changed in place. A signed one is appended to, so that its signatures can still be verified, and so is
 * one that is read in ranges, and with `append` any that is not damaged; others are rewritten. `broken`: a signature no longer verifies, because the file was damaged and had to be rewritten, or the
 * signature certifies the document and does not allow the change. `allowed`: whether the signatures allow the change, if that
 * was checked. `changed`: the changed pages (0-based).
 */
export async function saveChanges(
  open: OpenPdf,
  {
    allowed,
    changed,
    append = false,
  }: { allowed?: boolean; changed?: readonly number[] | undefined; append?: boolean } = {},
): Promise<{ readonly bytes: EngineBytes; readonly broken: boolean }> {
  const { document, engine, input } = open;
  const root = document.getTrailer().get("Root");
  const signed = isSigned(root);
  if (!signed && !engine.ranges && !append) return { bytes: await rewritePdf(open, { changed }), broken: false };
  const forbidden = signed && (allowed === undefined ? isCertified(root) : !allowed);
  const appended = await appendToPdf(open, { changed });
  if (appended) return { bytes: appended, broken: forbidden };
  if (engine.ranges) throw new Refusal("invalid_file", `\`${input.field}\` is damaged.`, { input: input.field });
  return { bytes: await rewritePdf(open, { changed }), broken: signed };
}
