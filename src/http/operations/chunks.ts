import type { OutputFile } from "../../operations/define.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * A file's bytes in chunks for sending. Bytes in an engine are copied 64 KiB at a time, because a view would not outlive the
 * next call into the engine, and are freed when all are out.
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

/** Reads the first `enough` bytes, or all there are. Throws what producing them threw. */
export async function begin(
  chunks: AsyncGenerator<Uint8Array, void>,
  enough: number,
): Promise<{ buffered: Uint8Array[]; all: boolean }> {
  const buffered: Uint8Array[] = [];
  for (let bytes = 0; bytes < enough;) {
    const next = await chunks.next();
    if (next.done) return { buffered, all: true };
    buffered.push(next.value);
    bytes += next.value.byteLength;
  }
  return { buffered, all: false };
}
