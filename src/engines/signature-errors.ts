/** The Refusals of signatures, one function for each situation. */
import { limits } from "../limits.ts";
import { Refusal } from "./errors.ts";

// invalid_certificate

/** `problem`: the end of a sentence that begins with the name of the field, as the message of an `Unusable`. */
export const invalidCertificate = (field: string, problem: string, cause?: unknown): Refusal =>
  new Refusal("invalid_certificate", `\`${field}\` ${problem}.`, { input: field }, { cause });

export const protectedWithKey = (field: string): Refusal =>
  invalidCertificate(field, "is protected with a public key, not with a password");

export const certificatePasswordNeeded = (field: string): Refusal =>
  invalidCertificate(field, "needs its password in `certificatePassword`");

export const certificatePasswordIncorrect = (field: string): Refusal =>
  invalidCertificate(field, "cannot be opened with the password in `certificatePassword`");

export const noPrivateKey = (field: string): Refusal => invalidCertificate(field, "has no private key");

export const severalPrivateKeys = (field: string): Refusal =>
  invalidCertificate(field, "has several private keys. Send a file with one");

export const notPkcs8 = (field: string): Refusal =>
  invalidCertificate(
    field,
    "must be a PKCS#8 key in PEM (-----BEGIN PRIVATE KEY-----). `openssl pkcs8 -topk8` converts others",
  );

export const certificateMissing = (field: string): Refusal => invalidCertificate(field, "has no certificate");

/** `keyField`: the parameter with the private key. */
export const keyWithoutCertificate = (field: string, keyField: string): Refusal =>
  invalidCertificate(field, `has no certificate of the private key in \`${keyField}\``);

/** `type`: its object identifier. */
export const keyKindUnsupported = (field: string, type: string): Refusal =>
  invalidCertificate(field, `has a key of a kind that is not supported (${type}): use RSA, P-256, or P-384`);

export const keySizeUnsupported = (field: string, bits: number): Refusal =>
  invalidCertificate(
    field,
    `has an RSA key of ${bits} bits: it must have ${limits.certificates.rsaBits} to ${limits.certificates.mostRsaBits}`,
  );

export const curveUnsupported = (field: string): Refusal =>
  invalidCertificate(field, "has a key on a curve that is not supported: use P-256 or P-384");

export const digestNotAllowed = (field: string, digest: string): Refusal =>
  invalidCertificate(field, `has a key whose certificate does not allow the digest ${digest}: send another \`digest\``);

const day = (date: Date): string => date.toISOString().slice(0, 10);

export const certificateExpired = (field: string, until: Date): Refusal =>
  invalidCertificate(field, `has a certificate that expired on ${day(until)}`);

export const certificateNotYetValid = (field: string, from: Date): Refusal =>
  invalidCertificate(field, `has a certificate that is not valid before ${day(from)}`);

export const certificateNotForSigning = (field: string): Refusal =>
  invalidCertificate(field, "has a certificate whose key usage does not allow digital signatures");

/** `problem`: the end of a sentence that begins with the chain. */
export const chainRevoked = (field: string, problem: string): Refusal =>
  invalidCertificate(field, `has a certificate chain that ${problem}`);

// timestamp_failed

/** `problem`: the end of a sentence that begins with the service, as the message of an `Unusable`. */
export const timestampFailed = (problem: string, cause?: unknown): Refusal =>
  new Refusal("timestamp_failed", `The time-stamp service ${problem}.`, undefined, { cause });

export const timestampNotGranted = (status: number): Refusal =>
  timestampFailed(`did not grant the request (status ${status})`);

export const noToken = (): Refusal => timestampFailed("sent no token");

/** `problem`: the end of a sentence that begins with the token. */
export const tokenUnusable = (problem: string, cause: unknown): Refusal =>
  timestampFailed(`sent a token that ${problem}`, cause);

export const tokenTooLarge = (): Refusal => timestampFailed("sent a token that is too large");

export const timestampUnreadable = (cause: unknown): Refusal =>
  timestampFailed("sent a response that cannot be read", cause);

export const stampedOther = (): Refusal => timestampFailed("stamped something else");

export const otherNonce = (): Refusal => timestampFailed("answered another request: the nonce differs");

export const stampChainRevoked = (problem: string): Refusal =>
  timestampFailed(`has a certificate chain that ${problem}`);

// revocation_unavailable

/** `problem`: the end of a sentence that begins with the chain of certificates. */
export const revocationUnavailable = (whose: "signer" | "time-stamp service", problem: string): Refusal =>
  new Refusal("revocation_unavailable", `The certificate chain of the ${whose} ${problem}.`);

// signature_forbidden

const forbidden = (field: string, message: string): Refusal => new Refusal("signature_forbidden", message, { field });

export const fieldLocked = (field: string): Refusal =>
  forbidden(field, `An earlier signature locks the field \`${field}\`, or allows no changes at all.`);

export const noVisibleSignature = (field: string): Refusal =>
  forbidden(
    field,
    "The document is certified and allows no new visible signature. Sign a field that it has, or leave out `field`.",
  );

/** `what`: a noun, or a clause with "that". */
export const fieldRequires = (field: string, what: string): Refusal =>
  forbidden(field, `The field \`${field}\` requires ${what}.`);

// already_signed

/** `field`: the first that is signed. */
export const certifiesFirst = (field: string | undefined): Refusal =>
  new Refusal("already_signed", "The document is already signed: only its first signature can certify it.", { field });

export const fieldSigned = (field: string): Refusal =>
  new Refusal("already_signed", `The field \`${field}\` is already signed.`, { field });
