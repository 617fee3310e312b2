import { Zip, ZipPassThrough } from "fflate";
import { chunksOf } from "../../engines/memory/chunks.ts";
import { concat } from "../../bytes/concat.ts";
import { crc32 } from "../../bytes/crc.ts";
import { zipHasTooManyEntries, zipTooLarge } from "../../operations/definition/limit-errors.ts";
import { limits } from "../../limits.ts";
import type { OutputFile } from "../../operations/definition/define.ts";

/** Pieces are joined up to this size in bytes: each chunk of a response is a write with a time limit of its own. */
const CHUNK_BYTES = 64 * 1024;

/** A stored entry. fflate takes the bytes of its CRC one by one. */
class StoredEntry extends ZipPassThrough {
  override crc = 0;

  override push(chunk: Uint8Array, final = false): void {
    this.crc = crc32(chunk, this.crc);
    this.size += chunk.length;
    this.process(chunk as Uint8Array<ArrayBuffer>, final);
  }
}

/**
 * A ZIP produced while it is read: an entry is requested when all but the last `CHUNK_BYTES` before it are sent, and its own bytes are freed
 * before the next. Entries are stored, because deflate does not shrink PDFs and images further. fflate marks names that are not ASCII as
 * UTF-8. Sizes and CRCs follow each entry's data (a data descriptor), because they are not known before it.
 */
export async function* zipOf(
  entries: Iterable<OutputFile> | AsyncIterable<OutputFile>,
): AsyncGenerator<Uint8Array, void> {
  let ready: Uint8Array[] = [];
  let readyBytes = 0;
  let count = 0;
  let bytes = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
    readyBytes += chunk.byteLength;
  });
  const taken = (): Uint8Array => {
    const chunk = concat(ready);
    [ready, readyBytes] = [[], 0];
    return chunk;
  };
  for await (const entry of entries) {
    count += 1;
    if (count > limits.zipEntries) throw zipHasTooManyEntries(count);
    const file = new StoredEntry(entry.name);
    zip.add(file);
    for await (const chunk of chunksOf(entry.bytes)) {
      bytes += chunk.byteLength;
      if (bytes > limits.zipBytes) throw zipTooLarge(bytes);
      file.push(chunk);
      if (readyBytes >= CHUNK_BYTES) yield taken();
    }
    file.push(new Uint8Array(0), true);
    // Small entries are joined too, but for the first, which begins the response: a write costs more than a page of text.
    if (readyBytes >= CHUNK_BYTES || count === 1) yield taken();
  }
  zip.end();
  yield taken();
}
