/** Verifies signatures with the public keys of certificates (RFC 5280, 4.1.1.2; RFC 4055; RFC 5480; RFC 5758). */
import { limits } from "../../limits.ts";
import type { Certificate } from "./certificates.ts";
import { type AsnType, BitString, Integer } from "asn1js";
import { children, der, hasTag, nothing, numberOf, oid, oidOf, parse, sequence, Unexpected } from "./asn1.ts";
import { algorithmUnknown, digestTooWeak, rsaKeyTooShort, twoDigests } from "./problems.ts";

/** Fuel for one signature: a tenth of a millisecond or more, an estimate. */
export const SIGNATURE_WORK = 100_000;
/** Fuel per byte that is hashed, an estimate: WebCrypto takes a nanosecond or less. */
export const HASH_WORK = 0.2;

export const RSA = "1.2.840.113549.1.1.1";
export const RSA_PSS = "1.2.840.113549.1.1.10";
export const EC = "1.2.840.10045.2.1";
/** Curves, and the size of a coordinate in bytes. */
export const CURVES: ReadonlyMap<string, { readonly name: string; readonly bytes: number }> = new Map([
  ["1.2.840.10045.3.1.7", { name: "P-256", bytes: 32 }],
  ["1.3.132.0.34", { name: "P-384", bytes: 48 }],
]);
const P_521 = { oid: "1.3.132.0.35", name: "P-521", bytes: 66 };

export type HashName = "SHA-256" | "SHA-384" | "SHA-512";

/** Digests of which no two contents with the same value are known. */
const HASHES: ReadonlyMap<string, HashName> = new Map([
  ["2.16.840.1.101.3.4.2.1", "SHA-256"],
  ["2.16.840.1.101.3.4.2.2", "SHA-384"],
  ["2.16.840.1.101.3.4.2.3", "SHA-512"],
]);
const WEAK: ReadonlyMap<string, string> = new Map([
  ["1.3.14.3.2.26", "SHA-1"],
  ["1.2.840.113549.2.5", "MD5"],
  ["1.2.840.113549.2.2", "MD2"],
]);
/** Signature algorithms that include a digest. */
const WITH_HASH: ReadonlyMap<string, HashName> = new Map([
  ["1.2.840.113549.1.1.11", "SHA-256"],
  ["1.2.840.113549.1.1.12", "SHA-384"],
  ["1.2.840.113549.1.1.13", "SHA-512"],
  ["1.2.840.10045.4.3.2", "SHA-256"],
  ["1.2.840.10045.4.3.3", "SHA-384"],
  ["1.2.840.10045.4.3.4", "SHA-512"],
]);
const WEAK_WITH_HASH: ReadonlyMap<string, string> = new Map([
  ["1.2.840.113549.1.1.5", "SHA-1"],
  ["1.2.840.10045.4.1", "SHA-1"],
  ["1.2.840.113549.1.1.4", "MD5"],
  ["1.2.840.113549.1.1.2", "MD2"],
]);
const DEFAULT_SALT_BYTES = 20;

/**
 * The name of a digest in WebCrypto.
 * @throws Unusable if it is too weak, or unknown
 */
export function hashNameOf(type: string): HashName {
  const name = HASHES.get(type);
  if (name !== undefined) return name;
  const weak = WEAK.get(type);
  throw weak === undefined ? algorithmUnknown("a digest", type) : digestTooWeak(weak);
}

/** The subject's public key, as WebCrypto reads it: RSA keys are only known by their general name (RFC 8017, A.1). */
export function plainSpki(info: AsnType): Uint8Array<ArrayBuffer> {
  const [algorithm, key] = children(info);
  if (algorithm === undefined || !(key instanceof BitString)) throw new TypeError("no key");
  return der(sequence(oidOf(children(algorithm)[0]) === RSA_PSS ? sequence(oid(RSA), nothing()) : algorithm, key));
}

export interface Signed {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** AlgorithmIdentifier of the signature. */
  readonly algorithm: AsnType;
  /** The digest, which CMS names separately. */
  readonly hash?: HashName;
}

/**
 * Whether the key of a certificate made a signature.
 * @throws Unusable if the algorithm is too weak or not supported
 */
