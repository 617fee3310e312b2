/**
 * Object streams are the one kind of stream that MuPDF inflates without a bound of its own, and it does so while it opens a
 * file. A deflate stream of 1 MB can hold 1 GB (RFC 1951 allows 1032 to 1, and filters can be chained), so those that could
 * be too large are inflated here first, natively and only to be counted.
 */
import type { PDFDocument } from "mupdf";
import { limits } from "../../limits.ts";
import { Refusal } from "../errors.ts";
import type { InputBytes } from "./mupdf.ts";

/** Most that deflate can expand. */
const DEFLATE_RATIO = 1032;
/** The scan looks at windows of this size, which overlap by the longest dictionary it expects. */
const WINDOW = 1 << 20;
const OVERLAP = 4096;

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
export async function checkObjectStreams(
  file: InputBytes,
): Promise<((document: PDFDocument) => Promise<void>) | undefined> {
  const { streams, encrypted } = findObjectStreams(file);
  const most = streams.reduce((sum, { length, filters }) => sum + length * DEFLATE_RATIO ** filters, 0);
  if (most <= limits.objectStreamBytes) return undefined;
  if (encrypted) {
    return async (document) => {
      let left = limits.objectStreamBytes;
      for (const { number, filters } of streams) {
        const stream = document.newIndirect(number);
        if (stream.isStream()) left -= await inflatedSize(stream.readRawStream().asUint8Array().slice(), filters, left);
      }
    };
  }
  let left = limits.objectStreamBytes;
  for (const { start, length, filters } of streams) {
    left -= await inflatedSize(file.view(start, start + length).slice(), filters, left);
  }
  return undefined;
}

/** Bytes that come out; refuses past `most`. Data that does not inflate counts as far as it went. */
async function inflatedSize(data: Uint8Array<ArrayBuffer>, filters: number, most: number): Promise<number> {
  let stream: ReadableStream<Uint8Array> = new Blob([data]).stream();
  for (let index = 0; index < filters; index++) stream = stream.pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > most) break;
    }
  } catch {
    return size;
  } finally {
    reader.cancel().catch(() => undefined);
  }
  if (size > most) {
    throw new Refusal("limit_exceeded", "The document's object streams decompress to too many bytes.", {
      limit: limits.objectStreamBytes,
      actual: limits.objectStreamBytes - most + size,
    });
  }
  return size;
}

function findObjectStreams(file: InputBytes): { streams: ObjectStream[]; encrypted: boolean } {
  const decoder = new TextDecoder("latin1");
  const streams: ObjectStream[] = [];
  let encrypted = false;
  let done = -1;
  for (let base = 0; base < file.length; base += WINDOW - OVERLAP) {
    const window = decoder.decode(file.view(base, Math.min(base + WINDOW, file.length)));
    encrypted ||= window.includes("/Encrypt");
    for (let at = window.indexOf("/ObjStm"); at >= 0; at = window.indexOf("/ObjStm", at + 1)) {
      if (base + at <= done) continue;
      const keyword = window.indexOf("stream", at);
      if (keyword < 0) break;
      done = base + at;
      const head = window.slice(Math.max(0, at - OVERLAP / 2), keyword);
      const object = /(\d{1,10})\s+\d{1,5}\s+obj(?![\s\S]*\sobj)/.exec(head);
      const start = base + keyword + "stream".length + (window[keyword + 6] === "\r" ? 2 : 1);
      const declared = /\/Length\s+(\d+)(?!\s+\d+\s+R)/.exec(head.slice(object?.index ?? 0));
      const length = Math.min(declared ? Number(declared[1]) : Infinity, endOfStream(file, start, decoder) - start);
      const filters = Math.max(1, head.slice(object?.index ?? 0).match(/\/(?:FlateDecode|Fl\b)/g)?.length ?? 0);
      streams.push({ number: Number(object?.[1] ?? 0), start, length, filters });
    }
  }
  return { streams, encrypted };
}

function endOfStream(file: InputBytes, start: number, decoder: TextDecoder): number {
  const window = WINDOW / 16;
  for (let base = start; base < file.length; base += window - 16) {
    const at = decoder.decode(file.view(base, Math.min(base + window, file.length))).indexOf("endstream");
    if (at >= 0) return base + at;
  }
  return file.length;
}
