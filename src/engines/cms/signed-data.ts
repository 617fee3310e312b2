/** Reads and verifies signed data (RFC 5652, 5) as PDF has it: one signer, whose attributes are signed. */
import { type AsnType, GeneralizedTime, UTCTime } from "asn1js";
import {
  children,
  der,
  hasTag,
  implicitOctets,
  isSame,
  numberOf,
  octets,
  oidOf,
  read,
  readBeginning,
  Unexpected,
  writtenBytes,
} from "./asn1.ts";
import {
  type Certificate,
  certificateOf,
  CLOCK_SKEW,
  EXTENDED_KEY_USAGE,
  extensionOf,
  valueOf,
  isValidAt,
  purposesOf,
  TIME_STAMPING,
} from "./certificates.ts";
import type { Work } from "../work.ts";
import { type HashName, hashNameOf, isSignedBy } from "./public-key.ts";
import {
  attributeTwice,
  certificateNotForStamps,
  contentOfOtherType,
  digestDiffers,
  larger,
  madeWithOtherCertificate,
  madeWithOtherKey,
  noSignedAttributes,
  noSignersCertificate,
  noStampedContent,
  notOneSigner,
  notSignedData,
  otherDigests,
  signersCertificateNotNamed,
  stampForOther,
  stampTimeInvalid,
  tooManyCertificates,
  versionUnknown,
} from "./problems.ts";
import { Unusable } from "./refusal.ts";
import type { RevocationData } from "./revocation.ts";
import { limits } from "../../limits.ts";

export const ID_DATA = "1.2.840.113549.1.7.1";
export const ID_SIGNED_DATA = "1.2.840.113549.1.7.2";
const TST_INFO = "1.2.840.113549.1.9.16.1.4";
export const CONTENT_TYPE = "1.2.840.113549.1.9.3";
export const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
export const TIME_STAMP_TOKEN = "1.2.840.113549.1.9.16.2.14";
/** id-ri-ocsp-response (RFC 5940), and adbe-revocationInfoArchival. */
const OCSP_RESPONSE = "1.3.6.1.5.5.7.16.2";
const REVOCATION_ARCHIVAL = "1.2.840.113583.1.1.8";
const SIGNING_TIME = "1.2.840.113549.1.9.5";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12";
export const SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47";

/** Versions of SignedData (5.1). */
const VERSIONS = new Set([1, 3, 4, 5]);

export interface SignedData {
  readonly hash: HashName;
  readonly contentType: string;
  /** The content, if it is within. */
  readonly content: Uint8Array<ArrayBuffer> | undefined;
  readonly signer: Certificate;
  readonly certificates: readonly Certificate[];
  readonly signature: Uint8Array<ArrayBuffer>;
  /** AlgorithmIdentifier of the signature. */
  readonly algorithm: AsnType;
  /** The bytes of the signed attributes, and each attribute by its type. */
  readonly signed: { readonly bytes: Uint8Array<ArrayBuffer>; readonly values: ReadonlyMap<string, AsnType> };
  /** A time stamp over the signature. */
  readonly token: Uint8Array<ArrayBuffer> | undefined;
  readonly signingTime: Date | undefined;
  /** Statements of issuers about its certificates. */
  readonly revocation: readonly Said[];
}

/** A statement of an issuer. */
type Said = Pick<RevocationData, "kind" | "bytes">;

/**
 * Reads signed data from the beginning of bytes: zeros may follow.
 * @param others certificates outside of the data, which may include the signer's
 * @throws Unusable, or another error if they cannot be parsed
 */
export async function readSignedData(
  work: Work,
  bytes: Uint8Array,
  others: readonly Certificate[] = [],
): Promise<SignedData> {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  if (end > limits.certificates.signedDataBytes) throw larger(limits.certificates.signedDataBytes);
  const { end: valueEnd, value } = readBeginning(work, bytes);
  if (valueEnd < end) throw new Unexpected("not ASN.1");
  await work.pause();
  const [type, wrapped] = children(value);
  if (oidOf(type) !== ID_SIGNED_DATA) throw notSignedData();
  const [version, digests, encapsulated, ...rest] = children(children(wrapped)[0]);
  const [contentType, content] = children(encapsulated);
  const certificates = await certificatesIn(
    work,
    rest.find((one) => hasTag(one, 0)),
  );
  const [info, another] = children(rest.at(-1));
  if (info === undefined || another !== undefined) throw notOneSigner();
  const [infoVersion, identifier, digest, ...parts] = children(info);
  if (!VERSIONS.has(numberOf(version)) || numberOf(infoVersion) !== (hasTag(identifier, 0) ? 3 : 1))
    throw versionUnknown();
  const digestType = oidOf(children(digest)[0]);
  if (!children(digests).some((one) => oidOf(children(one)[0]) === digestType)) throw otherDigests();
  const attributes = hasTag(parts[0], 0) ? parts.shift() : undefined;
  if (attributes === undefined) throw noSignedAttributes();
  const [algorithm, signature, unsigned] = parts;
  if (algorithm === undefined) throw new Unexpected("no algorithm");
  const signed = signedOf(attributes);
  const time = signed.values.get(SIGNING_TIME);
  const token = hasTag(unsigned, 1) ? valuesOf(unsigned).get(TIME_STAMP_TOKEN) : undefined;
  return {
    hash: hashNameOf(digestType),
    contentType: oidOf(contentType),
    content: content === undefined ? undefined : implicitOctets(children(content)[0]),
    signer: await signerIn([...certificates, ...others], identifier, signed.values),
    certificates,
    signature: octets(signature),
    algorithm,
    signed,
    token: token && der(token),
    revocation: [
      ...choicesIn(rest.find((one) => hasTag(one, 1))),
      ...archivedIn(signed.values.get(REVOCATION_ARCHIVAL)),
    ],
    signingTime: time instanceof UTCTime || time instanceof GeneralizedTime ? time.toDate() : undefined,
  };
}

