/** What an issuer says about the revocation of its certificates, in a list (RFC 5280, 5) or a response (RFC 6960). */
import type { Certificate } from "pkijs";

export interface Judgment {
  /** When it was revoked or put on hold; undefined if it was not. */
  readonly revokedAt: Date | undefined;
}

export interface RevocationInfo {
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
  /**
   * What it says of a certificate; undefined if it is not about it, or not from its issuer.
   * @throws Unusable, or another error for what cannot be parsed
   */
  judgmentOf(certificate: Certificate, issuer: Certificate): Promise<Judgment | undefined>;
}
