/** Keys and certificates for tests, made with WebCrypto and pkijs: nothing of the service takes part. Runs in Node and in Workers. */
import { Integer, Null, OctetString, Utf8String, BitString } from "asn1js";
import {
  AccessDescription,
  AttributeTypeAndValue,
  AuthenticatedSafe,
  BasicConstraints,
  CertBag,
  Certificate,
  CRLDistributionPoints,
  CryptoEngine,
  DistributionPoint,
  ExtKeyUsage,
  Extension,
  GeneralName,
  type ICryptoEngine,
  InfoAccess,
  PFX,
  PKCS8ShroudedKeyBag,
  PrivateKeyInfo,
  SafeBag,
  SafeContents,
  setEngine,
} from "pkijs";

const engine = new CryptoEngine({ name: "webcrypto", crypto }) as unknown as ICryptoEngine;
setEngine("webcrypto", engine);

export type KeyKind = "RSA-2048" | "RSA-4096" | "P-256" | "P-384" | "RSA-1024";

const DAY = 24 * 3600 * 1000;

type KeyPair = { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey };

export interface Issued {
  readonly keys: KeyPair;
  readonly certificate: Certificate;
}

export interface CertificateOptions {
  readonly subject: string;
  readonly kind?: KeyKind;
  readonly issuer?: Issued;
  /** Whether it may issue others. */
  readonly isAuthority?: boolean;
  /** Days from now. */
  readonly valid?: readonly [from: number, until: number];
  /** First byte of KeyUsage. */
  readonly usage?: number;
  /** Whether it has a SubjectKeyIdentifier. */
  readonly keyIdentifier?: boolean;
  /** Object identifiers of purposes. */
  readonly purposes?: readonly string[];
  /** URLs: where its issuer responds (OCSP), where its issuer's certificate is, and where a revocation list is. */
  readonly ocsp?: string;
  readonly issuerUrl?: string;
  readonly crl?: string;
  /** Whether responses that it signs are accepted without asking about it (RFC 6960, 4.2.2.2.1). */
  readonly noCheck?: boolean;
}

const algorithmOf = (kind: KeyKind) =>
  kind.startsWith("RSA")
    ? {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: Number(kind.slice(4)),
        publicExponent: Uint8Array.of(1, 0, 1),
      }
    : { name: "ECDSA", namedCurve: kind };

/** Issues a certificate; by default it signs itself. */
export async function issue(options: CertificateOptions): Promise<Issued> {
  const { subject, kind = "P-256", issuer, valid = [-1, 365], usage, purposes, isAuthority = false } = options;
  const keys = (await crypto.subtle.generateKey(algorithmOf(kind), true, ["sign", "verify"])) as unknown as KeyPair;
  const certificate = new Certificate();
  certificate.version = 2;
  const serial = crypto.getRandomValues(new Uint8Array(8));
  serial[0] = 0x40;
  certificate.serialNumber = new Integer({ valueHex: serial.buffer });
  const name = new AttributeTypeAndValue({ type: "2.5.4.3", value: new Utf8String({ value: subject }) });
  certificate.subject.typesAndValues.push(name);
  const by = issuer?.certificate.subject.typesAndValues ?? [name];
  certificate.issuer.typesAndValues.push(...by);
  certificate.notBefore.value = new Date(Date.now() + valid[0] * DAY);
  certificate.notAfter.value = new Date(Date.now() + valid[1] * DAY);
  certificate.extensions = [];
  if (isAuthority) {
    const value = new BasicConstraints({ cA: true }).toSchema().toBER();
    certificate.extensions.push(new Extension({ extnID: "2.5.29.19", critical: true, extnValue: value }));
  }
  if (usage !== undefined) {
    const bits = new BitString({ valueHex: Uint8Array.of(usage).buffer });
    certificate.extensions.push(new Extension({ extnID: "2.5.29.15", critical: true, extnValue: bits.toBER() }));
  }
  if (options.keyIdentifier) {
    const value = new OctetString({ valueHex: crypto.getRandomValues(new Uint8Array(20)).buffer }).toBER();
    certificate.extensions.push(new Extension({ extnID: "2.5.29.14", extnValue: value }));
  }
  if (purposes) {
    const value = new ExtKeyUsage({ keyPurposes: [...purposes] }).toSchema().toBER();
    certificate.extensions.push(new Extension({ extnID: "2.5.29.37", critical: true, extnValue: value }));
  }
  const { ocsp, issuerUrl, crl } = options;
  const methods = [
    ["1.3.6.1.5.5.7.48.1", ocsp],
    ["1.3.6.1.5.5.7.48.2", issuerUrl],
  ] as const;
  const access = methods.flatMap(([accessMethod, url]) =>
    url === undefined ? [] : [new AccessDescription({ accessMethod, accessLocation: uri(url) })],
  );
  if (access.length > 0) {
    const value = new InfoAccess({ accessDescriptions: access }).toSchema().toBER();
    certificate.extensions.push(new Extension({ extnID: "1.3.6.1.5.5.7.1.1", extnValue: value }));
  }
  if (crl !== undefined) {
    const points = [new DistributionPoint({ distributionPoint: [uri(crl)] })];
    const value = new CRLDistributionPoints({ distributionPoints: points }).toSchema().toBER();
    certificate.extensions.push(new Extension({ extnID: "2.5.29.31", extnValue: value }));
  }
  if (options.noCheck)
    certificate.extensions.push(new Extension({ extnID: "1.3.6.1.5.5.7.48.1.5", extnValue: new Null().toBER() }));
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, engine);
  await certificate.sign(issuer?.keys.privateKey ?? keys.privateKey, "SHA-256", engine);
  return { keys, certificate: Certificate.fromBER(certificate.toSchema().toBER()) };
}

