/** The contents of a certificate (RFC 5280). */
import { type AsnType, BitString, Boolean as BooleanBlock, Integer } from "asn1js";
import { limits } from "../../limits.ts";
import { hex } from "../../bytes/hex.ts";
import type { Work } from "../work.ts";
import {
  children,
  der,
  hasTag,
  implicitOctets,
  isSame,
  numberOf,
  octets,
  oidOf,
  parse,
  read,
  timeOf,
  Unexpected,
  writtenBytes,
} from "./asn1.ts";
import { notInDer } from "./problems.ts";

export const KEY_USAGE = "2.5.29.15";
export const BASIC_CONSTRAINTS = "2.5.29.19";
export const EXTENDED_KEY_USAGE = "2.5.29.37";
export const ALTERNATIVE_NAMES = "2.5.29.17";
export const NAME_CONSTRAINTS = "2.5.29.30";
export const DISTRIBUTION_POINTS = "2.5.29.31";
const NO_REVOCATION = "2.5.29.56";
const ACCESS = "1.3.6.1.5.5.7.1.1";
const METHODS = { ocsp: "1.3.6.1.5.5.7.48.1", issuer: "1.3.6.1.5.5.7.48.2" } as const;
export const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";

/** Short names of attributes (RFC 4514, 3, and as OpenSSL writes them). */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.4", "SN"],
  ["2.5.4.5", "serialNumber"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.9", "street"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.12", "title"],
  ["2.5.4.42", "GN"],
  ["2.5.4.97", "organizationIdentifier"],
  ["1.2.840.113549.1.9.1", "emailAddress"],
  ["0.9.2342.19200300.100.1.1", "UID"],
  ["0.9.2342.19200300.100.1.25", "DC"],
]);

