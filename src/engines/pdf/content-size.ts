import type { PDFObject } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { OpenPdf } from "./document.ts";
import { countInflated, DEFLATE_RATIO } from "./object-streams.ts";
import { items } from "./objects.ts";

/**
 * Refuses pages (0-based) whose content streams decompress to more than the limit, before MuPDF interprets them, which it does
 * without a bound. Those that cannot reach half of it together, however well they are compressed, are not looked into.
 * @throws Refusal `limit_exceeded`
 */
export function checkContents({ document, engine }: OpenPdf, pages: readonly number[]): void {
  const most = limits.contentBytes;
  /** Sizes by object number: pages may share a stream, and each interprets it. */
  const sizes = new Map<number, number>();
  let [total, unread] = [0, 0];
  for (const page of pages) {
    for (const stream of streamsOf(page)) {
      const bound = Math.max(0, stream.get("Length").asNumber()) * DEFLATE_RATIO ** compressions(stream);
      if (unread + bound <= most / 2) {
        unread += bound;
        continue;
      }
      const number = stream.asIndirect();
      const size = sizes.get(number) ?? sizeOf(stream, most - total);
      sizes.set(number, size);
      total += size;
      if (total > most) throw tooLarge(total);
    }
  }

  function streamsOf(page: number): PDFObject[] {
    try {
      const contents = document.findPage(page).get("Contents");
      return (contents.isArray() ? items(contents) : [contents]).filter((stream) => stream.isStream());
    } catch (error) {
      if (engine.isFailure(error)) return [];
      throw error;
    }
  }

  function sizeOf(stream: PDFObject, left: number): number {
    const filters = compressions(stream);
    try {
      if (filters > 0 && isDeflatedOnly(stream)) {
        const raw = stream.readRawStream();
        const data = raw.asUint8Array().slice();
        raw.destroy();
        return countInflated(data, filters, left);
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

function tooLarge(actual: number): Refusal {
  return new Refusal("limit_exceeded", "The pages' contents decompress to too many bytes.", {
    limit: limits.contentBytes,
    actual,
  });
}
