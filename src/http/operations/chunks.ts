import { chunksOf } from "../../engines/bytes/chunks.ts";
import type { OutputFile } from "../../operations/definition/define.ts";

/** A file's bytes in chunks for sending. */
export async function* fileChunks(bytes: OutputFile["bytes"]): AsyncGenerator<Uint8Array, void> {
  yield* "view" in bytes ? chunksOf(bytes) : bytes;
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
