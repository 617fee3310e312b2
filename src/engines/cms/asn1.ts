/**
 * Reads and writes ASN.1 in BER and DER (ITU-T X.690). The package asn1js reads all of its input at once. It takes 6 to 40 µs and about a kilobyte
 * for each value and each arc of an object identifier, and searches strings for more. So all bytes are scanned here first, and refused if reading
 * them would take long.
 */
import {
  type AsnType,
  type BaseBlock,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  Null,
  ObjectIdentifier,
  OctetString,
  Sequence,
  Set as SetBlock,
  UTCTime,
} from "asn1js";
import { limits } from "../../limits.ts";
import { concat } from "../../bytes/concat.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import { asn1HasTooManyValues, asn1TooDeep, asn1TooLong } from "./problems.ts";

/** The structure differs from the expected one. */
export class Unexpected extends Error {}

/** Universal tags (X.680, 8.4). */
const TAGS = {
  integer: 2,
  bits: 3,
  octets: 4,
  identifier: 6,
  enumerated: 10,
  relative: 13,
  utc: 23,
  time: 24,
} as const;
const { asn1IntegerBytes, asn1IdentifierBytes, asn1TimeBytes, asn1StringBytes } = limits.certificates;
/** Maximum size of values by their universal tag, in bytes. */
const MOST_BYTES: ReadonlyMap<number, number> = new Map([
  [TAGS.integer, asn1IntegerBytes],
  [TAGS.identifier, asn1IdentifierBytes],
  [TAGS.enumerated, asn1IntegerBytes],
  [TAGS.relative, asn1IdentifierBytes],
  [TAGS.utc, asn1TimeBytes],
  [TAGS.time, asn1TimeBytes],
]);
/**
 * Bytes of any of these values in a string, which may be no value at all: of all signatures, one in 200 begins as a value that is larger than these
 * limits. Within these bounds, asn1js reads them all the same. Object identifiers, which take it long, count as values, too.
 */
const MOST_EMBEDDED = 16_384;
/** Strings of characters have the tags from 12 on, except times, sequences, and sets. */
const FIRST_STRING = 12;
const LISTS: readonly number[] = [16, 17];

interface Scan {
  readonly bytes: Uint8Array;
  readonly most: number;
  readonly meter: ParseMeter | undefined;
  values: number;
}

/**
 * Walks over a value and all that is in it. Returns where it ends.
 * @param isEmbedded whether it is in a string, so that these may be other bytes
 */
function scanValue(scan: Scan, from: number, to: number, depth: number, isEmbedded: boolean): number {
  const { bytes } = scan;
  if (depth > limits.certificates.asn1Levels) throw asn1TooDeep();
  count(scan, 1);
  const first = bytes[from] ?? 0;
  const isConstructed = (first & 0x20) !== 0;
  let at = from + 1;
  if ((first & 0x1f) === 0x1f) {
    // A tag above 30, in up to three bytes.
    const last = bytes.subarray(at, at + 3).findIndex((byte) => byte < 0x80);
    if (last < 0) throw new Unexpected("no tag");
    at += last + 1;
  }
  const tag = (first & 0x1f) === 0x1f || (first & 0xc0) !== 0 ? undefined : first & 0x1f;
  const size = bytes[at++] ?? 0;
  if (at > to) throw new Unexpected("a value that is cut off");
  if (size === 0x80) {
    if (!isConstructed) throw new Unexpected("no length");
    for (;;) {
      if (at + 2 > to) throw new Unexpected("a value without an end");
      if (bytes[at] === 0 && bytes[at + 1] === 0) return at + 2;
      at = scanValue(scan, at, to, depth + 1, isEmbedded);
    }
  }
  const digits = size < 0x80 ? 0 : size & 0x7f;
  if (digits > 4 || at + digits > to) throw new Unexpected("no length");
  let length = digits === 0 ? size : 0;
  for (const digit of bytes.subarray(at, at + digits)) length = length * 256 + digit;
  at += digits;
  const end = at + length;
  if (end > to) throw new Unexpected("a value that is cut off");
  if (isConstructed) while (at < end) at = scanValue(scan, at, end, depth + 1, isEmbedded);
  else if (tag !== undefined) scanPrimitive(scan, tag, at, end, depth, isEmbedded);
  return end;
}

