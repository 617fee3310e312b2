/** Certification paths (RFC 5280, 6) up to roots that are given. */
import type { Certificate } from "pkijs";
import { der, isSame } from "./asn1.ts";
import {
  BASIC_CONSTRAINTS,
  constraintsOf,
  distinguishedName,
  EXTENDED_KEY_USAGE,
  KEY_USAGE,
  keyUsageOf,
  nameBytes,
  SIGNING_BITS,
} from "./certificates.ts";
import { isSignedBy } from "./public-key.ts";
import { Unusable } from "./refusal.ts";

/** `unknown`: the certificate of an issuer is missing, or a certificate cannot be judged. */
export type Trust = "trusted" | "untrusted" | "expired" | "unknown";

export interface Verdict {
  readonly chain: Trust;
  /** Why it is not trusted: a sentence. */
  readonly reason?: string;
}

/** Signatures that are verified for one path. */
const MOST_VERIFIED = 100;
const MOST_LENGTH = 10;
/** `keyCertSign` in the first byte of KeyUsage (4.2.1.3). */
const CERTIFICATE_SIGNING = 0b0000_0100;
/** Critical extensions that are judged here, by other extensions, or by whoever looks at the purpose; all others make a path invalid (4.2). */
const KNOWN = new Set([KEY_USAGE, BASIC_CONSTRAINTS, EXTENDED_KEY_USAGE, "2.5.29.17", "2.5.29.32"]);

const bytesOf = (certificate: Certificate): Uint8Array => der(certificate.toSchema());
const isIssuedByName = (one: Certificate, issuer: Certificate): boolean =>
  isSame(nameBytes(one.issuer), nameBytes(issuer.subject));
const nameOf = ({ subject }: Certificate): string => distinguishedName(subject);
const day = (date: Date): string => date.toISOString().slice(0, 10);

/**
 * Judges a certificate by paths to a root. Revocation is not looked at.
 * @param others certificates that paths may lead through
 * @param at the time at which all certificates must be valid
 */
export async function judge(
  leaf: Certificate,
  others: readonly Certificate[],
  roots: readonly Certificate[],
  at: Date,
): Promise<Verdict> {
  if (roots.length === 0) return { chain: "untrusted", reason: "No roots were sent in `trust`." };
  let left = MOST_VERIFIED;
  let problem: Verdict | undefined;
  const isRoot = (one: Certificate): boolean => roots.some((root) => isSame(bytesOf(root), bytesOf(one)));
  const climb = async (path: readonly Certificate[]): Promise<boolean> => {
    const last = path.at(-1);
    if (last === undefined) return false;
    if (isRoot(last)) {
      const invalid = problemOf(path, at);
      problem = invalid ?? problem;
      return invalid === undefined;
    }
    const issuers = [...roots, ...others].filter((one) => isIssuedByName(last, one) && !path.includes(one));
    for (const issuer of path.length < MOST_LENGTH ? issuers : []) {
      if (left-- <= 0) break;
      try {
        if ((await isIssued(last, issuer)) && (await climb([...path, issuer]))) return true;
      } catch (error) {
        problem ??= {
          chain: "unknown",
          reason: `The certificate of ${nameOf(last)} cannot be verified${reasonIn(error)}.`,
        };
      }
    }
    problem ??= isIssuedByName(last, last)
      ? {
          chain: "untrusted",
          reason: `The certificate of ${nameOf(last)} is self-signed, and not among the roots in \`trust\`.`,
        }
      : issuers.length === 0
        ? { chain: "unknown", reason: `The certificate of the issuer ${distinguishedName(last.issuer)} is missing.` }
        : undefined;
    return false;
  };
  if (await climb([leaf])) return { chain: "trusted" };
  return problem ?? { chain: "untrusted", reason: "No path leads to a root in `trust`." };
}

const reasonIn = (error: unknown): string => (error instanceof Unusable ? `: it ${error.message}` : "");

const isIssued = (one: Certificate, issuer: Certificate): Promise<boolean> =>
  isSignedBy(issuer, {
    bytes: new Uint8Array(one.tbsView),
    signature: new Uint8Array(one.signatureValue.valueBlock.valueHexView),
    algorithm: one.signatureAlgorithm.toSchema(),
  });

/** What is wrong with a path from the signer to a root. */
function problemOf(path: readonly Certificate[], at: Date): Verdict | undefined {
  for (const [index, one] of path.entries()) {
    const unknown = (one.extensions ?? []).find(({ critical, extnID }) => critical && !KNOWN.has(extnID));
    if (unknown)
      return {
        chain: "unknown",
        reason: `The certificate of ${nameOf(one)} has a critical extension that is not supported (${unknown.extnID}).`,
      };
    if (index === 0 && ((keyUsageOf(one) ?? SIGNING_BITS) & SIGNING_BITS) === 0)
      return { chain: "untrusted", reason: `The certificate of ${nameOf(one)} is not for signatures.` };
    if (index > 0) {
      const { isAuthority, pathLength } = constraintsOf(one);
      const usage = keyUsageOf(one);
      if (!isAuthority || pathLength < index - 1 || (usage !== undefined && (usage & CERTIFICATE_SIGNING) === 0))
        return { chain: "untrusted", reason: `The certificate of ${nameOf(one)} must not issue the one below it.` };
    }
    const [from, until] = [one.notBefore.value, one.notAfter.value];
    if (until < at) return { chain: "expired", reason: `The certificate of ${nameOf(one)} expired on ${day(until)}.` };
    if (from > at)
      return { chain: "expired", reason: `The certificate of ${nameOf(one)} is not valid before ${day(from)}.` };
  }
  return undefined;
}