/** Who takes part in signed data, as far as it can be counted: none if the bytes have no signed data. */
export interface SignedParties {
  readonly signers: number;
  readonly certificates: number;
}

/**
 * Counts the signers and certificates of signed data without requiring that it can be verified.
 * @throws Refusal of a request that has too many values
 */
export function partiesIn(work: Work, bytes: Uint8Array): SignedParties {
  try {
    const [type, wrapped] = children(readBeginning(work, bytes).value);
    if (oidOf(type) !== ID_SIGNED_DATA) throw notSignedData();
    const [, , , ...rest] = children(children(wrapped)[0]);
    const certificates = rest.find((one) => hasTag(one, 0));
    return {
      signers: children(rest.at(-1)).length,
      certificates:
        certificates === undefined ? 0 : children(certificates).filter(({ idBlock }) => idBlock.tagClass === 1).length,
    };
  } catch (error) {
    if (error instanceof Unexpected || error instanceof Unusable) return { signers: 0, certificates: 0 };
    throw error;
  }
}

async function certificatesIn(work: Work, set: AsnType | undefined): Promise<Certificate[]> {
  // Others are attribute certificates, and kinds that are obsolete (10.2.2).
  const found = set === undefined ? [] : children(set).filter(({ idBlock }) => idBlock.tagClass === 1);
  if (found.length > limits.certificates.most) throw tooManyCertificates();
  const certificates: Certificate[] = [];
  for (const one of found) {
    certificates.push(certificateOf(work, writtenBytes(one)));
    await work.pause();
  }
  return certificates;
}

/** Lists and responses in addition to the certificates (10.2.1; RFC 5940, 2.1). */
function choicesIn(set: AsnType | undefined): Said[] {
  return (set === undefined ? [] : children(set)).flatMap((one): Said[] => {
    if (one.idBlock.tagClass === 1) return [{ kind: "crl", bytes: der(one) }];
    const [type, value] = children(one);
    const isResponse = hasTag(one, 1) && value !== undefined && oidOf(type) === OCSP_RESPONSE;
    return isResponse ? [{ kind: "ocsp", bytes: der(value) }] : [];
  });
}

/** Lists and responses in a signed attribute (ISO 32000-2, 12.8.3.3.2). */
const archivedIn = (archival: AsnType | undefined): Said[] =>
  (archival === undefined ? [] : children(archival)).flatMap((part): Said[] => {
    if (!hasTag(part, 0) && !hasTag(part, 1)) return [];
    return children(children(part)[0]).map((one) => ({ kind: hasTag(part, 0) ? "crl" : "ocsp", bytes: der(one) }));
  });

/**
 * The certificate with an issuer and serial number, or with a key identifier (5.3). Several may have the same, such as those of one key: then the one that the
 * attributes name.
 */
async function signerIn(
  certificates: readonly Certificate[],
  identifier: AsnType | undefined,
  attributes: SignedData["signed"]["values"],
): Promise<Certificate> {
  const found = certificates.filter((one) => {
    if (!hasTag(identifier, 0)) {
      const [issuer, serial] = children(identifier).map(der);
      return (
        issuer !== undefined &&
        serial !== undefined &&
        isSame(one.issuer.bytes, issuer) &&
        isSame(der(one.serialNumber), serial)
      );
    }
    const own = extensionOf(one, "2.5.29.14");
    return own !== undefined && isSame(octets(valueOf(own)), implicitOctets(identifier));
  });
  const [signer, ...others] = found;
  if (signer === undefined) throw noSignersCertificate();
  for (const one of others.length > 0 ? found : []) if (await namesCertificate(attributes, one)) return one;
  return signer;
}

function signedOf(attributes: AsnType): SignedData["signed"] {
  // The signed bytes have the tag of a set instead of their own (5.4).
  const bytes = writtenBytes(attributes);
  bytes[0] = 0x31;
  return { bytes, values: valuesOf(attributes) };
}

