import type { PDFObject } from "mupdf";
import { hasPermissions, openR6 } from "./revision6.ts";

/** Length of O and U in revision 6 in bytes. Some writers pad them. */
const VERIFIER = 48;

/**
 * Whether a password is the owner password according to an encryption dictionary of revision 6 (ISO 32000-2, 7.6.4.4.10).
 * Always false for other revisions.
 */
export async function opensAsOwner(encrypt: PDFObject, password: string): Promise<boolean> {
  return (await ownerKey(encrypt, password)) !== undefined;
}

/** Whether Perms in an encryption dictionary of revision 6 confirms these permissions (ISO 32000-2, 7.6.4.4.12). */
export async function confirmsPermissions(encrypt: PDFObject, password: string, permissions: number): Promise<boolean> {
  const key = await ownerKey(encrypt, password);
  return key !== undefined && hasPermissions(crypto.subtle, key, bytesOf(encrypt, "Perms"), permissions);
}

/** The file key, if the password is the owner password of a dictionary of revision 6. */
async function ownerKey(encrypt: PDFObject, password: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (encrypt.get("R").asNumber() !== 6) return undefined;
  const [o, oe, u] = [bytesOf(encrypt, "O"), bytesOf(encrypt, "OE"), bytesOf(encrypt, "U")];
  if (o.length < VERIFIER || u.length < VERIFIER) return undefined;
  return openR6(crypto.subtle, new TextEncoder().encode(password), [o, oe, u]);
}

function bytesOf(encrypt: PDFObject, key: string): Uint8Array {
  const value = encrypt.get(key);
  return value.isString() ? value.asByteString().slice(0, VERIFIER) : new Uint8Array();
}
