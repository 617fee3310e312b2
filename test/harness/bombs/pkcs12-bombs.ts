/** PKCS#12 files that make whoever opens them derive keys for a long time (RFC 7292). Each opens with the password `secret`, as far as its MAC says. */
import { Constructed, Integer, Null, ObjectIdentifier, OctetString, Sequence, type AsnType } from "asn1js";

const ID_DATA = "1.2.840.113549.1.7.1";
const SHROUDED_KEY = "1.2.840.113549.1.12.10.1.2";
const WITH_3DES = "1.2.840.113549.1.12.1.3";
const DIGESTS = { sha1: "1.3.14.3.2.26", sha512: "2.16.840.1.101.3.4.2.3" } as const;

const oid = (value: string): AsnType => new ObjectIdentifier({ value });
const sequence = (...value: AsnType[]): Sequence => new Sequence({ value });
const octets = (bytes: Uint8Array): AsnType => new OctetString({ valueHex: bytes.slice().buffer });
const tagged = (...value: AsnType[]): AsnType => new Constructed({ idBlock: { tagClass: 3, tagNumber: 0 }, value });
const der = (block: AsnType): Uint8Array => new Uint8Array(block.toBER());

interface Mac {
  readonly digest?: keyof typeof DIGESTS;
  /** Bytes of its value, which fits nothing, and of its salt. */
  readonly value?: number;
  readonly salt?: number;
  readonly iterations?: number;
}

function fileOf(content: Uint8Array, mac: AsnType): Uint8Array {
  return der(sequence(new Integer({ value: 3 }), sequence(oid(ID_DATA), tagged(octets(content))), mac));
}

/** A file without keys, whose MAC takes long. */
export function longMac({ digest = "sha1", value = 20, salt = 8, iterations = 1 }: Mac): Uint8Array {
  const info = sequence(sequence(oid(DIGESTS[digest]), new Null()), octets(new Uint8Array(value)));
  return fileOf(der(sequence()), sequence(info, octets(new Uint8Array(salt)), new Integer({ value: iterations })));
}

/** A file of encrypted keys, each with so many iterations, whose MAC is that of the password `secret`. */
export async function manyKeys(count: number, iterations: number, type = WITH_3DES): Promise<Uint8Array> {
  const scheme = sequence(oid(type), sequence(octets(new Uint8Array(8)), new Integer({ value: iterations })));
  const bag = sequence(oid(SHROUDED_KEY), tagged(sequence(scheme, octets(new Uint8Array(64)))));
  const bags = der(sequence(...Array<AsnType>(count).fill(bag)));
  const content = der(sequence(sequence(oid(ID_DATA), tagged(octets(bags)))));
  const salt = new Uint8Array(8);
  const key = await macKey("secret", salt);
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-1" }, false, ["sign"]);
  const value = new Uint8Array(await crypto.subtle.sign("HMAC", imported, content.slice()));
  const info = sequence(sequence(oid(DIGESTS.sha1), new Null()), octets(value));
  return fileOf(content, sequence(info, octets(salt), new Integer({ value: 1 })));
}

/** The key of a MAC after one iteration (appendix B.2). */
async function macKey(password: string, salt: Uint8Array): Promise<ArrayBuffer> {
  const secret = [...Array.from(password, (character) => [0, character.charCodeAt(0)]).flat(), 0, 0];
  const filled = (bytes: ArrayLike<number>): number[] =>
    Array.from({ length: Math.ceil(bytes.length / 64) * 64 }, (_, index) => bytes[index % bytes.length] ?? 0);
  return crypto.subtle.digest(
    "SHA-1",
    Uint8Array.from([...Array<number>(64).fill(3), ...filled(salt), ...filled(secret)]),
  );
}
