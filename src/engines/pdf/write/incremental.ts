/**
 * Writes the changes of a document as an incremental update (ISO 32000-2, 7.5.6): the bytes that follow its file, which stays
 * as it is. Memory and work depend on the changes, not on the size of the document.
 */
import type { PDFObject } from "mupdf";
import { namesCryptFilter } from "../encryption/crypt-filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { ensureIdentifier } from "../document/identifier.ts";
import { encryptFor, type FileKey } from "../encryption/object-cipher.ts";
import type { Changes } from "../mupdf/changes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { isNamed, objectNumber } from "../objects/objects.ts";
import { type SerializedPiece, serialize } from "../objects/serialize.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { FileParts, ownBytes } from "../../memory/joined-bytes.ts";
import { deflate } from "../../flate/deflate.ts";
import { hex } from "../../../bytes/hex.ts";
import { fileKeyOf } from "../encryption/file-key.ts";
import { type CrossReferenceRow, writeSection } from "./cross-references.ts";

/** Fuel per object, and per byte of a stream that is deflated or encrypted. */
const OBJECT_WORK = 500;
const BYTE_WORK = 10;

/** Streams of up to this many bytes are not deflated. */
const SHORT = 256;

/** Entries of a trailer that belong to its own section (tables 5, 15, and 17). `ID` is written anew. */
export const OF_SECTION: ReadonlyMap<string, undefined> = new Map(
  "Type Size Prev XRefStm Index W Length Filter DecodeParms ID".split(" ").map((name) => [`/${name}`, undefined]),
);

const ID_BYTES = 16;

/** Values for entries of a dictionary; undefined removes an entry. */
export type Entries = Map<string, string | undefined>;

/** Finds all changes since a document was opened, except those that only make it easier to read. */
export function documentChanges({ engine, document }: OpenPdf): Changes {
  const changes = engine.changesOf(document);
  const encryption = objectNumber(document.getTrailer().get("Encrypt"));
  const isReferences = (number: number): boolean => isNamed(document.newIndirect(number).get("Type"), "XRef");
  const objects = engine.scope(() =>
    changes.objects.filter(({ number }) => number !== encryption && !isReferences(number)),
  );
  return { ...changes, objects };
}

/**
 * The update for the changes of a document, whose file may have been appended to since: `length` is its size then. New and changed objects are written outside of object streams and with the
 * document's encryption; streams without a filter are deflated.
 */
export async function updateOf(
  open: OpenPdf,
  changes: Changes,
  length: number = open.input.bytes.length,
): Promise<EngineBytes> {
  const { engine, document } = open;
  const { header, startXref, size, objects, generations } = changes;
  const key = fileKeyOf(engine, document);
  // A second update of the same document has the first half of the same.
  ensureIdentifier(document);
  const trailer = document.getTrailer();
  const start = length - header;
  const parts = new FileParts();
  const rows: CrossReferenceRow[] = [];
  // The file may end without a line feed.
  parts.text("\n");
  for (const object of objects) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    rows.push({ ...object, offset: start + parts.length });
    if (!object.deleted) await writeObject(open, parts, object, generations, key);
  }
  const replaced: Entries = new Map([...OF_SECTION, ["/ID", identifierOf(trailer)]]);
  const pieces = engine.scope(() => serialize(engine, trailer, { generations, secret: false, replaced }));
  await writeSection(parts, rows, {
    start,
    previous: startXref,
    size: Math.max(size, (rows.at(-1)?.number ?? 0) + 1),
    trailer: pieces.join("").slice("<<".length, -">>".length),
    asStream: trailer.get("W").isArray(),
  });
  return parts.joined();
}

async function writeObject(
  { engine, document }: OpenPdf,
  parts: FileParts,
  object: Changes["objects"][number],
  generations: Changes["generations"],
  key: FileKey | undefined,
): Promise<void> {
  const { number, generation } = object;
  const reference = document.newIndirect(number);
  const stream = reference.isStream() ? await streamOf(engine, reference, object, key) : undefined;
  const secret = key !== undefined && key.strings !== "none";
  const pieces = engine.scope(() => serialize(engine, reference, { generations, secret, replaced: stream?.entries }));
  reference.destroy();
  parts.text(`${number} ${generation} obj\n${await printed(pieces, object, key)}`);
  if (stream) {
    parts.text("\nstream\n");
    parts.bytes(stream.data);
    parts.text("\nendstream");
  }
  parts.text("\nendobj\n");
}

/** The text of an object, with its strings encrypted. */
export async function printed(
  pieces: readonly SerializedPiece[],
  object: { readonly number: number; readonly generation: number },
  key: FileKey | undefined,
): Promise<string> {
  let text = "";
  for (const piece of pieces) {
    if (typeof piece === "string") text += piece;
    else if (key) text += `<${hex(await encryptFor(crypto, key, key.strings, object, piece))}>`;
  }
  return text;
}

/** The data of a stream for the file, and the entries of its dictionary that describe it. */
export async function streamOf(
  engine: PdfEngine,
  stream: PDFObject,
  object: { readonly number: number; readonly generation: number },
  key: FileKey | undefined,
): Promise<{ data: EngineBytes; entries: Entries }> {
  let data: EngineBytes = engine.bytesOf(stream.readRawStream());
  const own = (bytes: Uint8Array): void => {
    engine.claim(bytes.length);
    engine.work.spend(data.length * BYTE_WORK);
    data = ownBytes(bytes);
  };
  const { isPlain, hasOwnFilter } = engine.scope(() => ({
    // Programs that do not read PDF look for XMP as plain text (14.3.2).
    isPlain: stream.get("Filter").isNull() && !isNamed(stream.get("Type"), "Metadata"),
    hasOwnFilter: namesCryptFilter(stream),
  }));
  const entries: Entries = new Map();
  if (isPlain && data.length > SHORT) {
    const deflated = await deflate(data.view(0, data.length));
    if (deflated.length < data.length) {
      own(deflated);
      entries.set("/Filter", "/FlateDecode").set("/DecodeParms", undefined);
    }
  }
  // MuPDF leaves a stream with its own crypt filter as it is in the file.
  if (key && key.streams !== "none" && !hasOwnFilter) {
    own(await encryptFor(crypto, key, key.streams, object, data.view(0, data.length)));
  }
  entries.set("/Length", String(data.length));
  return { data, entries };
}

/**
 * The file identifier: its first half stays, and its second half is new (14.4). A file without one gets none if it is
 * encrypted, since its key may depend on the first half.
 */
export function identifierOf(trailer: PDFObject): string | undefined {
  const random = hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const first = trailer.get("ID", 0);
  if (first.isString()) return `[<${hex(first.asByteString())}><${random}>]`;
  return trailer.get("Encrypt").isDictionary() ? undefined : `[<${random}><${random}>]`;
}
