import { fromBase64 } from "../bytes/base64.ts";

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

/** The contents of the blocks with a label (RFC 7468). */
export function pemBlocks(text: string, label: string): Uint8Array<ArrayBuffer>[] {
  return Array.from(text.matchAll(PEM))
    .filter(([, name]) => name === label)
    .map(([, , data = ""]) => fromBase64(data.replace(/\s+/g, "")));
}
