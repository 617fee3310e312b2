/** The report of `verify-signatures` in words, for somebody who received a signed document. */
import { time } from "../../parts/figures.ts";
import { type Block, factsOf, has, type Item, listOf, type Verdict, verdict } from "./blocks.ts";

type Chain = "trusted" | "untrusted" | "expired" | "revoked" | "unknown";

interface Signer {
  readonly subject: string;
  readonly issuer: string;
}

/** A signature, as `verify-signatures` reports it. */
export interface Signature {
  readonly field: string;
  readonly kind: "signature" | "document-timestamp";
  readonly integrity: "intact" | "broken" | "unsupported";
  readonly changesAfter: "none" | "allowed" | "forbidden";
  readonly changes: readonly Change[];
  readonly signer: Signer | null;
  readonly chain: Chain;
  readonly revocation: "good" | "revoked" | "unknown" | "not-checked";
  readonly reason?: string;
  readonly signedAt: string | null;
  readonly timeSource: "timestamp" | "signer" | "none";
  readonly timestamp?: { readonly signer: Signer | null; readonly chain: Chain };
  readonly docMdp?: "no-changes" | "form-filling" | "annotations";
  readonly signingReason?: string;
  readonly location?: string;
}

interface Change {
  readonly text: string;
  readonly allowed: boolean;
  readonly page?: number;
  readonly coversContent?: boolean;
}

export interface SignatureReport {
  readonly signatures: readonly Signature[];
  readonly documentIntact: boolean;
}

export const isSignatureReport = (json: unknown): json is SignatureReport => has(json, "signatures", "documentIntact");

export function signatureBlocks(report: SignatureReport): Block[] {
  return [documentVerdict(report), ...report.signatures.flatMap(oneSignature)];
}

function documentVerdict({ signatures, documentIntact }: SignatureReport): Verdict {
  if (signatures.length === 0)
    return verdict("unsure", "The document has no digital signatures. A drawn signature proves nothing.");
  const [are, them] =
    signatures.length === 1
      ? ["The signature is", "it forbids"]
      : [`All ${signatures.length} signatures are`, "they forbid"];
  if (documentIntact) return verdict("good", `${are} intact, and no change was made that ${them}.`);
  return signatures.every(({ integrity }) => integrity === "unsupported")
    ? verdict("unsure", `${signatures.length === 1 ? "The signature" : "The signatures"} could not be verified.`)
    : verdict("bad", "Do not rely on this document: a signature is not intact, or a change was made that one forbids.");
}

function oneSignature(signature: Signature): Block[] {
  const { kind, signer, signedAt, timeSource, changes, field, signingReason, location, docMdp } = signature;
  const who = signer === null ? "an unknown signer" : nameOf(signer.subject);
  return [
    { kind: "heading", text: `${kind === "document-timestamp" ? "Time stamp by" : "Signed by"} ${who}` },
    integrityOf(signature),
    trustOf(signature, who),
    ...factsOf("Signature", {
      Time: signedAt === null || timeSource === "none" ? "Unknown" : `${time(signedAt)}, ${clockOf(signature)}`,
      Reason: signingReason,
      Place: location,
      Allows: docMdp && ALLOWS[docMdp],
      Certificate:
        signer && `${signer.subject}, issued by ${signer.issuer === signer.subject ? "itself" : signer.issuer}`,
      Field: field,
    }),
    ...listOf("Changes since", changes.map(changeOf)),
    ...listOf("Not checked", notChecked(signature)),
  ];
}

const ALLOWS = {
  "no-changes": "No changes after signing",
  "form-filling": "Filling in fields and further signatures",
  annotations: "Comments, filling in fields, and further signatures",
} as const;

const clockOf = ({ timeSource, timestamp }: Signature): string => {
  if (timeSource !== "timestamp") return "by the signer's own clock";
  return timestamp?.signer ? `confirmed by ${nameOf(timestamp.signer.subject)}` : "confirmed by a time stamp";
};

/** The common name of a certificate's subject, or all of it. */
export function nameOf(subject: string): string {
  const [, name] = /(?:^|[,+])\s*CN=((?:\\.|[^,+\\])+)/i.exec(subject) ?? [];
  return name?.replace(/\\(.)/g, "$1") ?? subject;
}

/** Whether the signed bytes are unchanged, whether later changes are allowed, and what that means. */
function integrityOf({ integrity, changesAfter, reason }: Signature): Verdict {
  const because = reason === undefined ? "" : ` ${reason}`;
  if (integrity === "broken")
    return verdict("bad", `The signature does not match the document. It proves nothing.${because}`);
  if (integrity === "unsupported") return verdict("unsure", `The signature could not be verified.${because}`);
  if (changesAfter === "forbidden")
    return verdict(
      "bad",
      "The document was changed after signing, in ways that are not allowed. It may show something else than what was signed.",
    );
  if (changesAfter === "allowed")
    return verdict(
      "good",
      "The signed contents are unchanged. Only changes that the signature allows were made since.",
    );
  return verdict("good", "The document is unchanged since it was signed.");
}

/** Whether the certificate proves who signed, and what that means. */
function trustOf({ chain, reason, integrity }: Signature, who: string): Verdict {
  const because = reason === undefined || integrity !== "intact" ? "" : ` ${reason}`;
  switch (chain) {
    case "trusted":
      return verdict("good", `The name is confirmed: the certificate of ${who} leads to a root that you trust.`);
    case "untrusted":
      return verdict(
        "unsure",
        "The name is not confirmed: the certificate leads to no root in `trust`. Anyone can make a certificate with this name.",
      );
    case "expired":
      return verdict("bad", `The name is not confirmed: a certificate was not valid at that time.${because}`);
    case "revoked":
      return verdict("bad", `The name is not confirmed: a certificate had been revoked.${because}`);
    case "unknown":
      return verdict("unsure", `The name could not be confirmed.${because}`);
  }
}

function changeOf({ text, page, allowed, coversContent }: Change): Item {
  const notes = [
    allowed ? "Allowed." : "**Not allowed.**",
    ...(coversContent === true ? ["**It may hide text or images of the signed page.**"] : []),
  ];
  return { text: [text, ...notes].join(" "), ...(page === undefined ? {} : { page }) };
}

/** What the verdict leaves open. */
function notChecked({ integrity, chain, revocation, timeSource, timestamp }: Signature): Item[] {
  const open: string[] = [];
  if (integrity !== "intact") return [];
  if (chain === "untrusted") open.push("Who signed. Send the root certificates that you trust as `trust`.");
  if (revocation === "not-checked")
    open.push(
      chain === "trusted"
        ? "Whether a certificate was revoked: nobody was asked."
        : "Whether a certificate was revoked. Only issuers below a root in `trust` are asked.",
    );
  if (revocation === "unknown") open.push("Whether a certificate was revoked: an issuer gave no usable response.");
  if (timeSource === "signer") open.push("The time. The signer can set this clock to any time.");
  if (timeSource === "timestamp" && timestamp !== undefined && timestamp.chain !== "trusted")
    open.push("The time. The certificate of the time stamp is not confirmed either.");
  return open.map((text) => ({ text }));
}
