/** An issuer's statement about the revocation of its certificates, in a list (RFC 5280, 5) or a response (RFC 6960). */
import type { Certificate } from "./certificates.ts";
import type { Work } from "../work.ts";

export interface Judgment {
  /** When it was revoked or put on hold; undefined if it was not. */
  readonly revokedAt: Date | undefined;
}

/** Each method throws Unusable, another error for data that cannot be parsed, or the Refusal of a request that needs too much work. */
export interface RevocationInfo {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
  /** Whether it is about a certificate, regardless of its signer. */
  isAbout(certificate: Certificate, issuer: Certificate, work: Work): Promise<boolean>;
  /** Whether the issuer signed it, or whom it lets respond. */
  isFrom(issuer: Certificate, work: Work): Promise<boolean>;
  /** Its statement about one of its certificates. */
  judge(certificate: Certificate, work: Work): Judgment | Promise<Judgment>;
}
