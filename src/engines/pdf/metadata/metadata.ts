/** Changes the Info dictionary and XMP of a document together. */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import { xmpTooLarge } from "../../limit-errors.ts";
import { writeMetadata } from "../document/clear-metadata.ts";
import { INFO_KEYS, type InfoChanges, writeInfo } from "./info.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { claimedPart, editXmp, PDFA_ID, readXmp, withoutNamespace } from "./xmp.ts";

/**
 * Changes the Info dictionary and, if the document has XMP, the matching properties (ISO 32000-2, 14.3). Does not add XMP to
 * a document without it. Removes a packet that is not well-formed XML, since old values could still be read from it.
 * @throws Refusal `limit_exceeded` for XMP beyond `xmpBytes` or `xmpTags` of `limits.metadata`
 */
export async function changeMetadata(engine: PdfEngine, document: PDFDocument, changes: InfoChanges): Promise<void> {
  if (changes.entries.size === 0 && changes.clears === "none") return;
  const root = document.getTrailer().get("Root");
  const stream = root.get("Metadata");
  const before = stream.isStream() ? readPacket(engine, stream) : undefined;
  const inXmpOnly = before !== undefined && (await isOnlyInXmp(engine, before, changes));
  const all = await writeInfo(engine, document, changes, { creates: !inXmpOnly });
  if (before === undefined) return;
  await engine.work.pause();
  const packet = await editXmp(engine.work, before, all, changes.clears !== "none");
  if (!packet) root.delete("Metadata");
  else writeMetadata(stream, packet);
}

/** Whether XMP alone gets the entries: in PDF/A-4, which has no Info dictionary (ISO 19005-4, 6.1.3), if it has properties for all of them. */
async function isOnlyInXmp(engine: PdfEngine, packet: Uint8Array, { entries }: InfoChanges): Promise<boolean> {
  const isPredefined = [...entries].every(([key, text]) => text === null || INFO_KEYS.has(key));
  return isPredefined && (await claimedPart(engine.work, packet)) === "4";
}

/** Removes the claim to conform to PDF/A from the metadata of a document. */
export async function dropClaim(engine: PdfEngine, document: PDFDocument): Promise<void> {
  const root = document.getTrailer().get("Root");
  const stream = root.get("Metadata");
  if (!stream.isStream()) return;
  const packet = await withoutNamespace(engine.work, readPacket(engine, stream), PDFA_ID);
  if (packet) writeMetadata(stream, packet);
  else root.delete("Metadata");
}

/** The entries of the Info dictionary in the XMP of a document (PDF 2.0 documents often have no other), as `readXmp` reads it. */
export async function readInfoOfXmp(engine: PdfEngine, document: PDFDocument): Promise<ReadonlyMap<string, string>> {
  const stream = document.getTrailer().get("Root", "Metadata");
  if (!stream.isStream()) return new Map();
  if (engine.ranges) await engine.long.loadStream(stream);
  try {
    return await readXmp(engine.work, readPacket(engine, stream));
  } catch (error) {
    // Other facts of the document can be read all the same.
    if (error instanceof Refusal && error.code === "limit_exceeded") return new Map();
    throw error;
  }
}

/**
 * The bytes of an XMP packet. Empty if they cannot be read.
 * @throws Refusal `limit_exceeded` beyond `limits.metadata.xmpBytes`
 */
export function readPacket(engine: PdfEngine, stream: PDFObject): Uint8Array {
  try {
    using stack = new DisposableStack();
    const buffer = stack.adopt(stream.readStream(), (buffer) => buffer.destroy());
    const limit = limits.metadata.xmpBytes;
    const actual = buffer.getLength();
    if (actual > limit) throw xmpTooLarge(actual);
    return buffer.asUint8Array().slice();
  } catch (error) {
    if (engine.isFailure(error)) return new Uint8Array();
    throw error;
  }
}
