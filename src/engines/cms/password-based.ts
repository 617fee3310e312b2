/**
 * Password-based encryption of PKCS#8 and PKCS#12: PBES2 (RFC 8018, 6.2), and the older schemes of RFC 7292, appendix C, with Triple DES, which
 * Windows and OpenSSL before 3 write. WebCrypto has neither Triple DES nor synchronous digests: each of its digests takes a turn of the event loop.
 * workerd's part of Node has both. RC2, with keys of 40 bits, is refused.
 */
import { createDecipheriv, createHash } from "node:crypto";
import { limits } from "../../limits.ts";
import { concat } from "../../bytes/concat.ts";
import { ParseMeter } from "../parse-meter.ts";
import type { Work } from "../work.ts";
import { children, isSame, numberOf, octets, oidOf, read, Unexpected } from "./asn1.ts";
import { macHasOtherLength, passwordDoesNotOpen, saltTooLong, tooManyIterations, unknownScheme } from "./problems.ts";

/** How many times the fuel of a byte that is read one with Triple DES takes. */
const DECIPHER_BYTES = 10;

type Bytes = Uint8Array<ArrayBuffer>;
type Digest = "sha1" | "sha256" | "sha384" | "sha512";

const DIGESTS: ReadonlyMap<string, Digest> = new Map([
  ["1.3.14.3.2.26", "sha1"],
  ["2.16.840.1.101.3.4.2.1", "sha256"],
  ["2.16.840.1.101.3.4.2.2", "sha384"],
  ["2.16.840.1.101.3.4.2.3", "sha512"],
]);
const PRFS: ReadonlyMap<string, string> = new Map([
  ["1.2.840.113549.2.7", "SHA-1"],
  ["1.2.840.113549.2.9", "SHA-256"],
  ["1.2.840.113549.2.10", "SHA-384"],
  ["1.2.840.113549.2.11", "SHA-512"],
]);
/** Bytes that a digest works on at once, and the bytes of its value. */
const SIZES = {
  sha1: { block: 64, value: 20 },
  sha256: { block: 64, value: 32 },
  sha384: { block: 128, value: 48 },
  sha512: { block: 128, value: 64 },
} as const satisfies Record<Digest, object>;
/** Most bytes that one round of PBKDF2 derives: those of SHA-1. */
const ROUND_BYTES = 20;

const PBES2 = "1.2.840.113549.1.5.13";
const PBKDF2 = "1.2.840.113549.1.5.12";
const HMAC_SHA1 = "1.2.840.113549.2.7";
const TRIPLE_DES = "1.2.840.113549.3.7";
const AES_KEY_BYTES: ReadonlyMap<string, number> = new Map([
  ["2.16.840.1.101.3.4.1.2", 16],
  ["2.16.840.1.101.3.4.1.22", 24],
  ["2.16.840.1.101.3.4.1.42", 32],
]);
/** The older schemes with Triple DES, and the length of their key in bytes. */
const OLDER: ReadonlyMap<string, number> = new Map([
  ["1.2.840.113549.1.12.1.3", 24],
  ["1.2.840.113549.1.12.1.4", 16],
]);
const IV_BYTES = 8;

type Block = Parameters<typeof children>[0];

/**
 * Decrypts as an AlgorithmIdentifier specifies.
 * The derivations of a request have a common limit.
 * @throws Unusable if the scheme is unknown or too slow, or the padding shows that the password is wrong
 */
export async function decrypt(
  algorithm: Block,
  data: Uint8Array,
  password: string,
  work: Work,
): Promise<Uint8Array<ArrayBuffer>> {
  const meter = ParseMeter.ofRequest(work, "derivation");
  const [scheme, parameters] = children(algorithm);
  if (oidOf(scheme) === PBES2) return decryptPbes2(parameters, data, password, meter);
  const keyBytes = OLDER.get(oidOf(scheme));
  if (keyBytes === undefined) throw unknownScheme(oidOf(scheme));
  const [salt, iterations] = children(parameters);
  const from = { password, salt: saltOf(salt), iterations: bounded(iterations) };
  const key = await pkcs12Key("sha1", { ...from, id: 1, length: keyBytes }, meter);
  const iv = await pkcs12Key("sha1", { ...from, id: 2, length: IV_BYTES }, meter);
  // Two-key Triple DES uses the first part again as the third.
  return decipher(concat([key, key]).slice(0, 24), iv, data, meter);
}

async function decryptPbes2(
  parameters: Block,
  data: Uint8Array,
  password: string,
  meter: ParseMeter,
): Promise<Uint8Array<ArrayBuffer>> {
  const [derivation, encryption] = children(parameters);
  const [kdf, kdfParameters] = children(derivation);
  if (oidOf(kdf) !== PBKDF2) throw unknownScheme(oidOf(kdf));
  const [salt, iterations, ...rest] = children(kdfParameters);
  const prf = rest.find((block) => block.idBlock.isConstructed);
  const hash = PRFS.get(prf === undefined ? HMAC_SHA1 : oidOf(children(prf)[0]));
  const [cipher, iv] = children(encryption);
  const isTripleDes = oidOf(cipher) === TRIPLE_DES;
  const keyBytes = isTripleDes ? 24 : AES_KEY_BYTES.get(oidOf(cipher));
  if (hash === undefined || keyBytes === undefined) throw unknownScheme(oidOf(cipher));
  const count = bounded(iterations);
  meter.element(count * Math.ceil(keyBytes / ROUND_BYTES));
  await meter.pause();
  const secret = new TextEncoder().encode(password);
  const base = await crypto.subtle.importKey("raw", secret, "PBKDF2", false, ["deriveBits"]);
  secret.fill(0);
  const pbkdf2 = { name: "PBKDF2", salt: saltOf(salt), iterations: count, hash };
  const key = new Uint8Array(await crypto.subtle.deriveBits(pbkdf2, base, keyBytes * 8));
  if (isTripleDes) return decipher(key, octets(iv), data, meter);
  meter.bytes(data.length);
  const aes = await crypto.subtle.importKey("raw", key, "AES-CBC", false, ["decrypt"]);
  key.fill(0);
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-CBC", iv: octets(iv) }, aes, data.slice()));
  } catch (cause) {
    throw passwordDoesNotOpen(cause);
  }
}