/** The only value of each attribute. */
function valuesOf(attributes: AsnType | undefined): Map<string, AsnType> {
  const values = new Map<string, AsnType>();
  for (const one of children(attributes)) {
    const [type, set] = children(one);
    const [value] = children(set);
    const name = oidOf(type);
    if (values.has(name)) throw attributeTwice(name);
    if (value !== undefined) values.set(name, value);
  }
  return values;
}

/**
 * Verifies a signature, not the trust in its certificate.
 * @param digest of the content
 * @throws Unusable for each problem, as the end of a sentence about the signature
 */
export async function verifySignedData(
  data: SignedData,
  contentType: string,
  digest: Uint8Array,
  { needsCertificate = false } = {},
): Promise<void> {
  const { signed, signer, signature, algorithm, hash } = data;
  const type = signed.values.get(CONTENT_TYPE);
  if (data.contentType !== contentType || type === undefined || oidOf(type) !== contentType) throw contentOfOtherType();
  if (!isSame(octets(signed.values.get(MESSAGE_DIGEST)), digest)) throw digestDiffers("signed");
  const names = await namesCertificate(signed.values, signer);
  if (names === false) throw madeWithOtherCertificate();
  if (names === undefined && needsCertificate) throw signersCertificateNotNamed();
  if (!(await isSignedBy(signer, { bytes: signed.bytes, signature, algorithm, hash }))) throw madeWithOtherKey();
}

/** Whether the signed attributes have the digest of the certificate (RFC 5035, 3 and 5); undefined if there is none. */
async function namesCertificate(
  attributes: SignedData["signed"]["values"],
  signer: Certificate,
): Promise<boolean | undefined> {
  const bytes = signer.bytes;
  const [second, first] = [attributes.get(SIGNING_CERTIFICATE_V2), attributes.get(SIGNING_CERTIFICATE)];
  if (second === undefined && first === undefined) return undefined;
  const parts = children(children(children(second ?? first)[0])[0]);
  const [algorithm, named] = parts[0]?.idBlock.isConstructed
    ? [oidOf(children(parts[0])[0]), parts[1]]
    : [undefined, parts[0]];
  // SHA-1 is the digest of the first version: it only chooses among the certificates of one key.
  const hash = second === undefined ? "SHA-1" : algorithm === undefined ? "SHA-256" : hashNameOf(algorithm);
  return isSame(octets(named), new Uint8Array(await crypto.subtle.digest(hash, bytes)));
}

/** A time stamp (RFC 3161, 2.4.2). */
export interface TimeStamp {
  readonly time: Date;
  /** The digest that it stamps. */
  readonly imprint: { readonly hash: HashName; readonly digest: Uint8Array<ArrayBuffer> };
  readonly nonce: Uint8Array | undefined;
  readonly signer: Certificate;
  readonly certificates: readonly Certificate[];
  readonly revocation: SignedData["revocation"];
}

/**
 * Reads and verifies a time-stamp token: its signature, and that its certificate is for time stamps, but not the stamped data.
 * @throws Unusable, or another error if it cannot be parsed
 */
export async function readTimeStamp(work: Work, data: SignedData): Promise<TimeStamp> {
  const { content, hash, signer, certificates, revocation } = data;
  if (content === undefined) throw noStampedContent();
  await verifySignedData(data, TST_INFO, new Uint8Array(await crypto.subtle.digest(hash, content)), {
    needsCertificate: true,
  });
  // Its certificate must be for time stamps only (2.3).
  const purposes = purposesOf(signer) ?? [];
  if (
    purposes.length !== 1 ||
    purposes[0] !== TIME_STAMPING ||
    extensionOf(signer, EXTENDED_KEY_USAGE)?.isCritical !== true
  )
    throw certificateNotForStamps();
  const [, , imprint, , time, ...rest] = children(read(work, content));
  const [algorithm, digest] = children(imprint);
  if (!(time instanceof GeneralizedTime)) throw new Unexpected("no time");
  if (!isValidAt(signer, time.toDate()) || time.toDate().getTime() > Date.now() + CLOCK_SKEW) throw stampTimeInvalid();
  const nonce = rest.find((part) => part.idBlock.tagClass === 1 && part.idBlock.tagNumber === 2);
  return {
    time: time.toDate(),
    imprint: { hash: hashNameOf(oidOf(children(algorithm)[0])), digest: octets(digest) },
    nonce: nonce && implicitOctets(nonce),
    signer,
    certificates,
    revocation,
  };
}

/**
 * Reads and verifies the time stamp over a signature.
 * @param others certificates in addition to those of the signature
 * @throws Unusable, or another error if it cannot be parsed
 */
export async function readStampOver(
  work: Work,
  { signature, certificates }: SignedData,
  token: Uint8Array,
  others: readonly Certificate[] = [],
): Promise<TimeStamp> {
  const stamp = await readTimeStamp(work, await readSignedData(work, token, [...certificates, ...others]));
  const digest = new Uint8Array(await crypto.subtle.digest(stamp.imprint.hash, signature));
  if (!isSame(stamp.imprint.digest, digest)) throw stampForOther();
  return stamp;
}
