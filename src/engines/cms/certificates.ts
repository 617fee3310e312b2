/** What a certificate says (RFC 5280). */
import type { AsnType } from "asn1js";
import { BitString, Boolean as BooleanBlock, Integer } from "asn1js";
import { Certificate, type Extension, type RelativeDistinguishedNames } from "pkijs";
import { hex } from "../../bytes/hex.ts";
import type { Work } from "../work.ts";
import { children, der, hasTag, implicitOctets, isSame, numberOf, oidOf, parse, read } from "./asn1.ts";
import { Unusable } from "./refusal.ts";

/** Certificates that a request may have in one place: each may be tried with a key. */
export const MOST_CERTIFICATES = 50;

/** Values in one certificate, which pkijs reads and writes in one piece: 80 ms. Real ones have a few hundred. */
const MOST_VALUES = 2_000;

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
    serialNumber: hex(serialOf(certificate)),
    notBefore: certificate.notBefore.value.toISOString(),
    notAfter: certificate.notAfter.value.toISOString(),
  };
}

/** The content of the integer, in DER. */
export const serialOf = ({ serialNumber }: { readonly serialNumber: AsnType }): Uint8Array =>
  serialNumber instanceof Integer ? serialNumber.valueBlock.valueHexView : new Uint8Array();

/** By how much clocks differ, in ms. */
export const CLOCK_SKEW = 5 * 60_000;

export const isValidAt = ({ notBefore, notAfter }: Certificate, at: Date): boolean =>
  notBefore.value <= at && at <= notAfter.value;

/** A name as text (RFC 4514): the most specific part first. */
export function distinguishedName(name: RelativeDistinguishedNames): string {
  return name.typesAndValues
    .map(({ type, value }) => `${SHORT.get(type) ?? type}=${escaped(String(value.valueBlock.value))}`)
    .toReversed()
    .join(",");
}

const escaped = (text: string): string =>
  text
    .replaceAll("\0", "\\00")
    .replace(/["+,;<>\\]/g, "\\$&")
    .replace(/^[ #]/, "\\$&")
    .replace(/ $/, "\\ ");

const identities = new WeakMap<Certificate, string>();

/** Two certificates are the same if these are. */
export function identityOf(certificate: Certificate): string {
  const known = identities.get(certificate) ?? hex(der(certificate.toSchema()));
  identities.set(certificate, known);
  return known;
}

const names = new WeakMap<RelativeDistinguishedNames, Uint8Array<ArrayBuffer>>();

/** A name in DER, written once: names are compared with many others. */
export function nameBytes(name: RelativeDistinguishedNames): Uint8Array<ArrayBuffer> {
  const known = names.get(name) ?? der(name.toSchema());
  names.set(name, known);
  return known;
}

export const extensionOf = ({ extensions = [] }: Certificate, type: string): Extension | undefined =>
  extensions.find(({ extnID }) => extnID === type);

const values = new WeakMap<Extension, AsnType>();

/** The value of an extension, parsed once: path building looks at it again and again. */
export function valueOf(extension: Extension): AsnType {
  const known = values.get(extension) ?? parse(new Uint8Array(extension.extnValue.getValue()));
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

/** URLs that are asked about a certificate; undefined for names of other kinds, such as directories (LDAP). */
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

/** Whether its issuer says that there is nothing to ask (RFC 9608): it is valid for a short time only. */
export const hasNoRevocation = (certificate: Certificate): boolean =>
  extensionOf(certificate, NO_REVOCATION) !== undefined;

/**
 * A certificate whose bytes are those that are written again: signatures refer to them by their digest.
 * @throws Unusable, or another error for what cannot be parsed
 */
export function certificateOf(work: Work, bytes: Uint8Array): Certificate {
  const certificate = new Certificate({ schema: read(work, bytes, MOST_VALUES) });
  if (!isSame(der(certificate.toSchema()), bytes)) throw new Unusable("has a certificate that is not in DER");
  return certificate;
}
