/** Files attached to a document (ISO 32000-2, 7.11.4). */
import type { PDFObject } from "mupdf";
import { entries, objectNumber } from "../objects/objects.ts";
import type { OpenPdf } from "./document.ts";
import { encryptedShell } from "./encrypted-shell.ts";

/** Object numbers of the streams of an attachment's file specification (ISO 32000-2, 7.11.4). */
export function attachedStreams({ engine }: OpenPdf, filespec: PDFObject): number[] {
  return entries(engine, filespec.get("EF"))
    .map(({ value }) => objectNumber(value))
    .filter((number) => number > 0);
}

/**
 * Decrypts attachments, given the object numbers of their streams, in a document in which only attachments are encrypted
 * (crypt filter `EFF`, 7.6.6). MuPDF ignores that filter and treats their bytes as plain. The same bytes in a file that uses
 * this filter for all streams are decrypted correctly.
 */
export function decryptAttachments(open: OpenPdf, attached: Iterable<number>): void {
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
  const shell = encryptedShell(open, dictionary, streams);
  for (const number of streams.keys()) {
    open.document.newIndirect(number).writeRawStream(shell.newIndirect(number).readRawStream());
  }
  shell.destroy();
}
