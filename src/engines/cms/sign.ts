/**
 * A detached CMS signature (RFC 5652) as PAdES requires it (ETSI EN 319 142-1, 5.3, and EN 319 122-1). Its signed attributes are the content type,
 * the digest, and the digest of the signer's certificate. The time is not among them: it is in the PDF.
 */
import type { AsnType } from "asn1js";
import { Constructed, Set as SetBlock } from "asn1js";
import type { Work } from "../work.ts";
import { cmsAttribute, der, integer, octetString, oid, read, sequence, setOf, tagged } from "./asn1.ts";
import {
  CONTENT_TYPE,
  ID_DATA,
  ID_SIGNED_DATA,
  MESSAGE_DIGEST,
  SIGNING_CERTIFICATE_V2,
  TIME_STAMP_TOKEN,
  readSignedData,
  verifySignedData,
} from "./signed-data.ts";
import { DIGESTS, digestAlgorithm, type DigestName, type Signer } from "./signer.ts";

/** The digest of bytes. */
export async function digestOf(digest: DigestName, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest(DIGESTS[digest].hash, bytes));
}

/** A size in bytes that no signature without a time stamp reaches. */
export const signatureRoom = ({ chain }: Pick<Signer, "chain">): number =>
  2_048 + chain.reduce((sum, certificate) => sum + certificate.bytes.length, 0);

/** The signed attributes (5.4), DER. */
export async function signedAttributes(
  { certificate }: Pick<Signer, "certificate">,
  digest: DigestName,
  messageDigest: Uint8Array,
): Promise<SetBlock> {
  const certificateDigest = octetString(await digestOf(digest, certificate.bytes));
  // SHA-256 is the default, which DER leaves out (RFC 5035, 4).
  const known = digest === "sha256" ? [certificateDigest] : [digestAlgorithm(digest), certificateDigest];
  return setOf([
    cmsAttribute(CONTENT_TYPE, oid(ID_DATA)),
    cmsAttribute(MESSAGE_DIGEST, octetString(messageDigest)),
    cmsAttribute(SIGNING_CERTIFICATE_V2, sequence(sequence(sequence(...known)))),
  ]);
}

/**
 * Signs a digest.
 * @param stamp makes a time-stamp token for the signature value, if one is wanted
 * @returns the ContentInfo, DER
 * @throws Unusable if the signature does not verify
 */
export async function signDigest(
  work: Work,
  signer: Signer,
  digest: DigestName,
  messageDigest: Uint8Array,
  stamp?: (signature: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { certificate, chain, signatureAlgorithm, sign } = signer;
  const attributes = await signedAttributes(signer, digest, messageDigest);
  const signature = await sign(der(attributes));
  const token = stamp && read(work, await stamp(signature));
  const signerInfo = sequence(
    integer(1),
    sequence(certificate.issuer.block, certificate.serialNumber),
    digestAlgorithm(digest),
    implicit(0, attributes),
    signatureAlgorithm,
    octetString(signature),
    ...(token ? [implicit(1, setOf([cmsAttribute(TIME_STAMP_TOKEN, token)]))] : []),
  );
  const signedData = sequence(
    integer(1),
    new SetBlock({ value: [digestAlgorithm(digest)] }),
    sequence(oid(ID_DATA)),
    implicit(0, setOf(chain.map((one) => one.block))),
    new SetBlock({ value: [signerInfo] }),
  );
  const written = der(sequence(oid(ID_SIGNED_DATA), tagged(0, signedData)));
  // The output must pass our own verification, which a signature made elsewhere may not.
  await verifySignedData(await readSignedData(work, written), ID_DATA, messageDigest, { needsCertificate: true });
  return written;
}

/** A set with a context-specific tag instead of its own. */
function implicit(tagNumber: number, set: SetBlock): Constructed {
  return new Constructed({ idBlock: { tagClass: 3, tagNumber }, value: set.valueBlock.value as AsnType[] });
}
