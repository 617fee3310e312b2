/** Where the data of streams is in the file of a document. */
import { find } from "../../../bytes/find.ts";
import type { FileRange } from "../mupdf/mupdf.ts";
import { CR, LF } from "../syntax/characters.ts";
import type { OpenPdf } from "./document.ts";

/** Longest space between the data of a stream and `endstream` in bytes. */
const MOST_SPACE = 2;
const KEYWORD = "endstream";

/**
 * The data of streams, by their numbers, exactly as in the file: encoded, and encrypted if the document is. Leaves out those that are not
 * loaded, and those whose `Length` is wrong. Ignores changes of the document.
 */
export async function dataInFile(
  { engine, document, input }: Pick<OpenPdf, "engine" | "document" | "input">,
  numbers: readonly number[],
): Promise<Map<number, FileRange>> {
  const parts = new Map<number, FileRange>();
  for (const [number, { data: start }] of engine.placesOf(document, numbers)) {
    if (start === undefined) continue;
    await engine.work.pause();
    const length = engine.scope(() => document.newIndirect(number).get("Length").asNumber());
    const end = start + length;
    const after = input.bytes.view(end, Math.min(end + MOST_SPACE + KEYWORD.length, input.bytes.length));
    const keyword = find(after, KEYWORD, 0);
    const isLineEnd = after.subarray(0, keyword).every((byte) => byte === CR || byte === LF);
    if (length >= 0 && end < input.bytes.length && keyword >= 0 && isLineEnd) parts.set(number, { start, end });
  }
  return parts;
}
