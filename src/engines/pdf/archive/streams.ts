/** Streams with filters that PDF/A forbids, such as LZW, and with data in other files (ISO 19005-2, 6.1.7). */
import { FILTERS } from "../conformance/rules/file-structure.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { items } from "../objects/objects.ts";
import type { ArchiveTarget } from "./target.ts";

/** Decodes streams with other filters; they are deflated when they are written. */
export async function archiveStreams({ open, changes }: ArchiveTarget): Promise<void> {
  const { engine } = open;
  await eachObjectHaving(open, { keys: ["Filter", "FFilter", "FDecodeParms", "F"] }, (stream) => {
    if (!stream.isStream()) return;
    for (const key of ["F", "FFilter", "FDecodeParms"]) {
      if (stream.get(key).isNull()) continue;
      stream.delete(key);
      changes.add("external_streams_removed");
    }
    const filter = stream.get("Filter");
    // Short names are for inline images only.
    const names = filter.isArray() ? items(filter) : filter.isNull() ? [] : [filter];
    if (names.every((name) => name.isName() && FILTERS.has(name.asName()))) return;
    try {
      const data = stream.readStream();
      engine.countDecoded(data.getLength());
      for (const key of ["Filter", "DecodeParms"]) stream.delete(key);
      stream.writeStream(data);
      data.destroy();
      changes.add("streams_recompressed");
    } catch (error) {
      // The proof names a stream that cannot be decoded.
      if (!engine.isFailure(error)) throw error;
    }
  });
}
