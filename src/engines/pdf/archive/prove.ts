/** Writes a document that became PDF/A, and proves on the bytes that it conforms. */
import type { EngineBytes } from "../../memory/heap.ts";
import { ownBytes } from "../../memory/joined-bytes.ts";
import { attachmentsNeedPart3, notConforming } from "../../result-errors.ts";
import { claimedProfile, type ConformanceReport, validate } from "../conformance/validate.ts";
import { profileFacts } from "../conformance/model/profiles.ts";
import { openBytes, type OpenPdf, openPdf, type PdfInput } from "../document/document.ts";
import { dropClaim } from "../metadata/metadata.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { decryptParts } from "../write/decrypt.ts";
import { rewriteDecrypted } from "../write/save.ts";
import type { ArchiveReport } from "./archive.ts";
import { changedPages } from "./pages.ts";
import type { ArchiveProfile } from "./target.ts";

/** The version of PDF of parts 2 and 3, times 10. */
const VERSION = 17;

/** Bytes of the file that are copied at once. */
const PIECE = 1024 * 1024;

/** The rule of part 2 that attachments conform themselves. */
const ATTACHED_CONFORM = "6.8-5";

export interface WrittenArchive {
  readonly bytes: EngineBytes;
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
  engine.claim(-length);
  return conforms === true;
}

/**
 * Writes the document, closes it, validates the file, and compares its pages with those of the input.
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
  // Its objects and appearances take as much memory as those of the file that is opened next.
  open[Symbol.dispose]();
  const proof = await reopened(engine, bytes, async (written) => {
    const report = await validate(written, bytes, profile, engine.work);
    if (report.conforms === true) return { report, changed: await changedSince(input, written) };
    const { failures } = report;
    const isAttached =
      profileFacts(profile).part === 2 &&
      attachments > 0 &&
      failures.every(({ clause, test }) => `${clause}-${test}` === ATTACHED_CONFORM);
    if (!keepsResidual) throw isAttached ? attachmentsNeedPart3(profile, failures) : notConforming(profile, failures);
    await dropClaim(engine, written.document);
    return { report, unclaimed: await writtenBytes(written) };
  });
  const { report, changed, unclaimed } = proof;
  if (!unclaimed) return { bytes: ownBytes(bytes), report, changedPages: changed };
  engine.claim(-bytes.length);
  return {
    bytes: ownBytes(unclaimed),
    report,
    changedPages: await reopened(engine, unclaimed, (written) => changedSince(input, written)),
  };
}

/** Opens the input again, of which nothing has changed. */
async function changedSince(input: PdfInput, written: OpenPdf): Promise<number[]> {
  using before = await openPdf(written.engine, input);
  return await changedPages(before, written);
}

/** The file, outside of the engine: in its heap, the proof would need another copy. */
async function writtenBytes(open: OpenPdf): Promise<Uint8Array> {
  const { engine } = open;
  const parts = await rewriteDecrypted(open, { mostVersion: VERSION });
  engine.claim(parts.length);
  const bytes = new Uint8Array(parts.length);
  for (let at = 0; at < bytes.length; at += PIECE) {
    bytes.set(parts.view(at, Math.min(at + PIECE, bytes.length)), at);
    engine.work.spend(PIECE);
    await engine.work.pause();
  }
  parts.free();
  return bytes;
}

async function reopened<T>(engine: PdfEngine, bytes: Uint8Array, work: (written: OpenPdf) => Promise<T>): Promise<T> {
  using written = await openBytes(engine, bytes);
  return await work(written);
}
