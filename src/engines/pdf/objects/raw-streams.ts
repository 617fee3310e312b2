/**
 * Measures the stored streams of a file whose decoding takes work out of all proportion to their size. These are filters behind filters,
 * programs that run for each pixel, and JPEGs that refine all of their pixels again and again. Finds object streams, which are measured apart.
 */
import { limits } from "../../../limits.ts";
import { find } from "../../../bytes/find.ts";
import { calculatorTooLong, tooManyFilters, tooManyScansOfStream } from "../../limit-errors.ts";
import { EOI, isRefined, markers, SOS } from "../../image/jpeg-segments.ts";
import type { Work } from "../../work.ts";
import { CR, LF } from "../syntax/characters.ts";
import { unescapeName } from "../syntax/names.ts";
import { numberBefore } from "../syntax/objects.ts";
import { Tokens } from "../syntax/tokens.ts";
import { FULL_NAMES } from "./filters.ts";
import { countInflated, DEFLATE_RATIO } from "./inflated-size.ts";

/** Longest dictionary of a stream in bytes that is looked at. Others are bounded by the work budget, and so are streams farther behind their dictionary. */
const MOST_DICTIONARY = 1024 * 1024;
const MOST_GAP = 4096;
/** Fuel per dictionary, per byte of it, and per marker of a JPEG. */
const STREAM_WORK = 200;
const BYTE_WORK = 2;
const MARKER_WORK = 20;
const SPACE = 0x20;

/** A file as stored. */
export class RawFile {
  readonly bytes: Uint8Array;
  #isEncrypted: boolean | undefined;
  /** A place, and where the first `endstream` behind it begins. */
  #searched = 0;
  #found = -1;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Whether it may be encrypted: then the data of streams cannot be read. */
  get isEncrypted(): boolean {
    return (this.#isEncrypted ??= find(this.bytes, "/Encrypt", 0) >= 0);
  }

  /** Where the data of a stream ends at the latest. Streams in order are searched once, even if none of them ends. */
  endAfter(start: number): number {
    if (start < this.#searched || start > this.#found) {
      const found = find(this.bytes, "endstream", start);
      this.#searched = start;
      this.#found = found < 0 ? this.bytes.length : found;
    }
    return this.#found;
  }
}

/** The data of an object stream in a file. */
export interface StoredStream {
  /** Its object number, 0 if there is none. */
  readonly number: number;
  /** Offsets in bytes. */
  readonly start: number;
  readonly end: number;
  /** Number of deflate filters. */
  readonly filters: number;
  /** Whether nothing else is done to the objects in it. */
  readonly isPlain: boolean;
}

/** What the dictionary of a stream has, at any depth and under any key: which of two entries counts is up to the reader. */
interface Dictionary {
  readonly names: ReadonlySet<string>;
  readonly filters: number;
  readonly deflates: number;
  readonly isProgram: boolean;
  /** The largest `Length`, but for references. */
  readonly length: number;
}

/**
 * Looks at the stream behind the dictionary at [start, end), if there is one. Returns an object stream.
 * @throws Refusal `limit_exceeded`
 */
export async function measureStream(
  work: Work,
  file: RawFile,
  start: number,
  end: number,
): Promise<StoredStream | undefined> {
  const { bytes } = file;
  const data = end - start > MOST_DICTIONARY ? undefined : dataAfter(work, bytes, end);
  if (data === undefined) return undefined;
  work.spend(STREAM_WORK + (end - start) * BYTE_WORK);
  const dictionary = read(bytes.subarray(start, end));
  const { names, filters } = dictionary;
  if (filters > limits.streams.filters) throw tooManyFilters(filters);
  if (dictionary.isProgram) await measureProgram(work, file, data, dictionary);
  if (filters === 1 && (names.has("DCTDecode") || names.has("DCT")) && !file.isEncrypted) {
    await measureScans(work, bytes.subarray(data));
  }
  return names.has("ObjStm") ? objectStream(file, numberBefore(bytes, start), data, dictionary) : undefined;
}

/** Where the data of a stream begins whose dictionary ends at `end`. Readers take any byte for the line end after the keyword. */
function dataAfter(work: Work, bytes: Uint8Array, end: number): number | undefined {
  const next = new Tokens(bytes.subarray(0, end + MOST_GAP), { at: end, reading: "objects" });
  next.next();
  work.spend(next.end - end);
  if (!next.isKeyword("stream")) return undefined;
  let at = next.end;
  while (bytes[at] === SPACE) at++;
  return bytes[at] === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
}

function read(bytes: Uint8Array): Dictionary {
  const names = new Set<string>();
  let [filters, deflates, length, number, name] = [0, 0, 0, 0, ""];
  let isProgram = false;
  const next = new Tokens(bytes, { reading: "objects" });
  for (let kind = next.next(); kind; kind = next.next()) {
    if (kind === "number" && name === "Length") number = Number.parseInt(next.text(), 10);
    else if (kind === "number" && name === "FunctionType" && Number.parseInt(next.text(), 10) === 4) isProgram = true;
    else if (next.isKeyword("R")) number = 0;
    if (kind !== "number" && number > length) length = number;
    name = kind === "name" ? unescapeName(next.text(next.start + 1)) : "";
    if (name === "") continue;
    names.add(name);
    const filter = FULL_NAMES.get(name) ?? name;
    if (filter.endsWith("Decode")) filters++;
    if (filter === "FlateDecode") deflates++;
  }
  return { names, filters, deflates, isProgram, length };
}

function objectStream(file: RawFile, number: number, start: number, dictionary: Dictionary): StoredStream {
  const { names, filters, deflates, length } = dictionary;
  const isFiltered = names.has("Filter") || names.has("F");
  return {
    number,
    start,
    // The keyword may occur in the data; data past the end of the file does not count.
    end: Math.min(Math.max(start + length, file.endAfter(start)), file.bytes.length),
    filters: Math.max(isFiltered ? 1 : 0, deflates),
    isPlain: (deflates > 0 || !isFiltered) && filters === deflates && !names.has("Crypt") && !names.has("Predictor"),
  };
}

/** A calculator function (7.10.5). */
async function measureProgram(work: Work, file: RawFile, start: number, { deflates }: Dictionary): Promise<void> {
  const data = file.bytes.subarray(start, file.endAfter(start));
  const limit = limits.streams.programBytes;
  if (data.length * DEFLATE_RATIO ** deflates <= limit) return;
  const size = file.isEncrypted ? data.length : await countInflated(work, data, deflates, limit);
  if (size > limit) throw calculatorTooLong(size);
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
    if (marker === SOS && ++scans > limits.images.scans) throw tooManyScansOfStream(scans);
  }
}
