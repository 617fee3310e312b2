/** AES-256, revision 6 of the standard security handler (ISO 32000-2, 7.6.4). */
import {
  encryptionDictionary,
  type FileEncryption,
  littleEndian,
  type PlatformCrypto,
  type Protection,
} from "./parameters.ts";
import { hex } from "../../../bytes/hex.ts";
import { concat } from "../../../bytes/concat.ts";

const BLOCK = 16;
const ZERO_IV = new Uint8Array(BLOCK);
const NONE = new Uint8Array();

/** Algorithm 2.B: hashes by the remainder modulo 3, and the length of the longest in bytes. */
const HASHES = ["SHA-256", "SHA-384", "SHA-512"];
const LONGEST_HASH = 64;
/** How often a round of Algorithm 2.B repeats its input. A power of 2. */
const REPEATED = 64;

/**
 * Generates a 256-bit file key from the platform's random generator, and the dictionary from which either password recovers
 * it. MuPDF would use its own random numbers, which are seeded with the time in seconds.
 */
export async function prepareR6(crypto: PlatformCrypto, protection: Protection): Promise<FileEncryption> {
  const { subtle } = crypto;
  const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));
  const fileKey = random(32);
  const user = new TextEncoder().encode(protection.userPassword);
  const owner = new TextEncoder().encode(protection.ownerPassword);
  const u = await verifier(subtle, user, NONE, fileKey, random(BLOCK));
  const o = await verifier(subtle, owner, u.value, fileKey, random(BLOCK));
  const key = await subtle.importKey("raw", fileKey, "AES-CBC", false, ["encrypt"]);
  const perms = await unpadded(subtle, key, ZERO_IV, permissionsBlock(protection.permissions, random(4)));
  return {
    dictionary: encryptionDictionary({ method: "AESV3", version: 5, revision: 6, bytes: 32 }, protection.permissions, {
      U: u.value,
      UE: u.key,
      O: o.value,
      OE: o.key,
      Perms: perms,
    }),
    id: undefined,
    version: 17,
    key: { key: fileKey, strings: "aes-256", streams: "aes-256" },
  };
}

/** U and UE (Algorithm 8), or O and OE (Algorithm 9), whose hashes include U. `salts`: validation salt and key salt. */
async function verifier(
  subtle: SubtleCrypto,
  password: Uint8Array,
  u: Uint8Array,
  fileKey: Uint8Array<ArrayBuffer>,
  salts: Uint8Array,
): Promise<{ value: Uint8Array; key: Uint8Array }> {
  const hash = await hash2B(subtle, password, salts.subarray(0, 8), u);
  const wrapping = await hash2B(subtle, password, salts.subarray(8), u);
  const key = await subtle.importKey("raw", wrapping, "AES-CBC", false, ["encrypt"]);
  return { value: concat([hash, salts]), key: await unpadded(subtle, key, ZERO_IV, fileKey) };
}

/**
 * Algorithm 2.A: recovers the file key from a password with U and UE, or with O and OE, whose hashes include U. Undefined if
 * the password is wrong.
 */
export async function openR6(
  subtle: SubtleCrypto,
  password: Uint8Array,
  [value, key, u]: readonly [Uint8Array, Uint8Array, Uint8Array],
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const hash = await hash2B(subtle, password, value.subarray(32, 40), u);
  if (hex(hash) !== hex(value.subarray(0, 32))) return undefined;
  return decrypted(subtle, await hash2B(subtle, password, value.subarray(40, 48), u), key);
}

/** Algorithm 13: whether Perms confirms these permissions. */
export async function hasPermissions(
  subtle: SubtleCrypto,
  fileKey: Uint8Array<ArrayBuffer>,
  perms: Uint8Array,
  permissions: number,
): Promise<boolean> {
  const block = await decrypted(subtle, fileKey, perms);
  return hex(block.subarray(0, 12)) === hex(permissionsBlock(permissions, NONE));
}

/** Algorithm 2.B: a 32-byte hash. Takes 1 to 2 ms. `u`: empty for the user password. */
async function hash2B(
  subtle: SubtleCrypto,
  password: Uint8Array,
  salt: Uint8Array,
  u: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  let k = new Uint8Array(await subtle.digest("SHA-256", concat([password, salt, u])));
  const room = new Uint8Array(REPEATED * (password.length + LONGEST_HASH + u.length));
  for (let rounds = 1; ; rounds++) {
    room.set(password);
    room.set(k, password.length);
    room.set(u, password.length + k.length);
    let length = password.length + k.length + u.length;
    for (let copies = 1; copies < REPEATED; copies *= 2, length *= 2) room.copyWithin(length, 0, length);
    const key = await subtle.importKey("raw", k.subarray(0, BLOCK), "AES-CBC", false, ["encrypt"]);
    const e = await unpadded(subtle, key, k.subarray(BLOCK, 2 * BLOCK), room.subarray(0, length));
    // A 16-byte number modulo 3 equals the sum of its bytes modulo 3, since 256 is 1 modulo 3.
    let sum = 0;
    for (let index = 0; index < BLOCK; index++) sum += e[index] ?? 0;
    k = new Uint8Array(await subtle.digest(HASHES[sum % 3] ?? "", e));
    if (rounds >= 64 && (e.at(-1) ?? 0) <= rounds - 32) return k.slice(0, 32);
  }
}

/**
 * Algorithm 10: P in 64 bits, `T` for encrypted metadata, `adb`, and four random bytes. For a single block CBC equals ECB.
 */
function permissionsBlock(permissions: number, random: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat([littleEndian(permissions), new Uint8Array(4).fill(0xff), new TextEncoder().encode("Tadb"), random]);
}

/**
 * The inverse of `unpadded` with a zero initialization vector. Appends a block that decrypts to nothing but padding, as
 * WebCrypto requires.
 */
async function decrypted(
  subtle: SubtleCrypto,
  rawKey: Uint8Array<ArrayBuffer>,
  data: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await subtle.importKey("raw", rawKey, "AES-CBC", false, ["encrypt", "decrypt"]);
  const padding = await subtle.encrypt({ name: "AES-CBC", iv: data.slice(-BLOCK) }, key, NONE);
  const padded = concat([data, new Uint8Array(padding)]);
  return new Uint8Array(await subtle.decrypt({ name: "AES-CBC", iv: ZERO_IV }, key, padded));
}

/** AES-CBC of whole blocks without padding: drops the block that WebCrypto adds for it. */
async function unpadded(
  subtle: SubtleCrypto,
  key: CryptoKey,
  iv: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await subtle.encrypt({ name: "AES-CBC", iv }, key, data), 0, data.length);
}
