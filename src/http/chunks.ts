import { beforeStall, Pace } from "./stall.ts";
import { limits } from "../limits.ts";
import type { OutputFile } from "../operations/define.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * A file's bytes as they are sent. Those that lie in an engine are copied, 64 KiB at a time, as a view would not outlive the
 * next call into it, and are freed when all are out.
 */
export async function* chunksOf(bytes: OutputFile["bytes"]): AsyncGenerator<Uint8Array, void> {
  if (!("view" in bytes)) {
    yield* bytes;
    return;
  }
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.view(start, Math.min(start + CHUNK_BYTES, bytes.length)).slice();
  }
  bytes.free();
}

/** Takes the first `enough` bytes, or `all` there are. Throws what making them threw. */
export async function begin(
  chunks: AsyncGenerator<Uint8Array, void>,
  enough: number,
): Promise<{ taken: Uint8Array[]; all: boolean }> {
  const taken: Uint8Array[] = [];
  for (let bytes = 0; bytes < enough;) {
    const next = await chunks.next();
    if (next.done) return { taken, all: true };
    taken.push(next.value);
    bytes += next.value.byteLength;
  }
  return { taken, all: false };
}

const notTaken = (): Error => new Error("the reader takes no more bytes");

/**
 * Writes chunks as the reader takes them. Throws what making a chunk threw, after it has aborted the stream, or what
 * writing threw, when the reader went away or took nothing for `stallMilliseconds`: it must not hold an engine. Either way
 * the chunks' `finally` has run. `breaking` is waited for before the reader sees that the stream has broken.
 */
export async function pump(
  chunks: AsyncIterator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  progress: (bytes: number) => void,
  stallMilliseconds: number,
  breaking: () => Promise<void>,
): Promise<void> {
  const writer = writable.getWriter();
  const pace = new Pace(stallMilliseconds, limits.slowestBytesPerSecond);
  let total = 0;
  try {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      // The length first: a chunk that was handed over may be detached.
      const { byteLength } = next.value;
      await beforeStall(writer.write(next.value), pace.left(total), notTaken);
      total += byteLength;
      progress(byteLength);
    }
    await writer.close();
  } catch (error) {
    await breaking();
    // Not waited for: a reader that takes nothing would hold it up.
    // And not with the error itself: the runtime logs what breaks a response.
    writer.abort(new Error("the response broke off")).catch(() => {});
    throw error;
  } finally {
    await chunks.return?.();
  }
}
