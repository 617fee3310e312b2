/**
 * Object streams are the only streams that MuPDF inflates without a limit we control, and it does so while opening a file. A
 * deflate stream of 1 MB can expand to 1 GB (RFC 1951 allows 1032 to 1, and filters can be chained), so streams that might
 * be too large are measured here first.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { DamagedStream, inflate, STEP } from "../../bytes/inflate.ts";
import { Refusal } from "../../errors.ts";
import type { Work } from "../../work.ts";
import type { InputBytes } from "../../bytes/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { find } from "../../bytes/find.ts";
import { unescapeName } from "./names.ts";

/** Maximum expansion of deflate. */
export const DEFLATE_RATIO = 1032;
/** Longest dictionary of an object stream in bytes. In practice they are short. */
const MOST_DICTIONARY = 4096;
/** `#`, which begins an escape in a name. */
const ESCAPE = 0x23;
/** Fuel per stream to decode its dictionary. */
const STREAM_WORK = 500;

interface ObjectStream {
  readonly number: number;
  /** Start of the stream's data in the file, in bytes. */
  readonly start: number;
  readonly end: number;
  /** Number of deflate filters. */
  readonly filters: number;
}

/**
 * Refuses a file whose object streams inflate to more than the limit. Those of an encrypted file can only be read once it is
 * open; in that case, returns a check to run then. Streams that this scan misses, such as ones with references in their
 * dictionary, are bounded by the work budget.
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

/** The bytes of a stream as stored in the file, decrypted. */
export function rawBytes(stream: PDFObject): Uint8Array {
  const buffer = stream.readRawStream();
  const bytes = buffer.asUint8Array().slice();
  buffer.destroy();
  return bytes;
}

/** The inflated size in bytes; throws if it exceeds `most`. */
async function checkedSize(work: Work, data: Uint8Array, filters: number, most: number): Promise<number> {
  const size = await countInflated(work, data, filters, most);
  if (size <= most) return size;
  throw new Refusal("limit_exceeded", "The object streams of the PDF are too large when decompressed.", {
    limit: limits.objectStreamBytes,
    actual: limits.objectStreamBytes - most + size,
  });
}

/**
 * The size of data that was deflated `filters` times, once inflated. Counting stops slightly past `most`. For damaged data this is
 * an upper bound: MuPDF's inflater keeps what comes before the damage, up to a whole step more than ours.
 */
export async function countInflated(work: Work, data: Uint8Array, filters: number, most: number): Promise<number> {
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
    size += STEP * DEFLATE_RATIO;
  }
  return size;
}

/** Scans all streams of the file for those whose dictionary declares an object stream. */
async function findObjectStreams(work: Work, file: InputBytes): Promise<ObjectStream[]> {
  const bytes = file.view(0, file.length);
  const streams: ObjectStream[] = [];
  /** The previous keyword, and the position of the next `endstream`. */
  let [last, end] = [0, -1];
  for (let keyword = find(bytes, "stream", 0); keyword >= 0; keyword = find(bytes, "stream", keyword + 1)) {
    work.spend(STREAM_WORK + keyword - last);
    await work.pause();
    const before = bytes.subarray(Math.max(last, keyword - MOST_DICTIONARY), keyword);
    last = keyword;
    if (isEnd(bytes, keyword) || !mayName(before)) continue;
    const head = unescapeName(latin1(before));
    if (!head.includes("/ObjStm")) continue;
    const body = head.lastIndexOf("obj");
    const number = /(\d{1,10})\s+\d{1,5}\s*$/.exec(head.slice(0, Math.max(body, 0)))?.[1];
    const dictionary = head.slice(Math.max(body, 0));
    const start = keyword + "stream".length + (bytes[keyword + 6] === 0x0d ? 2 : 1);
    if (end < start) {
      const found = find(bytes, "endstream", start);
      end = found < 0 ? bytes.length : found;
    }
    // The keyword may occur in the data; data past the end of the file does not count.
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

/** Whether the keyword is the end of `endstream`: what precedes it is data, and is not worth decoding. */
const isEnd = (bytes: Uint8Array, keyword: number): boolean =>
  bytes[keyword - 3] === 0x65 && bytes[keyword - 2] === 0x6e && bytes[keyword - 1] === 0x64;

/** Whether a dictionary may name an object stream, with or without escapes. Searching the bytes is faster than decoding them. */
const mayName = (dictionary: Uint8Array): boolean => dictionary.includes(ESCAPE) || find(dictionary, "/ObjStm", 0) >= 0;
