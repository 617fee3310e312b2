/**
 * Object streams are the only streams that MuPDF inflates without a limit we control, and it does so while opening a file. A
 * deflate stream of 1 MB can expand to 1 GB: RFC 1951 allows 1032 to 1, and filters can be chained. So streams that might
 * be too large are measured here first, and so are the objects in them.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { objectStreamsTooLarge } from "../../limit-errors.ts";
import type { Work } from "../../work.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { countInflated, DEFLATE_RATIO } from "./inflated-size.ts";
import { measureObjects } from "./raw-objects.ts";
import { RawFile, type StoredStream } from "./raw-streams.ts";
import { LARGE, type Measures, ObjectMeter } from "./measures.ts";

/** Bytes read between two pauses, and fuel for each, to read the syntax of objects. */
const READ = 64 * 1024;
const SYNTAX_WORK = 3;

/** Known facts about the objects of a file before it is open. */
interface MeasuredFile {
  readonly largest: Measures;
  /** Numbers of objects, and of object streams, that take MuPDF long to load. */
  readonly objects: readonly number[];
  readonly streams: Set<number>;
  /** Object streams that can only be read once the file is open, because it is encrypted. */
  readonly unread: readonly StoredStream[];
  measure(stream: StoredStream, data: Uint8Array): Promise<void>;
}

/**
 * Refuses a file whose object streams inflate to more than the limit, or that has too large an object. Object streams that are missed here, such as ones
 * with references as their filters, are bounded by the work budget.
 * @throws Refusal `limit_exceeded`
 */
export async function measureFile(work: Work, file: EngineBytes): Promise<MeasuredFile> {
  const raw = new RawFile(file.view(0, file.length));
  const meter = new ObjectMeter();
  const { large, streams: found } = await measureObjects(work, raw, meter);
  const most = found.reduce((sum, { start, end, filters }) => sum + (end - start) * DEFLATE_RATIO ** filters, 0);
  let left = most <= limits.objectStreamBytes ? Infinity : limits.objectStreamBytes;
  const streams = new Set<number>();
  const measure = async (stream: StoredStream, data: Uint8Array): Promise<void> => {
    const { size, isLarge } = await checkedStream(work, data, stream, meter, left);
    left -= size;
    if (isLarge) streams.add(stream.number);
  };
  const isEncrypted = found.length > 0 && raw.isEncrypted;
  for (const stream of isEncrypted ? [] : found) await measure(stream, raw.bytes.subarray(stream.start, stream.end));
  return { largest: meter.largest, objects: large, streams, unread: isEncrypted ? found : [], measure };
}

/**
 * Measures the streams that only an open document can read, and loads large objects while other requests run.
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
  { filters, isPlain }: StoredStream,
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
  throw objectStreamsTooLarge(limits.objectStreamBytes - most + size);
}
