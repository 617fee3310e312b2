/** Streams that are deflated anew, with the platform's zlib (ISO 32000-2, 7.4.4). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { DamagedStream, inflate } from "../../bytes/inflate.ts";
import { deflated } from "../../bytes/deflate.ts";
import { concat } from "../../bytes/concat.ts";
import { isNamed } from "../objects/objects.ts";
import { filtersOf } from "../objects/filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { isArchive } from "./output-profiles.ts";

/** Filters that lose nothing and are larger than deflate, or can be. */
const WEAKER = new Set(["LZWDecode", "RunLengthDecode", "ASCIIHexDecode", "ASCII85Decode", "FlateDecode"]);
/** Bytes of a stream below which nothing can be gained. */
const SMALLEST = 64;
/** Bytes of a stream with such filters that is decoded as a whole. */
const MOST_DECODED_WHOLE = 1024 * 1024;
/** What a stream must become smaller by to be written anew, which takes memory until the document is written. */
const WORTH_IT = 0.98;
/** A stream that holds so many times its length is deflated well; the most that deflate can is 1032. */
const WELL_DEFLATED = 64;

/**
 * Deflates all streams anew that are deflated badly, or in an older way. What cannot be decoded stays as it is. Gives the
 * bytes that all streams take then. XMP is deflated, too, but for that of a PDF/A, which tools find by its plain text.
 */
export async function recompressStreams({ document, engine }: OpenPdf): Promise<number> {
  const budget = { left: limits.decompressedBytes };
  const archive = isArchive(engine, document);
  let total = 0;
  const streams: number[] = [];
  await eachObject({ document, engine }, (object, number) => {
    if (object.isStream()) streams.push(number);
  });
  for (const number of streams) {
    await engine.work.pause();
    const found = engine.scope(() => readWeak(document.newIndirect(number)));
    total += found?.length ?? 0;
    if (!found || !("data" in found) || budget.left <= 0) continue;
    const bytes = await deflatedAnew(found.inflate ? inflate(engine.work, [found.data]) : [found.data], found.length);
    if (!bytes) continue;
    total -= found.length - bytes.length;
    engine.scope(() => {
      const stream = document.newIndirect(number);
      stream.writeRawStream(bytes);
      stream.put("Filter", document.newName("FlateDecode"));
      if (!found.inflate) stream.delete("DecodeParms");
    });
  }
  return total;

  /** Deflates data in pieces, so that a stream of any size needs no memory; undefined where that gains nothing. */
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
      // What does not inflate is left to other readers.
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

  /** A stream's length, and its data where it may be smaller. */
  function readWeak(
    stream: PDFObject,
  ): { length: number } | { data: Uint8Array; length: number; inflate: boolean } | undefined {
    try {
      const length = stream.isStream() ? stream.get("Length").asNumber() : 0;
      const filters = length < SMALLEST ? [] : filtersOf(stream);
      const plain = filters.length === 0 && (archive || !isNamed(stream.get("Type"), "Metadata"));
      if (plain || !filters.every((name) => WEAKER.has(name))) return { length };
      const inflate = filters.length === 1 && filters[0] === "FlateDecode";
      if (!inflate && length > MOST_DECODED_WHOLE) return { length };
      const buffer = inflate ? stream.readRawStream() : stream.readStream();
      return { data: buffer.asUint8Array().slice(), length, inflate };
    } catch (error) {
      // What MuPDF cannot read is left to other readers.
      if (engine.isFailure(error)) return undefined;
      throw error;
    }
  }
}
