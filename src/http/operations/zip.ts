import { Zip, ZipPassThrough } from "fflate";
import { fileChunks } from "./chunks.ts";
import { Refusal } from "../../engines/errors.ts";
import { limits } from "../../limits.ts";
import type { OutputFile } from "../../operations/definition/define.ts";

/**
 * A ZIP produced as it is read: an entry is requested when the bytes before it are sent, and its own bytes are freed before the
 * next. Entries are stored, because deflate does not shrink PDFs and images further. fflate marks names that are not ASCII as
 * UTF-8. Sizes and CRCs follow each entry's data (a data descriptor), because they are not known before it.
 */
export async function* zipOf(
  entries: Iterable<OutputFile> | AsyncIterable<OutputFile>,
): AsyncGenerator<Uint8Array, void> {
  const ready: Uint8Array[] = [];
  let count = 0;
  let bytes = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  for await (const entry of entries) {
    count += 1;
    if (count > limits.zipEntries) throw tooLarge("entries", limits.zipEntries, count);
    const file = new ZipPassThrough(entry.name);
    zip.add(file);
    for await (const chunk of fileChunks(entry.bytes)) {
      bytes += chunk.byteLength;
      if (bytes > limits.zipBytes) throw tooLarge("bytes", limits.zipBytes, bytes);
      file.push(chunk);
      yield* ready.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}

const tooLarge = (what: string, limit: number, actual: number): Refusal =>
  new Refusal(
    "limit_exceeded",
    `The ZIP archive would have more than ${limit.toLocaleString("en-US")} ${what}. Select fewer pages.`,
    { limit, actual },
  );
