/** The empty document that pages are copied into. */
import type { PDFDocument, PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, latin1, objectNumber } from "../objects/objects.ts";

/**
 * A new document, without encryption, or with that of `like`: its encryption dictionary and file identifier are put into a
 * file without pages, which is then opened with the caller's password. So the new document has the file key of the old
 * one, and MuPDF writes it with the same passwords and permissions, without our knowing the passwords that were not given.
 */
export function createTarget(engine: PdfEngine, like?: OpenPdf): PDFDocument {
  if (!like?.encrypted) {
    const document = new engine.mupdf.PDFDocument();
    // MuPDF puts its own name there, where no reader looks for it.
    document.getTrailer().get("Root").delete("Info");
    return document;
  }
  return encryptedShell(like, like.document.getTrailer().get("Encrypt"), new Map());
}

/** Object numbers of the streams of an attachment, by its file specification (ISO 32000-2, 7.11.4). */
export function attachedStreams({ engine }: OpenPdf, filespec: PDFObject): number[] {
  return entries(engine, filespec.get("EF"))
    .map(({ value }) => objectNumber(value))
    .filter((number) => number > 0);
}

/**
 * Decrypts the attachments, by the object numbers of their streams, of a document in which they alone are encrypted (crypt filter `EFF`, 7.6.6): MuPDF does not look
 * at it and takes their bytes as they are. The same bytes in a file whose filter for all streams is that one come out right.
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

/** A file with the encryption of `like` and nothing in it but `streams`, by object number, opened with its password. */
function encryptedShell(like: OpenPdf, encrypt: PDFObject, streams: ReadonlyMap<number, Uint8Array>): PDFDocument {
  const { engine, document: source, input } = like;
  const version = Math.max(source.getVersion(), 15);
  const free = Math.max(0, ...streams.keys()) + 1;
  const objects = new Map<number, string>([
    [free, `<</Type/Catalog/Pages ${free + 1} 0 R>>`],
    [free + 1, "<</Type/Pages/Kids[]/Count 0>>"],
    [free + 2, print(engine, encrypt)],
  ]);
  for (const [number, bytes] of streams) {
    objects.set(number, `<</Length ${bytes.length}>>\nstream\n${latin1(bytes)}\nendstream`);
  }
  let file = `%PDF-${Math.floor(version / 10)}.${version % 10}\n`;
  let xref = "";
  for (const [number, object] of objects) {
    xref += `${number} 1\n${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${number} 0 obj\n${object}\nendobj\n`;
  }
  const start = file.length;
  file += `xref\n0 1\n0000000000 65535 f \n${xref}`;
  file += `trailer\n<</Size ${free + 3}/Root ${free} 0 R/Encrypt ${free + 2} 0 R`;
  file += `/ID${print(engine, source.getTrailer().get("ID"))}>>\nstartxref\n${start}\n%%EOF\n`;

  const buffer = new engine.mupdf.Buffer(Uint8Array.from(file, (character) => character.charCodeAt(0)));
  const document = engine.mupdf.Document.openDocument(buffer, "application/pdf").asPDF();
  buffer.destroy();
  if (!document) throw new Error("the encrypted shell is no PDF");
  // Opening tries the empty password, and with aes-256 a try takes 8 to 12 ms.
  const { password } = input;
  if (password === undefined) return document;
  // The password opened the source, whose dictionary this is; a source that needs none may have been given another.
  if (document.authenticatePassword(password) === 0 && document.authenticatePassword("") === 0) {
    throw new Error("the encrypted shell does not open");
  }
  return document;
}

/** The syntax of an object without references: those are followed. Strings as hexadecimal, so that no byte is special. */
function print(engine: PdfEngine, object: PDFObject): string {
  if (object.isDictionary()) {
    const list = entries(engine, object).map(({ key, value }) => `${key.toString()} ${print(engine, value)}`);
    return `<<${list.join(" ")}>>`;
  }
  if (object.isArray())
    return `[${items(object)
      .map((item) => print(engine, item))
      .join(" ")}]`;
  if (object.isString()) {
    return `<${[...latin1(object.asByteString())].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")}>`;
  }
  return object.isIndirect() ? object.resolve().toString() : object.toString();
}
