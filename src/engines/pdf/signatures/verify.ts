/** Verifies the digital signatures of a document (ISO 32000-2, 12.8), and finds the changes after each. */
import { Refusal } from "../../errors.ts";
import { partOf } from "../../memory/joined-bytes.ts";
import type { Work } from "../../work.ts";
import { type Certificate, type CertificateFacts, factsOf } from "../../cms/certificates.ts";
import { Pool } from "../../cms/pool.ts";
import { judge, pathOf, proofsFor, type Purpose, type Revocation, type Trust, type Verdict } from "../../cms/chain.ts";
import { Unsupported, Unusable } from "../../cms/refusal.ts";
import { contentInPlaceOfFile, digestDiffers, signatureFormatUnsupported } from "../../cms/problems.ts";
import { Revocations } from "../../cms/revocation.ts";
import {
  ID_DATA,
  readSignedData,
  readStampOver,
  readTimeStamp,
  type SignedData,
  type TimeStamp,
  verifySignedData,
} from "../../cms/signed-data.ts";
import { isSame } from "../../cms/asn1.ts";
import type { IssuerService } from "../../services.ts";
import type { OpenPdf } from "../document/document.ts";
import { isoOfPdfDate } from "../objects/dates.ts";
import { TextReader } from "../objects/text-string.ts";
import type { Covered } from "./byte-range.ts";
import { changesAfter, type DocMdp, History, levelIn, type ReportedChange } from "./changes-after.ts";
import { coveredIn, findSignatures, type FoundSignature } from "./fields.ts";
import { digestOfParts } from "./digest.ts";
import { readSecurityStore, type SecurityStore, type StoredCertificate } from "./security-store.ts";

/** Changes that are listed for a signature. */
const MOST_CHANGES = 100;

/** Formats whose value is a CMS signature over the bytes themselves (12.8.3.3), with the content that they have. */
const DETACHED = new Set(["adbe.pkcs7.detached", "ETSI.CAdES.detached"]);
const CADES = "ETSI.CAdES.detached";
const STAMP = "ETSI.RFC3161";

/** Levels of PAdES (EN 319 142-1, 6). */
export type PadesLevel = "b-b" | "b-t" | "b-lt" | "b-lta";

/** `unsupported`: its algorithms or its format are not judged. */
export type Integrity = "intact" | "broken" | "unsupported";

export interface SignatureReport {
  /** Full name. */
  readonly field: string;
  readonly kind: "signature" | "document-timestamp";
  readonly format: string;
  readonly level: PadesLevel | null;
  readonly integrity: Integrity;
  readonly coverage: "whole-document" | "earlier-revision";
  readonly changesAfter: "none" | "allowed" | "forbidden";
  readonly changes: ReportedChange[];
  readonly signer: CertificateFacts | null;
  readonly chain: Trust;
  readonly revocation: Revocation;
  /** Why it is not intact, or its chain is not trusted. */
  readonly reason?: string;
  /** ISO 8601. */
  readonly signedAt: string | null;
  readonly timeSource: "timestamp" | "signer" | "none";
  readonly timestamp?: Verdict & { readonly signer: CertificateFacts | null };
  readonly docMdp?: DocMdp;
  readonly name?: string;
  readonly signingReason?: string;
  readonly location?: string;
}

export interface SignaturesReport {
  readonly signatures: SignatureReport[];
  /** Whether there are signatures, all are intact, and nothing was changed that they do not allow. */
  readonly documentIntact: boolean;
}

/** The settings of a verification. */
export interface Trusting {
  /** Certificates that are trusted. */
  readonly roots: readonly Certificate[];
  /** The time at which certificates must be valid, unless a trusted time stamp gives another. */
  readonly now: Date;
  /** Asked whether certificates were revoked. Without it, only the data of the document is used. */
  readonly issuers: IssuerService | undefined;
}

/** The signatures of a document, in the order of the revisions that they cover. They remain after the document is closed. */
export interface ReadSignatures {
  readonly store: SecurityStore;
  readonly signatures: readonly Read[];
}

interface Read extends Checked {
  readonly facts: Facts;
}

/**
 * Reads and checks all signatures, and compares the revisions: everything for which the document is needed.
 * @throws Refusal `limit_exceeded` beyond 50 signatures
 */
export async function readSignatures(open: OpenPdf): Promise<ReadSignatures> {
  const found = await findSignatures(open);
  const store = await readSecurityStore(open);
  const stored = store.certificates.map(({ certificate }) => certificate);
  const history = new History(open);
  const signatures: Read[] = [];
  for (const one of found)
    signatures.push({ ...(await check(open, stored, one)), facts: await factsIn(open, history, one) });
  return { store, signatures };
}

