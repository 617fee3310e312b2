/** Certification paths (RFC 5280, 6) up to roots that are given. */
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import { isSame } from "./asn1.ts";
import {
  type Certificate,
  ALTERNATIVE_NAMES,
  BASIC_CONSTRAINTS,
  constraintsOf,
  DISTRIBUTION_POINTS,
  distinguishedName,
  EXTENDED_KEY_USAGE,
  hasNoRevocation,
  KEY_USAGE,
  keyUsageOf,
  NAME_CONSTRAINTS,
  purposesOf,
  SIGNING_BITS,
} from "./certificates.ts";
import type { Pool } from "./pool.ts";
import { allowsNames } from "./name-constraints.ts";
import { isIssuedBy, SIGNATURE_WORK } from "./public-key.ts";
import { Unusable } from "./refusal.ts";
import { leadsThroughRevoked, leadsThroughUnchecked, leadsThroughUnknown, noPathToRoot } from "./problems.ts";
import type { Asked, Revocations, RevocationStatus } from "./revocation.ts";

/** `unknown`: the certificate of an issuer is missing, or a certificate cannot be judged. */
export type Trust = "trusted" | "untrusted" | "expired" | "revoked" | "unknown";

/** `unknown`: no source gave a usable response. `not-checked`: there is no source, or none was requested. */
export type Revocation = "good" | "revoked" | "unknown" | "not-checked";

export interface Verdict {
  readonly chain: Trust;
  readonly revocation: Revocation;
  /** Why it is not trusted: a sentence. */
  readonly reason?: string;
}

/** The use of a certificate. */
export type Purpose = "documents" | "time-stamps";

/** Purposes of certificates for documents, if they have any (4.2.1.12; RFC 9336): also any purpose, and those of Adobe and Microsoft. */
const DOCUMENTS = new Set([
  "1.3.6.1.5.5.7.3.4",
  "1.3.6.1.5.5.7.3.36",
  "2.5.29.37.0",
  "1.2.840.113583.1.1.5",
  "1.3.6.1.4.1.311.10.3.12",
]);

/** A certificate and its known issuers: each is issued by the next. */
export type Path = readonly Certificate[];

type Problem = Pick<Verdict, "chain" | "reason">;

/** `keyCertSign` in the first byte of KeyUsage (4.2.1.3). */
const CERTIFICATE_SIGNING = 0b0000_0100;
/** Critical extensions that are judged here, by other extensions, or by the check of the purpose. All others make a path invalid (4.2). */
const KNOWN = new Set([
  KEY_USAGE,
  BASIC_CONSTRAINTS,
  EXTENDED_KEY_USAGE,
  DISTRIBUTION_POINTS,
  ALTERNATIVE_NAMES,
  NAME_CONSTRAINTS,
  "2.5.29.32",
]);

const isIssuedByName = (one: Certificate, issuer: Certificate): boolean =>
  isSame(one.issuer.bytes, issuer.subject.bytes);
const nameOf = ({ subject }: Certificate): string => distinguishedName(subject);
const day = (date: Date): string => date.toISOString().slice(0, 10);
const isAmong = (one: Certificate, others: readonly Certificate[]): boolean =>
  others.some((other) => other.identity === one.identity);
const isSelfIssued = (one: Certificate): boolean => isIssuedByName(one, one);

/**
 * Judges a certificate by paths to a root.
 * @param pool the roots, and certificates that paths may lead through
 * @param asked the time at which all certificates must be valid, their purpose, and the method of looking for revocation
 */
export async function judge(
  leaf: Certificate,
  pool: Pool,
  roots: readonly Certificate[],
  revocations: Revocations,
  asked: Asked & { readonly purpose: Purpose },
): Promise<Verdict> {
  const path = await pathToRoot(leaf, pool, roots, asked);
  if (!Array.isArray(path)) return { revocation: "not-checked", ...(path as Problem) };
  return judgeRevocation(path, revocations, asked);
}

