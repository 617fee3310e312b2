/** The metadata streams of a document, and its Info dictionary, for the rules about XMP. */
import { decodeText } from "../objects/text-string.ts";
import { type Plain, PlainDictionary, PlainString } from "../objects/plain-values.ts";
import { INFO_KEYS } from "../metadata/info.ts";
import { isArray, type ModelDocument } from "./model/document.ts";
import type { DocumentMetadata, MetadataStream } from "./xmp/check.ts";

/** Fuel per value of the document. */
const VALUE_WORK = 10;

/** Reads the packets of all objects that have one. A stream that cannot be decoded is read as empty. */
export async function readMetadata(document: ModelDocument): Promise<DocumentMetadata> {
  const main = document.stream(document.root, "Metadata");
  const { work } = document.open.engine;
  const others = new Set<PlainDictionary>();
  /** Also dictionaries within others have metadata, such as the property lists of marked content. */
  const visit = (value: Plain): void => {
    work.spend(VALUE_WORK);
    if (isArray(value)) for (const item of value) visit(item);
    if (!(value instanceof PlainDictionary)) return;
    const stream = document.stream(value, "Metadata");
    if (stream !== undefined && stream !== main) others.add(stream);
    for (const item of value.entries.values()) visit(item);
  };
  for (const object of document.objects.values()) {
    await work.pause();
    visit(object);
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
