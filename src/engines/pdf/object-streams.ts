/**
 * Object streams are the one kind of stream that MuPDF inflates without a bound of its own, and it does so while it opens a
 * file. A deflate stream of 1 MB can hold 1 GB (RFC 1951 allows 1032 to 1, and filters can be chained), so those that could
 * be too large are counted here first.
 */
import { Unzlib } from "fflate";
import type { PDFDocument } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { InputBytes } from "./heap.ts";
import { inflatedSize } from "./inflated-size.ts";
import { latin1 } from "./objects.ts";

/** Most that deflate can expand. */
export const DEFLATE_RATIO = 1032;
/** Longest dictionary of an object stream, in bytes; theirs are short. */
const MOST_DICTIONARY = 4096;

interface ObjectStream {
  readonly number: number;
  /** Where the stream's data begins, and its length, in bytes of the file. */
  readonly start: number;
  readonly length: number;
  /** How often it is deflated. */
  readonly filters: number;
}

/**
 * Refuses a file whose object streams inflate to more than the limit. An encrypted file's can be read only when the file
 * is open: then a check for that time is given back.
 * @throws Refusal `limit_exceeded`
 */
export function checkObjectStreams(file: InputBytes): ((document: PDFDocument) => void) | undefined {
  const streams = findObjectStreams(file);
  const most = streams.reduce((sum, { length, filters }) => sum + length * DEFLATE_RATIO ** filters, 0);
  if (most <= limits.objectStreamBytes) return undefined;
  if (find(file.view(0, file.length), "/Encrypt", 0) >= 0) {
    return (document) => {
      let left = limits.objectStreamBytes;
      for (const { number, filters } of streams) {
        const stream = document.newIndirect(number);
        if (stream.isStream()) left -= checkedSize(stream.readRawStream().asUint8Array(), filters, left);
      }
    };
  }
  let left = limits.objectStreamBytes;
  for (const { start, length, filters } of streams) {
    left -= checkedSize(file.view(start, start + length), filters, left);
  }
  return undefined;
}

/** Bytes that come out; refuses past `most`. */
function checkedSize(data: Uint8Array, filters: number, most: number): number {
  const size = countInflated(data, filters, most);
  if (size <= most) return size;
  throw new Refusal("limit_exceeded", "The document's object streams decompress to too many bytes.", {
    limit: limits.objectStreamBytes,
    actual: limits.objectStreamBytes - most + size,
  });
}

/**
 * Bytes that come out of data that was deflated `filters` times; counting stops a little beyond `most`. Data that does not
 * inflate counts as far as it went. Where one filter hides another, what comes out of it must be made, in small steps and
 * without keeping anything: the platform's own stream would take in all that a bomb holds before we see the first of it.
 */
export function countInflated(data: Uint8Array, filters: number, most: number): number {
  if (filters === 1) return inflatedSize(data, most);
  const enough = new Error("enough");
  let size = 0;
  let next = (chunk: Uint8Array): void => {
    size += chunk.byteLength;
    if (size > most) throw enough;
  };
  for (let index = 0; index < filters; index++) {
    const after = next;
    const inflate = new Unzlib((chunk) => inSteps(chunk, after));
    next = (chunk) => inflate.push(chunk);
  }
  try {
    inSteps(data, next);
  } catch {
    // Enough, or damaged: what came out until here counts.
  }
  return size;
}

/** Few enough bytes that what they inflate to, 1032 times as many, is no burden. */
const STEP = 2048;

function inSteps(data: Uint8Array, take: (chunk: Uint8Array) => void): void {
  for (let at = 0; at < data.length; at += STEP) take(data.subarray(at, at + STEP));
}

function findObjectStreams(file: InputBytes): ObjectStream[] {
  const bytes = file.view(0, file.length);
  const streams: ObjectStream[] = [];
  for (let at = find(bytes, "/ObjStm", 0); at >= 0; at = find(bytes, "/ObjStm", at + 1)) {
    const keyword = find(bytes.subarray(0, at + MOST_DICTIONARY), "stream", at);
    if (keyword < 0) continue;
    const head = latin1(bytes.subarray(Math.max(0, at - MOST_DICTIONARY), keyword));
    const object = /(\d{1,10})\s+\d{1,5}\s+obj(?![\s\S]*\sobj)/.exec(head);
    const dictionary = head.slice(object?.index ?? 0);
    const start = keyword + "stream".length + (bytes[keyword + 6] === 0x0d ? 2 : 1);
    const declared = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(dictionary);
    const end = find(bytes, "endstream", start);
    const length = Math.min(declared ? Number(declared[1]) : Infinity, (end < 0 ? bytes.length : end) - start);
    const filters = Math.max(1, dictionary.match(/\/(?:FlateDecode|Fl\b)/g)?.length ?? 0);
    streams.push({ number: Number(object?.[1] ?? 0), start, length, filters });
    at = keyword;
  }
  return streams;
}

/** Where a word stands, from `from` on; -1 where it does not. Looks for its fourth letter: native, and rare in most data. */
export function find(bytes: Uint8Array, word: string, from: number): number {
  const codes = Uint8Array.from(word, (character) => character.charCodeAt(0));
  const rare = 3;
  for (let at = bytes.indexOf(codes[rare] ?? 0, from + rare); at >= 0; at = bytes.indexOf(codes[rare] ?? 0, at + 1)) {
    if (codes.every((code, index) => bytes[at - rare + index] === code)) return at - rare;
  }
  return -1;
}