/** Triple DES. A file of 1 MiB takes some 40 ms. */
function decipher(key: Bytes, iv: Uint8Array, data: Uint8Array, meter: ParseMeter): Bytes {
  if (iv.length !== IV_BYTES) throw new Unexpected("no initialization vector");
  meter.bytes(data.length * DECIPHER_BYTES);
  const cipher = createDecipheriv("des-ede3-cbc", key, iv);
  key.fill(0);
  try {
    return concat([cipher.update(data), cipher.final()]);
  } catch (cause) {
    throw passwordDoesNotOpen(cause);
  }
}

/** A number of iterations that a request may ask for. */
function bounded(block: Block): number {
  const iterations = numberOf(block);
  if (iterations >= 1 && iterations <= limits.certificates.iterations) return iterations;
  throw tooManyIterations(iterations);
}

function saltOf(block: Block): Bytes {
  const salt = octets(block);
  if (salt.length <= limits.certificates.saltBytes) return salt;
  throw saltTooLong(salt.length);
}

/**
 * Whether the MAC of a PKCS#12 file (RFC 7292, 4) fits the password.
 * @param mac the MacData
 * @throws Unusable if the MAC is not as long as its digest, or takes too long
 */
export async function fitsMac(
  mac: Block,
  content: Uint8Array<ArrayBuffer>,
  password: string,
  work: Work,
): Promise<boolean> {
  const meter = ParseMeter.ofRequest(work, "derivation");
  const [info, salt, iterations] = children(mac);
  const [algorithm, expected] = children(info);
  const digest = DIGESTS.get(oidOf(children(algorithm)[0]));
  if (digest === undefined) throw unknownScheme(oidOf(children(algorithm)[0]));
  const length = SIZES[digest].value;
  if (octets(expected).length !== length) throw macHasOtherLength(octets(expected).length, length);
  const count = iterations === undefined ? 1 : bounded(iterations);
  const from = { password, salt: saltOf(salt), iterations: count, id: 3, length };
  const derived = await pkcs12Key(digest, from, meter);
  meter.bytes(content.length);
  const hash = `SHA-${digest.slice(3)}`;
  const key = await crypto.subtle.importKey("raw", derived, { name: "HMAC", hash }, false, ["sign"]);
  derived.fill(0);
  return isSame(new Uint8Array(await crypto.subtle.sign("HMAC", key, content)), octets(expected));
}

interface Derivation {
  readonly password: string;
  readonly salt: Bytes;
  readonly iterations: number;
  /** The purpose of the bytes: 1 a key, 2 an initialization vector, 3 a MAC. */
  readonly id: number;
  /** Bytes. */
  readonly length: number;
}

/** Derives bytes from a password (RFC 7292, appendix B.2). */
async function pkcs12Key(
  digest: Digest,
  { password, salt, iterations, id, length }: Derivation,
  meter: ParseMeter,
): Promise<Bytes> {
  const { block, value } = SIZES[digest];
  meter.expect(Math.ceil(length / value) * iterations);
  /** Repeats bytes up to a multiple of the block. */
  const filled = (bytes: Uint8Array): Bytes =>
    Uint8Array.from({ length: block * Math.ceil(bytes.length / block) }, (_, at) => bytes[at % bytes.length] ?? 0);
  // Passwords are UTF-16BE with a terminator.
  const secret = Uint8Array.from({ length: 2 * password.length + 2 }, (_, at) => {
    const unit = password.charCodeAt(at >> 1) || 0;
    return at % 2 === 0 ? unit >> 8 : unit & 0xff;
  });
  const input = concat([filled(salt), filled(secret)]);
  const purpose = new Uint8Array(block).fill(id);
  const derived = new Uint8Array(length);
  for (let from = 0; from < length; from += value) {
    let hash: Uint8Array = concat([purpose, input]);
    for (let count = 0; count < iterations; count++) {
      meter.element();
      await meter.pause();
      hash = createHash(digest).update(hash).digest();
    }
    derived.set(hash.subarray(0, length - from), from);
    const added = filled(hash);
    for (let start = 0; start < input.length; start += block) {
      let carry = 1;
      for (let at = block - 1; at >= 0; at--) {
        carry += (input[start + at] ?? 0) + (added[at] ?? 0);
        input[start + at] = carry & 0xff;
        carry >>= 8;
      }
    }
  }
  input.fill(0);
  secret.fill(0);
  return derived;
}

/** Decrypts an EncryptedPrivateKeyInfo (RFC 5958, 3). */
export async function decryptKey(bytes: Uint8Array, password: string, work: Work): Promise<Uint8Array<ArrayBuffer>> {
  const [algorithm, data] = children(read(work, bytes));
  if (algorithm === undefined) throw new Unexpected("no algorithm");
  return decrypt(algorithm, octets(data), password, work);
}
