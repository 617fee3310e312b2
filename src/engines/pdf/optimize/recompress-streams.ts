/** Recompresses streams with the platform's zlib (ISO 32000-2, 7.4.4). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { DamagedStream, inflate } from "../../flate/inflate.ts";
import { deflated } from "../../flate/deflate.ts";
import { concat } from "../../../bytes/concat.ts";
import { isNamed } from "../objects/objects.ts";
import { filtersOf } from "../objects/filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { isArchive } from "./output-profiles.ts";

/** Lossless filters that are, or may be, worse than deflate. */
const WEAKER = new Set(["LZWDecode", "RunLengthDecode", "ASCIIHexDecode", "ASCII85Decode", "FlateDecode"]);
/** Smallest stream in bytes that is worth recompressing. */
const SMALLEST = 64;
/** Largest stream in bytes with other filters that is decoded in one piece. */
const MOST_DECODED_WHOLE = 1024 * 1024;
/** Maximum relative size of a recompressed stream. A stream that is replaced takes memory until the document is written. */
const WORTH_IT = 0.98;
/** Compression ratio at which a stream counts as well compressed. The maximum of deflate is 1032. */
const WELL_DEFLATED = 64;

/**
 * Recompresses all streams that are compressed poorly or with older filters. Streams that cannot be decoded stay
 * unchanged. Compresses XMP as well, except in a PDF/A, where tools search for it as plain text.
 */
export async function recompressStreams({ document, engine }: OpenPdf): Promise<void> {
  const budget = { left: limits.decompressedBytes };
  const archive = isArchive(engine, document);
  const streams: number[] = [];
  await eachObject({ document, engine }, (object, number) => {
    if (object.isStream()) streams.push(number);
  });
  for (const number of streams) {
    await engine.work.pause();
    const found = engine.scope(() => readWeak(document.newIndirect(number)));
    if (!found || budget.left <= 0) continue;
    const bytes = await deflatedAnew(found.inflate ? inflate(engine.work, [found.data]) : [found.data], found.length);
    if (!bytes) continue;
    engine.scope(() => {
      const stream = document.newIndirect(number);
      stream.writeRawStream(bytes);
      stream.put("Filter", document.newName("FlateDecode"));
      if (!found.inflate) stream.delete("DecodeParms");
    });
  }
  /** Deflates data in chunks, so that memory does not depend on the size of the stream. Undefined if this saves nothing. */
  async function deflatedAnew(
    data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    length: number,
  ): Promise<Uint8Array | undefined> {
    const pieces: Uint8Array[] = [];
    let [left, size, isWhole] = [length * WELL_DEFLATED, 0, false];
    try {
      for await (const piece of deflated(counted())) {
        pieces.push(piece);
        size += piece.length;
        if (size > length * WORTH_IT) return undefined;
      }
    } catch (error) {
      // Leaves data that does not inflate to other readers.
      if (!(error instanceof DamagedStream)) throw error;
    }
    return isWhole ? concat(pieces) : undefined;

    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of data) {
        engine.work.spend(chunk.length);
        left -= chunk.length;
        budget.left -= chunk.length;
        if (left < 0 || budget.left < 0) return;
        yield chunk;
      }
      isWhole = true;
    }
  }

  /** The data of a stream, if it could become smaller. */
  function readWeak(stream: PDFObject): { data: Uint8Array; length: number; inflate: boolean } | undefined {
    try {
      const length = stream.isStream() ? stream.get("Length").asNumber() : 0;
      const filters = length < SMALLEST ? [] : filtersOf(stream);
      const plain = filters.length === 0 && (archive || !isNamed(stream.get("Type"), "Metadata"));
      if (plain || !filters.every((name) => WEAKER.has(name))) return undefined;
      const inflate = filters.length === 1 && filters[0] === "FlateDecode";
      if (!inflate && length > MOST_DECODED_WHOLE) return undefined;
      const buffer = inflate ? stream.readRawStream() : stream.readStream();
      return { data: buffer.asUint8Array().slice(), length, inflate };
    } catch (error) {
      // Leaves streams that MuPDF cannot read to other readers.
      if (engine.isFailure(error)) return undefined;
      throw error;
    }
  }
}
