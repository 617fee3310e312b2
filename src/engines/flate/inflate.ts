/**
 * Inflates zlib streams of documents and images (RFC 1950, RFC 1951) and counts the work as it goes. A stream of 1 MB can
 * expand to 1 GB, and the platform's own `DecompressionStream` consumes all of it before we see the first byte, so no client
 * data goes through that.
 */
import { Unzlib, unzlibSync } from "fflate";
import type { Work } from "../work.ts";
import { concat } from "../../bytes/concat.ts";
import { adler32 } from "./adler.ts";

/** Bytes inflated at a time: they expand to 1032 times as many at most, which is safe. */
export const STEP = 4 * 1024;
/** Maximum run of input bytes without output: a valid deflate block without output is much shorter. */
const MOST_IDLE_BYTES = 1024 * 1024;
/** Fuel per step, in addition to the cost of its bytes. */
const STEP_WORK = 100;

/** Thrown if a stream is damaged or truncated. */
export class DamagedStream extends Error {
  override readonly name = "DamagedStream";
}

/** Bytes of a file from `start` to `end`. */
export interface DeflatedRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Inflates a stream piece by piece, never holding more than the output of one step. Its chunks must not change while they are
 * awaited.
 * @throws DamagedStream; Refusal `limit_exceeded` (work)
 */
export async function* inflate(
  work: Work,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const out: Uint8Array[] = [];
  const stream = new Unzlib((chunk) => {
    if (chunk.length > 0) out.push(chunk);
  });
  let idle = 0;
  const push = (step: Uint8Array, last: boolean): void => {
    try {
      stream.push(step, last);
    } catch (error) {
      throw new DamagedStream("the stream does not inflate", { cause: error });
    }
    work.spend(out.reduce((sum, { length }) => sum + length, STEP_WORK + step.length));
    idle = out.length > 0 ? 0 : idle + step.length;
    if (idle > MOST_IDLE_BYTES) throw new DamagedStream("the stream gives nothing");
  };
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += STEP) {
      push(chunk.subarray(at, at + STEP), false);
      await work.pause();
      yield* out.splice(0);
    }
  }
  push(new Uint8Array(), true);
  yield* out;
}

/** The contents of a damaged or truncated stream up to the damage, to the byte, but at most slightly more than `most` bytes. */
export async function inflateReadable(work: Work, data: Uint8Array, most: number): Promise<Uint8Array<ArrayBuffer>> {
  /** Where the last step began: of a step with damage, nothing comes out. */
  let begun = 0;
  function* steps(): Generator<Uint8Array> {
    for (; begun < data.length; begun += STEP) yield data.subarray(begun, begun + STEP);
  }
  const readable = async (chunks: Iterable<Uint8Array>): Promise<Uint8Array[]> => {
    const found: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of inflate(work, chunks)) {
        found.push(chunk);
        length += chunk.length;
        if (length > most) break;
      }
    } catch (error) {
      if (!(error instanceof DamagedStream)) throw error;
    }
    return found;
  };
  const inSteps = await readable(steps());
  if (begun >= data.length) return concat(inSteps);
  const step = Array.from(data.subarray(begun, begun + STEP), (byte) => Uint8Array.of(byte));
  return concat(await readable([data.subarray(0, begun), ...step]));
}

/** Bytes of a file, copied in steps: the heap that contains the file may move before a step is used. */
export function* copies(
  pieces: Iterable<DeflatedRange>,
  read: (start: number, end: number) => Uint8Array,
): Generator<Uint8Array, void> {
  for (const { start, end } of pieces) {
    for (let at = start; at < end; at += STEP) yield read(at, Math.min(at + STEP, end)).slice();
  }
}

/** Longest stream in bytes that is inflated at once: to 16 MiB at most, of which only the requested bytes are kept. */
export const SHORT = 16 * 1024;
/** Few streams contain more bytes than so many times their own. */
export const USUAL_RATIO = 16;

/**
 * The complete contents of a short stream at once, in a quarter of the time. Undefined if it is damaged, by its checksum as well, or contains more than
 * `most` bytes.
 */
export function inflateShort(work: Work, data: Uint8Array, most: number): Uint8Array<ArrayBuffer> | undefined {
  if (data.length > SHORT) throw new RangeError("the stream is too long to be inflated at once");
  work.spend(STEP_WORK + data.length + most);
  const contents = new Uint8Array(most);
  try {
    const { length } = unzlibSync(data, { out: contents });
    const sum = new DataView(data.buffer, data.byteOffset + data.length - 4).getUint32(0);
    return adler32(contents.subarray(0, length)) === sum ? contents.subarray(0, length) : undefined;
  } catch {
    // The data end too early, or are no deflated data.
    return undefined;
  }
}

/** The complete contents of a stream; undefined if it is damaged or contains more than `most` bytes. */
export async function inflateWhole(
  work: Work,
  data: Uint8Array,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (data.length <= SHORT) {
    await work.pause();
    const contents = inflateShort(work, data, Math.min(most, data.length * USUAL_RATIO));
    if (contents) return contents.slice();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of inflate(work, [data])) {
      length += chunk.length;
      if (length > most) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof DamagedStream) return undefined;
    throw error;
  }
  return concat(chunks);
}