/** A distinguished name (4.1.2.4). */
export interface DistinguishedName {
  readonly block: AsnType;
  /** The bytes as written: names are compared with many others. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly attributes: readonly { readonly type: string; readonly text: string }[];
}

/** An extension (4.1.2.9). */
export interface Extension {
  readonly type: string;
  readonly isCritical: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Certificate {
  readonly block: AsnType;
  /** The bytes as written: signatures refer to them by their digest. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Two certificates are the same if these are. */
  readonly identity: string;
  readonly serialNumber: Integer;
  readonly issuer: DistinguishedName;
  readonly subject: DistinguishedName;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** SubjectPublicKeyInfo (4.1.2.7). */
  readonly publicKey: AsnType;
  readonly extensions: readonly Extension[];
  /** The bytes that its issuer signed, the signature, and its AlgorithmIdentifier. */
  readonly signed: {
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly signature: Uint8Array<ArrayBuffer>;
    readonly algorithm: AsnType;
  };
}

export interface CertificateFacts {
  /** Names as RFC 4514 writes them. */
  readonly subject: string;
  readonly issuer: string;
  /** Hexadecimal. */
  readonly serialNumber: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
}

export function factsOf(certificate: Certificate): CertificateFacts {
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    serialNumber: hex(serialOf(certificate.serialNumber)),
    notBefore: certificate.notBefore.toISOString(),
    notAfter: certificate.notAfter.toISOString(),
  };
}

/** The content of the integer, in DER. */
export const serialOf = (serialNumber: AsnType): Uint8Array =>
  serialNumber instanceof Integer ? serialNumber.valueBlock.valueHexView : new Uint8Array();

/** By how much clocks differ, in ms. */
export const CLOCK_SKEW = 5 * 60_000;

export const isValidAt = ({ notBefore, notAfter }: Certificate, at: Date): boolean => notBefore <= at && at <= notAfter;

/** A name as text (RFC 4514): the most specific part first. */
export const distinguishedName = ({ attributes }: DistinguishedName): string =>
  attributes
    .map(({ type, text }) => `${SHORT.get(type) ?? type}=${escaped(text)}`)
    .toReversed()
    .join(",");

const escaped = (text: string): string =>
  text
    .replaceAll("\0", "\\00")
    .replace(/["+,;<>\\]/g, "\\$&")
    .replace(/^[ #]/, "\\$&")
    .replace(/ $/, "\\ ");

export const extensionOf = ({ extensions }: Certificate, type: string): Extension | undefined =>
  extensions.find((one) => one.type === type);

const values = new WeakMap<Extension, AsnType>();

/** The value of an extension, parsed once: path building looks at it again and again. */
export function valueOf(extension: Extension): AsnType {
  const known = values.get(extension) ?? parse(extension.bytes);
  values.set(extension, known);
  return known;
}

/** `digitalSignature` and `nonRepudiation`, the first bits of KeyUsage (4.2.1.3). */
export const SIGNING_BITS = 0b1100_0000;

/** The first bits of KeyUsage (4.2.1.3); undefined if all uses are allowed. */
export function keyUsageOf(certificate: Certificate): number | undefined {
  const usage = extensionOf(certificate, KEY_USAGE);
  if (usage === undefined) return undefined;
  const bits = valueOf(usage);
  return bits instanceof BitString ? (bits.valueBlock.valueHexView[0] ?? 0) : 0;
}

/** Purposes (4.2.1.12); undefined if all are allowed. */
export function purposesOf(certificate: Certificate): string[] | undefined {
  const usage = extensionOf(certificate, EXTENDED_KEY_USAGE);
  return usage && children(valueOf(usage)).map(oidOf);
}

/** Whether it may issue certificates, and how many authorities may follow (4.2.1.9). */
export function constraintsOf(certificate: Certificate): { isAuthority: boolean; pathLength: number } {
  const extension = extensionOf(certificate, BASIC_CONSTRAINTS);
  if (extension === undefined) return { isAuthority: false, pathLength: 0 };
  const parts = children(valueOf(extension));
  const length = parts.find((part) => part instanceof Integer);
  return {
    isAuthority: parts.some((part) => part instanceof BooleanBlock && part.valueBlock.value),
    pathLength: length === undefined ? Infinity : numberOf(length),
  };
}

/** URLs for requests about a certificate. Undefined for names of other kinds, such as directories (LDAP). */
const urlIn = (name: AsnType): string | undefined => {
  if (!hasTag(name, 6)) return undefined;
  const url = new TextDecoder().decode(implicitOctets(name));
  return /^https?:/i.test(url) ? url : undefined;
};

const isText = (value: string | undefined): value is string => value !== undefined;

/** Where an issuer responds about a certificate (`ocsp`), and where its own certificate is (`issuer`; 4.2.2.1). */
export function accessOf(certificate: Certificate, method: "ocsp" | "issuer"): string[] {
  const extension = extensionOf(certificate, ACCESS);
  return (extension === undefined ? [] : children(valueOf(extension)))
    .map(children)
    .flatMap(([type, name]) => (name !== undefined && oidOf(type) === METHODS[method] ? [urlIn(name)] : []))
    .filter(isText);
}

/** The URLs in a DistributionPointName with its tag (4.2.1.13): only full names. */
export function pointsIn(point: AsnType): string[] {
  const [name] = children(point);
  return name !== undefined && hasTag(name, 0) ? children(name).map(urlIn).filter(isText) : [];
}

/** Where the revocation lists of a certificate are that its issuer signs itself, and that are for all reasons (4.2.1.13). */
export function pointsOf(certificate: Certificate): string[] {
  const extension = extensionOf(certificate, DISTRIBUTION_POINTS);
  return (extension === undefined ? [] : children(valueOf(extension))).flatMap((point) => {
    const parts = children(point);
    const [first] = parts;
    return parts.length === 1 && first !== undefined && hasTag(first, 0) ? pointsIn(first) : [];
  });
}

/** Whether there is somewhere to ask, wherever that is. */
export const hasDistributionPoints = (certificate: Certificate): boolean =>
  extensionOf(certificate, DISTRIBUTION_POINTS) !== undefined;

/** Whether its issuer declares that it has no revocation data (RFC 9608), because it is valid for a short time only. */
export const hasNoRevocation = (certificate: Certificate): boolean =>
  extensionOf(certificate, NO_REVOCATION) !== undefined;

function nameOf(block: AsnType | undefined): DistinguishedName {
  if (block === undefined) throw new Unexpected("no name");
  const attributes = children(block)
    .flatMap(children)
    .map((attribute) => {
      const [type, value] = children(attribute);
      const text = value !== undefined && "valueBlock" in value ? (value.valueBlock as { value?: unknown }).value : "";
      return { type: oidOf(type), text: String(text) };
    });
  return { block, bytes: writtenBytes(block), attributes };
}

function extensionFrom(block: AsnType): Extension {
  const [type, ...rest] = children(block);
  const critical = rest.length > 1 ? rest.shift() : undefined;
  if (critical !== undefined && !(critical instanceof BooleanBlock)) throw new Unexpected("no extension");
  return { type: oidOf(type), isCritical: critical?.valueBlock.value ?? false, bytes: octets(rest[0]) };
}

/**
 * Reads a certificate (4.1).
 * @throws Unusable, or another error if it cannot be parsed
 */
export function certificateOf(work: Work, bytes: Uint8Array): Certificate {
  const block = read(work, bytes, limits.certificates.values);
  // Signatures are written with these bytes again.
  if (!isSame(der(block), bytes)) throw notInDer();
  const [contents, algorithm, signature] = children(block);
  const parts = children(contents).filter((part, index) => index > 0 || !hasTag(part, 0));
  const [serialNumber, , issuer, validity, subject, publicKey, ...rest] = parts;
  const [notBefore, notAfter] = children(validity);
  const extensions = rest.find((part) => hasTag(part, 3));
  if (contents === undefined || algorithm === undefined || publicKey === undefined)
    throw new Unexpected("no certificate");
  if (!(signature instanceof BitString) || !(serialNumber instanceof Integer)) throw new Unexpected("no certificate");
  return {
    block,
    bytes: bytes.slice(),
    identity: hex(bytes),
    serialNumber,
    issuer: nameOf(issuer),
    subject: nameOf(subject),
    notBefore: timeOf(notBefore),
    notAfter: timeOf(notAfter),
    publicKey,
    extensions: extensions === undefined ? [] : children(children(extensions)[0]).map(extensionFrom),
    signed: {
      bytes: writtenBytes(contents),
      signature: new Uint8Array(signature.valueBlock.valueHexView),
      algorithm,
    },
  };
}
