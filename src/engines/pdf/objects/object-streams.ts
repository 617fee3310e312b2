/**
 * Object streams are the only streams that MuPDF inflates without a limit we control, and it does so while opening a file. A
 * deflate stream of 1 MB can expand to 1 GB (RFC 1951 allows 1032 to 1, and filters can be chained), so streams that might
 * be too large are measured here first, and so are the objects in them.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import type { Work } from "../../work.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { find } from "../../bytes/find.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { unescapeName } from "../syntax/names.ts";
import { countInflated, DEFLATE_RATIO } from "./inflated-size.ts";
import { measureObjects } from "./raw-objects.ts";
import { LARGE, type Measures, ObjectMeter } from "./measures.ts";

/** Longest dictionary of an object stream in bytes. In practice they are short. */
const MOST_DICTIONARY = 4096;
/** `#`, which begins an escape in a name. */
const ESCAPE = 0x23;
/** Filters but deflate, and predictors (7.4.2 to 7.4.5): what is within is not syntax yet. */
const OTHER_CODING = /\/(?:ASCIIHexDecode|AHx|ASCII85Decode|A85|LZWDecode|LZW|RunLengthDecode|RL|Crypt|Predictor)\b/;
/** Bytes read between two pauses, and fuel for each, to read the syntax of objects. */
const READ = 64 * 1024;
const SYNTAX_WORK = 3;
/** Fuel per stream to decode its dictionary. */
const STREAM_WORK = 500;

interface ObjectStream {
  readonly number: number;
  /** Start of the stream's data in the file, in bytes. */
  readonly start: number;
  readonly end: number;
  /** Number of deflate filters. */
  readonly filters: number;
  /** Whether nothing else is done to the objects in it. */
  readonly isPlain: boolean;
}

/** What is known of the objects of a file before it is open. */
interface MeasuredFile {
  readonly largest: Measures;
  /** Numbers of objects, and of object streams, that take MuPDF long to load. */
  readonly objects: readonly number[];
  readonly streams: Set<number>;
  /** Object streams that can only be read once the file is open, as it is encrypted. */
  readonly unread: readonly ObjectStream[];
  measure(stream: ObjectStream, data: Uint8Array): Promise<void>;
}

/**
 * Refuses a file whose object streams inflate to more than the limit, or that has too large an object. Object streams that this scan misses, such as ones
 * with references in their dictionary, are bounded by the work budget.
 * @throws Refusal `limit_exceeded`
 */
export async function measureFile(work: Work, file: EngineBytes): Promise<MeasuredFile> {
  const meter = new ObjectMeter();
  const objects = await measureObjects(work, file, meter);
  const found = await findObjectStreams(work, file);
  const most = found.reduce((sum, { start, end, filters }) => sum + (end - start) * DEFLATE_RATIO ** filters, 0);
  let left = most <= limits.objectStreamBytes ? Infinity : limits.objectStreamBytes;
  const streams = new Set<number>();
  const measure = async (stream: ObjectStream, data: Uint8Array): Promise<void> => {
    const { size, isLarge } = await checkedStream(work, data, stream, meter, left);
    left -= size;
    if (isLarge) streams.add(stream.number);
  };
  const isEncrypted = found.length > 0 && find(file.view(0, file.length), "/Encrypt", 0) >= 0;
  for (const stream of isEncrypted ? [] : found) await measure(stream, file.view(stream.start, stream.end));
  return { largest: meter.largest, objects, streams, unread: isEncrypted ? found : [], measure };
}

/**
 * Measures what only an open document lets read, and loads large objects while other requests run.
 * @throws Refusal `limit_exceeded`
 */
export async function loadLargeObjects(engine: PdfEngine, document: PDFDocument, file: MeasuredFile): Promise<void> {
  for (const stream of file.unread) {
    const object = document.newIndirect(stream.number);
    if (object.isStream()) await file.measure(stream, rawBytes(object));
  }
  await loadEach(engine, document, [...file.objects, ...engine.firstIn(document, file.streams)]);
}

/** Loads objects while other requests run. Those that cannot be read are found later. */
async function loadEach(engine: PdfEngine, document: PDFDocument, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    try {
      await engine.long.load(document.newIndirect(number));
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  }
}

/** The bytes of a stream as stored in the file, decrypted. */
export function rawBytes(stream: PDFObject): Uint8Array {
  const buffer = stream.readRawStream();
  const bytes = buffer.asUint8Array().slice();
  buffer.destroy();
  return bytes;
}

/** The size of an object stream in bytes, and whether it takes MuPDF long to load; throws if it or an object in it is too large. */
async function checkedStream(
  work: Work,
  data: Uint8Array,
  { filters, isPlain }: ObjectStream,
  meter: ObjectMeter,
  most: number,
): Promise<{ size: number; isLarge: boolean }> {
  meter.begin();
  let tokens = 0;
  const size = await countInflated(work, data, filters, most, async (chunk) => {
    if (!isPlain) return;
    for (let from = 0; from < chunk.length; from += READ) {
      const part = chunk.subarray(from, from + READ);
      work.spend(part.length * SYNTAX_WORK);
      await work.pause();
      for (let at = meter.read(part); at < part.length; at = meter.read(part, at)) {
        tokens += meter.tokens;
        meter.begin();
      }
    }
  });
  if (size <= most) {
    const isLarge = !isPlain || tokens + meter.tokens > LARGE.tokens || size > LARGE.bytes;
    return { size, isLarge };
  }
  throw new Refusal("limit_exceeded", "The object streams of the PDF are too large when decompressed.", {
    limit: limits.objectStreamBytes,
    actual: limits.objectStreamBytes - most + size,
  });
}

/** Scans all streams of the file for those whose dictionary declares an object stream. */
async function findObjectStreams(work: Work, file: EngineBytes): Promise<ObjectStream[]> {
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
    const deflates = dictionary.match(/\/(?:FlateDecode|Fl\b)/g)?.length ?? 0;
    const isFiltered = /\/F(?:ilter)?\b/.test(dictionary);
    streams.push({
      number: Number(number ?? 0),
      start,
      end: Math.min(Math.max(start + length, end), bytes.length),
      filters: Math.max(isFiltered ? 1 : 0, deflates),
      isPlain: (deflates > 0 || !isFiltered) && !OTHER_CODING.test(dictionary),
    });
  }
  return streams;
}

/** Whether the keyword is the end of `endstream`: what precedes it is data, and is not worth decoding. */
const isEnd = (bytes: Uint8Array, keyword: number): boolean =>
  bytes[keyword - 3] === 0x65 && bytes[keyword - 2] === 0x6e && bytes[keyword - 1] === 0x64;

/** Whether a dictionary may name an object stream, with or without escapes. Searching the bytes is faster than decoding them. */
const mayName = (dictionary: Uint8Array): boolean => dictionary.includes(ESCAPE) || find(dictionary, "/ObjStm", 0) >= 0;