export async function isSignedBy(
  certificate: Certificate,
  { bytes, signature, algorithm, hash }: Signed,
): Promise<boolean> {
  const info = certificate.publicKey;
  const [type, parameters] = children(algorithm);
  const [keyType, curve] = children(children(info)[0]).map((block, index) =>
    index === 0 || block.idBlock.tagNumber === 6 ? oidOf(block) : "",
  );
  const { name, saltLength } = schemeOf(oidOf(type), parameters, hash);
  if (keyType === EC) return verifyEcdsa(info, curve ?? "", name, signature, bytes);
  if (keyType !== RSA && keyType !== RSA_PSS) throw algorithmUnknown("a key", keyType ?? "");
  const scheme = saltLength === undefined ? "RSASSA-PKCS1-v1_5" : "RSA-PSS";
  const key = await crypto.subtle.importKey("spki", plainSpki(info), { name: scheme, hash: name }, true, ["verify"]);
  const bits = "modulusLength" in key.algorithm ? Number(key.algorithm.modulusLength) : 0;
  if (bits < limits.certificates.rsaBitsVerified) throw rsaKeyTooShort(bits);
  return crypto.subtle.verify(
    saltLength === undefined ? { name: scheme } : { name: scheme, saltLength },
    key,
    signature,
    bytes,
  );
}

/**
 * Whether a certificate was signed with the key of another.
 * @throws as `isSignedBy`
 */
export const isIssuedBy = (one: Certificate, issuer: Certificate): Promise<boolean> => isSignedBy(issuer, one.signed);

/** The digest of a signature algorithm, and the size of the salt for PSS. */
function schemeOf(
  type: string,
  parameters: AsnType | undefined,
  beside: HashName | undefined,
): { name: HashName; saltLength?: number } {
  const weak = WEAK_WITH_HASH.get(type);
  if (weak !== undefined) throw digestTooWeak(weak);
  if (type === RSA_PSS) {
    const pss = pssOf(parameters);
    if (beside !== undefined && pss.name !== beside) throw twoDigests();
    return pss;
  }
  // Some writers name the key's algorithm, so the digest is in the adjacent field (RFC 3370, 3.2).
  const name = type === RSA ? beside : WITH_HASH.get(type);
  if (name === undefined) throw algorithmUnknown("a signature algorithm", type);
  if (beside !== undefined && name !== beside) throw twoDigests();
  return { name };
}

/** RSASSA-PSS-params (RFC 4055, 3.1). */
function pssOf(parameters: AsnType | undefined): { name: HashName; saltLength: number } {
  const parts = parameters?.idBlock.isConstructed ? children(parameters) : [];
  const part = (tag: number): AsnType | undefined => {
    const found = parts.find((one) => hasTag(one, tag));
    return found && children(found)[0];
  };
  const [digest, mask, salt] = [part(0), part(1), part(2)];
  // The default of both is SHA-1.
  if (digest === undefined || mask === undefined) throw digestTooWeak("SHA-1");
  const name = hashNameOf(oidOf(children(digest)[0]));
  if (hashNameOf(oidOf(children(children(mask)[1])[0])) !== name) throw twoDigests();
  return { name, saltLength: salt === undefined ? DEFAULT_SALT_BYTES : numberOf(salt) };
}

async function verifyEcdsa(
  info: AsnType,
  curve: string,
  hash: HashName,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const known = curve === P_521.oid ? P_521 : CURVES.get(curve);
  if (known === undefined) throw algorithmUnknown("a curve", curve);
  const algorithm = { name: "ECDSA", namedCurve: known.name };
  const key = await crypto.subtle.importKey("spki", plainSpki(info), algorithm, true, ["verify"]);
  const plain = coordinatesOf(signature, known.bytes);
  return plain !== undefined && crypto.subtle.verify({ name: "ECDSA", hash }, key, plain, bytes);
}

/** CMS has the two numbers as a sequence (RFC 5753, 7.2), and WebCrypto side by side. */
function coordinatesOf(signature: Uint8Array, size: number): Uint8Array<ArrayBuffer> | undefined {
  const plain = new Uint8Array(2 * size);
  const numbers = children(parse(signature));
  if (numbers.length !== 2) throw new Unexpected("no two numbers");
  for (const [index, number] of numbers.entries()) {
    if (!(number instanceof Integer)) throw new Unexpected("no number");
    const digits = number.valueBlock.valueHexView;
    const first = digits.findIndex((byte) => byte !== 0);
    const used = first === -1 ? digits.subarray(digits.length) : digits.subarray(first);
    if (used.length > size) return undefined;
    plain.set(used, (index + 1) * size - used.length);
  }
  return plain;
}