/** Judges the certificates of signatures, and reports. */
export async function judgeSignatures(
  work: Work,
  { store, signatures: checked }: ReadSignatures,
  { roots, now, issuers }: Trusting,
): Promise<SignaturesReport> {
  const stored = store.certificates.map(({ certificate }) => certificate);
  const within = checked.flatMap(({ data, stamp }) => [...(data ? [data] : []), ...(stamp ? [stamp] : [])]);
  // The signatures' own evidence comes before that of later revisions.
  const own = within.flatMap(({ revocation }) => revocation.map((one) => ({ ...one, position: 0 })));
  const revocations = new Revocations(work, issuers, [...store.data, ...own]);
  const pool = new Pool(work, [...roots, ...within.flatMap(({ certificates }) => certificates), ...stored]);
  // A trusted time stamp proves when all before it was there: from the newest to the oldest.
  let proven = now;
  const signatures: SignatureReport[] = [];
  for (const one of checked.toReversed()) {
    const judging: Judging = (certificate, purpose, at) =>
      judge(certificate, pool, roots, revocations, { at, purpose, asks: issuers !== undefined });
    const verdicts = await verdictsOf(one, judging, proven);
    if (one.stamp && one.format === STAMP && one.problem === undefined && verdicts.chain.chain === "trusted")
      proven = one.stamp.time;
    const level = await levelOf(one, checked, { work, roots, revocations, stored: store.certificates });
    signatures.unshift(reportOf({ ...one, verdicts, level }));
  }
  const documentIntact =
    signatures.length > 0 &&
    signatures.every(({ integrity, changesAfter }) => integrity === "intact" && changesAfter !== "forbidden");
  return { signatures, documentIntact };
}

/** Whether the key of a signature's certificate signed exactly the bytes of its revision. */
export async function isIntact(open: OpenPdf, found: FoundSignature): Promise<boolean> {
  // A signature may leave its certificates to the document.
  const { certificates } = await readSecurityStore(open);
  const { problem } = await check(
    open,
    certificates.map(({ certificate }) => certificate),
    found,
  );
  return problem === undefined;
}

interface Checked {
  readonly format: string;
  /** Where the revision ends that it covers; undefined if its byte range makes no sense. */
  readonly end: number | undefined;
  readonly data: SignedData | undefined;
  /** The time stamp over the signature, or that the signature is. */
  readonly stamp: TimeStamp | undefined;
  readonly integrity: Integrity;
  /** Why it is not intact, and why the time stamp over it cannot be used: ends of sentences. */
  readonly problem: string | undefined;
  readonly stampProblem: string | undefined;
}

/** Checks a signature and its digest. */
async function check(open: OpenPdf, stored: readonly Certificate[], found: FoundSignature): Promise<Checked> {
  const { engine } = open;
  const { format, end } = found;
  let data: SignedData | undefined;
  let stamp: TimeStamp | undefined;
  try {
    const covered = coveredIn(open, found);
    data = await readSignedData(engine.work, covered.contents, stored);
    if (found.format === STAMP) {
      stamp = await readTimeStamp(engine.work, data);
      const digest = await digestOf(open, covered, stamp.imprint.hash);
      if (!isSame(stamp.imprint.digest, digest)) throw digestDiffers("stamped");
    } else if (DETACHED.has(found.format)) {
      if (data.content !== undefined) throw contentInPlaceOfFile();
      const digest = await digestOf(open, covered, data.hash);
      await verifySignedData(data, ID_DATA, digest, { needsCertificate: found.format === CADES });
    } else throw signatureFormatUnsupported(found.format);
    const stamped = data.token && (await checkStamp(engine.work, data.token, data, stored));
    return {
      format,
      end,
      data,
      stamp: stamp ?? stamped?.stamp,
      integrity: "intact",
      problem: undefined,
      stampProblem: stamped?.problem,
    };
  } catch (error) {
    if (error instanceof Refusal || engine.isFailure(error)) throw error;
    const problem = error instanceof Unusable ? error.message : "cannot be read";
    // The time and the certificate of a broken signature prove nothing.
    const integrity = error instanceof Unsupported ? "unsupported" : "broken";
    return { format, end, data, stamp: undefined, integrity, problem, stampProblem: undefined };
  }
}

/** Checks the time stamp over a signature. */
async function checkStamp(
  work: Work,
  token: Uint8Array,
  data: SignedData,
  stored: readonly Certificate[],
): Promise<{ stamp?: TimeStamp; problem?: string }> {
  try {
    return { stamp: await readStampOver(work, data, token, stored) };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return { problem: error instanceof Unusable ? error.message : "cannot be read" };
  }
}

const digestOf = (
  { engine, input: { bytes } }: OpenPdf,
  { gapStart, gapEnd, end }: Covered,
  hash: SignedData["hash"],
) => digestOfParts(engine.work, hash, [partOf(bytes, 0, gapStart), partOf(bytes, gapEnd, end)]);

interface Verdicts {
  readonly chain: Verdict;
  readonly timestamp: Verdict | undefined;
}

interface Judged extends Read {
  readonly verdicts: Verdicts;
  readonly level: PadesLevel | null;
}

