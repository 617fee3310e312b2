/** AES-128, revision 4 of the standard security handler (ISO 32000-2, 7.6.3 and 7.6.4). */
import {
  encryptionDictionary,
  type FileEncryption,
  littleEndian,
  type PlatformCrypto,
  type Protection,
} from "./parameters.ts";
import { concat } from "../../bytes/concat.ts";
import { unhex } from "../../bytes/hex.ts";
import { latin1 } from "../../bytes/latin1.ts";

/** Pads passwords to 32 bytes (Algorithm 2, step a). */
const PADDING = unhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a");

/** Length of the file key in bytes. */
const KEY = 16;

/**
 * Derives the file key from the passwords and the file identifier, its only salt. A new identifier makes sure that two files
 * with the same passwords have different keys.
 */
export async function prepareR4(crypto: PlatformCrypto, protection: Protection): Promise<FileEncryption> {
  const md5 = async (...parts: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await crypto.subtle.digest("MD5", concat(parts)));
  const id = crypto.getRandomValues(new Uint8Array(16));
  const [user, owner] = [padded(protection.userPassword), padded(protection.ownerPassword)];

  // Algorithm 3: O.
  let ownerKey = await md5(owner);
  for (let round = 0; round < 50; round++) ownerKey = await md5(ownerKey);
  const o = rc4Rounds(ownerKey, user);

  // Algorithm 2: the file key.
  let fileKey = await md5(user, o, littleEndian(protection.permissions), id);
  for (let round = 0; round < 50; round++) fileKey = await md5(fileKey.subarray(0, KEY));

  // Algorithm 5: U. Its second half is arbitrary.
  const u = concat([rc4Rounds(fileKey, await md5(PADDING, id)), new Uint8Array(16)]);

  // Fails here rather than in the middle of the file if the cipher is unavailable.
  await crypto.subtle.importKey("raw", fileKey, "AES-CBC", false, ["encrypt"]);
  return {
    dictionary: encryptionDictionary({ method: "AESV2", version: 4, revision: 4, bytes: KEY }, protection.permissions, {
      O: o,
      U: u,
    }),
    id: latin1(id),
    version: 16,
    /** Algorithm 1: each object has its own key. */
    async keyFor(number, generation) {
      const object = Uint8Array.of(number, number >> 8, number >> 16, generation, generation >> 8);
      const key = await md5(fileKey, object, new TextEncoder().encode("sAlT"));
      return crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt"]);
    },
  };
}

/** The ASCII password, padded to 32 bytes. */
function padded(password: string): Uint8Array {
  return concat([new TextEncoder().encode(password), PADDING]).slice(0, PADDING.length);
}

/** The twenty passes of Algorithms 3 and 5, each with a modified key. */
function rc4Rounds(key: Uint8Array, data: Uint8Array): Uint8Array {
  let result = data;
  for (let round = 0; round < 20; round++) {
    result = rc4(
      key.map((byte) => byte ^ round),
      result,
    );
  }
  return result;
}

/** RC4, which platforms no longer provide. Not used for content, which is encrypted with AES. */
function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index & 0xff] ?? 0;
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [at(b), at(a)];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 0xff;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return data.map((byte) => {
    i = (i + 1) & 0xff;
    j = (j + at(i)) & 0xff;
    swap(i, j);
    return byte ^ at(at(i) + at(j));
  });
}
