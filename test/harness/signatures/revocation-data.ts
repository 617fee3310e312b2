/** OCSP responses and revocation lists for tests, made with pkijs and WebCrypto: nothing of the service takes part. Runs in Node and in Workers. */
import { Constructed, Enumerated, GeneralizedTime, Integer, OctetString, Primitive } from "asn1js";
import {
  BasicOCSPResponse,
  CertID,
  CertificateRevocationList,
  Extension,
  Extensions,
  GeneralName,
  IssuingDistributionPoint,
  OCSPResponse,
  ResponseBytes,
  RevokedCertificate,
  SingleResponse,
  Time,
} from "pkijs";
import type { Issued } from "./certificates.ts";

const HOUR = 3_600_000;
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR);

export interface DataOptions {
  /** Who signs. Default: the issuer. */
  readonly by?: Issued;
  /** In hours from now. Default: revoked never, made an hour ago, to be renewed in a day. */
  readonly revoked?: number;
  readonly made?: number;
  readonly renewed?: number | undefined;
}

/** The response of an issuer about a certificate. `unknown`: that it does not know it. */
export async function ocspResponse(
  issuer: Issued,
  about: Issued,
  { by = issuer, revoked, made = -1, unknown = false, ...more }: DataOptions & { readonly unknown?: boolean } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const renewed = "renewed" in more ? more.renewed : 24;
  const certID = new CertID();
  await certID.createForCertificate(about.certificate, {
    hashAlgorithm: "SHA-256",
    issuerCertificate: issuer.certificate,
  });
  const tag = (tagNumber: number) => ({ tagClass: 3, tagNumber });
  const certStatus = unknown
    ? new Primitive({ idBlock: tag(2) })
    : revoked === undefined
      ? new Primitive({ idBlock: tag(0) })
      : new Constructed({ idBlock: tag(1), value: [new GeneralizedTime({ valueDate: inHours(revoked) })] });
  const basic = new BasicOCSPResponse();
  basic.tbsResponseData.responderID = by.certificate.subject;
  basic.tbsResponseData.producedAt = inHours(made);
  basic.tbsResponseData.responses = [
    new SingleResponse({
      certID,
      certStatus,
      thisUpdate: inHours(made),
      ...(renewed !== undefined && { nextUpdate: inHours(renewed) }),
    }),
  ];
  basic.certs = by === issuer ? [] : [by.certificate];
  await basic.sign(by.keys.privateKey, "SHA-256");
  const response = new OCSPResponse({
    responseStatus: new Enumerated({ value: 0 }),
    responseBytes: new ResponseBytes({
      responseType: "1.3.6.1.5.5.7.48.1.1",
      response: new OctetString({ valueHex: basic.toSchema().toBER() }),
    }),
  });
  return new Uint8Array(response.toSchema().toBER());
}

export interface ListOptions extends DataOptions {
  /** The certificates that are revoked; `revoked` is when. */
  readonly lists?: readonly Issued[];
  /** Of a list for some certificates only. */
  readonly point?: { readonly url?: string; readonly onlyAuthorities?: boolean; readonly indirect?: boolean };
  /** Whether it has the changes since another list only. */
  readonly isDelta?: boolean;
}

export async function revocationList(
  issuer: Issued,
  { by = issuer, lists = [], revoked = -2, made = -1, renewed = 24, point, isDelta = false }: ListOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const list = new CertificateRevocationList({ version: 1 });
  list.issuer = issuer.certificate.subject;
  list.thisUpdate = new Time({ type: 0, value: inHours(made) });
  list.nextUpdate = new Time({ type: 0, value: inHours(renewed) });
  list.revokedCertificates = lists.map(
    ({ certificate }) =>
      new RevokedCertificate({
        userCertificate: certificate.serialNumber,
        revocationDate: new Time({ type: 0, value: inHours(revoked) }),
      }),
  );
  const extensions: Extension[] = [];
  const add = (extnID: string, extnValue: ArrayBuffer): void =>
    void extensions.push(new Extension({ extnID, critical: true, extnValue }));
  if (isDelta) add("2.5.29.27", new Integer({ value: 1 }).toBER());
  if (point) {
    const { url, onlyAuthorities = false, indirect = false } = point;
    const value = new IssuingDistributionPoint({
      ...(url !== undefined && { distributionPoint: [new GeneralName({ type: 6, value: url })] }),
      onlyContainsCACerts: onlyAuthorities,
      indirectCRL: indirect,
    });
    add("2.5.29.28", value.toSchema().toBER());
  }
  if (extensions.length > 0) list.crlExtensions = new Extensions({ extensions });
  await list.sign(by.keys.privateKey, "SHA-256");
  return new Uint8Array(list.toSchema(true).toBER());
}
