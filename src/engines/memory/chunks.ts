import type { EngineBytes } from "./heap.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Bytes in chunks for sending. Those of an engine are copied 64 KiB at a time, because a view would not outlive the next call into
 * the engine, and freed when all are out.
 */
export async function* chunksOf(bytes: EngineBytes | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (!("view" in bytes)) yield* bytes;
  else if (bytes.stored) yield* bytes.stored.chunks();
  else yield* copiesOf(bytes);
}

async function* copiesOf(bytes: EngineBytes): AsyncGenerator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    yield bytes.view(start, Math.min(start + CHUNK_BYTES, bytes.length)).slice();
  }
  bytes.free();
}
