/**
 * Keeps the claim of a document to conform to PDF/A true. A file that is written of it is validated, and if it breaks rules that its source keeps, the
 * claim is removed and the file written again.
 */
import { Refusal } from "../../errors.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { openBytes, type PdfInput } from "../document/document.ts";
import { dropClaim } from "../metadata/metadata.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { includesLevel, type PdfaPart, type Profile, profileFacts } from "./model/profiles.ts";
import { type ClaimingDocument, claimedProfile, type ConformanceReport, validate } from "./validate.ts";

/** The first bytes of a PDF. */
const PDF_HEADER = "%PDF-";

/** What the rules about the values of signatures begin with. */
const OF_SIGNATURES = "6.4.3-";

/** In place of rules: the file was too large to be validated. */
const UNCHECKED = "unchecked";

/** A document that is written. */
export interface KeptDocument extends ClaimingDocument {
  /** The file that it was opened from; a new document has none. */
  readonly input?: Pick<PdfInput, "bytes"> | undefined;
  /** Gets the rules of ISO 19005, by clause and test, because of which the written file no longer claims to conform. */
  readonly lostRules: Set<string>;
}

/**
 * Writes a document with `write`, without its claim if the file would not conform because of us. A claim that was false before stays: it is not ours.
 * `awaitsSignature`: the file has a place for a signature, which is put there later.
 * @throws what `write` throws
 */
export async function writeKept(
  open: KeptDocument,
  write: () => Promise<EngineBytes>,
  { awaitsSignature = false }: { readonly awaitsSignature?: boolean | undefined } = {},
): Promise<EngineBytes> {
  const profile = await profileToKeep(open);
  const file = await write();
  if (profile === undefined) return file;
  const broken = await rulesLost(open, file, profile);
  const lost = awaitsSignature ? broken.filter((rule) => !rule.startsWith(OF_SIGNATURES)) : broken;
  if (lost.length === 0) return file;
  file.free();
  await loseClaim(open, lost);
  return write();
}

/** Removes the claim of a document that will not conform because of these rules. */
export async function loseClaim(open: KeptDocument, rules: readonly string[]): Promise<void> {
  await dropClaim(open.engine, open.document);
  for (const rule of rules) open.lostRules.add(rule);
}

/** The rule of each part about the claim itself. */
const IDENTIFICATION: Readonly<Record<PdfaPart, string>> = { 1: "6.7.11-1", 2: "6.6.4-1", 3: "6.6.4-1", 4: "6.7.3-1" };

/** Removes the claim of a new document that was put together from others unless all of them claim it, too. */
export async function joinClaims(target: KeptDocument, sources: readonly ClaimingDocument[]): Promise<void> {
  const claims: (Profile | undefined)[] = [];
  for (const source of sources) claims.push(await claimedProfile(source));
  const own = await claimedProfile(target);
  if (own !== undefined && claims.every((claim) => claim !== undefined && includes(claim, own))) return;
  const [lost] = [own, ...claims].flatMap((claim) => claim ?? []);
  if (lost !== undefined) await loseClaim(target, [IDENTIFICATION[profileFacts(lost).part]]);
}

/** Whether what conforms to a profile also conforms to another. */
function includes(profile: Profile, other: Profile): boolean {
  const [facts, required] = [profileFacts(profile), profileFacts(other)];
  // In part 4, a file of level f has attachments that others may not have.
  const isLike = facts.part === 4 ? facts.level === required.level : includesLevel(facts.level, required.level);
  return facts.part === required.part && isLike;
}

/** The parts whose files may be attached to a file of a part that does not allow all files, and the rule about that. */
const ATTACHED: Readonly<Partial<Record<Profile, { readonly parts: string; readonly rule: string }>>> = {
  "2b": { parts: "12", rule: "6.8-5" },
  "2u": { parts: "12", rule: "6.8-5" },
  "2a": { parts: "12", rule: "6.8-5" },
  "4": { parts: "124", rule: "6.9-5" },
};

/** Removes the claim of a document unless it allows this attachment: parts 2 and 4 allow only files that conform themselves. */
export async function keepWithAttachment(open: KeptDocument, attachment: EngineBytes): Promise<void> {
  const profile = await profileToKeep(open);
  const allowed = profile && ATTACHED[profile];
  if (allowed && !(await conformsTo(open.engine, attachment, allowed.parts))) await loseClaim(open, [allowed.rule]);
}

/** Whether a file is a PDF that claims one of these parts of PDF/A, and conforms to it. */
async function conformsTo(engine: PdfEngine, file: EngineBytes, parts: string): Promise<boolean> {
  const start = new TextDecoder("latin1").decode(file.view(0, Math.min(file.length, PDF_HEADER.length)));
  if (start !== PDF_HEADER) return false;
  const report = await validated(engine, file, (claim) =>
    claim !== undefined && parts.includes(claim.charAt(0)) ? claim : undefined,
  );
  return report?.conforms === true;
}

/** The profile that a file of the document should conform to. No encrypted file conforms to any. */
export async function profileToKeep({ engine, document }: ClaimingDocument): Promise<Profile | undefined> {
  const isEncrypted = document.getTrailer().get("Encrypt").isDictionary();
  return isEncrypted ? undefined : claimedProfile({ engine, document });
}

/** The rules that a file breaks and its source does not. */
async function rulesLost(open: KeptDocument, file: EngineBytes, profile: Profile): Promise<readonly string[]> {
  const { engine, input } = open;
  const broken = await brokenRules(engine, file, profile);
  if (broken === undefined) return [UNCHECKED];
  if (broken.size === 0) return [];
  const before = input && (await brokenRules(engine, input.bytes, profile));
  return [...broken].filter((rule) => before?.has(rule) !== true);
}

/** The rules that a file breaks; undefined if the file is too large for that. */
async function brokenRules(
  engine: PdfEngine,
  file: EngineBytes,
  profile: Profile,
): Promise<ReadonlySet<string> | undefined> {
  const report = await validated(engine, file, () => profile);
  return report && new Set(report.failures.map(({ clause, test }) => `${clause}-${test}`));
}

/**
 * The report on a file, against the profile that `choose` makes of its claim; undefined if it chooses none, or if the file cannot be read or is too
 * large for that.
 */
async function validated(
  engine: PdfEngine,
  file: EngineBytes,
  choose: (claim: Profile | undefined) => Profile | undefined,
): Promise<ConformanceReport | undefined> {
  if (engine.ranges) return undefined;
  const stage = engine.work.stage("checkConformance");
  const { length } = file;
  try {
    engine.claim(length);
    // The rules are about the bytes of the file, and the heap may move.
    const bytes = file.view(0, length).slice();
    return await stage.run(() =>
      engine.scope(async () => {
        using written = await openBytes(engine, bytes);
        const profile = choose(await claimedProfile(written));
        return profile && (await validate(written, bytes, profile, engine.work));
      }),
    );
  } catch (error) {
    const meaning = engine.explain(error);
    // Memory that others hold is free again later, and the result must not depend on them.
    const isFinal =
      meaning instanceof Refusal && meaning.code !== "overloaded" && meaning.details?.["limit"] !== "work";
    if (!isFinal) throw meaning;
    return undefined;
  } finally {
    engine.claim(-length);
  }
}
