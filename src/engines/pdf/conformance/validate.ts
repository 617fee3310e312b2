/** Validates a document against a profile of PDF/A (ISO 19005). */
import { Refusal } from "../../errors.ts";
import type { Work } from "../../work.ts";
import type { OpenPdf } from "../document/document.ts";
import { readPacket } from "../metadata/metadata.ts";
import { claimOf } from "./xmp/check.ts";
import { readMetadata } from "./metadata.ts";
import { checkXmp } from "./xmp/check.ts";
import { Checker, type Failure } from "./checker.ts";
import { EmbeddedFiles, type Judge } from "./embedded-files.ts";
import type { Check } from "./model/check.ts";
import type { RuleContext } from "./model/context.ts";
import type { Place } from "./model/elements.ts";
import { Contents } from "./model/content.ts";
import { type ModelDocument, readModelDocument } from "./model/document.ts";
import { checkWritten, readFile } from "./model/file-bytes.ts";
import { readIntents } from "./model/output-intents.ts";
import { type Profile, PROFILES, profileFacts } from "./model/profiles.ts";
import { pagesOf } from "./model/pages.ts";
import { checkSignatures } from "./model/signatures.ts";
import { ElementTree } from "./model/element-tree.ts";
import { Trees } from "./model/trees.ts";
import type { PlainDictionary } from "../objects/plain-values.ts";
import { RULES } from "./rules/rules.ts";
import { ruleCoverage } from "./tests.ts";

export interface RuleCoverage {
  /** Rules that were checked, and all that the profile has. */
  readonly rules: number;
  readonly of: number;
}

export interface ConformanceReport {
  readonly profile: Profile;
  /** Whether no rule is broken. Undecided, and then null, if rules were not checked that the document might break. */
  readonly conforms: boolean | null;
  /** The profile that the document claims, such as `2b`. */
  readonly claimed: string | null;
  readonly coverage: RuleCoverage;
  /** Ordered by clause. */
  readonly failures: Failure[];
}

/**
 * @param bytes of the stored file
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function validate(
  open: OpenPdf,
  bytes: Uint8Array,
  profile: Profile,
  work: Work,
): Promise<ConformanceReport> {
  return validateFile(open, bytes, profile, work, async (embedded, data) => {
    const claim = await claimOfFile(embedded);
    if (claim === null || !/^[12]/.test(claim)) return false;
    const claimed = PROFILES.find((one) => one === claim);
    // Level a of part 1 requires more than the rules of level b.
    const { conforms } = await validateFile(embedded, data, claimed ?? "1b", work, undefined);
    return claimed === undefined && conforms === true ? undefined : (conforms ?? undefined);
  });
}

async function validateFile(
  open: OpenPdf,
  bytes: Uint8Array,
  profile: Profile,
  work: Work,
  judgeEmbedded: Judge | undefined,
): Promise<ConformanceReport> {
  const checker = new Checker(RULES, profile);
  const { check } = checker;
  using document = await readModelDocument(open);
  const { root } = document;
  const facts = profileFacts(profile);
  checker.context = { ...facts, document, intents: { given: undefined, shareOneProfile: true } };
  const intents = await readIntents(document, root, check);
  checker.context = { ...facts, document, intents };
  check("file", await readFile(document, bytes, work), { object: 0 });
  await checkWritten(document, bytes, work, check);
  const embedded = new EmbeddedFiles(document, judgeEmbedded);
  const isJudged = facts.part === 2;
  await checkSignatures(document, bytes, check);
  const contents = await checkObjects(document, checker.context, check, async (file) =>
    isJudged ? embedded.conforms(file) : undefined,
  );
  await contents.fonts.checkAll();
  const level = facts.part === 4 && facts.level === "b" ? "" : facts.level.toUpperCase();
  const { claim, failures: ofXmp } = await checkXmp(work, await readMetadata(document), facts.part, level);
  for (const { clause, test, message, object = 0, context } of ofXmp) {
    checker.fail(`${clause}-${test}`, message, { object, context });
  }
  const { failures } = checker;
  const { checked, all } = ruleCoverage(profile, embedded.areUndecided);
  return {
    profile,
    conforms: failures.length > 0 ? false : checked === all ? true : null,
    claimed: claim === undefined ? null : claim.part + claim.conformance.toLowerCase(),
    coverage: { rules: checked, of: all },
    failures,
  };
}

/** Checks the objects of a document, all but its fonts and its metadata. Returns the resources that its contents use. */
async function checkObjects(
  document: ModelDocument,
  { intents, part }: RuleContext,
  check: Check,
  conforms: (file: PlainDictionary) => Promise<boolean | undefined>,
): Promise<Contents> {
  const trees = new Trees(document, check, conforms);
  await trees.values();
  await trees.catalog();
  const structure = new ElementTree(document);
  await structure.check(check);
  const contents = new Contents(document, structure, intents, check);
  let number = 0;
  for (const { page, inherited } of pagesOf(document)) {
    number += 1;
    await document.open.engine.work.pause();
    await trees.page(page, number);
    await contents.page(page, number, inherited, part);
  }
  return contents;
}

/** The elements that break rules, by the clause and test of the rule. */
export type Survey = ReadonlyMap<string, readonly Place[]>;

/**
 * Checks the objects of a document in memory, as if it had no output intent. Its fonts and their glyphs are passed to `checkFont`.
 * @throws Refusal `limit_exceeded`, `overloaded`
 */
export async function surveyObjects(document: ModelDocument, profile: Profile, checkFont: Check): Promise<Survey> {
  const found = new Map<string, Place[]>();
  const checker = new Checker(RULES, profile, (id, place) => {
    const places = found.get(id);
    if (places) places.push(place);
    else found.set(id, [place]);
  });
  const context = { ...profileFacts(profile), document, intents: { given: undefined, shareOneProfile: true } };
  checker.context = context;
  const check: Check = (kind, element, place) =>
    kind === "font" || kind === "glyph" ? checkFont(kind, element, place) : checker.check(kind, element, place);
  const contents = await checkObjects(document, context, check, async () => undefined);
  await contents.fonts.checkAll();
  return found;
}

/** A document that may claim to conform. */
export type ClaimingDocument = Pick<OpenPdf, "engine" | "document">;

/** The profile that a document claims; undefined if it claims none, or one that is not known, or its metadata is too large to be read. */
export async function claimedProfile(open: ClaimingDocument): Promise<Profile | undefined> {
  try {
    const claimed = await claimOfFile(open);
    return PROFILES.find((profile) => profile === claimed);
  } catch (error) {
    if (error instanceof Refusal && error.code === "limit_exceeded" && error.details?.["limit"] !== "work")
      return undefined;
    throw error;
  }
}

async function claimOfFile({ engine, document }: ClaimingDocument): Promise<string | null> {
  const stream = document.getTrailer().get("Root", "Metadata");
  if (!stream.isStream()) return null;
  if (engine.ranges) await engine.long.loadStream(stream);
  return claimOf(engine.work, readPacket(engine, stream));
}
