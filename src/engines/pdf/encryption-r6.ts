/** AES-256, revision 6 of the standard security handler (ISO 32000-2, 7.6.4). */
import {
  encryptionDictionary,
  type FileEncryption,
  joined,
  littleEndian,
  type PlatformCrypto,
  type Protection,
} from "./encryption-parameters.ts";

const BLOCK = 16;
const ZERO_IV = new Uint8Array(BLOCK);

/**
 * A new file key of 256 bits from the platform's generator, and the dictionary from which either password gives it back.
 * MuPDF would take the key from its own random numbers, which are the clock's seconds.
 */
export async function prepareR6(crypto: PlatformCrypto, protection: Protection): Promise<FileEncryption> {
  const { subtle } = crypto;
  const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));
  const fileKey = random(32);
  const user = new TextEncoder().encode(protection.userPassword);
  const owner = new TextEncoder().encode(protection.ownerPassword);
  const none = new Uint8Array();
  const u = await verifier(subtle, user, none, fileKey, random(BLOCK));
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
    keyFor: async () => key,
  };
}

/** U and UE (Algorithm 8), or O and OE (Algorithm 9), whose hashes take in U. `salts`: validation salt, key salt. */
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
  return { value: joined(hash, salts), key: await unpadded(subtle, key, ZERO_IV, fileKey) };
}

/** Algorithm 2.B: 32 bytes. */
async function hash2B(
  subtle: SubtleCrypto,
  password: Uint8Array,
  salt: Uint8Array,
  u: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  let k = new Uint8Array(await subtle.digest("SHA-256", joined(password, salt, u)));
  for (let rounds = 1; ; rounds++) {
    const once = joined(password, k, u);
    const k1 = new Uint8Array(once.length * 64);
    for (let copy = 0; copy < 64; copy++) k1.set(once, copy * once.length);
    const key = await subtle.importKey("raw", k.slice(0, BLOCK), "AES-CBC", false, ["encrypt"]);
    const e = await unpadded(subtle, key, k.slice(BLOCK, 2 * BLOCK), k1);
    // A number of 16 bytes modulo 3 is the sum of its bytes modulo 3, since 256 is 1 modulo 3.
    const remainder = e.subarray(0, BLOCK).reduce((sum, byte) => sum + byte, 0) % 3;
    k = new Uint8Array(await subtle.digest(["SHA-256", "SHA-384", "SHA-512"][remainder] ?? "", e));
    if (rounds >= 64 && (e.at(-1) ?? 0) <= rounds - 32) return k.slice(0, 32);
  }
}

/** Algorithm 10: P in 64 bits, `T` for "metadata too", `adb`, and four random bytes. Encrypted alone, CBC is ECB. */
function permissionsBlock(permissions: number, random: Uint8Array): Uint8Array<ArrayBuffer> {
  return joined(littleEndian(permissions), new Uint8Array(4).fill(0xff), new TextEncoder().encode("Tadb"), random);
}

/** AES-CBC without padding, of whole blocks: the block that holds WebCrypto's padding is cut off. */
async function unpadded(
  subtle: SubtleCrypto,
  key: CryptoKey,
  iv: Uint8Array<ArrayBuffer>,
  data: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await subtle.encrypt({ name: "AES-CBC", iv }, key, data)).slice(0, data.length);
}
