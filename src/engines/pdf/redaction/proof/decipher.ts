/** Decrypts strings and streams of a written file (ISO 32000-2, 7.6.3). */
import { concat } from "../../../../bytes/concat.ts";
import type { CipherMethod, FileKey } from "../../encryption/parameters.ts";
import { rc4 } from "../../encryption/rc4.ts";

const SALT = new TextEncoder().encode("sAlT");
const BLOCK = 16;

/** The decrypted bytes of a string or stream. Empty if they cannot be decrypted. */
export async function decipher(
  { key }: FileKey,
  method: CipherMethod,
  { number, generation }: { readonly number: number; readonly generation: number },
  data: Uint8Array,
): Promise<Uint8Array> {
  if (method === "none") return data;
  const place = [number, number >> 8, number >> 16, generation, generation >> 8].map((byte) => byte & 0xff);
  const salt = method === "aes-128" ? SALT : new Uint8Array();
  const own =
    method === "aes-256"
      ? key
      : new Uint8Array(await crypto.subtle.digest("MD5", concat([key, Uint8Array.from(place), salt]))).slice(
          0,
          Math.min(key.length + 5, BLOCK),
        );
  if (method === "rc4") return rc4(own, data);
  if (data.length < 2 * BLOCK) return new Uint8Array();
  const imported = await crypto.subtle.importKey("raw", own, "AES-CBC", false, ["decrypt"]);
  const bytes = data.slice();
  const plain = await crypto.subtle.decrypt(
    { name: "AES-CBC", iv: bytes.subarray(0, BLOCK) },
    imported,
    bytes.subarray(BLOCK, bytes.length - (bytes.length % BLOCK)),
  );
  return new Uint8Array(plain);
}
