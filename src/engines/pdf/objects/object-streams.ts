/**
 * Object streams are the one kind of stream that MuPDF inflates without a bound of its own, and it does so while it opens a
 * file. A deflate stream of 1 MB can hold 1 GB (RFC 1951 allows 1032 to 1, and filters can be chained), so those that could
 * be too large are counted here first.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { DamagedStream, inflate } from "../../bytes/inflate.ts";
import { Refusal } from "../../errors.ts";
import type { Work } from "../../work.ts";
import type { InputBytes } from "../../bytes/heap.ts";
import { inflatedSize } from "../../bytes/inflated-size.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { find } from "../../bytes/find.ts";
import { unescapeName } from "./names.ts";

/** Most that deflate can expand. */
export const DEFLATE_RATIO = 1032;
/** Longest dictionary of an object stream, in bytes; theirs are short. */
const MOST_DICTIONARY = 4096;
/** Fuel for a stream that is looked at: its dictionary is made text. */
const STREAM_WORK = 500;

interface ObjectStream {
  readonly number: number;
  /** Where the stream's data lies in the file, in bytes. */
  readonly start: number;
  readonly end: number;
  /** How often it is deflated. */
  readonly filters: number;
}

/**
 * Refuses a file whose object streams inflate to more than the limit. An encrypted file's can be read only when the file
 * is open: then a check for that time is given back. What hides from this look, such as a dictionary whose entries are
 * references, is ended by the work that the request may do.
 * @throws Refusal `limit_exceeded`
 */
export async function checkObjectStreams(
  work: Work,
  file: InputBytes,
): Promise<((document: PDFDocument) => Promise<void>) | undefined> {
  const streams = await findObjectStreams(work, file);
  const most = streams.reduce((sum, { start, end, filters }) => sum + (end - start) * DEFLATE_RATIO ** filters, 0);
  if (most <= limits.objectStreamBytes) return undefined;
  if (find(file.view(0, file.length), "/Encrypt", 0) >= 0) {
    return async (document) => {
      let left = limits.objectStreamBytes;
      for (const { number, filters } of streams) {
        const stream = document.newIndirect(number);
        if (stream.isStream()) left -= await checkedSize(work, rawBytes(stream), filters, left);
      }
    };
  }
  let left = limits.objectStreamBytes;
  for (const { start, end, filters } of streams) {
    left -= await checkedSize(work, file.view(start, end), filters, left);
  }
  return undefined;
}

/** The bytes of a stream as they stand in the file, decrypted. */
export function rawBytes(stream: PDFObject): Uint8Array {
  const buffer = stream.readRawStream();
  const bytes = buffer.asUint8Array().slice();
  buffer.destroy();
  return bytes;
}

/** Bytes that come out; refuses past `most`. */
async function checkedSize(work: Work, data: Uint8Array, filters: number, most: number): Promise<number> {
  const size = await countInflated(work, data, filters, most);
  if (size <= most) return size;
  throw new Refusal("limit_exceeded", "The object streams of the PDF are too large when decompressed.", {
    limit: limits.objectStreamBytes,
    actual: limits.objectStreamBytes - most + size,
  });
}

/**
 * Bytes that come out of data that was deflated `filters` times; counting stops a little beyond `most`. Data that does not
 * inflate counts as far as it went. Where one filter hides another, what comes out of it must be made.
 */
export async function countInflated(work: Work, data: Uint8Array, filters: number, most: number): Promise<number> {
  if (filters === 1) return inflatedSize(work, data, most);
  let chunks = inflate(work, [data]);
  for (let index = 1; index < filters; index++) chunks = inflate(work, chunks);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > most) break;
    }
  } catch (error) {
    if (!(error instanceof DamagedStream)) throw error;
  }
  return size;
}

/** Goes through all streams of the file and gives those whose dictionary says that they hold objects. */
async function findObjectStreams(work: Work, file: InputBytes): Promise<ObjectStream[]> {
  const bytes = file.view(0, file.length);
  const streams: ObjectStream[] = [];
  /** The keyword before, and where the next `endstream` is. */
  let [last, end] = [0, -1];
  for (let keyword = find(bytes, "stream", 0); keyword >= 0; keyword = find(bytes, "stream", keyword + 1)) {
    work.spend(STREAM_WORK + keyword - last);
    await work.pause();
    const head = unescapeName(latin1(bytes.subarray(Math.max(last, keyword - MOST_DICTIONARY), keyword)));
    last = keyword;
    if (head.endsWith("end") || !head.includes("/ObjStm")) continue;
    const body = head.lastIndexOf("obj");
    const number = /(\d{1,10})\s+\d{1,5}\s*$/.exec(head.slice(0, Math.max(body, 0)))?.[1];
    const dictionary = head.slice(Math.max(body, 0));
    const start = keyword + "stream".length + (bytes[keyword + 6] === 0x0d ? 2 : 1);
    if (end < start) {
      const found = find(bytes, "endstream", start);
      end = found < 0 ? bytes.length : found;
    }
    // The keyword may stand in the data; what is beyond the end of the data does not count.
    const length = Number(/\/Length\s+(\d+)\b(?!\s+\d+\s+R)/.exec(dictionary)?.[1] ?? 0);
    const filters = Math.max(1, dictionary.match(/\/(?:FlateDecode|Fl\b)/g)?.length ?? 0);
    streams.push({
      number: Number(number ?? 0),
      start,
      end: Math.min(Math.max(start + length, end), bytes.length),
      filters,
    });
  }
  return streams;
}
