/** The names that an issuer may certify (RFC 5280, 4.2.1.10). */
import type { AsnType } from "asn1js";
import { children, der, hasTag, implicitOctets, isSame, oidOf, parse } from "./asn1.ts";
import { hex } from "../../bytes/hex.ts";
import { type Certificate, ALTERNATIVE_NAMES, extensionOf, NAME_CONSTRAINTS, valueOf } from "./certificates.ts";
import { constrainedKindUnsupported, constraintUnsupported, nameUnreadable, uriWithoutHost } from "./problems.ts";

const EMAIL_ADDRESS = "1.2.840.113549.1.9.1";

/** Tags of GeneralName (4.2.1.6). */
const EMAIL = 1;
const DIRECTORY = 4;

/** A GeneralName. `value`: the content of the tag, or the name in it. */
interface Name {
  readonly tag: number;
  readonly value: AsnType;
}

/**
 * Whether an issuer may certify all names of a certificate that is below it.
 * @throws Unusable if that cannot be judged, or another error if they cannot be parsed
 */
export function allowsNames(issuer: Certificate, certificate: Certificate): boolean {
  const extension = extensionOf(issuer, NAME_CONSTRAINTS);
  if (extension === undefined) return true;
  const parts = children(valueOf(extension));
  const subtrees = (tag: number): Name[] => {
    const part = parts.find((one) => hasTag(one, tag));
    return part === undefined ? [] : children(part).map(baseOf);
  };
  const [permitted, excluded] = [subtrees(0), subtrees(1)];
  return namesOf(certificate).every((name) => {
    const isWithin = (base: Name): boolean => base.tag === name.tag && contains(base, name);
    const ofItsKind = permitted.filter(({ tag }) => tag === name.tag);
    return !excluded.some(isWithin) && (ofItsKind.length === 0 || ofItsKind.some(isWithin));
  });
}

/** The base of a GeneralSubtree, which has no other part in this profile. */
function baseOf(subtree: AsnType): Name {
  const [base, ...rest] = children(subtree);
  if (base === undefined || rest.length > 0) throw constraintUnsupported();
  return nameOf(base);
}

const nameOf = (block: AsnType): Name => {
  const tag = block.idBlock.tagNumber;
  const [first] = tag === DIRECTORY ? children(block) : [block];
  if (!hasTag(block, tag) || first === undefined) throw nameUnreadable();
  return { tag, value: first };
};

/** The names of the subject: also e-mail addresses in its distinguished name, where old certificates have them. */
function namesOf(certificate: Certificate): Name[] {
  const subject = parse(certificate.subject.bytes);
  const attributes = children(subject).flatMap(children).map(children);
  const addresses = attributes.flatMap(([type, value]) => (value && oidOf(type) === EMAIL_ADDRESS ? [value] : []));
  const extension = extensionOf(certificate, ALTERNATIVE_NAMES);
  const others = extension === undefined ? [] : children(valueOf(extension));
  return [
    ...(attributes.length > 0 ? [{ tag: DIRECTORY, value: subject }] : []),
    ...addresses.map((value) => ({ tag: EMAIL, value })),
    ...others.map(nameOf),
  ];
}

/** Whether a name is within a subtree, by their tag. */
const WITHIN: ReadonlyMap<number, (base: AsnType, name: AsnType) => boolean> = new Map([
  [EMAIL, (base, name) => isEmailWithin(textOf(base), textOf(name))],
  [2, (base, name) => isHostWithin(textOf(base), textOf(name))],
  [DIRECTORY, (base, name) => isDirectoryWithin(partsOf(base), partsOf(name))],
  [6, (base, name) => isUriWithin(textOf(base), textOf(name))],
  [7, (base, name) => isAddressWithin(implicitOctets(base), implicitOctets(name))],
]);

function contains({ tag, value: base }: Name, { value }: Name): boolean {
  const isWithin = WITHIN.get(tag);
  if (isWithin === undefined) throw constrainedKindUnsupported();
  return isWithin(base, value);
}

const textOf = (block: AsnType): string => new TextDecoder().decode(implicitOctets(block)).toLowerCase();

/** An address, all of a host, or, with a dot before it, of the hosts below it. */
function isEmailWithin(base: string, address: string): boolean {
  if (base.includes("@")) return base === address;
  const host = address.slice(address.lastIndexOf("@") + 1);
  return base.startsWith(".") ? host.endsWith(base) : host === base;
}

/** A host and those below it. */
const isHostWithin = (base: string, host: string): boolean =>
  base === "" || host === base || host.endsWith(base.startsWith(".") ? base : `.${base}`);

/** The URIs of a host, or, with a dot before it, of the hosts below it. */
function isUriWithin(base: string, uri: string): boolean {
  const host = /^[^:/?#]+:\/\/(?:[^/?#]*@)?([^/?#:[\]]+)/.exec(uri)?.[1];
  if (host === undefined) throw uriWithoutHost();
  return base.startsWith(".") ? host.endsWith(base) : host === base;
}

/** Addresses of a network: an address and a mask. */
function isAddressWithin(base: Uint8Array, address: Uint8Array): boolean {
  const [network, mask] = [base.subarray(0, address.length), base.subarray(address.length)];
  if (mask.length !== address.length) return false;
  const masked = (bytes: Uint8Array): Uint8Array => bytes.map((byte, index) => byte & (mask[index] ?? 0));
  return isSame(masked(network), masked(address));
}

/** A distinguished name begins with the parts of the other. */
const isDirectoryWithin = (base: readonly string[], name: readonly string[]): boolean =>
  base.every((part, index) => part === name[index]);

/** The parts of a distinguished name, so that those that mean the same are the same (7.1). */
const partsOf = (name: AsnType): string[] =>
  children(name).map((part) =>
    children(part)
      .map((attribute) => {
        const [type, value] = children(attribute);
        return `${oidOf(type)}=${value === undefined ? "" : comparable(value)}`;
      })
      .toSorted()
      .join("+"),
  );

/** A string without the differences that comparisons ignore: case, and the number of spaces (RFC 4518). */
function comparable(value: AsnType): string {
  const text = "valueBlock" in value ? (value.valueBlock as { value?: unknown }).value : undefined;
  return typeof text === "string"
    ? `"${text.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ")}`
    : hex(der(value));
}
