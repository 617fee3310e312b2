/** Encrypts the strings and streams of an object (ISO 32000-2, 7.6.3). */
import type { PlatformCrypto } from "./parameters.ts";
import { concat } from "../../../bytes/concat.ts";
import { littleEndian } from "./parameters.ts";
import { rc4 } from "./rc4.ts";

export type CipherMethod = "none" | "rc4" | "aes-128" | "aes-256";

/** Size of an AES block, and of an initialization vector, in bytes. */
export const AES_BLOCK = 16;

/** What Algorithm 1 adds to the file key for AES. */
const SALT = new TextEncoder().encode("sAlT");
const NONE = new Uint8Array();

/** Longest key in bytes that Algorithm 1 derives. */
const MOST_KEY = 16;

/** The key of an open document, and what it is used for. */
export interface FileKey {
  readonly key: Uint8Array<ArrayBuffer>;
  readonly strings: CipherMethod;
  readonly streams: CipherMethod;
}

/** Encrypts the bytes of a string or stream of an object. The same bytes if the method is `none`. */
export async function encryptFor(
  crypto: PlatformCrypto,
  { key }: FileKey,
  method: CipherMethod,
  { number, generation }: { readonly number: number; readonly generation: number },
  data: Uint8Array,
): Promise<Uint8Array> {
  if (method === "none") return data;
  if (method === "rc4") return rc4(await objectKey(crypto, key, number, generation, NONE), data);
  return aesCbc(
    crypto,
    method === "aes-256" ? await aesKey(crypto, key) : await aesKeyFor(crypto, key, number, generation),
    data,
  );
}

/** The AES-128 key of an object (Algorithm 1). */
export async function aesKeyFor(
  crypto: PlatformCrypto,
  fileKey: Uint8Array,
  number: number,
  generation: number,
): Promise<CryptoKey> {
  return aesKey(crypto, await objectKey(crypto, fileKey, number, generation, SALT));
}

/** Encrypts with a new initialization vector, which comes first. */
export async function aesCbc(
  crypto: PlatformCrypto,
  key: CryptoKey,
  data: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(AES_BLOCK));
  const encrypted = await crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, data as Uint8Array<ArrayBuffer>);
  return concat([iv, new Uint8Array(encrypted)]);
}

function aesKey(crypto: PlatformCrypto, key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", key, "AES-CBC", false, ["encrypt"]);
}

async function objectKey(
  crypto: PlatformCrypto,
  fileKey: Uint8Array,
  number: number,
  generation: number,
  salt: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const object = [littleEndian(number).subarray(0, 3), littleEndian(generation).subarray(0, 2)];
  const hash = await crypto.subtle.digest("MD5", concat([fileKey, ...object, salt]));
  return new Uint8Array(hash).slice(0, Math.min(fileKey.length + 5, MOST_KEY));
}
