import { beforeStall, Pace } from "./stall.ts";
import { limits } from "../limits.ts";
import type { EngineBytes } from "../engines/pdf/heap.ts";

const CHUNK_BYTES = 64 * 1024;

/** Copies of an engine's bytes, 64 KiB at a time: a view would not outlive the next call into the engine. */
export function* inChunks(bytes: EngineBytes): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.view(start, Math.min(start + CHUNK_BYTES, bytes.length)).slice();
  }
}

const notTaken = (): Error => new Error("the reader takes no more bytes");

/**
 * Writes chunks as the reader takes them. Throws what making a chunk threw, after it has aborted the stream, or what
 * writing threw, when the reader went away or took nothing for `stallMilliseconds`: it must not hold an engine. Either way
 * the chunks' `finally` has run. `breaking` is waited for before the reader sees that the stream has broken.
 */
export async function pump(
  chunks: Iterator<Uint8Array, void>,
  writable: WritableStream<Uint8Array>,
  progress: (bytes: number) => void,
  stallMilliseconds: number,
  breaking: (error: unknown) => Promise<void>,
): Promise<void> {
  const writer = writable.getWriter();
  const pace = new Pace(stallMilliseconds, limits.slowestBytesPerSecond);
  let total = 0;
  try {
    for (let next = chunks.next(); !next.done; next = chunks.next()) {
      // The length first: a chunk that was handed over may be detached.
      const { byteLength } = next.value;
      await beforeStall(writer.write(next.value), pace.left(total), notTaken);
      total += byteLength;
      progress(byteLength);
    }
    await writer.close();
  } catch (error) {
    await breaking(error);
    // Not waited for: a reader that takes nothing would hold it up.
    writer.abort(error).catch(() => {});
    throw error;
  } finally {
    chunks.return?.();
  }
}
