/** Embedded files (ISO 32000-2, 7.11.4). Files with a match and files that cannot be searched are removed. */
import type { PDFObject } from "mupdf";
import { attachedStreams, writeFileTree } from "../document/attachments.ts";
import { decryptAttachments } from "../write/decrypt.ts";
import type { OpenPdf } from "../document/document.ts";
import { mapOf, names } from "../document/names.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { isNamed, items, objectNumber } from "../objects/objects.ts";
import type { Matcher } from "./matcher.ts";
import { asText, otherReadings } from "./searchable.ts";

/** Removes embedded files, and returns how many there were. */
export async function redactAttachments(open: OpenPdf, matcher: Matcher): Promise<number> {
  // Where only areas are redacted, there is nothing to search for.
  if (matcher.isEmpty) return 0;
  const { document, engine } = open;
  const found = new Map<number, number[]>();
  await eachObjectHaving(open, { keys: ["EF", "FS", "F"] }, (object) => {
    const visit = (filespec: PDFObject, holder: number): void => {
      const streams = attachedStreams(open, filespec);
      if (streams.length > 0) found.set(holder, [...(found.get(holder) ?? []), ...streams]);
    };
    if (!object.isDictionary()) return;
    if (object.get("EF").isDictionary()) visit(object, objectNumber(object));
    // A file specification may be a direct object.
    for (const key of ["FS", "F"]) {
      const value = object.get(key);
      if (!value.isIndirect() && value.get("EF").isDictionary()) visit(value, objectNumber(object));
    }
  });
  if (found.size === 0) return 0;
  await decryptAttachments(open, new Set([...found.values()].flat()));
  const dropped = new Set<number>();
  for (const [holder, streams] of found) {
    for (const number of streams) if (!(await isClean(number))) dropped.add(holder);
    await engine.work.pause();
  }
  if (dropped.size === 0) return dropped.size;
  for (const number of dropped) {
    const holder = document.newIndirect(number);
    if (holder.get("EF").isDictionary()) holder.delete("EF");
    for (const key of ["FS", "F"]) if (holder.get(key, "EF").isDictionary()) holder.get(key).delete("EF");
  }
  const root = document.getTrailer().get("Root");
  const tree = root.get("Names", "EmbeddedFiles");
  if (tree.isDictionary()) {
    const kept = [...(await mapOf(names(open, tree)))].filter(([, value]) => value.get("EF").isDictionary());
    await writeFileTree(open, root, new Map(kept));
  }
  await eachObjectHaving(open, { keys: ["AF"] }, (object) => {
    const files = object.get("AF");
    for (let index = items(files).length - 1; index >= 0; index--) {
      if (dropped.has(objectNumber(files.get(index)))) files.delete(index);
    }
  });
  return dropped.size;

  function isClean(number: number): Promise<boolean> {
    return engine.scope(async () => {
      try {
        const buffer = document.newIndirect(number).readStream();
        engine.countDecoded(buffer.getLength());
        const text = asText(buffer.asUint8Array());
        buffer.destroy();
        return text !== undefined && !(await matcher.isInAny([text, ...otherReadings(text)]));
      } catch (error) {
        if (!engine.isFailure(error)) throw error;
        return false;
      }
    });
  }
}

/** Whether an annotation shows an embedded file that was removed. */
export const isWithoutFile = (annotation: PDFObject): boolean =>
  isNamed(annotation.get("Subtype"), "FileAttachment") && !annotation.get("FS", "EF").isDictionary();
