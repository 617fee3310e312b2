/** The document security store (ISO 32000-2, 12.8.4.3): certificates, and the responses of their issuers at the time when they were added. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { tooMuchStored } from "../../limit-errors.ts";
import { type Certificate, certificateOf } from "../../cms/certificates.ts";
import type { RevocationData } from "../../cms/revocation.ts";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachItem, entries, items, objectNumber } from "../objects/objects.ts";
import { isDictionary } from "./entry-values.ts";

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

/**
 * Certificates that cannot be read are left out: a chain that needs them is not trusted.
 * @throws Refusal `limit_exceeded` beyond 1,000 streams of a kind
 */
export async function readSecurityStore(open: OpenPdf): Promise<SecurityStore> {
  const certificates: StoredCertificate[] = [];
  for (const { bytes, position } of await streamsIn(open, "certificate")) {
    try {
      certificates.push({ certificate: certificateOf(open.engine.work, bytes), position });
      await open.engine.work.pause();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      // It is no certificate.
    }
  }
  const data: RevocationData[] = [];
  for (const kind of ["ocsp", "crl"] as const)
    for (const one of await streamsIn(open, kind)) data.push({ kind, ...one });
  return { certificates, data };
}

async function streamsIn(
  { engine, document, input }: OpenPdf,
  kind: keyof typeof STORE_ENTRIES,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; position: number | undefined }[]> {
  const positionOf = (stream: PDFObject): number | undefined => {
    const entry = engine.fileEntryOf(document, objectNumber(stream));
    // An update may be in memory only.
    const position = entry && entry.offset + engine.headerOf(document);
    return position !== undefined && position < input.bytes.length ? position : undefined;
  };
  const seen = new Set<number>();
  const found: { bytes: Uint8Array<ArrayBuffer>; position: number | undefined }[] = [];
  for await (const stream of eachItem(engine, document.getTrailer().get("Root", "DSS", STORE_ENTRIES[kind]))) {
    const number = objectNumber(stream);
    if (!stream.isStream() || seen.has(number)) continue;
    seen.add(number);
    if (found.length >= limits.signatures.stored) throw tooMuchStored();
    try {
      const buffer = stream.readStream();
      const { length } = buffer.asUint8Array();
      engine.countDecoded(length);
      engine.claim(length);
      found.push({ bytes: buffer.asUint8Array().slice(), position: positionOf(stream) });
      buffer.destroy();
    } catch (error) {
      if (error instanceof Refusal || !engine.isFailure(error)) throw error;
    }
  }
  return found;
}

/**
 * The problem with a security store (12.8.4.3) that replaces another: it may contain only the data for validation. `differs`: whether a value is
 * another one, or was changed.
 */
export function storeProblem(
  engine: PdfEngine,
  before: PDFObject,
  after: PDFObject,
  differs: (before: PDFObject, after: PDFObject) => boolean,
): string | undefined {
  if (!isDictionary(after)) return "The security store was removed.";
  const others = ["Type", "VRI"];
  const problem = listsProblem(engine, after, Object.values(STORE_ENTRIES), others);
  const [old, now] = [before.get("VRI"), after.get("VRI")];
  if (problem !== undefined || (old.isNull() && now.isNull())) return problem;
  if (!isDictionary(now)) return "The security store has no `VRI` any more.";
  const known = new Map(
    (old.isDictionary() ? entries(engine, old) : []).map(({ key, value }) => [key.asName(), value]),
  );
  for (const [name, value] of known)
    if (differs(value, now.get(name))) return "The security store has another entry for an earlier signature.";
  for (const { key, value } of entries(engine, now)) {
    if (known.has(key.asName())) continue;
    if (!/^[\dA-Z]{40}$/.test(key.asName()) || !isDictionary(value)) return "The security store has an odd `VRI`.";
    const found = listsProblem(engine, value, ["Cert", "OCSP", "CRL"], ["Type", "TU", "TS"]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The problem with a dictionary of lists of streams. */
function listsProblem(
  engine: PdfEngine,
  dictionary: PDFObject,
  lists: readonly string[],
  others: readonly string[],
): string | undefined {
  for (const { key, value } of entries(engine, dictionary)) {
    const name = key.asName();
    if (others.includes(name)) continue;
    if (!lists.includes(name)) return `The security store has the entry \`${name}\`.`;
    if (!value.isArray() || !items(value).every((one) => objectNumber(one) > 0 && one.isStream()))
      return `The security store has other things than streams in \`${name}\`.`;
  }
  return undefined;
}
