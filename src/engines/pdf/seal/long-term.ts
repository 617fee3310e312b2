/**
 * Appends the evidence that proves later that a signature was valid (EN 319 142-1, 5.4): the document security store (ISO 32000-2, 12.8.4.3) and, if
 * requested, a document time stamp (12.8.5) over it and everything before.
 */
import type { PDFObject } from "mupdf";
import type { EngineBytes } from "../../memory/heap.ts";
import { isSame } from "../../cms/asn1.ts";
import type { Evidence } from "../../cms/evidence.ts";
import type { OpenPdf } from "../document/document.ts";
import { readSecurityStore, STORE_ENTRIES } from "../signatures/security-store.ts";
import { appendToPdf } from "../write/save.ts";
import { freeName } from "./field.ts";
import { addField, arrayIn, copyOutside, sealedFile, withUpdate } from "./seal.ts";
import { dictionaryWithPlace, type Unsigned, type SignatureValue } from "./value.ts";

/**
 * Appends it to a signed document.
 * @param stamp the document time stamp, if one is requested: its value is still to be filled in
 * @returns the parts that remain after the document is closed
 */
export async function appendEvidence(
  open: OpenPdf,
  evidence: Evidence,
  stamp: SignatureValue | undefined,
): Promise<{ readonly file: EngineBytes; readonly unsigned: Unsigned | undefined }> {
  await addToStore(open, evidence);
  const dictionary =
    stamp &&
    open.document.addObject(dictionaryWithPlace(open, { Type: "DocTimeStamp", SubFilter: "ETSI.RFC3161" }, stamp.room));
  if (dictionary) await addField(open, await freeName(open), dictionary);
  // The claim was decided before the signature, which would not allow another.
  const appended = await appendToPdf(open, { keepsClaim: true });
  if (appended?.continues === undefined) throw new Error("the sealed file cannot be appended to");
  if (dictionary === undefined || stamp === undefined) {
    const { file, rest } = appended.continues;
    return { file: withUpdate(file, copyOutside(open, rest)), unsigned: undefined };
  }
  const { file, ...unsigned } = await sealedFile(open, appended.continues, dictionary, stamp.digest);
  return { file, unsigned };
}

/** Adds the evidence that the store lacks. */
async function addToStore(open: OpenPdf, { certificates, data }: Evidence): Promise<void> {
  const { document } = open;
  const known = await readSecurityStore(open);
  const root = document.getTrailer().get("Root");
  const found = root.get("DSS");
  const store = found.isDictionary() ? found : root.put("DSS", document.addObject(document.newDictionary()));
  store.put("Type", document.newName("DSS"));
  const add = (key: string, bytes: Uint8Array): void => {
    const list: PDFObject = arrayIn(open, store, key);
    list.push(document.addStream(bytes, {}));
  };
  const has = (all: readonly Uint8Array[], one: Uint8Array): boolean => all.some((other) => isSame(other, one));
  const [certified, said] = [
    known.certificates.map(({ certificate }) => certificate.bytes),
    known.data.map(({ bytes }) => bytes),
  ];
  for (const bytes of certificates.map((one) => one.bytes))
    if (!has(certified, bytes)) add(STORE_ENTRIES.certificate, bytes);
  for (const { kind, bytes } of data) if (!has(said, bytes)) add(STORE_ENTRIES[kind], bytes);
}
