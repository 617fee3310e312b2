/** Texts in PEM (RFC 7468). */
import type { Certificate } from "pkijs";
import { fromBase64 } from "../bytes/base64.ts";
import { certificateOf, MOST_CERTIFICATES } from "./certificates.ts";
import { invalidCertificate, readable } from "./refusal.ts";

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

/** The contents of the blocks with a label. */
export function pemBlocks(text: string, label: string): Uint8Array<ArrayBuffer>[] {
  return Array.from(text.matchAll(PEM))
    .filter(([, name]) => name === label)
    .map(([, , data = ""]) => fromBase64(data.replace(/\s+/g, "")));
}

/**
 * Reads certificates, at least one.
 * @throws Refusal `invalid_certificate`
 */
export async function readCertificates(field: string, text: string): Promise<Certificate[]> {
  const found = await readable(field, "has a certificate that cannot be read", async () =>
    pemBlocks(text, "CERTIFICATE").map(certificateOf),
  );
  if (found.length === 0) throw invalidCertificate(field, "has no certificate (-----BEGIN CERTIFICATE-----)");
  if (found.length > MOST_CERTIFICATES)
    throw invalidCertificate(field, `has more than ${MOST_CERTIFICATES} certificates`);
  return found;
}
