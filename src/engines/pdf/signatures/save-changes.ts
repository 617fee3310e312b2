/** Saves documents that may be signed, and reports whether a signature is no longer valid in the written file. */
import { fileDamaged } from "../../file-errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { OpenPdf } from "../document/document.ts";
import { isSigned } from "./fields.ts";
import { appendToPdf, completeStreams, isSparse, rewritePdf } from "../write/save.ts";
import { breaksSignature, hasIntactSignature } from "./invalidation.ts";

export interface Saved {
  readonly bytes: EngineBytes;
  /** Whether a signature of the file that was intact is not valid in `bytes`. */
  readonly signatureInvalidated: boolean;
}

/**
 * Saves a document that was changed in place. The changes are appended to its file. This takes memory only for them, and leaves all other objects and
 * signatures unchanged, byte for byte. A damaged file is rewritten. So is one with `rewrite`, unless it is signed or read in ranges, because the
 * earlier state of the changed objects must not stay in the file. `changed`: the changed pages (0-based). `keepsClaim`: as in `rewritePdf`.
 * A document whose signatures were removed counts as unsigned: call `hasIntactSignature` before.
 */
export async function saveChanges(
  open: OpenPdf,
  {
    changed,
    rewrite = false,
    keepsClaim = false,
  }: { changed?: readonly number[] | undefined; rewrite?: boolean; keepsClaim?: boolean } = {},
): Promise<Saved> {
  const { engine, input } = open;
  const signed = await isSigned(open);
  if (!signed && !engine.ranges && (rewrite || open.repaired || isSparse(open)))
    return { bytes: await rewritePdf(open, { changed, keepsClaim }), signatureInvalidated: false };
  if (!signed && !engine.ranges) await completeStreams(open);
  const bytes = await appendToPdf(open, { changed, keepsClaim });
  if (bytes) return { bytes, signatureInvalidated: signed && (await breaksSignature(open, bytes, changed)) };
  if (engine.ranges) throw fileDamaged(input.field);
  const signatureInvalidated = signed && (await hasIntactSignature(open));
  return { bytes: await rewritePdf(open, { changed, keepsClaim }), signatureInvalidated };
}
