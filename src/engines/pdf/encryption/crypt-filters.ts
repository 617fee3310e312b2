/** Crypt filters (ISO 32000-2, 7.6.6): what encrypts the strings, streams, and attachments of a document. */
import type { PDFDocument, PDFObject } from "mupdf";
import { encryptedInDifferentWays } from "../../file-errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, entryCounter, items } from "../objects/objects.ts";

/**
 * Replaces references in the encryption dictionary and the file identifier with direct objects. MuPDF would encrypt the
 * referenced objects like any other, and without their contents the file cannot be decrypted.
 */
export function inlineEncryption(engine: PdfEngine, document: PDFDocument): void {
  const trailer = document.getTrailer();
  const encrypt = trailer.get("Encrypt");
  const count = entryCounter("encryption dictionary");
  for (const { key, value } of entries(engine, encrypt)) {
    if (hasReferences(engine, value)) encrypt.put(key, direct(engine, value, count));
  }
  const id = trailer.get("ID");
  if (hasReferences(engine, id)) trailer.put("ID", direct(engine, id, count));
}

/**
 * MuPDF encrypts everything it writes with the filter for strings, and leaves attachments that have their own filter unchanged.
 * @throws Refusal `unsupported_encryption` if the encryption dictionary requires otherwise
 */
export function refuseMixedFilters(document: PDFDocument, field: string | undefined): void {
  const encrypt = document.getTrailer().get("Encrypt");
  if (!encrypt.isDictionary() || !encrypt.get("CF").isDictionary()) return;
  const [strings, streams] = [methodOf(encrypt, "StrF"), methodOf(encrypt, "StmF")];
  const attachments = encrypt.get("EFF").isName() ? methodOf(encrypt, "EFF") : streams;
  // AESV3 uses one key for the whole file; the other methods derive keys from object numbers, which change.
  const keepsAttachments = attachments === streams || (streams === NONE && attachments === "AESV3");
  if (strings !== streams || !keepsAttachments) throw encryptedInDifferentWays(field);
}

/** Refuses a document if attachments are encrypted in another way than streams. MuPDF reads them undecrypted from the file. */
export function refuseAttachmentFilter(document: PDFDocument, field: string | undefined): void {
  const encrypt = document.getTrailer().get("Encrypt");
  if (!encrypt.isDictionary() || !encrypt.get("EFF").isName()) return;
  if (methodOf(encrypt, "EFF") !== methodOf(encrypt, "StmF")) throw encryptedInDifferentWays(field);
}

/** Whether a stream names its own crypt filter (7.4.10). MuPDF would encrypt it twice. */
export function namesCryptFilter(stream: PDFObject): boolean {
  const filter = stream.get("Filter");
  return [filter, ...items(filter)].some((name) => name.isName() && name.asName() === "Crypt");
}

/** Whether such streams are still written correctly: nothing else is encrypted, and no key depends on an object number. */
export function keepsNamedFilters(engine: PdfEngine, document: PDFDocument): boolean {
  const encrypt = document.getTrailer().get("Encrypt");
  const methods = entries(engine, encrypt.get("CF")).map(({ value }) => methodIn(value));
  return methodOf(encrypt, "StmF") === NONE && methods.every((method) => method === "AESV3" || method === NONE);
}

const NONE = "None";

/** The method of the filter for the given use. */
function methodOf(encrypt: PDFObject, use: "StrF" | "StmF" | "EFF"): string {
  const name = encrypt.get(use);
  return name.isName() ? methodIn(encrypt.get("CF").get(name)) : NONE;
}

/** The method of a filter, with its key length if the method does not imply it. */
function methodIn(filter: PDFObject): string {
  const method = filter.get("CFM");
  if (!method.isName()) return NONE;
  return method.asName() === "V2" ? `V2 ${filter.get("Length").toString()}` : method.asName();
}

function hasReferences(engine: PdfEngine, value: PDFObject): boolean {
  return value.isIndirect() || children(engine, value).some((child) => hasReferences(engine, child));
}

function children(engine: PdfEngine, value: PDFObject): PDFObject[] {
  return [...items(value), ...entries(engine, value).map((entry) => entry.value)];
}

/** A deep copy without references. `count` limits it, since references may form cycles. */
function direct(engine: PdfEngine, value: PDFObject, count: () => void): PDFObject {
  count();
  const document = value._doc;
  if (value.isArray()) {
    const copy = document.newArray();
    for (const item of items(value)) copy.push(direct(engine, item, count));
    return copy;
  }
  if (value.isDictionary()) {
    const copy = document.newDictionary();
    for (const entry of entries(engine, value)) copy.put(entry.key, direct(engine, entry.value, count));
    return copy;
  }
  return value.resolve();
}
