/** Texts in PEM (RFC 7468). */
import { limits } from "../../limits.ts";
import { fromBase64 } from "../../bytes/base64.ts";
import type { Work } from "../work.ts";
import { type Certificate, certificateOf } from "./certificates.ts";
import { readable } from "./refusal.ts";
import { noCertificate, tooManyCertificates } from "./problems.ts";

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
export async function readCertificates(work: Work, field: string, text: string): Promise<Certificate[]> {
  return readable(field, "has a certificate that cannot be read", async () => {
    const blocks = pemBlocks(text, "CERTIFICATE");
    if (blocks.length === 0) throw noCertificate();
    if (blocks.length > limits.certificates.most) throw tooManyCertificates();
    const found: Certificate[] = [];
    for (const block of blocks) {
      found.push(certificateOf(work, block));
      await work.pause();
    }
    return found;
  });
}
