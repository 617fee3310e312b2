/** Verifies the digital signatures of a document (ISO 32000-2, 12.8), and finds what was changed after each. */
import type { Certificate } from "pkijs";
import { Refusal } from "../../errors.ts";
import { partOf } from "../../bytes/joined-bytes.ts";
import { certificateOf, type CertificateFacts, factsOf } from "../../cms/certificates.ts";
import { judge, type Trust, type Verdict } from "../../cms/chain.ts";
import { Unusable } from "../../cms/refusal.ts";
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
import type { OpenPdf } from "../document/document.ts";
import { isoOfPdfDate } from "../objects/dates.ts";
import { eachItem } from "../objects/objects.ts";
import { TextReader } from "../objects/text-string.ts";
import type { Covered } from "./byte-range.ts";
import { changesAfter, type DocMdp, levelIn, type ReportedChange } from "./changes-after.ts";
import { coveredIn, findSignatures, type FoundSignature } from "./fields.ts";
import { digestOfParts } from "./digest.ts";

/** Certificates of the document security store that are looked at. */
const MOST_STORED = 100;
/** Changes that are listed for a signature. */
const MOST_CHANGES = 100;

/** Formats whose value is a CMS signature over the bytes themselves (12.8.3.3), with what they contain. */
const DETACHED = new Set(["adbe.pkcs7.detached", "ETSI.CAdES.detached"]);
const CADES = "ETSI.CAdES.detached";
const STAMP = "ETSI.RFC3161";

