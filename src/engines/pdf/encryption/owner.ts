import type { PDFObject } from "mupdf";
import { HardenedHashes, openR6 } from "./revision6.ts";

/** Bytes of O and U of revision 6; some writers fill them up. */
const VERIFIER = 48;

/** Whether a password is the owner's by an encryption dictionary of revision 6 (ISO 32000-2, 7.6.4.4.10). Other revisions: false. */
export async function opensAsOwner(encrypt: PDFObject, password: string): Promise<boolean> {
  if (encrypt.get("R").asNumber() !== 6) return false;
  const [o, oe, u] = ["O", "OE", "U"].map((key) => {
    const value = encrypt.get(key);
    return value.isString() ? value.asByteString().slice(0, VERIFIER) : new Uint8Array();
  });
  if (!o || !oe || !u || o.length < VERIFIER || u.length < VERIFIER) return false;
  const { subtle } = crypto;
  const key = await openR6(subtle, new HardenedHashes(subtle), new TextEncoder().encode(password), [o, oe, u]);
  return key !== undefined;
}
