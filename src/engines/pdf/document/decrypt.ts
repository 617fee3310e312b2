/** Decrypts what MuPDF does not when it writes a document without its encryption. */
import { namesCryptFilter } from "../encryption/crypt-filters.ts";
import type { OpenPdf } from "./document.ts";
import { eachObject } from "../objects/each-object.ts";
import { find } from "../../../bytes/find.ts";
import { attachedStreams, decryptAttachments } from "./attachments.ts";

/**
 * Decrypts all of an open document: attachments with their own filter, and streams that name their crypt filter (ISO
 * 32000-2, 7.4.10), whether encrypted or not, since readers of a newly encrypted file would take them as they are. Readable
 * metadata has its filter since the document was opened (clear-metadata.ts).
 */
export async function decryptParts(open: OpenPdf): Promise<void> {
  const { document, input } = open;
  const hasFilters = document.getTrailer().get("Encrypt", "CF").isDictionary();
  // This visits all objects, so check for the filter's name first: stream dictionaries are never compressed.
  if (!hasFilters && find(input.bytes.view(0, input.bytes.length), "/Crypt", 0) < 0) return;
  /** Object numbers of each attachment's streams. */
  const attachments: number[][] = [];
  const plain = new Set<number>();
  await eachObject(open, (object, number) => {
    for (const holder of [object, object.get("FS")]) {
      if (holder.isDictionary()) attachments.push(attachedStreams(open, holder));
    }
    if (object.isStream() && namesCryptFilter(object)) {
      const data = object.readStream();
      object.delete("Filter");
      object.delete("DecodeParms");
      object.writeStream(data);
      data.destroy();
      plain.add(number);
    }
  });
  decryptAttachments(open, attachments.filter((streams) => !streams.some((number) => plain.has(number))).flat());
}
