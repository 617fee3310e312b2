/**
 * Certificate revocation lists (RFC 5280, 5). A list can have 100,000 entries, so they are walked in its bytes: as objects, they would take fifty times as much
 * memory.
 */
import type { AsnType } from "asn1js";
import { children, hasTag, isSame, octets, oidOf, parse, read, timeOf, Unexpected } from "./asn1.ts";
import { type Certificate, constraintsOf, keyUsageOf, pointsIn, pointsOf, serialOf } from "./certificates.ts";
import { HASH_WORK, isSignedBy, SIGNATURE_WORK } from "./public-key.ts";
import { criticalExtension, listForSome, twoAlgorithms } from "./problems.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import type { Judgment, RevocationInfo } from "./revocation-info.ts";

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const TIMES: ReadonlySet<number> = new Set([0x17, 0x18]);
const EXTENSIONS = 0xa0;

/** `cRLSign` in the first byte of KeyUsage (4.2.1.3). */
const LIST_SIGNING = 0b0000_0010;
const ISSUING_DISTRIBUTION_POINT = "2.5.29.28";
/** Parts of a list (5.1), some of which are optional. */
const MOST_PARTS = 20;
/** Fuel to compare the names of issuers. */
const MATCH_WORK = 5_000;

/** A value in DER: where it begins, and where its content does. */
interface Place {
  readonly tag: number;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** Reads the header of a value with a definite length and a tag below 31 (X.690, 8.1). */
function placeAt(bytes: Uint8Array, from: number, most: number): Place {
  const [tag = 0, first = 0] = bytes.subarray(from, from + 2);
  const digits = first < 0x80 ? 0 : first & 0x7f;
  const start = from + 2 + digits;
  if (from + 2 > most || (tag & 0x1f) === 0x1f || first === 0x80 || digits > 4) throw new Unexpected("no value");
  let length = digits === 0 ? first : 0;
  for (const digit of bytes.subarray(from + 2, start)) length = length * 256 + digit;
  if (start + length > most) throw new Unexpected("a value that is cut off");
  return { tag, from, start, end: start + length };
}

/** Reads a list; not yet its signature. */
export function readCrl(work: Work, bytes: Uint8Array<ArrayBuffer>): RevocationInfo {
  const within = ({ start, end }: Place): Place[] => {
    const found: Place[] = [];
    for (let at = start; at < end; at = found.at(-1)?.end ?? end) {
      if (found.length > MOST_PARTS) throw new Unexpected("no list");
      found.push(placeAt(bytes, at, end));
    }
    return found;
  };
  const cut = ({ from, end }: Place): Uint8Array<ArrayBuffer> => bytes.slice(from, end);
  const whole = placeAt(bytes, 0, bytes.length);
  const [list, algorithm, signature] = within(whole);
  if (whole.tag !== SEQUENCE || whole.end !== bytes.length || list?.tag !== SEQUENCE || algorithm === undefined)
    throw new Unexpected("no list");
  // Its first byte is the number of unused bits in the last one.
  if (signature?.tag !== BIT_STRING || bytes[signature.start] !== 0) throw new Unexpected("no list");
  const parts = within(list);
  if (parts[0]?.tag === INTEGER) parts.shift();
  const [inner, issuer, thisUpdate, ...rest] = parts;
  if (inner === undefined || issuer === undefined || thisUpdate === undefined) throw new Unexpected("no list");
  if (!isSame(cut(inner), cut(algorithm))) throw twoAlgorithms();
  const nextUpdate = rest[0] && TIMES.has(rest[0].tag) ? rest.shift() : undefined;
  const entries = rest[0]?.tag === SEQUENCE ? rest.shift() : undefined;
  const scope = scopeOf(rest[0]?.tag === EXTENSIONS ? read(work, cut(rest[0])) : undefined);
  const judge = async (certificate: Certificate, work: Work): Promise<Judgment> => {
    const serial = serialOf(certificate.serialNumber);
    const meter = new ParseMeter(work, "crl");
    for (let at = entries?.start ?? 0; at < (entries?.end ?? 0);) {
      const entry = placeAt(bytes, at, entries?.end ?? 0);
      meter.bytes(entry.end - at);
      meter.element();
      await meter.pause();
      const number = placeAt(bytes, entry.start, entry.end);
      if (isSame(bytes.subarray(number.start, number.end), serial))
        return { revokedAt: timeOf(read(work, cut(placeAt(bytes, number.end, entry.end)))) };
      at = entry.end;
    }
    return { revokedAt: undefined };
  };
  return {
    thisUpdate: timeOf(read(work, cut(thisUpdate))),
    nextUpdate: nextUpdate && timeOf(read(work, cut(nextUpdate))),
    judge,
    async isAbout(certificate, _, work) {
      work.spend(MATCH_WORK);
      return isSame(cut(issuer), certificate.issuer.bytes) && covers(scope, certificate);
    },
    async isFrom(one, work) {
      if (((keyUsageOf(one) ?? LIST_SIGNING) & LIST_SIGNING) === 0) return false;
      work.spend(SIGNATURE_WORK + bytes.length * HASH_WORK);
      const signed = {
        bytes: cut(list),
        signature: bytes.slice(signature.start + 1, signature.end),
        algorithm: read(work, cut(algorithm)),
      };
      return isSignedBy(one, signed);
    },
  };
}

/** The certificates that a list is about (5.2.5). */
interface Scope {
  readonly users: boolean;
  readonly authorities: boolean;
  /** URLs of the distribution point, if it is one of several. */
  readonly points: readonly string[] | undefined;
}

function scopeOf(extensions: AsnType | undefined): Scope {
  let scope: Scope = { users: true, authorities: true, points: undefined };
  for (const extension of extensions === undefined ? [] : children(children(extensions)[0])) {
    const parts = children(extension);
    const isCritical = parts.length === 3;
    const type = oidOf(parts[0]);
    if (type !== ISSUING_DISTRIBUTION_POINT) {
      // Such as that of a list of changes only (5.2.4).
      if (isCritical) throw criticalExtension(type);
      continue;
    }
    const fields = children(parse(octets(parts.at(-1))));
    const known = [0, 1, 2];
    if (!fields.every((field) => known.some((tag) => hasTag(field, tag)))) throw listForSome();
    const point = fields.find((field) => hasTag(field, 0));
    scope = {
      users: !fields.some((field) => hasTag(field, 2)),
      authorities: !fields.some((field) => hasTag(field, 1)),
      points: point && pointsIn(point),
    };
  }
  return scope;
}

function covers({ users, authorities, points }: Scope, certificate: Certificate): boolean {
  const isMeant = constraintsOf(certificate).isAuthority ? authorities : users;
  return isMeant && (points === undefined || pointsOf(certificate).some((one) => points.includes(one)));
}
