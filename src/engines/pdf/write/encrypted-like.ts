import type { PDFDocument, PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { ownBytes } from "../../memory/joined-bytes.ts";
import { serialize } from "../objects/serialize.ts";
import { PdfWriter } from "./pdf-writer.ts";

/** The last revision whose passwords MuPDF tries in almost no time: it tries the empty one when it opens a file, which takes 10 ms in revision 6. */
const QUICK = 5;

/** The first version with crypt filters (ISO 32000-2, 7.6.6), times 10. */
const CRYPT_FILTERS = 15;

/**
 * Opens a new document with the file key of `like`, the encryption dictionary `encrypt`, and nothing but `streams`, by object number, which are
 * encrypted already.
 */
export async function encryptedLike(
  { engine, document: source }: OpenPdf,
  encrypt: PDFObject,
  streams: ReadonlyMap<number, Uint8Array>,
): Promise<PDFDocument> {
  const revision = encrypt.get("R").asNumber();
  const writer = new PdfWriter(engine, {
    begins: { version: Math.max(source.getVersion(), CRYPT_FILTERS) },
    size: Math.max(0, ...streams.keys()) + 1,
    references: "table",
  });
  const syntaxOf = async (object: PDFObject, replaced?: ReadonlyMap<string, string>): Promise<string> =>
    (await serialize(engine, object, { generations: new Map(), secret: false, replaced })).join("");
  for (const [number, bytes] of streams) {
    await writer.put({ number, generation: 0, syntax: () => ["<<>>"], stream: { data: ownBytes(bytes) } });
  }
  const pages = await writer.add("<</Type/Pages/Kids[]/Count 0>>");
  const catalog = await writer.add(`<</Type/Catalog/Pages ${pages} 0 R>>`);
  const dictionary = await writer.add(await syntaxOf(encrypt, new Map([["/R", String(Math.min(revision, QUICK))]])));
  // Without an identifier the keys are derived as from an empty one, so the new file must not get one.
  const id = source.getTrailer().get("ID");
  const identifier = id.isArray() ? `/ID${await syntaxOf(id)}` : "";
  const file = await writer.end(`/Root ${catalog} 0 R/Encrypt ${dictionary} 0 R${identifier}`);
  const buffer = await engine.copied(file, file.length);
  const document = engine.mupdf.Document.openDocument(buffer, "application/pdf").asPDF();
  buffer.destroy();
  if (!document) throw new Error("the file with the same encryption is no PDF");
  document.getTrailer().get("Encrypt").put("R", revision);
  engine.shareFileKey(source, document);
  return document;
}