async function judgeRevocation(path: Path, revocations: Revocations, asked: Asked): Promise<Verdict> {
  const found = await statusesOf(path, revocations, asked);
  const revoked = found.find(({ status }) => status.status === "revoked");
  if (revoked?.status.status === "revoked") {
    const reason = `The certificate of ${nameOf(revoked.certificate)} was revoked on ${day(revoked.status.on)}.`;
    return { chain: "revoked", revocation: "revoked", reason };
  }
  const unknown = found.find(({ status }) => status.status === "unknown");
  if (unknown?.status.status === "unknown") {
    const reason = `Whether the certificate of ${nameOf(unknown.certificate)} was revoked is not known: ${unknown.status.problem}.`;
    // A client that wants no requests to issuers accepts the available data.
    return asked.asks === false
      ? { chain: "trusted", revocation: "not-checked" }
      : { chain: "unknown", revocation: "unknown", reason };
  }
  const isGood = found.every(({ status }) => status.status === "good");
  return { chain: "trusted", revocation: found.length > 0 && isGood ? "good" : "not-checked" };
}

/** The status of each certificate that has an issuer in the path. The last one is trusted, or has no issuer. */
async function statusesOf(
  path: Path,
  revocations: Revocations,
  asked: Asked,
): Promise<{ certificate: Certificate; status: RevocationStatus }[]> {
  const found: { certificate: Certificate; status: RevocationStatus }[] = [];
  for (const [index, issuer] of path.slice(1).entries()) {
    const certificate = path[index];
    if (certificate) found.push({ certificate, status: await revocations.statusOf(certificate, issuer, asked) });
  }
  return found;
}

/** A path of valid certificates to a root, or why there is none. */
async function pathToRoot(
  leaf: Certificate,
  pool: Pool,
  roots: readonly Certificate[],
  { at, purpose }: Pick<Asked, "at"> & { readonly purpose: Purpose },
): Promise<Path | Problem> {
  if (roots.length === 0) return { chain: "untrusted", reason: "No roots were sent in `trust`." };
  let left = limits.certificates.chainSignatures;
  let problem: Problem | undefined;
  const climb = async (path: Path): Promise<Path | undefined> => {
    const last = path.at(-1);
    if (last === undefined) return undefined;
    if (isAmong(last, roots)) {
      const invalid = problemOf(path, at, purpose);
      problem = invalid ?? problem;
      return invalid === undefined ? path : undefined;
    }
    const issuers = pool.issuersOf(last).filter((one) => !isAmong(one, path));
    for (const issuer of path.length < limits.certificates.chain ? issuers : []) {
      if (left-- <= 0) break;
      pool.work.spend(SIGNATURE_WORK);
      await pool.work.pause();
      try {
        const found = (await isIssuedBy(last, issuer)) ? await climb([...path, issuer]) : undefined;
        if (found) return found;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        problem ??= {
          chain: "unknown",
          reason: `The certificate of ${nameOf(last)} cannot be verified${reasonIn(error)}.`,
        };
      }
    }
    problem ??= isSelfIssued(last)
      ? {
          chain: "untrusted",
          reason: `The certificate of ${nameOf(last)} is self-signed, and not among the roots in \`trust\`.`,
        }
      : issuers.length === 0
        ? { chain: "unknown", reason: `The certificate of the issuer ${distinguishedName(last.issuer)} is missing.` }
        : undefined;
    return undefined;
  };
  return (await climb([leaf])) ?? problem ?? { chain: "untrusted", reason: "No path leads to a root in `trust`." };
}

const reasonIn = (error: unknown): string => (error instanceof Unusable ? `: it ${error.message}` : "");

/** The problem with a path from the signer to a root. */
function problemOf(path: Path, at: Date, purpose: Purpose): Problem | undefined {
  try {
    return problemIn(path, at, purpose);
  } catch (error) {
    const what = error instanceof Unusable ? error.message : "has an extension that cannot be read";
    return { chain: "unknown", reason: `A certificate of the chain ${what}.` };
  }
}

