/** Passwords of revision 6, tried without MuPDF: it takes about 25 ms for one, since it derives each key as a user's and as an owner's. */
import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { openR6 } from "./revision6.ts";

/** Lengths in bytes of O and U, and of OE and UE, in revision 6. Some writers pad them. */
const VERIFIER = 48;
const KEY = 32;

export type Role = "user" | "owner";

/** Bits in the result of `authenticatePassword`. */
export const ROLES: Readonly<Record<Role, number>> = { user: 2, owner: 4 };

/** Whether a password opens the document, as user or as owner. MuPDF then has its key. */
export async function opens(engine: PdfEngine, document: PDFDocument, password: string): Promise<boolean> {
  for (const role of ["user", "owner"] as const) {
    const key = await fileKeyBy(document.getTrailer().get("Encrypt"), role, password);
    if (key === undefined) continue;
    engine.setFileKey(document, key);
    return true;
  }
  return document.authenticatePassword(password) !== 0;
}

/** Whether a password that opens the document is the owner password. */
export async function isOwnerPassword(document: PDFDocument, password: string): Promise<boolean> {
  const encrypt = document.getTrailer().get("Encrypt");
  if (encrypt.get("R").asNumber() === 6) return (await fileKeyBy(encrypt, "owner", password)) !== undefined;
  return (document.authenticatePassword(password) & ROLES.owner) !== 0;
}

/** The file key, if the password is that of the role in an encryption dictionary of revision 6 (ISO 32000-2, 7.6.4.4.10 and 11). */
async function fileKeyBy(
  encrypt: PDFObject,
  role: Role,
  password: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return encrypt.get("R").asNumber() === 6 ? keyByRevision6(encrypt, role, password) : undefined;
}

/** The same, whatever the revision that the dictionary names. */
export async function keyByRevision6(
  encrypt: PDFObject,
  role: Role,
  password: string,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [u, o] = [stringEntry(encrypt, "U"), stringEntry(encrypt, "O")];
  const wrapped = stringEntry(encrypt, role === "user" ? "UE" : "OE").subarray(0, KEY);
  if (o.length < VERIFIER || u.length < VERIFIER || wrapped.length < KEY) return undefined;
  const bytes = new TextEncoder().encode(password);
  return openR6(crypto.subtle, bytes, role === "user" ? [u, wrapped, new Uint8Array()] : [o, wrapped, u]);
}

/** The bytes of a string of an encryption dictionary of revision 6, without padding. */
export function stringEntry(encrypt: PDFObject, key: string): Uint8Array {
  const value = encrypt.get(key);
  return value.isString() ? value.asByteString().slice(0, VERIFIER) : new Uint8Array();
}
