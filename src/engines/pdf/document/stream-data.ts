/** Where the data of streams is in the file of a document. */
import { latin1 } from "../../bytes/latin1.ts";
import type { FilePart } from "../mupdf/mupdf.ts";
import type { OpenPdf } from "./document.ts";

/** Longest space between the data of a stream and `endstream` in bytes. */
const MOST_SPACE = 2;

/**
 * The data of streams, by their numbers, as it is in the file: encoded, and encrypted if the document is. Leaves out those that are not loaded, and those whose
 * `Length` is wrong. Changes of the document are not considered.
 */
export async function dataInFile(
  { engine, document, input }: Pick<OpenPdf, "engine" | "document" | "input">,
  numbers: readonly number[],
): Promise<Map<number, FilePart>> {
  const parts = new Map<number, FilePart>();
  for (const [number, { data: start }] of engine.placesOf(document, numbers)) {
    if (start === undefined) continue;
    await engine.work.pause();
    const length = engine.scope(() => document.newIndirect(number).get("Length").asNumber());
    const end = start + length;
    const after = latin1(input.bytes.view(end, end + MOST_SPACE + "endstream".length));
    if (length >= 0 && end < input.bytes.length && /^\r?\n?endstream/.test(after)) parts.set(number, { start, end });
  }
  return parts;
}