type Judging = (certificate: Certificate, purpose: Purpose, at: Date) => Promise<Verdict>;

async function verdictsOf(
  { data, stamp, format, problem }: Checked,
  judging: Judging,
  proven: Date,
): Promise<Verdicts> {
  if (data === undefined || problem !== undefined)
    return { chain: { chain: "unknown", revocation: "not-checked" }, timestamp: undefined };
  if (format === STAMP) return { chain: await judging(data.signer, "time-stamps", proven), timestamp: undefined };
  const timestamp = stamp && (await judging(stamp.signer, "time-stamps", proven));
  const at = stamp && timestamp?.chain === "trusted" ? stamp.time : proven;
  return { chain: await judging(data.signer, "documents", at), timestamp };
}

interface Evidence {
  readonly work: Work;
  readonly roots: readonly Certificate[];
  readonly revocations: Revocations;
  readonly stored: readonly StoredCertificate[];
}

/** The level that a signature reaches with the data in the document, regardless of trust. */
async function levelOf(
  { data, stamp, format, end: ownEnd, problem }: Checked,
  all: readonly Checked[],
  { work, roots, revocations, stored }: Evidence,
): Promise<PadesLevel | null> {
  if (format !== CADES || data === undefined || problem !== undefined) return null;
  if (stamp === undefined) return "b-b";
  /** Whether all before this position proves that no certificate was revoked when it signed. */
  const isProven = async (before: number): Promise<boolean> => {
    const early = stored.filter(({ position }) => position !== undefined && position < before);
    const sent = [...data.certificates, ...stamp.certificates];
    const pool = new Pool(work, [...sent, ...early.map(({ certificate }) => certificate)]);
    try {
      for (const { signer } of [data, stamp])
        await proofsFor(await pathOf(signer, pool, roots), revocations, { at: stamp.time, asks: false, before });
      return true;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // Unreadable data prove nothing: no error of the engine originates here.
      return false;
    }
  };
  if (!(await isProven(Infinity))) return "b-t";
  for (const later of all) {
    const { end = 0 } = later;
    const isLater = later.format === STAMP && later.problem === undefined && end > (ownEnd ?? Infinity);
    if (isLater && (await isProven(end))) return "b-lta";
  }
  return "b-lt";
}

/** The document's own data about a signature, and the changes after it. */
interface Facts {
  readonly field: string;
  readonly coversAll: boolean;
  readonly changes: readonly ReportedChange[];
  /** ISO 8601. */
  readonly time: string | undefined;
  readonly docMdp: DocMdp | undefined;
  readonly texts: Pick<SignatureReport, "name" | "signingReason" | "location">;
}

async function factsIn(open: OpenPdf, history: History, found: FoundSignature): Promise<Facts> {
  const { signature, field, end } = found;
  const coversAll = end === open.input.bytes.length;
  const texts = new TextReader(open.engine);
  const text = (key: string, name: string) => {
    const value = texts.text(signature.get(key));
    return value === undefined ? {} : { [name]: value };
  };
  return {
    field,
    coversAll,
    changes: coversAll ? [] : await changesAfter(open, history, found, end),
    time: isoOfPdfDate(texts.text(signature.get("M")) ?? ""),
    docMdp: levelIn(signature),
    texts: { ...text("Name", "name"), ...text("Reason", "signingReason"), ...text("Location", "location") },
  };
}

function reportOf({
  facts,
  format,
  data,
  stamp,
  integrity,
  stampProblem,
  problem,
  verdicts,
  level,
}: Judged): SignatureReport {
  const { field, coversAll, changes, docMdp, texts } = facts;
  const said = data?.signingTime?.toISOString() ?? facts.time;
  const reason = problem === undefined ? verdicts.chain.reason : `The signature ${problem}.`;
  return {
    field,
    kind: format === STAMP ? "document-timestamp" : "signature",
    format,
    level,
    integrity,
    coverage: coversAll ? "whole-document" : "earlier-revision",
    changesAfter: changes.length === 0 ? "none" : changes.every(({ allowed }) => allowed) ? "allowed" : "forbidden",
    changes: changes.slice(0, MOST_CHANGES),
    signer: data ? factsOf(data.signer) : null,
    chain: verdicts.chain.chain,
    revocation: verdicts.chain.revocation,
    ...(reason !== undefined && { reason }),
    signedAt: stamp?.time.toISOString() ?? said ?? null,
    timeSource: stamp ? "timestamp" : said === undefined ? "none" : "signer",
    ...(stamp && verdicts.timestamp && { timestamp: { signer: factsOf(stamp.signer), ...verdicts.timestamp } }),
    ...(stampProblem !== undefined && {
      timestamp: {
        signer: null,
        chain: "unknown" as const,
        revocation: "not-checked" as const,
        reason: `The time stamp ${stampProblem}.`,
      },
    }),
    ...(docMdp !== undefined && { docMdp }),
    ...texts,
  };
}
