/** The verdicts of `verify-signatures` and `validate` in words, for people who have not read the reference. */
import { time } from "../../parts/figures.ts";

export interface Verdict {
  readonly tone: "good" | "bad" | "unsure";
  readonly text: string;
}

/** A signature, as `verify-signatures` reports it. */
export interface Signature {
  readonly field: string;
  readonly kind: "signature" | "document-timestamp";
  readonly integrity: "intact" | "broken" | "unsupported";
  readonly changesAfter: "none" | "allowed" | "forbidden";
  readonly changes: readonly Change[];
  readonly signer: { readonly subject: string; readonly issuer: string } | null;
  readonly chain: "trusted" | "untrusted" | "expired" | "revoked" | "unknown";
  readonly reason?: string;
  readonly signedAt: string | null;
  readonly timeSource: "timestamp" | "signer" | "none";
  readonly signingReason?: string;
  readonly location?: string;
}

export interface Change {
  readonly text: string;
  readonly allowed: boolean;
  readonly page?: number;
  readonly coversContent?: boolean;
}

export interface SignatureReport {
  readonly signatures: readonly Signature[];
  readonly documentIntact: boolean;
}

/** What `validate` reports. */
export interface ConformanceReport {
  readonly profile: string;
  readonly conforms: boolean;
  readonly claimed: string | null;
  readonly coverage: { readonly rules: number; readonly of: number };
  readonly failures: readonly {
    readonly clause: string;
    readonly test: number;
    readonly message: string;
    readonly count: number;
    readonly first: { readonly object: number | null; readonly page: number | null; readonly context: string | null };
  }[];
}

const has = (json: unknown, ...names: readonly string[]): boolean =>
  typeof json === "object" && json !== null && names.every((name) => name in json);

export const isSignatureReport = (json: unknown): json is SignatureReport => has(json, "signatures", "documentIntact");
export const isConformanceReport = (json: unknown): json is ConformanceReport => has(json, "conforms", "failures");

/** The common name of a certificate's subject, or all of it. */
export function nameOf(subject: string): string {
  const [, name] = /(?:^|[,+])\s*CN=((?:\\.|[^,+\\])+)/i.exec(subject) ?? [];
  return name?.replace(/\\(.)/g, "$1") ?? subject;
}

/** Who signed, and when. */
export function signedBy({ kind, signer, signedAt, timeSource }: Signature): string {
  const who = signer === null ? "an unknown signer" : nameOf(signer.subject);
  const verb = kind === "document-timestamp" ? "Time stamp by" : "Signed by";
  if (signedAt === null || timeSource === "none") return `${verb} ${who}, at an unknown time`;
  const source = timeSource === "timestamp" ? "confirmed by a time stamp" : "by the signer's own clock";
  return `${verb} ${who} on ${time(signedAt)}, ${source}`;
}

/** Whether the signed bytes are unchanged, and whether later changes are allowed. */
export function integrityOf({ integrity, changesAfter, reason }: Signature): Verdict {
  const because = reason === undefined ? "" : ` ${reason}`;
  if (integrity === "broken") return { tone: "bad", text: `The signature is not valid.${because}` };
  if (integrity === "unsupported") return { tone: "unsure", text: `The signature could not be judged.${because}` };
  if (changesAfter === "forbidden")
    return { tone: "bad", text: "The document was changed after signing, in ways that are not allowed." };
  if (changesAfter === "allowed")
    return { tone: "good", text: "What was signed is unchanged. Later additions are of kinds that are allowed." };
  return { tone: "good", text: "The document is unchanged since it was signed." };
}

/** Whether the certificate proves who signed. */
export function trustOf({ chain, reason, integrity }: Signature): Verdict {
  const because = reason === undefined || integrity !== "intact" ? "" : ` ${reason}`;
  switch (chain) {
    case "trusted":
      return { tone: "good", text: "The certificate leads to a root that you trust." };
    case "untrusted":
      return {
        tone: "unsure",
        text: "Who signed is not proved: the certificate leads to no root in `trust`. Send the roots that you trust to find out.",
      };
    case "expired":
      return { tone: "bad", text: `A certificate was not valid at that time.${because}` };
    case "revoked":
      return { tone: "bad", text: `A certificate had been revoked.${because}` };
    case "unknown":
      return { tone: "unsure", text: `Who signed could not be determined.${because}` };
  }
}

export function documentVerdict({ signatures, documentIntact }: SignatureReport): Verdict {
  if (signatures.length === 0) return { tone: "unsure", text: "The document has no digital signatures." };
  const [are, them] =
    signatures.length === 1
      ? ["The signature is", "it forbids"]
      : [`All ${signatures.length} signatures are`, "they forbid"];
  return documentIntact
    ? { tone: "good", text: `${are} intact, and no change was made that ${them}.` }
    : {
        tone: "bad",
        text: "A signature is not intact, or the document was changed in a way that a signature forbids.",
      };
}

export function conformanceVerdict({ profile, conforms, claimed, coverage, failures }: ConformanceReport): Verdict {
  const claim =
    claimed === null
      ? " It does not claim PDF/A."
      : claimed === profile
        ? " It claims to."
        : ` It claims PDF/A-${claimed}.`;
  if (conforms) return { tone: "good", text: `The document conforms to PDF/A-${profile}.${claim}` };
  if (failures.length > 0) {
    const rules = failures.length === 1 ? "a rule" : `${failures.length} rules`;
    return { tone: "bad", text: `The document does not conform to PDF/A-${profile}: it breaks ${rules}.${claim}` };
  }
  return {
    tone: "unsure",
    text: `No rule of PDF/A-${profile} is broken, but only ${coverage.rules} of ${coverage.of} could be checked.${claim}`,
  };
}
