/** The document security store (ISO 32000-2, 12.8.4.3): certificates, and what issuers said of them when they were added. */
import type { Certificate } from "pkijs";
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import { certificateOf } from "../../cms/certificates.ts";
import type { RevocationData } from "../../cms/revocation.ts";
import { limits } from "../../../limits.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachItem, objectNumber } from "../objects/objects.ts";

/** Streams of each kind that are looked at. */
const MOST_STORED = 100;

export interface StoredCertificate {
  readonly certificate: Certificate;
  /** Where its object begins, in bytes from the start of the file. */
  readonly position: number | undefined;
}

export interface SecurityStore {
  readonly certificates: readonly StoredCertificate[];
  readonly data: readonly RevocationData[];
}

/** The entries of a store, which are arrays of streams. */
export const STORE_ENTRIES = { certificate: "Certs", ocsp: "OCSPs", crl: "CRLs" } as const;

/** Certificates that cannot be read are left out: a chain that needs them is not trusted. */
export async function readSecurityStore(open: OpenPdf): Promise<SecurityStore> {
  const certificates: StoredCertificate[] = [];
  for (const { bytes, position } of await streamsIn(open, STORE_ENTRIES.certificate)) {
    try {
      certificates.push({ certificate: certificateOf(bytes), position });
    } catch {
      // It is no certificate.
    }
  }
  const data: RevocationData[] = [];
  for (const kind of ["ocsp", "crl"] as const)
    for (const one of await streamsIn(open, STORE_ENTRIES[kind])) data.push({ kind, ...one });
  return { certificates, data };
}

async function streamsIn(
  { engine, document, input }: OpenPdf,
  key: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; position: number | undefined }[]> {
  const positionOf = (stream: PDFObject): number | undefined => {
    const entry = engine.fileEntryOf(document, objectNumber(stream));
    // An update may be in memory only.
    const position = entry && entry.offset + engine.headerOf(document);
    return position !== undefined && position < input.bytes.length ? position : undefined;
  };
  const found: { bytes: Uint8Array<ArrayBuffer>; position: number | undefined }[] = [];
  for await (const stream of eachItem(engine, document.getTrailer().get("Root", "DSS", key))) {
    if (!stream.isStream() || found.length >= MOST_STORED) continue;
    try {
      const buffer = stream.readStream();
      const { length } = buffer.asUint8Array();
      engine.countDecoded(length);
      if (length <= limits.revocation.crlBytes) {
        engine.claim(length);
        found.push({ bytes: buffer.asUint8Array().slice(), position: positionOf(stream) });
      }
      buffer.destroy();
    } catch (error) {
      if (error instanceof Refusal || !engine.isFailure(error)) throw error;
    }
  }
  return found;
}
