/** Writes a document that became PDF/A, and proves on the bytes that it conforms. */
import type { InputBytes } from "../../memory/heap.ts";
import { attachmentsNeedPart3, notConforming } from "../../result-errors.ts";
import { claimedProfile, type ConformanceReport, validate } from "../conformance/validate.ts";
import { profileFacts } from "../conformance/model/profiles.ts";
import { type OpenPdf, openPdf, type PdfInput } from "../document/document.ts";
import { dropClaim } from "../metadata/metadata.ts";
import { decryptParts } from "../write/decrypt.ts";
import { rewriteDecrypted } from "../write/save.ts";
import type { ArchiveReport } from "./archive.ts";
import { changedPages } from "./pages.ts";
import type { ArchiveProfile } from "./target.ts";

/** The version of PDF of parts 2 and 3, times 10. */
const VERSION = 17;

/** The rule of part 2 that attachments conform themselves. */
const ATTACHED_CONFORM = "6.8-5";

export interface WrittenArchive {
  readonly bytes: InputBytes;
  /** The proof. If it is not one, the file does not claim the profile. */
  readonly report: ConformanceReport;
  /** Pages that look different from those of the input, from 1. */
  readonly changedPages: readonly number[];
}

/** Whether a document claims to conform already, and does. */
export async function conformsAlready(open: OpenPdf, profile: ArchiveProfile): Promise<boolean> {
  const { engine, input, encrypted } = open;
  const claimed = encrypted ? undefined : await claimedProfile(open);
  if (claimed === undefined || profileFacts(claimed).part !== profileFacts(profile).part) return false;
  const { length } = input.bytes;
  // The rules are about the bytes of the file, which the engine's heap may move.
  engine.claim(length);
  const { conforms } = await validate(open, input.bytes.view(0, length).slice(), profile, engine.work);
  return conforms === true;
}

/**
 * Writes the document, validates the file, and compares its pages with those of the input.
 * @param keepsResidual whether a document that does not conform is written without its claim
 * @throws Refusal `not_conforming` otherwise, `limit_exceeded`, `overloaded`, `invalid_file`
 */
export async function writeArchive(
  open: OpenPdf,
  profile: ArchiveProfile,
  { attachments }: ArchiveReport,
  { keepsResidual }: { readonly keepsResidual: boolean },
): Promise<WrittenArchive> {
  const { engine, input } = open;
  if (open.encrypted) await decryptParts(open);
  const bytes = await writtenBytes(open);
  const { report, changed } = await reopened(open, bytes, async (written) => {
    engine.claim(bytes.length);
    const found = await validate(written, bytes.view(0, bytes.length).slice(), profile, engine.work);
    engine.claim(-bytes.length);
    return { report: found, changed: found.conforms === true ? await changedSince(input, written) : [] };
  });
  if (report.conforms === true) return { bytes, report, changedPages: changed };
  const { failures } = report;
  const isAttached =
    profileFacts(profile).part === 2 &&
    attachments > 0 &&
    failures.every(({ clause, test }) => `${clause}-${test}` === ATTACHED_CONFORM);
  if (!keepsResidual) throw isAttached ? attachmentsNeedPart3(profile, failures) : notConforming(profile, failures);
  await dropClaim(engine, open.document);
  bytes.free();
  const unclaimed = await writtenBytes(open);
  const changedPages = await reopened(open, unclaimed, (written) => changedSince(input, written));
  return { bytes: unclaimed, report, changedPages };
}

/** Opens the input again, of which nothing has changed. */
async function changedSince(input: PdfInput, written: OpenPdf): Promise<number[]> {
  using before = await openPdf(written.engine, input);
  return await changedPages(before, written);
}

async function writtenBytes(open: OpenPdf): Promise<InputBytes> {
  const { engine } = open;
  const parts = await rewriteDecrypted(open, { mostVersion: VERSION });
  const bytes = engine.bytesOf(await engine.copied(parts, parts.length));
  parts.free();
  return bytes;
}

async function reopened<T>(
  { engine, input }: OpenPdf,
  bytes: InputBytes,
  work: (written: OpenPdf) => Promise<T>,
): Promise<T> {
  using written = await openPdf(engine, { field: input.field, bytes, passwordIsOwn: false });
  return await work(written);
}
