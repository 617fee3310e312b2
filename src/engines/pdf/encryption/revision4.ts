/** AES-128, revision 4 of the standard security handler (ISO 32000-2, 7.6.3 and 7.6.4). */
import {
  encryptionDictionary,
  type FileEncryption,
  littleEndian,
  type PlatformCrypto,
  type Protection,
} from "./parameters.ts";
import { rc4 } from "./rc4.ts";
import { concat } from "../../../bytes/concat.ts";
import { unhex } from "../../../bytes/hex.ts";
import { latin1 } from "../../../bytes/latin1.ts";

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
    key: { key: fileKey, strings: "aes-128", streams: "aes-128" },
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