export interface SignatureReport {
  /** Full name. */
  readonly field: string;
  readonly kind: "signature" | "document-timestamp";
  readonly format: string;
  readonly level: "b-b" | "b-t" | null;
  readonly integrity: "intact" | "broken";
  readonly coverage: "whole-document" | "earlier-revision";
  readonly changesAfter: "none" | "allowed" | "forbidden";
  readonly changes: ReportedChange[];
  readonly signer: CertificateFacts | null;
  readonly chain: Trust;
  /** Why it is broken, or its chain is not trusted. */
  readonly reason?: string;
  /** ISO 8601. */
  readonly signedAt: string | null;
  readonly timeSource: "timestamp" | "signer" | "none";
  readonly timestamp?: { readonly signer: CertificateFacts | null; readonly chain: Trust; readonly reason?: string };
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

/** The file, and the certificates of its document security store (12.8.4.3). */
interface File {
  readonly open: OpenPdf;
  readonly stored: readonly Certificate[];
}

/**
 * Verifies all signatures, in the order of the revisions that they cover.
 * @param roots certificates that are trusted
 * @param now the time at which certificates must be valid, where no trusted time stamp says otherwise
 * @throws Refusal `limit_exceeded` beyond 50 signatures
 */
export async function verifySignatures(
  open: OpenPdf,
  roots: readonly Certificate[],
  now: Date,
): Promise<SignaturesReport> {
  const found = await findSignatures(open);
  const stored = await storedCertificates(open);
  const file = { open, stored };
  const checked: Checked[] = [];
  for (const one of found) checked.push(await check(file, one));
  // A trusted time stamp proves when all before it was there: from the newest to the oldest.
  const pool = checked.flatMap(({ data, stamp }) => [...(data?.certificates ?? []), ...(stamp?.certificates ?? [])]);
  let proven = now;
  const judged: (Checked & { verdicts: Verdicts })[] = [];
  for (const one of checked.toReversed()) {
    const verdicts = await verdictsOf(one, [...pool, ...stored], roots, proven);
    if (one.stamp && one.found.format === STAMP && one.problem === undefined && verdicts.chain.chain === "trusted")
      proven = one.stamp.time;
    judged.unshift({ ...one, verdicts });
  }
  const signatures: SignatureReport[] = [];
  for (const one of judged) signatures.push(await reportOf(open, one));
  const documentIntact =
    signatures.length > 0 &&
    signatures.every(({ integrity, changesAfter }) => integrity === "intact" && changesAfter !== "forbidden");
  return { signatures, documentIntact };
}

interface Checked {
  readonly found: FoundSignature;
  readonly data: SignedData | undefined;
  /** The time stamp over the signature, or that the signature is. */
  readonly stamp: TimeStamp | undefined;
  /** Why it is broken, and why the time stamp over it cannot be used: ends of sentences. */
  readonly problem: string | undefined;
  readonly stampProblem: string | undefined;
}

/** Checks a signature and its digest. */
async function check({ open, stored }: File, found: FoundSignature): Promise<Checked> {
  const { engine } = open;
  let data: SignedData | undefined;
  let stamp: TimeStamp | undefined;
  try {
    const covered = coveredIn(open, found);
    data = readSignedData(covered.contents, stored);
    if (found.format === STAMP) {
      stamp = await readTimeStamp(data);
      const digest = await digestOf(open, covered, stamp.imprint.hash);
      if (!isSame(stamp.imprint.digest, digest))
        throw new Unusable("does not fit: the digest of the stamped bytes differs");
    } else if (DETACHED.has(found.format)) {
      if (data.content !== undefined) throw new Unusable("has content of its own, in place of the bytes of the file");
      const digest = await digestOf(open, covered, data.hash);
      await verifySignedData(data, ID_DATA, digest, { needsCertificate: found.format === CADES });
    } else throw new Unusable(`has a format that is not supported (${found.format || "none"})`);
    const stamped = data.token && (await checkStamp(data.token, data, stored));
    return { found, data, stamp: stamp ?? stamped?.stamp, stampProblem: stamped?.problem, problem: undefined };
  } catch (error) {
    if (error instanceof Refusal || engine.isFailure(error)) throw error;
    const problem = error instanceof Unusable ? error.message : "cannot be read";
    // Whatever a broken signature says, its time and its certificate prove nothing.
    return { found, data, stamp: undefined, stampProblem: undefined, problem };
  }
}

/** Checks the time stamp over a signature. */
async function checkStamp(
  token: Uint8Array,
  data: SignedData,
  stored: readonly Certificate[],
): Promise<{ stamp?: TimeStamp; problem?: string }> {
  try {
    return { stamp: await readStampOver(data, token, stored) };
  } catch (error) {
    return { problem: error instanceof Unusable ? error.message : "cannot be read" };
  }
}

/** Certificates that cannot be read are left out: a chain that needs them is not trusted. */
async function storedCertificates({ engine, document }: OpenPdf): Promise<Certificate[]> {
  const certificates: Certificate[] = [];
  for await (const stream of eachItem(engine, document.getTrailer().get("Root", "DSS", "Certs"))) {
    if (!stream.isStream() || certificates.length >= MOST_STORED) continue;
    try {
      const buffer = stream.readStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      engine.countDecoded(bytes.length);
      certificates.push(certificateOf(bytes));
    } catch (error) {
      if (error instanceof Refusal) throw error;
    }
  }
  return certificates;
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

async function verdictsOf(
  { data, stamp, found, problem }: Checked,
  pool: readonly Certificate[],
  roots: readonly Certificate[],
  proven: Date,
): Promise<Verdicts> {
  if (data === undefined || problem !== undefined) return { chain: { chain: "unknown" }, timestamp: undefined };
  if (found.format === STAMP) return { chain: await judge(data.signer, pool, roots, proven), timestamp: undefined };
  const timestamp = stamp && (await judge(stamp.signer, pool, roots, proven));
  const at = stamp && timestamp?.chain === "trusted" ? stamp.time : proven;
  return { chain: await judge(data.signer, pool, roots, at), timestamp };
}

async function reportOf(
  open: OpenPdf,
  { found, data, stamp, stampProblem, problem, verdicts }: Checked & { verdicts: Verdicts },
): Promise<SignatureReport> {
  const { signature, field, format, end } = found;
  const { length } = open.input.bytes;
  const texts = new TextReader(open.engine);
  const isStamp = format === STAMP;
  const changes = end === length ? [] : await changesAfter(open, found, end);
  const said = data?.signingTime?.toISOString() ?? isoOfPdfDate(texts.text(signature.get("M")) ?? "");
  const reason = problem === undefined ? verdicts.chain.reason : `The signature ${problem}.`;
  const docMdp = levelIn(signature);
  const text = (key: string, name: string) => {
    const value = texts.text(signature.get(key));
    return value === undefined ? {} : { [name]: value };
  };
  return {
    field,
    kind: isStamp ? "document-timestamp" : "signature",
    format,
    level: format !== CADES || problem !== undefined ? null : stamp ? "b-t" : "b-b",
    integrity: problem === undefined ? "intact" : "broken",
    coverage: end === length ? "whole-document" : "earlier-revision",
    changesAfter: changes.length === 0 ? "none" : changes.every(({ allowed }) => allowed) ? "allowed" : "forbidden",
    changes: changes.slice(0, MOST_CHANGES),
    signer: data ? factsOf(data.signer) : null,
    chain: verdicts.chain.chain,
    ...(reason !== undefined && { reason }),
    signedAt: stamp?.time.toISOString() ?? said ?? null,
    timeSource: stamp ? "timestamp" : said === undefined ? "none" : "signer",
    ...(stamp && verdicts.timestamp && { timestamp: { signer: factsOf(stamp.signer), ...verdicts.timestamp } }),
    ...(stampProblem !== undefined && {
      timestamp: { signer: null, chain: "unknown" as const, reason: `The time stamp ${stampProblem}.` },
    }),
    ...(docMdp !== undefined && { docMdp }),
    ...text("Name", "name"),
    ...text("Reason", "signingReason"),
    ...text("Location", "location"),
  };
}
