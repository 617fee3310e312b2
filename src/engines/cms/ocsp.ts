/** Asks for the status of a certificate, and reads the response (RFC 6960). */
import { type AsnType, BitString, Enumerated } from "asn1js";
import {
  children,
  der,
  hasTag,
  isSame,
  nothing,
  octets,
  octetString,
  oid,
  oidOf,
  read,
  sequence,
  timeOf,
  Unexpected,
  writtenBytes,
} from "./asn1.ts";
import { type Certificate, certificateOf, extensionOf, isValidAt, purposesOf, serialOf } from "./certificates.ts";
import { isIssuedBy, isSignedBy, SIGNATURE_WORK } from "./public-key.ts";
import { certificateUnknownToIssuer, responseStatus, responseTypeUnsupported } from "./problems.ts";
import type { Work } from "../work.ts";
import type { RevocationInfo } from "./revocation-info.ts";

const BASIC_RESPONSE = "1.3.6.1.5.5.7.48.1.1";
const OCSP_SIGNING = "1.3.6.1.5.5.7.3.9";
/** The responder's own certificate need not be checked (4.2.2.2.1). */
const NO_CHECK = "1.3.6.1.5.5.7.48.1.5";
const SHA_1 = "1.3.14.3.2.26";
/** Digests that identify an issuer. Nothing depends on their strength: the response is signed by that issuer. */
const IDENTIFYING: ReadonlyMap<string, string> = new Map([
  [SHA_1, "SHA-1"],
  ["2.16.840.1.101.3.4.2.1", "SHA-256"],
  ["2.16.840.1.101.3.4.2.2", "SHA-384"],
  ["2.16.840.1.101.3.4.2.3", "SHA-512"],
]);
/** OCSPResponseStatus (4.2.1). */
const STATUS: readonly string[] = [
  "successful",
  "malformedRequest",
  "internalError",
  "tryLater",
  "",
  "sigRequired",
  "unauthorized",
];
/** Fuel to compare a serial number, and for the digests of an issuer. */
const MATCH_WORK = 200;
const DIGEST_WORK = 10_000;
/** Certificates in a response, and certificates that it is about. */
const MOST = 20;

/** The digests of an issuer's name and key (4.1.1). */
async function identify(hash: string, certificate: Certificate, issuer: Certificate): Promise<Uint8Array[]> {
  const [, key] = children(issuer.publicKey);
  if (!(key instanceof BitString)) throw new Unexpected("no key");
  const parts = [certificate.issuer.bytes, new Uint8Array(key.valueBlock.valueHexView)];
  return Promise.all(parts.map(async (part) => new Uint8Array(await crypto.subtle.digest(hash, part))));
}

/** An OCSPRequest for one certificate, DER. It has no nonce: most services send responses that they made before. */
export async function ocspRequest(certificate: Certificate, issuer: Certificate): Promise<Uint8Array<ArrayBuffer>> {
  const digests = await identify("SHA-1", certificate, issuer);
  const [name, key] = digests.map(octetString);
  if (name === undefined || key === undefined) throw new Error("a digest is missing");
  const identifier = sequence(sequence(oid(SHA_1), nothing()), name, key, certificate.serialNumber);
  return der(sequence(sequence(sequence(sequence(identifier)))));
}

interface Single {
  readonly hash: string | undefined;
  readonly issuer: readonly Uint8Array[];
  readonly serial: Uint8Array;
  readonly isGood: boolean;
  readonly revokedAt: Date | undefined;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
}

/**
 * Reads an OCSPResponse, but does not verify its signature yet. Returns its statement about each certificate.
 * @param now when it was received, unless it was stored
 * @throws Unusable, or another error if it cannot be parsed
 */
export function readOcsp(work: Work, bytes: Uint8Array, now?: Date): RevocationInfo[] {
  const [status, wrapped] = children(read(work, bytes));
  if (!(status instanceof Enumerated)) throw new Unexpected("no status");
  const code = status.valueBlock.valueDec;
  if (code !== 0) throw responseStatus(STATUS[code] || code);
  const [type, content] = children(children(wrapped)[0]);
  if (oidOf(type) !== BASIC_RESPONSE) throw responseTypeUnsupported();
  const [data, algorithm, signature, certificates] = children(read(work, octets(content)));
  if (data === undefined || algorithm === undefined || !(signature instanceof BitString))
    throw new Unexpected("no response");
  const included = certificates === undefined ? [] : children(children(certificates)[0]).slice(0, MOST);
  const signed = {
    bytes: writtenBytes(data),
    signature: new Uint8Array(signature.valueBlock.valueHexView),
    algorithm,
  };
  const parts = children(data).filter((part, index) => index > 0 || !hasTag(part, 0));
  const [, producedAt, responses] = parts;
  const singles = children(responses).slice(0, MOST).map(singleOf);
  // The responder states the times itself. It must have been authorized at each of these.
  const times = [timeOf(producedAt), ...singles.map(({ thisUpdate }) => thisUpdate), ...(now ? [now] : [])];
  const isFrom = async (issuer: Certificate, work: Work): Promise<boolean> => {
    work.spend(SIGNATURE_WORK * (1 + 2 * included.length));
    const delegates = included.map((one) => certificateOf(work, writtenBytes(one)));
    for (const one of [issuer, ...delegates]) {
      const isAuthorized = one === issuer || (await isDelegate(one, issuer, times));
      if (isAuthorized && (await isSignedBy(one, signed))) return true;
    }
    return false;
  };
  return singles.map((single) => ({
    thisUpdate: single.thisUpdate,
    nextUpdate: single.nextUpdate,
    isFrom,
    async isAbout(certificate, issuer, work) {
      work.spend(MATCH_WORK);
      if (single.hash === undefined || !isSame(single.serial, serialOf(certificate.serialNumber))) return false;
      work.spend(DIGEST_WORK);
      const wanted = await identify(single.hash, certificate, issuer);
      return wanted.every((digest, index) => isSame(digest, single.issuer[index] ?? new Uint8Array()));
    },
    judge() {
      if (single.revokedAt === undefined && !single.isGood) throw certificateUnknownToIssuer();
      return { revokedAt: single.revokedAt };
    },
  }));
}

function singleOf(response: AsnType): Single {
  const [identifier, status, thisUpdate, ...rest] = children(response);
  const [algorithm, name, key, serial] = children(identifier);
  const next = rest.find((one) => hasTag(one, 0));
  if (serial === undefined) throw new Unexpected("no serial number");
  return {
    hash: IDENTIFYING.get(oidOf(children(algorithm)[0])),
    issuer: [octets(name), octets(key)],
    serial: serialOf(serial),
    isGood: hasTag(status, 0),
    revokedAt: hasTag(status, 1) ? timeOf(children(status)[0]) : undefined,
    thisUpdate: timeOf(thisUpdate),
    nextUpdate: next && timeOf(children(next)[0]),
  };
}

/** Whether an issuer lets another certificate respond for it, which need not be checked itself (4.2.2.2). */
async function isDelegate(one: Certificate, issuer: Certificate, times: readonly Date[]): Promise<boolean> {
  return (
    purposesOf(one)?.includes(OCSP_SIGNING) === true &&
    extensionOf(one, NO_CHECK) !== undefined &&
    times.every((at) => isValidAt(one, at)) &&
    (await isIssuedBy(one, issuer))
  );
}