function scanPrimitive(scan: Scan, tag: number, start: number, end: number, depth: number, isEmbedded: boolean): void {
  const length = end - start;
  const isString = tag >= FIRST_STRING && !LISTS.includes(tag);
  const own = MOST_BYTES.get(tag) ?? (isString ? asn1StringBytes : Infinity);
  const most = isEmbedded ? Math.max(own, MOST_EMBEDDED) : own;
  if (length > most) throw asn1TooLong(most);
  if (tag === TAGS.identifier || tag === TAGS.relative) count(scan, Math.ceil(length / 2));
  // asn1js also reads the contents of a string if they are a value.
  const inner = tag === TAGS.octets ? start : tag === TAGS.bits && scan.bytes[start] === 0 ? start + 1 : end;
  if (inner >= end) return;
  scan.meter?.bytes(end - inner);
  try {
    scanValue(scan, inner, end, depth + 1, true);
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
  }
}

function count(scan: Scan, values: number): void {
  scan.values += values;
  if (scan.values > scan.most) throw asn1HasTooManyValues(scan.most);
  scan.meter?.element(values);
}

function readFirst(bytes: Uint8Array, most: number, meter?: ParseMeter): { end: number; value: AsnType } {
  meter?.bytes(bytes.length);
  const end = scanValue({ bytes, most, meter, values: 0 }, 0, bytes.length, 0, false);
  const { offset, result } = fromBER(bytes.slice(0, end).buffer);
  if (offset !== end || result.error !== "") throw new Unexpected("not ASN.1");
  return { end, value: result };
}

/**
 * Reads one value that takes up all of the bytes of a client, an issuer, or a service. The values of a request have a common limit.
 * @throws Unexpected, Unusable if it is larger or deeper than supported, or the Refusal of a request that has too many values
 */
export function read(work: Work, bytes: Uint8Array, most: number = limits.certificates.asn1Values): AsnType {
  const { end, value } = readFirst(bytes, most, ParseMeter.ofRequest(work, "asn1"));
  if (end !== bytes.length) throw new Unexpected("more than a value");
  return value;
}

/** The same where anything may follow the value. `end`: where it ends. */
export const readBeginning = (work: Work, bytes: Uint8Array): { end: number; value: AsnType } =>
  readFirst(bytes, limits.certificates.asn1Values, ParseMeter.ofRequest(work, "asn1"));

/**
 * Parses one value that takes up all of the bytes. They are part of a value that `read` has read, such as an extension of a certificate.
 * @throws as `read`, but nothing is charged
 */
export function parse(bytes: Uint8Array): AsnType {
  const { end, value } = readFirst(bytes, limits.certificates.asn1Values);
  if (end !== bytes.length) throw new Unexpected("more than a value");
  return value;
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

/** UTCTime or GeneralizedTime. */
export function timeOf(block: AsnType | undefined): Date {
  if (!(block instanceof UTCTime) && !(block instanceof GeneralizedTime)) throw new Unexpected("no time");
  return block.toDate();
}

export const hasTag = (block: BaseBlock | undefined, number: number): boolean =>
  block !== undefined && block.idBlock.tagClass === 3 && block.idBlock.tagNumber === number;

/** The bytes from which a value was read. */
export const writtenBytes = (block: AsnType): Uint8Array<ArrayBuffer> => new Uint8Array(block.valueBeforeDecodeView);

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
export const cmsAttribute = (type: string, value: AsnType): Sequence => sequence(oid(type), setOf([value]));
