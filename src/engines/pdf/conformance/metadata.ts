/** The metadata streams of a document, and its Info dictionary, for the rules about XMP. */
import { decodeText } from "../objects/text-string.ts";
import { PlainDictionary, PlainString } from "../objects/plain-values.ts";
import { INFO_KEYS } from "../metadata/info.ts";
import type { ModelDocument } from "./model/document.ts";
import type { DocumentMetadata, MetadataStream } from "./xmp/check.ts";

/** Reads the packets of all objects that have one. A stream that cannot be decoded is read as empty. */
export async function readMetadata(document: ModelDocument): Promise<DocumentMetadata> {
  const main = document.stream(document.root, "Metadata");
  const others = new Set<PlainDictionary>();
  for (const object of document.objects.values()) {
    const stream = object instanceof PlainDictionary ? document.stream(object, "Metadata") : undefined;
    if (stream !== undefined && stream !== main) others.add(stream);
  }
  const read = async (stream: PlainDictionary): Promise<MetadataStream> => ({
    bytes: (await document.data(stream)) ?? new Uint8Array(),
    object: stream.object,
  });
  const streams: MetadataStream[] = [];
  for (const stream of others) streams.push(await read(stream));
  const info = new Map<string, string>();
  for (const key of INFO_KEYS) {
    const value = document.get(document.trailer, "Info", key);
    if (value instanceof PlainString) info.set(key, decodeText(value.bytes));
  }
  return { main: main && (await read(main)), others: streams, info };
}
