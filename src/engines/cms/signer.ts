/** A private key that fits a certificate, and how it signs (RFC 5652, RFC 4055, RFC 5753). */
import type { AsnType } from "asn1js";
import { limits } from "../../limits.ts";
import { children, der, hasTag, integer, isSame, nothing, oid, oidOf, parse, sequence, tagged } from "./asn1.ts";
import { type Certificate, keyUsageOf, SIGNING_BITS } from "./certificates.ts";
import type { Credentials } from "./credentials.ts";
import { CURVES, EC, plainSpki, RSA, RSA_PSS } from "./public-key.ts";
import { readable } from "./refusal.ts";
import {
  certificateExpired,
  certificateMissing,
  certificateNotForSigning,
  certificateNotYetValid,
  curveUnsupported,
  digestNotAllowed,
  keyKindUnsupported,
  keySizeUnsupported,
  keyWithoutCertificate,
} from "../signature-errors.ts";

export type DigestName = "sha256" | "sha384" | "sha512";

/** Names in WebCrypto, object identifiers (RFC 5754), and sizes in bytes. */
export const DIGESTS = {
  sha256: {
    hash: "SHA-256",
    oid: "2.16.840.1.101.3.4.2.1",
    bytes: 32,
    rsa: "1.2.840.113549.1.1.11",
    ecdsa: "1.2.840.10045.4.3.2",
  },
  sha384: {
    hash: "SHA-384",
    oid: "2.16.840.1.101.3.4.2.2",
    bytes: 48,
    rsa: "1.2.840.113549.1.1.12",
    ecdsa: "1.2.840.10045.4.3.3",
  },
  sha512: {
    hash: "SHA-512",
    oid: "2.16.840.1.101.3.4.2.3",
    bytes: 64,
    rsa: "1.2.840.113549.1.1.13",
    ecdsa: "1.2.840.10045.4.3.4",
  },
} as const;

/** An AlgorithmIdentifier of a digest, without parameters (RFC 5754, 2). */
export const digestAlgorithm = (digest: DigestName): AsnType => sequence(oid(DIGESTS[digest].oid));

