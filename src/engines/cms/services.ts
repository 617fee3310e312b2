/** The services outside that signatures need. */

/** Asks time-stamp services (RFC 3161). */
export interface TimestampService {
  /** Whether there is one to ask if a request names none. */
  readonly hasDefault: boolean;
  /**
   * Sends a TimeStampReq in DER, and returns the TimeStampResp. `url`: default: the operator's.
   * @throws Refusal `invalid_parameters` if the URL is not allowed, `timestamp_failed`
   */
  request(url: string | undefined, request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Asks the issuers of certificates, at URLs that the certificates name (RFC 6960; RFC 5280, 4.2.1.13 and 4.2.2.1). */
export interface IssuerService {
  /**
   * Returns up to `most` bytes.
   * @throws Unusable with the end of a sentence about the response
   */
  get(url: string, type: string, most: number): Promise<Uint8Array<ArrayBuffer>>;
  /** The same for a request with a body. */
  post(
    url: string,
    types: { readonly request: string; readonly response: string },
    body: Uint8Array<ArrayBuffer>,
    most: number,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** The services of a request, if available. Requests are sent only while its engines are parked. */
export interface Services {
  readonly timestamps: TimestampService | undefined;
  readonly issuers: IssuerService | undefined;
}

export const NO_SERVICES: Services = { timestamps: undefined, issuers: undefined };
