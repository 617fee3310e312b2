/**
 * XMP that stays readable in an encrypted document (ISO 32000-2, 7.6.4.2, `EncryptMetadata`). MuPDF reads such a stream
 * correctly if the stream has the filter `Crypt` (7.4.10), but encrypts it on saving anyway.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { LF } from "../syntax/characters.ts";
import { Dictionary, parseShort } from "../syntax/objects.ts";
import { items, objectNumber } from "../objects/objects.ts";
import { find } from "../../../bytes/find.ts";

/** First version of the encryption dictionary that allows readable metadata. */
const CRYPT_FILTERS = 4;

/** Adds the filter to the metadata stream if only the encryption dictionary declares it unencrypted. */
export function markClearMetadata(document: PDFDocument): void {
  const encrypt = document.getTrailer().get("Encrypt");
  const stream = metadataOf(document);
  const flag = encrypt.get("EncryptMetadata");
  if (!flag.isBoolean() || flag.asBoolean() || encrypt.get("V").asNumber() < CRYPT_FILTERS) return;
  if (!stream.isStream() || isMarked(stream)) return;
  const filters = listOf(stream.get("Filter"));
  const parameters = listOf(stream.get("DecodeParms"));
  mark(stream, filters, parameters);
}

/** Writes the metadata stream. Readable metadata stays readable. */
export function writeMetadata(stream: PDFObject, packet: Uint8Array): void {
  const wasMarked = isMarked(stream);
  stream.writeStream(packet);
  if (wasMarked) mark(stream, [], []);
}

/** Removes the metadata stream. As an object that nothing uses, it would still have a filter of its own. */
export function dropMetadataStream(document: PDFDocument): void {
  const root = document.getTrailer().get("Root");
  const number = objectNumber(root.get("Metadata"));
  root.delete("Metadata");
  if (number > 0) document.deleteObject(number);
}

/**
 * Call before saving; returns a function to apply to the output. Encryption never shortens a stream, so the readable bytes
 * fit where MuPDF wrote the encrypted ones; XMP may be padded with spaces.
 */
export function keepMetadataClear(document: PDFDocument): (output: Uint8Array) => void {
  const stream = metadataOf(document);
  if (!stream.isStream() || !isMarked(stream)) return () => undefined;
  const buffer = stream.readStream();
  const packet = buffer.asUint8Array().slice();
  buffer.destroy();
  if (!document.getTrailer().get("Encrypt").isDictionary()) {
    stream.writeStream(packet);
    return () => undefined;
  }
  writeMetadata(stream, packet);
  // Object numbers change on saving. A unique key identifies the stream and is blanked in the output.
  const key = `X${crypto.randomUUID().replaceAll("-", "")}`;
  stream.put(key, true);
  return (output) => {
    const entry = `/${key} true`;
    const at = find(output, entry, 0);
    const start = find(output, "stream\n", at) + "stream\n".length;
    const { value } = parseShort(output, output.lastIndexOf(LF, at) + 1, "content");
    const length = value instanceof Dictionary ? value.get("Length") : undefined;
    if (at < 0 || typeof length !== "number" || length < packet.length)
      throw new Error("the output has no place for its readable metadata");
    output.fill(0x20, at, at + entry.length);
    output.fill(0x20, start, start + length);
    output.set(packet, start);
  };
}

function metadataOf(document: PDFDocument): PDFObject {
  return document.getTrailer().get("Root", "Metadata");
}

function isMarked(stream: PDFObject): boolean {
  return listOf(stream.get("Filter")).some((filter) => filter.isName() && filter.asName() === "Crypt");
}

/** Puts the filter `Crypt` with `Identity` before the others. */
function mark(stream: PDFObject, filters: readonly PDFObject[], parameters: readonly PDFObject[]): void {
  const document = stream._doc;
  const identity = document.newDictionary();
  identity.put("Name", document.newName("Identity"));
  const filterList = document.newArray();
  const parameterList = document.newArray();
  filterList.push(document.newName("Crypt"));
  parameterList.push(identity);
  for (const [index, filter] of filters.entries()) {
    filterList.push(filter);
    parameterList.push(parameters[index] ?? document.newNull());
  }
  stream.put("Filter", filterList);
  stream.put("DecodeParms", parameterList);
}

function listOf(object: PDFObject): PDFObject[] {
  return object.isArray() ? items(object) : object.isNull() ? [] : [object];
}
