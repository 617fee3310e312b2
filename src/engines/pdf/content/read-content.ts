/** Reads content streams, also those whose filters report damage (ISO 32000-2, 7.4). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { adler32 } from "../../flate/adler.ts";
import { inflateReadable } from "../../flate/inflate.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { filtersOf } from "../objects/filters.ts";
import { rawBytes } from "../objects/object-streams.ts";

/** Bytes of a checksum (RFC 1950), and how many of an end of line may follow it: some writers count that as data. */
const CHECKSUM = 4;
const MOST_AFTER = 2;

/**
 * The readable part of a stream that readers may read differently: it does not end with the checksum of its data, or its filters have no checksum.
 * Undefined for a sound stream.
 */
export async function readablePart(engine: PdfEngine, stream: PDFObject): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const filters = filtersOf(stream);
  if (filters.length === 0) return undefined;
  const isDeflated = filters.length === 1 && filters[0] === "FlateDecode" && stream.get("DecodeParms").isNull();
  if (!isDeflated) return readContent(engine, stream, (bytes) => bytes.slice());
  const checksum = await readContent(engine, stream, adler32);
  const raw = engine.scope(() => rawBytes(stream));
  engine.work.spend(raw.length);
  // MuPDF would leave out up to 4 KiB before the damage.
  return endsWith(raw, checksum) ? undefined : inflateReadable(engine.work, raw, limits.contentBytes);
}

/** Passes the bytes of a stream to `look`: empty if it cannot be read, since then it draws nothing. */
export async function readContent<T>(
  engine: PdfEngine,
  stream: PDFObject,
  look: (bytes: Uint8Array) => T | Promise<T>,
): Promise<T> {
  try {
    const buffer = await engine.long.readStream(stream);
    const seen = await look(buffer.asUint8Array());
    buffer.destroy();
    return seen;
  } catch (error) {
    if (engine.isFailure(error)) return look(new Uint8Array());
    throw error;
  }
}

function endsWith(data: Uint8Array, checksum: number): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  for (let end = data.length; end >= Math.max(CHECKSUM, data.length - MOST_AFTER); end--) {
    if (view.getUint32(end - CHECKSUM) === checksum) return true;
  }
  return false;
}
