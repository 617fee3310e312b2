/** Time stamps (RFC 3161): the request to a service, and the check of its response. */
import { Boolean as BooleanBlock, Integer } from "asn1js";
import { Refusal } from "../errors.ts";
import type { TimestampService } from "../services.ts";
import type { Work } from "../work.ts";
import { children, der, integer, isSame, numberOf, octetString, read, sequence } from "./asn1.ts";
import { DIGESTS, digestAlgorithm, type DigestName } from "./signer.ts";
import { Unusable } from "./refusal.ts";
import { readSignedData, readTimeStamp } from "./signed-data.ts";
import {
  noToken,
  otherNonce,
  stampedOther,
  timestampNotGranted,
  timestampUnreadable,
  tokenUnusable,
} from "../signature-errors.ts";

/** A size in bytes that few tokens reach, even with a chain of RSA certificates. */
export const TIMESTAMP_ROOM = 24 * 1024;

const NONCE_BYTES = 16;

/** PKIStatus (RFC 3161, 2.4.2): granted, or granted with changes. */
const GRANTED: readonly number[] = [0, 1];

/**
 * Asks for a time stamp over a digest.
 * @returns the token, a ContentInfo in DER, whose imprint, nonce, and signature were checked; not the trust in its certificate
 * @throws Refusal `timestamp_failed`
 */
export async function timeStamp(
  work: Work,
  service: TimestampService,
  url: string | undefined,
  digest: DigestName,
  imprint: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
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
  try {
    const [status, found] = children(read(work, response));
    const code = numberOf(children(status)[0]);
    if (!GRANTED.includes(code)) throw timestampNotGranted(code);
    if (found === undefined) throw noToken();
    const token = der(found);
    await check(work, token, { digest, imprint, nonce });
    return token;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof Unusable) throw tokenUnusable(error.message, error);
    throw timestampUnreadable(error);
  }
}

interface Asked {
  readonly digest: DigestName;
  readonly imprint: Uint8Array;
  readonly nonce: Uint8Array;
}

async function check(work: Work, token: Uint8Array, { digest, imprint, nonce }: Asked): Promise<void> {
  const stamp = await readTimeStamp(work, await readSignedData(work, token));
  if (stamp.imprint.hash !== DIGESTS[digest].hash || !isSame(stamp.imprint.digest, imprint)) throw stampedOther();
  if (stamp.nonce === undefined || !isSame(stamp.nonce, nonce)) throw otherNonce();
}
