/** Crypt filters (ISO 32000-2, 7.6.6): what encrypts the strings, the streams and the attachments of a document. */
import type { PDFDocument, PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, entryCounter, items } from "../objects/objects.ts";

/**
 * Puts what the encryption dictionary and the file identifier refer to into them. MuPDF writes objects that they refer to
 * like all others, encrypted, and nobody can read them without what they say.
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
 * MuPDF encrypts all that it writes as the document's strings are encrypted, and leaves attachments as they are where a
 * filter of their own encrypts them.
 * @throws Refusal `unsupported_encryption` where that is not what the encryption dictionary says
 */
export function refuseMixedFilters(document: PDFDocument): void {
  const encrypt = document.getTrailer().get("Encrypt");
  if (!encrypt.isDictionary() || !encrypt.get("CF").isDictionary()) return;
  const [strings, streams] = [methodOf(encrypt, "StrF"), methodOf(encrypt, "StmF")];
  const attachments = encrypt.get("EFF").isName() ? methodOf(encrypt, "EFF") : streams;
  // The key of AESV3 is one for the whole file; others hang on object numbers, which change.
  const keepsAttachments = attachments === streams || (streams === NONE && attachments === "AESV3");
  if (strings !== streams || !keepsAttachments) throw mixed();
}

export function mixed(): Refusal {
  return new Refusal(
    "unsupported_encryption",
    "Parts of the PDF are encrypted in different ways, which is not supported. Use protect to encrypt all of it the same way.",
  );
}

/** Whether a stream says by itself what encrypts it (7.4.10): MuPDF would encrypt it once more. */
export function namesCryptFilter(stream: PDFObject): boolean {
  const filter = stream.get("Filter");
  return [filter, ...items(filter)].some((name) => name.isName() && name.asName() === "Crypt");
}

/** Whether such streams come out right all the same: nothing else is encrypted, and no key hangs on an object's number. */
export function keepsNamedFilters(engine: PdfEngine, document: PDFDocument): boolean {
  const encrypt = document.getTrailer().get("Encrypt");
  const methods = entries(engine, encrypt.get("CF")).map(({ value }) => methodIn(value));
  return methodOf(encrypt, "StmF") === NONE && methods.every((method) => method === "AESV3" || method === NONE);
}

const NONE = "None";

/** The method of the filter that is named for a use. */
function methodOf(encrypt: PDFObject, use: "StrF" | "StmF" | "EFF"): string {
  const name = encrypt.get(use);
  return name.isName() ? methodIn(encrypt.get("CF").get(name)) : NONE;
}

/** The method of a filter, with the length of its key where the method does not say it. */
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

/** A copy that refers to nothing. `count` bounds it: references may go in circles. */
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
