/**
 * Measures streams as they are in a file whose decoding takes work out of all proportion to their size: filters behind filters, programs that run for each
 * pixel, and JPEGs that refine all of their pixels again and again.
 */
import { limits } from "../../../limits.ts";
import { find } from "../../bytes/find.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { Refusal } from "../../errors.ts";
import { EOI, isRefined, markers, SOS } from "../../image/jpeg-segments.ts";
import type { Work } from "../../work.ts";
import { countInflated, DEFLATE_RATIO } from "./inflated-size.ts";
import { unescapeName } from "../syntax/names.ts";

/** Longest dictionary of a stream in bytes that is looked at. Others are bounded by the work budget. */
const MOST_DICTIONARY = 64 * 1024;
/** Fuel per dictionary, per byte of it, and per marker of a JPEG. */
const STREAM_WORK = 200;
const BYTE_WORK = 2;
const MARKER_WORK = 20;

const FILTER = /\/(?:\w+Decode|AHx|A85|LZW|Fl|RL|CCF|DCT)\b/g;
const DEFLATE = /\/(?:FlateDecode|Fl\b)/g;

/**
 * Looks at the stream behind the dictionary at [start, end), if there is one. `isEncrypted`: its data cannot be read.
 * @throws Refusal `limit_exceeded`
 */
export async function measureStream(
  work: Work,
  bytes: Uint8Array,
  start: number,
  end: number,
  isEncrypted: () => boolean,
): Promise<void> {
  const data = dataAfter(bytes, end);
  if (data === undefined || end - start > MOST_DICTIONARY) return;
  work.spend(STREAM_WORK + (end - start) * BYTE_WORK);
  const dictionary = unescapeName(latin1(bytes.subarray(start, end)));
  const filters = dictionary.match(FILTER)?.length ?? 0;
  if (filters > limits.streams.filters) {
    throw tooMany("The PDF has a stream with too many filters.", limits.streams.filters, filters);
  }
  if (/\/FunctionType\s*4\b/.test(dictionary)) await measureProgram(work, bytes, data, dictionary, isEncrypted());
  if (filters === 1 && /\/DCT(?:Decode)?\b/.test(dictionary) && !isEncrypted()) {
    await measureScans(work, bytes.subarray(data));
  }
}

/** Where the data of a stream begins whose dictionary ends at `end`. */
function dataAfter(bytes: Uint8Array, end: number): number | undefined {
  const after = /^\s*stream(\r\n|\r|\n)/.exec(latin1(bytes.subarray(end, end + 32)));
  return after ? end + after[0].length : undefined;
}

/** A calculator function (7.10.5). */
async function measureProgram(
  work: Work,
  bytes: Uint8Array,
  start: number,
  dictionary: string,
  isEncrypted: boolean,
): Promise<void> {
  const found = find(bytes, "endstream", start);
  const data = bytes.subarray(start, found < 0 ? bytes.length : found);
  const deflates = dictionary.match(DEFLATE)?.length ?? 0;
  const limit = limits.streams.programBytes;
  if (data.length * DEFLATE_RATIO ** deflates <= limit) return;
  const size = isEncrypted ? data.length : await countInflated(work, data, deflates, limit);
  if (size > limit) throw tooMany("The PDF has a calculator function that is too long.", limit, size);
}

/**
 * Counts the scans of a JPEG.
 * @throws Refusal `limit_exceeded`
 */
async function measureScans(work: Work, jpeg: Uint8Array): Promise<void> {
  if (!isRefined(jpeg)) return;
  let scans = 0;
  for (const { marker } of markers(jpeg)) {
    work.spend(MARKER_WORK);
    await work.pause();
    if (marker === EOI) return;
    if (marker === SOS && ++scans > limits.images.scans) {
      throw tooMany("The PDF has a JPEG with too many scans.", limits.images.scans, scans);
    }
  }
}

const tooMany = (problem: string, limit: number, actual: number): Refusal =>
  new Refusal("limit_exceeded", problem, { limit, actual });
