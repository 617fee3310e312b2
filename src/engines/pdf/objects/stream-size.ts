/** Measures the decoded size of a content stream without holding its content. */
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { countInflated, DEFLATE_RATIO } from "./inflated-size.ts";
import { rawBytes } from "./object-streams.ts";
import { items } from "./objects.ts";

/** A stream that cannot exceed this size in bytes is decoded by MuPDF in one piece, three times as fast as measuring it in steps. */
export const DECODED_AT_ONCE = 16 * 1024 * 1024;

/** Upper bound of the decoded size of a stream, based on its declared length. */
export function largestSize(stream: PDFObject): number {
  return Math.max(0, stream.get("Length").asNumber()) * DEFLATE_RATIO ** compressions(stream);
}

/**
 * The decoded size of a stream in bytes. Stops counting shortly after `most`. 0 if it cannot be decoded.
 * @throws Refusal `limit_exceeded` (memory)
 */
export async function decodedSize(engine: PdfEngine, stream: PDFObject, most: number): Promise<number> {
  const filters = compressions(stream);
  try {
    if (filters > 0 && isDeflatedOnly(stream) && largestSize(stream) > DECODED_AT_ONCE) {
      return await countInflated(engine.work, rawBytes(stream), filters, most);
    }
    const read = await engine.long.readStream(stream);
    const size = read.getLength();
    read.destroy();
    return size;
  } catch (error) {
    // Unreadable content shows nothing; lack of memory is reported.
    const meaning = engine.explain(error);
    if (meaning instanceof Refusal && meaning.code === "invalid_file") return 0;
    throw meaning;
  }
}

const filtersOf = (stream: PDFObject): string[] => {
  const filter = stream.get("Filter");
  return (filter.isArray() ? items(filter) : [filter]).map((name) => (name.isName() ? name.asName() : ""));
};

/** Number of filters that can expand a lot. Run lengths and the ASCII filters do not. */
const compressions = (stream: PDFObject): number =>
  filtersOf(stream).filter((name) => /^(FlateDecode|Fl|LZWDecode|LZW)$/.test(name)).length;

const isDeflatedOnly = (stream: PDFObject): boolean =>
  filtersOf(stream).every((name) => name === "FlateDecode" || name === "Fl");
