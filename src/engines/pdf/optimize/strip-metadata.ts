/**
 * Removes information about the origin of a document: Info, XMP of the document and its parts (ISO 32000-2, 14.3),
 * thumbnails, modification dates, and metadata in image files. Keeps only what standards require a file to declare.
 */
import type { PDFObject } from "mupdf";
import { dropMetadataStream, writeMetadata } from "../document/clear-metadata.ts";
import { filtersOf } from "../objects/filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { newIdentifier } from "../document/identifier.ts";
import { eachObject } from "../objects/each-object.ts";
import { withoutJpegMetadata, withoutJpxMetadata } from "../../image/without-metadata.ts";
import { writeInfo } from "../metadata/info.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { readPacket } from "../metadata/metadata.ts";
import { eachItem, entries, items, objectNumber, isNamed } from "../objects/objects.ts";
import { standardsOf } from "../metadata/xmp-standards.ts";

/**
 * Removes the metadata.
 * @throws Refusal `limit_exceeded` for XMP beyond `limits.metadata`
 */
export async function stripMetadata(open: OpenPdf): Promise<void> {
  const { document, engine } = open;
  const catalog = objectNumber(document.getTrailer().get("Root"));
  await engine.scope(async () => {
    await writeInfo(engine, document, { entries: new Map(), clears: "all" });
    const root = document.getTrailer().get("Root");
    const stream = root.get("Metadata");
    const packet = stream.isStream() ? await standardsOf(engine.work, readPacket(engine, stream)) : undefined;
    if (packet) writeMetadata(stream, packet);
    else dropMetadataStream(document);
    root.delete("SpiderInfo");
    for await (const thread of eachItem(engine, root.get("Threads"))) if (thread.isDictionary()) thread.delete("I");
    dropXfaMetadata(root.get("AcroForm", "XFA"));
    // Earlier versions of the file share it. Encryption may depend on it.
    if (!open.encrypted) newIdentifier(document);
  });
  await eachObject(open, (object, number) => stripObject(engine, object, number === catalog));
}

function stripObject(engine: PdfEngine, object: PDFObject, isCatalog: boolean): void {
  if (!object.isDictionary()) return;
  if (!isCatalog) dropMetadata(object);
  for (const { value } of entries(engine, object.get("Resources", "Properties"))) dropMetadata(value);
  if (object.get("LastModified").isString()) object.delete("LastModified");
  // The thumbnail of a page or an attached file.
  if (["Page", "Filespec"].some((type) => isNamed(object.get("Type"), type))) object.delete("Thumb");
  const usage = object.get("Usage");
  if (usage.isDictionary()) usage.delete("CreatorInfo");
  if (!object.isStream()) return;
  if (object.get("OPI").isDictionary()) object.delete("OPI");
  if (isNamed(object.get("Subtype"), "Image")) stripImage(engine, object);
}

/** An XFA form has XMP in a packet of its own (12.7.8). The array alternates names and streams. */
function dropXfaMetadata(packets: PDFObject): void {
  const at = items(packets).findIndex((name) => name.isString() && name.asString() === "xmpmeta");
  if (at >= 0) for (let time = 0; time < 2; time++) packets.delete(at);
}

function dropMetadata(object: PDFObject): void {
  const metadata = object.get("Metadata");
  if (isNamed(metadata.get("Type"), "Metadata") || isNamed(metadata.get("Subtype"), "XML")) object.delete("Metadata");
}

function stripImage(engine: PdfEngine, image: PDFObject): void {
  const [filter, ...others] = filtersOf(image);
  if (others.length > 0 || (filter !== "DCTDecode" && filter !== "JPXDecode")) return;
  const file = image.readRawStream().asUint8Array();
  engine.work.spend(file.length);
  const stripped = filter === "DCTDecode" ? withoutJpegMetadata(file) : withoutJpxMetadata(file);
  if (stripped.length < file.length) image.writeRawStream(stripped);
}
