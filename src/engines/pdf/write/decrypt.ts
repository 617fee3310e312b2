/** Decrypts what MuPDF does not when it writes a document without its encryption. */
import type { PDFDocument, PDFObject } from "mupdf";
import { attachedStreams } from "../document/attachments.ts";
import { namesCryptFilter } from "../encryption/crypt-filters.ts";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { isConstant, NONE, type Pointer } from "../mupdf/values.ts";
import { eachObject, eachPointer } from "../objects/each-object.ts";
import { entries } from "../objects/objects.ts";
import { encryptedLike } from "./encrypted-like.ts";

/**
 * Decrypts all of an open document: attachments with their own filter, and streams that name their crypt filter (ISO 32000-2, 7.4.10), whether
 * encrypted or not. Otherwise, readers of a newly encrypted file would take the latter without decryption. Readable metadata has its filter since
 * the document was opened (clear-metadata.ts).
 */
export async function decryptParts(open: OpenPdf): Promise<void> {
  const { engine, document } = open;
  /** Object numbers of each attachment's streams. */
  const attachments: number[][] = [];
  const plain = new Set<number>();
  const visit = (object: PDFObject, number: number): void => {
    for (const holder of [object, object.get("FS")]) {
      if (holder.isDictionary()) attachments.push(attachedStreams(open, holder));
    }
    if (object.isStream() && namesCryptFilter(object)) {
      const data = object.readStream();
      object.delete("Filter");
      object.delete("DecodeParms");
      object.writeStream(data);
      data.destroy();
      plain.add(number);
    }
  };
  if (document.getTrailer().get("Encrypt", "CF").isDictionary()) await eachObject(open, visit);
  else {
    const mayNameCrypt = cryptFinder(engine, document);
    await eachPointer(open, (reference, number) => {
      if (mayNameCrypt(reference)) engine.scope(() => visit(document.newIndirect(number), number));
    });
  }
  await decryptAttachments(open, attachments.filter((streams) => !streams.some((number) => plain.has(number))).flat());
}

/** Tells of an object, without handles, whether its filter may be `Crypt`. */
function cryptFinder({ values }: PdfEngine, document: PDFDocument): (reference: Pointer) => boolean {
  const [filterKey, crypt] = ["Filter", "Crypt"].map((name) => document.newName(name).pointer);
  if (filterKey === undefined || crypt === undefined || !isConstant(crypt))
    throw new Error("Crypt is no standard name");
  return (reference) => {
    const filter = values.get(reference, filterKey);
    return filter !== NONE && (values.isArray(filter) || values.resolved(filter) === crypt);
  };
}

/**
 * Decrypts attachments, given the object numbers of their streams, in a document in which only attachments are encrypted
 * (crypt filter `EFF`, 7.6.6). MuPDF ignores that filter and treats their bytes as plain. The same bytes in a file that uses
 * this filter for all streams are decrypted correctly.
 */
export async function decryptAttachments(open: OpenPdf, attached: Iterable<number>): Promise<void> {
  const encrypt = open.document.getTrailer().get("Encrypt");
  const filter = encrypt.get("EFF");
  const general = encrypt.get("StmF");
  if (!open.encrypted || !filter.isName() || filter.asName() === (general.isName() ? general.asName() : "Identity"))
    return;
  const streams = new Map<number, Uint8Array>();
  for (const number of attached) {
    const stream = open.document.newIndirect(number);
    if (stream.isStream()) streams.set(number, stream.readRawStream().asUint8Array().slice());
  }
  const dictionary = open.document.newDictionary();
  for (const { key, value } of entries(open.engine, encrypt)) dictionary.put(key, value);
  dictionary.put("StmF", filter);
  const decrypted = await encryptedLike(open, dictionary, streams);
  for (const number of streams.keys()) {
    open.document.newIndirect(number).writeRawStream(decrypted.newIndirect(number).readRawStream());
  }
  decrypted.destroy();
}
