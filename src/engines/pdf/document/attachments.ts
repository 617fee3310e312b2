/** Files attached to a document (ISO 32000-2, 7.11.4). */
import type { PDFObject } from "mupdf";
import { bytesOf, latin1 } from "../../../bytes/latin1.ts";
import { byteString, entries, FreeNames, objectNumber } from "../objects/objects.ts";
import { decodeText, encodeUtf16 } from "../objects/text-string.ts";
import type { OpenPdf } from "./document.ts";
import { writeNames } from "./names.ts";

/** Object numbers of the streams of an attachment's file specification (ISO 32000-2, 7.11.4). */
export function attachedStreams({ engine }: OpenPdf, filespec: PDFObject): number[] {
  return entries(engine, filespec.get("EF"))
    .map(({ value }) => objectNumber(value))
    .filter((number) => number > 0);
}

/** Keys that are the same in all encodings of text strings. */
const PLAIN = /^[\t\n\r\x20-\x7e]*$/;

/**
 * Writes the name tree of attached files, in a dictionary of its own if the one that should have it is a stream, where no reader looks for it.
 * Readers compare keys by bytes or by characters, and search them by halves. Both have one order if all keys are ASCII or all are UTF-16BE.
 */
export async function writeFileTree(
  open: Pick<OpenPdf, "engine" | "document">,
  root: PDFObject,
  tree: ReadonlyMap<string, PDFObject>,
): Promise<void> {
  const keys = sameEncoding([...tree.keys()]);
  const renamed = new Map([...tree].map(([key, file]) => [keys.get(key) ?? key, file]));
  const present = root.get("Names");
  const names = present.isDictionary() && !present.isStream() ? present : open.document.newDictionary();
  if (present.isStream()) {
    for (const kind of NAME_TREES) if (present.get(kind).isDictionary()) names.put(kind, present.get(kind));
  }
  if (renamed.size > 0) names.put("EmbeddedFiles", await writeNames(open, renamed));
  else names.delete("EmbeddedFiles");
  if (names !== present) root.put("Names", names);
  // The file that a portfolio (12.3.5) opens with.
  const first = root.get("Collection", "D");
  if (!first.isString()) return;
  const key = keys.get(latin1(first.asByteString()));
  if (key === undefined) root.get("Collection").delete("D");
  else root.get("Collection").put("D", byteString(open.document, key));
}

/** Trees in the catalog's `Names` (table 32). */
const NAME_TREES = "Dests AP JavaScript Pages Templates IDS URLS EmbeddedFiles AlternatePresentations Renditions".split(
  " ",
);

/** Each key in an encoding that all of them have. */
function sameEncoding(keys: readonly string[]): ReadonlyMap<string, string> {
  if (keys.every((key) => PLAIN.test(key))) return new Map(keys.map((key) => [key, key]));
  const free = new FreeNames();
  const used = new Set<string>();
  return new Map(
    keys.map((key) => {
      const text = free.of(decodeText(bytesOf(key)), (name) => used.has(name));
      used.add(text);
      return [key, latin1(encodeUtf16(text))];
    }),
  );
}