function problemIn(path: Path, at: Date, purpose: Purpose): Problem | undefined {
  for (const [index, one] of path.entries()) {
    const unknown = one.extensions.find(({ isCritical, type }) => isCritical && !KNOWN.has(type));
    if (unknown)
      return {
        chain: "unknown",
        reason: `The certificate of ${nameOf(one)} has a critical extension that is not supported (${unknown.type}).`,
      };
    if (new Set(one.extensions.map(({ type }) => type)).size !== one.extensions.length)
      return { chain: "unknown", reason: `The certificate of ${nameOf(one)} has an extension twice.` };
    if (index === 0 && ((keyUsageOf(one) ?? SIGNING_BITS) & SIGNING_BITS) === 0)
      return { chain: "untrusted", reason: `The certificate of ${nameOf(one)} is not for signatures.` };
    if (index === 0 && purpose === "documents" && purposesOf(one)?.some((usage) => DOCUMENTS.has(usage)) === false)
      return { chain: "untrusted", reason: `The certificate of ${nameOf(one)} is not for documents or e-mail.` };
    if (index > 0) {
      const { isAuthority, pathLength } = constraintsOf(one);
      const usage = keyUsageOf(one);
      if (!isAuthority || pathLength < index - 1 || (usage !== undefined && (usage & CERTIFICATE_SIGNING) === 0))
        return { chain: "untrusted", reason: `The certificate of ${nameOf(one)} must not issue the one below it.` };
      const forbidden = path
        .slice(0, index)
        .find((below, at) => (at === 0 || !isSelfIssued(below)) && !allowsNames(one, below));
      if (forbidden)
        return {
          chain: "untrusted",
          reason: `The certificate of ${nameOf(one)} does not allow a name in that of ${nameOf(forbidden)}.`,
        };
    }
    const [from, until] = [one.notBefore, one.notAfter];
    if (until < at) return { chain: "expired", reason: `The certificate of ${nameOf(one)} expired on ${day(until)}.` };
    if (from > at)
      return { chain: "expired", reason: `The certificate of ${nameOf(one)} is not valid before ${day(from)}.` };
  }
  return undefined;
}

/**
 * The path from a certificate to one that is self-issued or trusted.
 * @param asks asks issuers for their own certificates where they are missing
 * @throws Unusable if one is missing
 */
export async function pathOf(
  leaf: Certificate,
  pool: Pool,
  roots: readonly Certificate[],
  asks?: Revocations,
): Promise<Path> {
  const path = [leaf];
  for (let last = leaf; !isSelfIssued(last) && !isAmong(last, roots);) {
    const issuer = await issuerOf(last, pool, path, asks);
    if (issuer === undefined || path.length >= limits.certificates.chain)
      throw noPathToRoot(distinguishedName(last.issuer));
    path.push(issuer);
    last = issuer;
  }
  return path;
}

async function issuerOf(
  last: Certificate,
  pool: Pool,
  path: Path,
  asks: Revocations | undefined,
): Promise<Certificate | undefined> {
  const isIssuer = async (one: Certificate): Promise<boolean> => {
    pool.work.spend(SIGNATURE_WORK);
    await pool.work.pause();
    return isIssuedByName(last, one) && !isAmong(one, path) && (await isIssuedBy(last, one));
  };
  for (const one of pool.issuersOf(last)) if (await isIssuer(one)) return one;
  const fetched = await asks?.issuerOf(last);
  return fetched && (await isIssuer(fetched)) ? fetched : undefined;
}

/**
 * The proofs that no certificate of a path was revoked.
 * @throws Unusable if one was, or if its status is not known
 */
export async function proofsFor(path: Path, revocations: Revocations, asked: Asked): Promise<RevocationStatus[]> {
  const found = await statusesOf(path, revocations, asked);
  for (const { certificate, status } of found) {
    const name = nameOf(certificate);
    if (status.status === "revoked") throw leadsThroughRevoked(name, day(status.on));
    if (status.status === "unknown") throw leadsThroughUnknown(name, status.problem);
    if (status.status === "none" && !hasNoRevocation(certificate)) throw leadsThroughUnchecked(name);
  }
  return found.map(({ status }) => status);
}