const uri = (value: string): GeneralName => new GeneralName({ type: 6, value });

export const derOf = ({ certificate }: Issued): Uint8Array<ArrayBuffer> =>
  new Uint8Array(certificate.toSchema().toBER());

export const keyDer = async ({ keys }: Issued): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array((await crypto.subtle.exportKey("pkcs8", keys.privateKey)) as ArrayBuffer);

export const pem = (label: string, bytes: Uint8Array): string => {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
};

export const keyPem = async (issued: Issued): Promise<string> => pem("PRIVATE KEY", await keyDer(issued));

export const chainPem = (...chain: readonly Issued[]): string =>
  chain.map((one) => pem("CERTIFICATE", derOf(one))).join("");

/** A PKCS#12 file with AES-256 and SHA-256. */
export async function pkcs12(
  signer: Issued,
  password: string,
  chain: readonly Issued[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const secret = new Uint8Array(new TextEncoder().encode(password)).buffer;
  const key = new PKCS8ShroudedKeyBag({ parsedValue: PrivateKeyInfo.fromBER(await keyDer(signer)) });
  await key.makeInternalValues(
    {
      password: secret,
      contentEncryptionAlgorithm: { name: "AES-CBC", length: 256 } as never,
      hmacHashAlgorithm: "SHA-256",
      iterationCount: 2048,
    },
    engine,
  );
  const safeBags = [
    new SafeBag({ bagId: "1.2.840.113549.1.12.10.1.2", bagValue: key }),
    ...[signer, ...chain].map(
      (one) =>
        new SafeBag({
          bagId: "1.2.840.113549.1.12.10.1.3",
          bagValue: new CertBag({
            certId: "1.2.840.113549.1.9.22.1",
            certValue: new OctetString({ valueHex: derOf(one).buffer }) as never,
          }),
        }),
    ),
  ];
  const safe = new AuthenticatedSafe({
    parsedValue: { safeContents: [{ privacyMode: 0, value: new SafeContents({ safeBags }) }] },
  });
  await safe.makeInternalValues({ safeContents: [{}] }, engine);
  const pfx = new PFX({ parsedValue: { integrityMode: 0, authenticatedSafe: safe } });
  await pfx.makeInternalValues(
    { password: secret, iterations: 2048, pbkdf2HashAlgorithm: "SHA-256", hmacHashAlgorithm: "SHA-256" } as never,
    engine,
  );
  return new Uint8Array(pfx.toSchema().toBER());
}
