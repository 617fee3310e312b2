/** The evidence, after the certificates of a signature have expired, that none was revoked when it was made (EN 319 142-1, 5.4). */
import { Refusal } from "../errors.ts";
import type { Work } from "../work.ts";
import type { Certificate } from "./certificates.ts";
import { Pool } from "./pool.ts";
import { pathOf, proofsFor } from "./chain.ts";
import { Revoked, Unusable } from "./refusal.ts";
import { noTimeStamp, unreadable } from "./problems.ts";
import type { RevocationData, Revocations } from "./revocation.ts";
import { readSignedData, readStampOver, type TimeStamp } from "./signed-data.ts";
import { chainRevoked, revocationUnavailable, stampChainRevoked } from "../signature-errors.ts";

export interface Evidence {
  readonly certificates: readonly Certificate[];
  readonly data: readonly RevocationData[];
}

/**
 * Requests evidence from the issuers of the signer and of the time-stamp service.
 * @param cms a signature with a time stamp
 * @param field of the request with the certificates of the signer
 * @throws Refusal `revocation_unavailable`, or `invalid_certificate` or `timestamp_failed` if a certificate was revoked; Unusable if there is no time
 * stamp
 */
export async function evidenceFor(
  work: Work,
  cms: Uint8Array,
  field: string,
  revocations: Revocations,
): Promise<Evidence> {
  const signed = await readSignedData(work, cms);
  if (signed.token === undefined) throw noTimeStamp();
  const stamp = await readStampOver(work, signed, signed.token);
  const pool = new Pool(work, [...signed.certificates, ...stamp.certificates]);
  const ofSigner = await evidenceOf(signed, pool, revocations, stamp).catch((error: unknown) => {
    if (error instanceof Revoked) throw chainRevoked(field, error.message);
    throw error instanceof Unusable ? revocationUnavailable("signer", error.message) : error;
  });
  const ofStamp = await evidenceOf(stamp, pool, revocations, stamp).catch((error: unknown) => {
    if (error instanceof Revoked) throw stampChainRevoked(error.message);
    throw error instanceof Unusable ? revocationUnavailable("time-stamp service", error.message) : error;
  });
  const certificates: Certificate[] = [];
  for (const one of [...ofSigner.certificates, ...ofStamp.certificates])
    if (!certificates.some((other) => other.identity === one.identity)) certificates.push(one);
  return { certificates, data: [...new Set([...ofSigner.data, ...ofStamp.data])] };
}

async function evidenceOf(
  { signer }: { readonly signer: Certificate },
  pool: Pool,
  revocations: Revocations,
  { time }: TimeStamp,
): Promise<Evidence> {
  try {
    const certificates = await pathOf(signer, pool, [], revocations);
    const proofs = await proofsFor(certificates, revocations, { at: time });
    return { certificates, data: proofs.flatMap((one) => ("proof" in one ? [one.proof] : [])) };
  } catch (cause) {
    // Parsers report damage with errors of any kind.
    throw cause instanceof Unusable || cause instanceof Refusal ? cause : unreadable(cause);
  }
}
