/** Time stamps (RFC 3161): what is asked of a service, and what is accepted from it. */
import { Boolean as BooleanBlock, type AsnType, Integer } from "asn1js";
import { ContentInfo, CryptoEngine, type ICryptoEngine, SignedData, TSTInfo } from "pkijs";
import { Refusal } from "../errors.ts";
import type { TimestampService } from "../lease/engines.ts";
import { children, der, integer, isSame, numberOf, octetString, octets, oidOf, parse, sequence } from "./asn1.ts";
import { DIGESTS, digestAlgorithm, type DigestName } from "./signer.ts";
import { timestampFailed } from "./refusal.ts";
import { digestOf, ID_SIGNED_DATA } from "./sign.ts";

/** A size in bytes that few tokens reach, even with a chain of RSA certificates. */
export const TIMESTAMP_ROOM = 24 * 1024;

const NONCE_BYTES = 16;
const TST_INFO = "1.2.840.113549.1.9.16.1.4";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";

/** PKIStatus (RFC 3161, 2.4.2): granted, or granted with changes. */
const GRANTED: readonly number[] = [0, 1];

/**
 * Asks for a time stamp over bytes.
 * @returns the token, a ContentInfo in DER, whose imprint, nonce, and signature were checked; not the trust in its certificate
 * @throws Refusal `timestamp_failed`
 */
export async function timeStamp(
  service: TimestampService,
  url: string | undefined,
  digest: DigestName,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const imprint = await digestOf(digest, bytes);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  // Positive, and without leading zeros.
  nonce[0] = ((nonce[0] ?? 0) & 0x7f) | 0x40;
  const request = sequence(
    integer(1),
    sequence(digestAlgorithm(digest), octetString(imprint)),
    new Integer({ valueHex: nonce.slice().buffer }),
    new BooleanBlock({ value: true }),
  );
  const response = await service.request(url, der(request));
  let token: AsnType;
  try {
    const [status, found] = children(parse(response));
    const code = numberOf(children(status)[0]);
    if (!GRANTED.includes(code)) throw timestampFailed(`did not grant the request (status ${code})`);
    if (found === undefined) throw timestampFailed("sent no token");
    token = found;
    await check(token, { digest, imprint, nonce, bytes });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw timestampFailed("sent a response that cannot be read", error);
  }
  return der(token);
}

interface Asked {
  readonly digest: DigestName;
  readonly imprint: Uint8Array<ArrayBuffer>;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function check(token: AsnType, { digest, imprint, nonce, bytes }: Asked): Promise<void> {
  const info = new ContentInfo({ schema: token });
  if (info.contentType !== ID_SIGNED_DATA) throw timestampFailed("sent no signed data");
  const signed = new SignedData({ schema: info.content });
  const { eContentType, eContent } = signed.encapContentInfo;
  if (eContentType !== TST_INFO || eContent === undefined)
    throw timestampFailed("sent signed data that is no time stamp");
  const content = octets(eContent);
  const stamp = TSTInfo.fromBER(content);
  const { hashAlgorithm, hashedMessage } = stamp.messageImprint;
  const hashed = new Uint8Array(hashedMessage.valueBlock.valueHexView);
  if (hashAlgorithm.algorithmId !== DIGESTS[digest].oid || !isSame(hashed, imprint))
    throw timestampFailed("stamped something else");
  const answered = stamp.nonce === undefined ? undefined : new Uint8Array(stamp.nonce.valueBlock.valueHexView);
  if (answered === undefined || !isSame(answered, nonce))
    throw timestampFailed("answered another request: the nonce differs");
  // The library checks the digest and the signature of the one signer; its certificate must be for time stamps only (RFC 3161, 2.3).
  // Workers add a function to WebCrypto that the type asks for and the library does not call.
  const engine = new CryptoEngine({ name: "webcrypto", crypto }) as unknown as ICryptoEngine;
  const result = await signed.verify({ signer: 0, checkChain: false, data: bytes.buffer, extendedMode: true }, engine);
  if (result.signatureVerified !== true || !result.signerCertificate)
    throw timestampFailed("sent a token whose signature does not verify");
  const usage = (result.signerCertificate.extensions ?? []).find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes = usage ? children(parse(new Uint8Array(usage.extnValue.getValue()))).map(oidOf) : [];
  if (!purposes.includes(TIME_STAMPING)) throw timestampFailed("has a certificate that is not for time stamps");
}
