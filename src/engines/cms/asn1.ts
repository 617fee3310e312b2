/** Reads and writes ASN.1 in BER and DER (ITU-T X.690). */
import {
  type AsnType,
  type BaseBlock,
  Constructed,
  fromBER,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  Set as SetBlock,
} from "asn1js";
import { concat } from "../bytes/concat.ts";

/** What was read is not the structure that was expected. */
export class Unexpected extends Error {}

/** Parses one value that is all of the bytes. */
export function parse(bytes: Uint8Array): AsnType {
  const { offset, result } = fromBER(bytes.slice().buffer);
  if (offset !== bytes.length || result.error !== "") throw new Unexpected("not ASN.1");
  return result;
}

/** The values in a constructed one. */
export function children(block: BaseBlock | undefined): AsnType[] {
  if (block === undefined || !block.idBlock.isConstructed || !("valueBlock" in block)) throw new Unexpected("no list");
  const { value } = block.valueBlock as { value?: unknown };
  if (!Array.isArray(value)) throw new Unexpected("no list");
  return value as AsnType[];
}

export function octets(block: BaseBlock | undefined): Uint8Array<ArrayBuffer> {
  if (!(block instanceof OctetString)) throw new Unexpected("no octet string");
  return new Uint8Array(block.getValue());
}

/** The octets of a string with an implicit tag, which may come in pieces. */
export function implicitOctets(block: BaseBlock | undefined): Uint8Array<ArrayBuffer> {
  if (block === undefined) throw new Unexpected("no octet string");
  if (block.idBlock.isConstructed) return concat(children(block).map(octets));
  return new Uint8Array((block as unknown as { valueBlock: { valueHexView: Uint8Array } }).valueBlock.valueHexView);
}

export function oidOf(block: BaseBlock | undefined): string {
  if (!(block instanceof ObjectIdentifier)) throw new Unexpected("no object identifier");
  return block.valueBlock.toString();
}

/** A small number. */
export function numberOf(block: BaseBlock | undefined): number {
  if (!(block instanceof Integer) || block.valueBlock.isHexOnly) throw new Unexpected("no small integer");
  return block.valueBlock.valueDec;
}

export const hasTag = (block: BaseBlock | undefined, number: number): boolean =>
  block !== undefined && block.idBlock.tagClass === 3 && block.idBlock.tagNumber === number;

export const der = (block: AsnType): Uint8Array<ArrayBuffer> => new Uint8Array(block.toBER());

export const sequence = (...value: AsnType[]): Sequence => new Sequence({ value });
export const oid = (value: string): ObjectIdentifier => new ObjectIdentifier({ value });
export const octetString = (bytes: Uint8Array): OctetString => new OctetString({ valueHex: bytes.slice().buffer });
export const integer = (value: number): Integer => new Integer({ value });
export const nothing = (): Null => new Null();

/** A value with an explicit context-specific tag. */
export const tagged = (tagNumber: number, ...value: AsnType[]): Constructed =>
  new Constructed({ idBlock: { tagClass: 3, tagNumber }, value });

/** A set in the order that DER requires (X.690, 11.6). */
export function setOf(members: readonly AsnType[]): SetBlock {
  const sorted = members.map((member) => ({ member, bytes: der(member) })).toSorted((a, b) => order(a.bytes, b.bytes));
  return new SetBlock({ value: sorted.map(({ member }) => member) });
}

function order(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export const isSame = (a: Uint8Array, b: Uint8Array): boolean => order(a, b) === 0;

/** An attribute (RFC 5652, 5.3). */
export const attribute = (type: string, value: AsnType): Sequence => sequence(oid(type), setOf([value]));
