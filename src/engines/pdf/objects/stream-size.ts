/** How many bytes a content stream decodes to, found out without holding them. */
import type { PDFObject } from "mupdf";
import { Refusal } from "../../errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { countInflated, DEFLATE_RATIO, rawBytes } from "./object-streams.ts";
import { items } from "./objects.ts";

/** Bytes that a stream may decode to at most, by the length that it declares. */
export function largestSize(stream: PDFObject): number {
  return Math.max(0, stream.get("Length").asNumber()) * DEFLATE_RATIO ** compressions(stream);
}

/**
 * Bytes that a stream decodes to; counting stops a little beyond `most`. What cannot be decoded has none.
 * @throws Refusal `limit_exceeded` (memory)
 */
export async function decodedSize(engine: PdfEngine, stream: PDFObject, most: number): Promise<number> {
  const filters = compressions(stream);
  try {
    if (filters > 0 && isDeflatedOnly(stream)) {
      return await countInflated(engine.work, rawBytes(stream), filters, most);
    }
    const read = stream.readStream();
    const size = read.getLength();
    read.destroy();
    return size;
  } catch (error) {
    // What cannot be read shows nothing; a lack of memory is told.
    const meaning = engine.explain(error);
    if (meaning instanceof Refusal && meaning.code === "invalid_file") return 0;
    throw meaning;
  }
}

const filtersOf = (stream: PDFObject): string[] => {
  const filter = stream.get("Filter");
  return (filter.isArray() ? items(filter) : [filter]).map((name) => (name.isName() ? name.asName() : ""));
};

/** How often a stream is compressed in a way that expands much; run lengths and the ASCII filters do not. */
const compressions = (stream: PDFObject): number =>
  filtersOf(stream).filter((name) => /^(FlateDecode|Fl|LZWDecode|LZW)$/.test(name)).length;

const isDeflatedOnly = (stream: PDFObject): boolean =>
  filtersOf(stream).every((name) => name === "FlateDecode" || name === "Fl");
