/** What MuPDF leaves as it is when it writes a document without its encryption. */
import type { PDFObject } from "mupdf";
import { namesCryptFilter } from "./crypt-filters.ts";
import type { OpenPdf } from "./document.ts";
import { find } from "./object-streams.ts";
import { entries, objectNumber } from "./objects.ts";
import { decryptAttachments } from "./target.ts";

/**
 * Makes all of an open document plain: attachments that have a filter of their own, and streams that name their crypt filter
 * (ISO 32000-2, 7.4.10), encrypted or not: in a newly encrypted file, readers would take them as they are. Metadata that
 * the encryption leaves readable name theirs since the document was opened (clear-metadata.ts).
 */
export function decryptParts(open: OpenPdf): void {
  const { document, input } = open;
  const hasFilters = document.getTrailer().get("Encrypt", "CF").isDictionary();
  // A walk over all objects; dictionaries of streams are never compressed.
  if (!hasFilters && find(input.bytes.view(0, input.bytes.length), "/Crypt", 0) < 0) return;
  const filespecs: PDFObject[] = [];
  const plain = new Set<number>();
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    const object = document.newIndirect(number);
    if (!object.isDictionary() && !object.isStream()) continue;
    for (const holder of [object, object.get("FS")]) {
      if (holder.isDictionary() && holder.get("EF").isDictionary()) filespecs.push(holder);
    }
    if (object.isStream() && namesCryptFilter(object)) {
      const data = object.readStream();
      object.delete("Filter");
      object.delete("DecodeParms");
      object.writeStream(data);
      data.destroy();
      plain.add(number);
    }
  }
  const isPlain = (filespec: PDFObject): boolean =>
    entries(open.engine, filespec.get("EF")).some(({ value }) => plain.has(objectNumber(value)));
  decryptAttachments(
    open,
    filespecs.filter((filespec) => !isPlain(filespec)),
  );
}
