import type { PDFDocument, PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items } from "../objects/objects.ts";
import type { OpenPdf } from "./document.ts";

/** Opens a new file that has the encryption of `like` and contains only `streams`, by object number. */
export function encryptedShell(
  like: OpenPdf,
  encrypt: PDFObject,
  streams: ReadonlyMap<number, Uint8Array>,
): PDFDocument {
  const { engine, document: source } = like;
  // MuPDF tries the empty password when it opens a file, which takes 10 ms in revision 6 and almost none in revision 5.
  const revision = encrypt.get("R").asNumber();
  const version = Math.max(source.getVersion(), 15);
  const free = Math.max(0, ...streams.keys()) + 1;
  const objects = new Map<number, string>([
    [free, `<</Type/Catalog/Pages ${free + 1} 0 R>>`],
    [free + 1, "<</Type/Pages/Kids[]/Count 0>>"],
    [free + 2, print(engine, encrypt, new Map([["R", String(Math.min(revision, 5))]]))],
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
  // Without an identifier the keys are derived as from an empty one, so the new file must not get one.
  const id = source.getTrailer().get("ID");
  if (id.isArray()) file += `/ID${print(engine, id)}`;
  file += `>>\nstartxref\n${start}\n%%EOF\n`;

  const buffer = new engine.mupdf.Buffer(bytesOf(file));
  const document = engine.mupdf.Document.openDocument(buffer, "application/pdf").asPDF();
  buffer.destroy();
  if (!document) throw new Error("the encrypted shell is no PDF");
  document.getTrailer().get("Encrypt").put("R", revision);
  engine.shareFileKey(source, document);
  return document;
}

/**
 * The syntax of an object with its references resolved. Strings are hexadecimal, so no byte needs escaping. `replaced`: values of a
 * dictionary by name.
 */
function print(engine: PdfEngine, object: PDFObject, replaced?: ReadonlyMap<string, string>): string {
  if (object.isDictionary()) {
    const list = entries(engine, object).map(
      ({ key, value }) => `${key.toString()} ${replaced?.get(key.asName()) ?? print(engine, value)}`,
    );
    return `<<${list.join(" ")}>>`;
  }
  if (object.isArray())
    return `[${items(object)
      .map((item) => print(engine, item))
      .join(" ")}]`;
  if (object.isString()) {
    return `<${hex(object.asByteString())}>`;
  }
  return object.isIndirect() ? object.resolve().toString() : object.toString();
}