export interface Signer {
  readonly certificate: Certificate;
  /** The certificates from the signer's on, each issued by the next, as far as they were sent. */
  readonly chain: readonly Certificate[];
  readonly signatureAlgorithm: AsnType;
  sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

const MGF1 = "1.2.840.113549.1.1.8";

/** Data that are signed to check whether a key fits a certificate. */
const PROBE = new TextEncoder().encode("pdf-service: does this key fit its certificate?");

interface Kind {
  readonly importAlgorithm: Parameters<SubtleCrypto["importKey"]>[2];
  readonly signAlgorithm: Parameters<SubtleCrypto["sign"]>[0];
  readonly signatureAlgorithm: AsnType;
  /** Size of a coordinate in bytes, for elliptic curves. */
  readonly coordinateBytes?: number;
}

/**
 * Finds the certificate of the key.
 * @throws Refusal `invalid_certificate` if none fits, or it must not sign, or not now
 */
export async function signerOf({ privateKey, certificates, fields }: Credentials, digest: DigestName): Promise<Signer> {
  if (certificates.length === 0) throw certificateMissing(fields.certificates);
  const found = await readable(fields.key, "does not have a private key that can be read", () =>
    findSigner(privateKey, certificates, digest, fields.key),
  );
  privateKey.fill(0);
  if (found === undefined) throw keyWithoutCertificate(fields.certificates, fields.key);
  const { certificate, kind, key } = found;
  await readable(fields.certificates, "has a certificate that cannot be read", async () =>
    checkUse(certificate, fields.certificates),
  );
  return {
    certificate,
    chain: chainFrom(certificate, certificates),
    signatureAlgorithm: kind.signatureAlgorithm,
    sign: async (bytes) => {
      const signature = new Uint8Array(await crypto.subtle.sign(kind.signAlgorithm, key, bytes));
      return kind.coordinateBytes === undefined ? signature : ecdsaSignature(signature);
    },
  };
}

/**
 * A signer whose key is elsewhere: the first of the certificates. `signature` was made there. For elliptic curves it is in DER, or consists of the
 * two numbers one after the other, as in WebCrypto.
 * @throws Refusal `invalid_certificate`
 */
export async function signerElsewhere(
  certificates: readonly Certificate[],
  digest: DigestName,
  field: string,
  signature: Uint8Array<ArrayBuffer> = new Uint8Array(),
): Promise<Signer> {
  return readable(field, "has a certificate that cannot be read", async () => {
    const [certificate] = certificates;
    if (certificate === undefined) throw certificateMissing(field);
    checkUse(certificate, field);
    const info = certificate.publicKey;
    const algorithm = children(children(info)[0]);
    checkKind(oidOf(algorithm[0]), field);
    const { signatureAlgorithm, coordinateBytes = 0 } = kindOf(algorithm, digest, field);
    const isPlain = coordinateBytes > 0 && signature.length === 2 * coordinateBytes;
    return {
      certificate,
      chain: chainFrom(certificate, certificates),
      signatureAlgorithm,
      sign: async () => (isPlain ? ecdsaSignature(signature) : signature),
    };
  });
}

async function findSigner(
  privateKey: Uint8Array<ArrayBuffer>,
  certificates: readonly Certificate[],
  digest: DigestName,
  field: string,
): Promise<{ certificate: Certificate; kind: Kind; key: CryptoKey } | undefined> {
  const type = children(children(parse(privateKey))[1]);
  const keyType = oidOf(type[0]);
  checkKind(keyType, field);
  for (const certificate of certificates) {
    const info = certificate.publicKey;
    const [algorithm] = children(info);
    const certified = oidOf(children(algorithm)[0]);
    if ((certified === EC) !== (keyType === EC)) continue;
    const kind = kindOf(children(algorithm), digest, field);
    try {
      const key = await crypto.subtle.importKey("pkcs8", plainRsa(privateKey), kind.importAlgorithm, false, ["sign"]);
      const open = await crypto.subtle.importKey("spki", plainSpki(info), kind.importAlgorithm, true, ["verify"]);
      const signature = await crypto.subtle.sign(kind.signAlgorithm, key, PROBE);
      if (!(await crypto.subtle.verify(kind.signAlgorithm, open, signature, PROBE))) continue;
      checkSize(open, certified, field);
      return { certificate, kind, key };
    } catch (error) {
      // A key on another curve cannot be imported for this certificate.
      if (!(error instanceof DOMException) && !(error instanceof TypeError)) throw error;
    }
  }
  return undefined;
}

function checkKind(type: string, field: string): void {
  if (type !== RSA && type !== RSA_PSS && type !== EC) throw keyKindUnsupported(field, type);
}

function checkSize({ algorithm }: CryptoKey, certified: string, field: string): void {
  if (certified === EC) return;
  const bits = "modulusLength" in algorithm ? algorithm.modulusLength : 0;
  if (bits < limits.certificates.rsaBits || bits > limits.certificates.mostRsaBits)
    throw keySizeUnsupported(field, bits);
}

/** How a key signs whose certificate has this algorithm. */
function kindOf([type, parameters]: readonly AsnType[], digest: DigestName, field: string): Kind {
  const { hash, rsa, ecdsa, bytes } = DIGESTS[digest];
  if (oidOf(type) === EC) {
    const curve = CURVES.get(oidOf(parameters));
    if (curve === undefined) throw curveUnsupported(field);
    return {
      importAlgorithm: { name: "ECDSA", namedCurve: curve.name },
      signAlgorithm: { name: "ECDSA", hash },
      signatureAlgorithm: sequence(oid(ecdsa)),
      coordinateBytes: curve.bytes,
    };
  }
  if (oidOf(type) === RSA)
    return {
      importAlgorithm: { name: "RSASSA-PKCS1-v1_5", hash },
      signAlgorithm: { name: "RSASSA-PKCS1-v1_5" },
      signatureAlgorithm: sequence(oid(rsa), nothing()),
    };
  // Its certificate may restrict the digest (RFC 4055, 3.1).
  const restricted = parameters?.idBlock.isConstructed ? children(parameters).find((one) => hasTag(one, 0)) : undefined;
  if (restricted !== undefined && oidOf(children(children(restricted)[0])[0]) !== DIGESTS[digest].oid)
    throw digestNotAllowed(field, digest);
  const hashed = sequence(oid(DIGESTS[digest].oid), nothing());
  const pss = sequence(
    tagged(0, hashed),
    tagged(1, sequence(oid(MGF1), sequence(oid(DIGESTS[digest].oid), nothing()))),
    tagged(2, integer(bytes)),
  );
  return {
    importAlgorithm: { name: "RSA-PSS", hash },
    signAlgorithm: { name: "RSA-PSS", saltLength: bytes },
    signatureAlgorithm: sequence(oid(RSA_PSS), pss),
  };
}

const rsaIdentifier = (): AsnType => sequence(oid(RSA), nothing());

/** A PKCS#8 key as WebCrypto reads it: RSA keys are only known by their general name (RFC 8017, A.1). */
function plainRsa(privateKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const [version, algorithm, key] = children(parse(privateKey));
  if (version === undefined || algorithm === undefined || key === undefined) throw new TypeError("no key");
  const isPss = oidOf(children(algorithm)[0]) === RSA_PSS;
  // Attributes and the public key are left out (RFC 5958, 2).
  return der(sequence(integer(0), isPss ? rsaIdentifier() : algorithm, key));
}

/** WebCrypto has the two numbers side by side, and CMS has them as a sequence (RFC 5753, 7.2). */
function ecdsaSignature(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const half = signature.length / 2;
  const number = (bytes: Uint8Array): number[] => {
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = [...bytes.subarray(first === -1 ? bytes.length - 1 : first)];
    return (digits[0] ?? 0) > 127 ? [0, ...digits] : digits;
  };
  const parts = [signature.subarray(0, half), signature.subarray(half)].map(number);
  const body = parts.flatMap((digits) => [2, digits.length, ...digits]);
  // At most 2 * (2 + 49) bytes, so that the length fits into one byte.
  return Uint8Array.from([0x30, body.length, ...body]);
}

function checkUse(certificate: Certificate, field: string): void {
  const now = Date.now();
  const [from, until] = [certificate.notBefore, certificate.notAfter];
  if (until.getTime() < now) throw certificateExpired(field, until);
  if (from.getTime() > now) throw certificateNotYetValid(field, from);
  const usage = keyUsageOf(certificate);
  if (usage !== undefined && (usage & SIGNING_BITS) === 0) throw certificateNotForSigning(field);
}

function chainFrom(signer: Certificate, certificates: readonly Certificate[]): Certificate[] {
  const chain = [signer];
  for (;;) {
    const last = chain.at(-1);
    if (last === undefined) return chain;
    const issuer = last.issuer.bytes;
    const next = certificates.find((one) => !chain.includes(one) && isSame(one.subject.bytes, issuer));
    if (next === undefined || isSame(last.subject.bytes, issuer)) return chain;
    chain.push(next);
  }
}

/** The common name of a certificate's subject, or all of the name. */
export function subjectOf({ subject }: Certificate): string {
  const { attributes } = subject;
  return attributes.find(({ type }) => type === "2.5.4.3")?.text ?? attributes.map(({ text }) => text).join(", ");
}
