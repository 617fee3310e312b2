/**
 * Writes a document anew, object by object. Streams that did not change are parts of its source, and those of a new document share MuPDF's memory, so that memory and work depend on its other objects;
 * MuPDF would hold the source, all objects, and 1.6 times the output.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { deflate } from "../../flate/deflate.ts";
import { FileParts, ownBytes, partOf } from "../../memory/joined-bytes.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import type { OpenPdf } from "../document/document.ts";
import { dataInFile } from "../document/stream-data.ts";
import { fileKeyOf } from "../encryption/file-key.ts";
import { encryptFor, type FileKey } from "../encryption/object-cipher.ts";
import type { Changes } from "../mupdf/changes.ts";
import { isNamed, objectNumber } from "../objects/objects.ts";
import { serialize } from "../objects/serialize.ts";
import { type CrossReferenceRow, writeSection } from "./cross-references.ts";
import { type Entries, identifierOf, OF_SECTION, printed, streamOf } from "./incremental.ts";

/** Objects in an object stream, and bytes: readers parse all of a stream for one of its objects. */
const MOST_PACKED = { objects: 200, bytes: 256 * 1024 };

/** Fuel per object. */
const OBJECT_WORK = 500;

/** Memory of a row of the cross-references in bytes: an object with five members, and its places in lists. */
const ROW_BYTES = 100;

/** The first version with object streams (ISO 32000-2, 7.5.7). */
const OBJECT_STREAMS = 15;

/** An object that is not written yet. */
interface Packed {
  readonly number: number;
  readonly text: string;
}

/**
 * The file of a document. `reached`: the objects that are written, by their numbers. `decrypt`: without its encryption, if it has one.
 */
export async function wholeFile(
  open: WrittenDocument,
  { reached, decrypt = false }: { readonly reached: Uint8Array; readonly decrypt?: boolean },
): Promise<EngineBytes> {
  const { engine, document } = open;
  const { work } = engine;
  const trailer = document.getTrailer();
  const key = decrypt ? undefined : fileKeyOf(engine, document);
  const encryption = objectNumber(trailer.get("Encrypt"));
  const numbers = numbersOf(reached, key !== undefined);
  const isRenumbered = numbers.some((number, known) => number !== 0 && number !== known);
  const changed = engine.changesOf(document);
  const changes = isRenumbered ? { ...changed, generations: new Map<number, number>() } : changed;
  const source: Source = { ...open, changes, key, numberOf: (known) => numbers[known] || undefined };
  const unchanged = await unchangedStreams(source, reached, { decrypt });
  const parts = new FileParts();
  let size = numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
  engine.claim(size * ROW_BYTES);
  // The numbers of free objects, too: a first section has all (7.5.4).
  const rows = Array.from({ length: size }, (_, number): CrossReferenceRow => ({
    number,
    generation: 0,
    deleted: true,
    offset: 0,
  }));
  let packed: Packed[] = [];
  let packedBytes = 0;

  const pack = async (): Promise<void> => {
    if (packed.length === 0) return;
    const number = size++;
    for (const [index, object] of packed.entries()) {
      rows[object.number] = {
        number: object.number,
        generation: 0,
        deleted: false,
        offset: index,
        container: number,
      };
    }
    rows[number] = { number, generation: 0, deleted: false, offset: parts.length };
    const { entries, data } = await objectStream(packed, number, source.key);
    engine.claim(data.length);
    packed = [];
    packedBytes = 0;
    parts.text(`${number} 0 obj\n<</Type/ObjStm${entries}/Filter/FlateDecode/Length ${data.length}>>\nstream\n`);
    parts.bytes(data);
    parts.text("\nendstream\nendobj\n");
  };

  const version = Math.max(document.getVersion(), OBJECT_STREAMS);
  parts.text(`%PDF-${Math.floor(version / 10)}.${version % 10}\n%\u00e2\u00e3\u00cf\u00d3\n`);
  for (const [known, number] of numbers.entries()) {
    if (number === 0 || (decrypt && known === encryption)) continue;
    work.spend(OBJECT_WORK);
    await work.pause();
    const generation = changes.generations.get(known) ?? 0;
    const object = document.newIndirect(known);
    const kind = engine.scope(() => kindOf(object));
    if (kind === "stream") engine.scope(() => completeParameters(document, object));
    if (kind === "object" && generation === 0 && known !== encryption) {
      const text = await textOf(source, object, { number, generation }, { isSecret: false });
      packed.push({ number, text });
      packedBytes += text.length;
    } else if (kind !== "nothing") {
      rows[number] = { number, generation, deleted: false, offset: parts.length };
      const stream =
        kind === "stream" ? await streamAt(source, object, { number, generation }, unchanged.get(known)) : undefined;
      const options = { isSecret: known !== encryption, entries: stream?.entries };
      parts.text(`${number} ${generation} obj\n${await textOf(source, object, { number, generation }, options)}`);
      if (stream) {
        parts.text("\nstream\n");
        parts.bytes(stream.data);
        parts.text("\nendstream");
      }
      parts.text("\nendobj\n");
    }
    object.destroy();
    if (packed.length >= MOST_PACKED.objects || packedBytes >= MOST_PACKED.bytes) await pack();
  }
  await pack();
  const replaced: Entries = new Map([...OF_SECTION, ["/ID", identifierOf(trailer)]]);
  if (decrypt) replaced.set("/Encrypt", undefined);
  const own = engine
    .scope(() => serialize(engine, trailer, { ...source.changes, numberOf: source.numberOf, secret: false, replaced }))
    .join("");
  await writeSection(parts, rows.slice(1), {
    start: 0,
    size,
    trailer: own.slice("<<".length, -">>".length),
    asStream: true,
  });
  return parts.joined();
}

/** Streams of these types have no meaning beside new cross-references. */
const OF_FILE = ["XRef", "ObjStm"];

function kindOf(object: PDFObject): "object" | "stream" | "nothing" {
  if (object.resolve().isNull()) return "nothing";
  if (!object.isStream()) return "object";
  return OF_FILE.some((type) => isNamed(object.get("Type"), type)) ? "nothing" : "stream";
}

/** A document that is written. `input`: the file that it was opened from; a new document has none. */
export interface WrittenDocument extends Pick<OpenPdf, "engine" | "document"> {
  readonly input?: OpenPdf["input"];
}

/** A document that is being written, and the key that its file keeps. */
interface Source extends WrittenDocument {
  readonly changes: Changes;
  readonly key: FileKey | undefined;
  /** The number in the file of an object with this number in the document; undefined if it is not written. */
  numberOf(known: number): number | undefined;
}

/**
 * The numbers in the file by those in the document, 0 for objects that are not written. Where most are not used, they become consecutive: readers take
 * numbers that are too high for the size of a file for damage (qpdf 12). `isKept`: what stays encrypted has keys that depend on them.
 */
function numbersOf(reached: Uint8Array, isKept: boolean): Uint32Array {
  const used = reached.reduce((sum, isUsed) => sum + isUsed, 0);
  const stays = isKept || used * 2 > reached.length;
  let last = 0;
  return Uint32Array.from(reached, (isUsed, number) => {
    if (isUsed === 0 || number === 0) return 0;
    return stays ? number : ++last;
  });
}

interface ObjectName {
  readonly number: number;
  readonly generation: number;
}

/** The object in the syntax of a file. `isSecret`: whether its strings are encrypted. */
async function textOf(
  { engine, changes, key, numberOf }: Source,
  object: PDFObject,
  name: ObjectName,
  { isSecret, entries }: { readonly isSecret: boolean; readonly entries?: Entries | undefined },
): Promise<string> {
  const secret = isSecret && key !== undefined && key.strings !== "none";
  const pieces = engine.scope(() => serialize(engine, object, { ...changes, numberOf, secret, replaced: entries }));
  return printed(pieces, name, key);
}

/** The data of a stream for the file, and the entries of its dictionary that describe it. */
async function streamAt(
  { engine, key }: Source,
  stream: PDFObject,
  name: ObjectName,
  unchanged: EngineBytes | undefined,
): Promise<{ entries: Entries; data: EngineBytes }> {
  if (!unchanged) return streamOf(engine, stream, name, key);
  return { entries: new Map([["/Length", String(unchanged.length)]]), data: unchanged };
}

/** The entries of an object stream, and its deflated data (7.5.7). */
async function objectStream(
  packed: readonly Packed[],
  number: number,
  key: FileKey | undefined,
): Promise<{ entries: string; data: EngineBytes }> {
  let offset = 0;
  const places = packed.map(({ number, text }) => {
    const place = `${number} ${offset}`;
    offset += text.length + 1;
    return place;
  });
  const head = `${places.join(" ")}\n`;
  const plain = await deflate(bytesOf(head + packed.map(({ text }) => `${text}\n`).join("")));
  const data = key ? await encryptFor(crypto, key, key.streams, { number, generation: 0 }, plain) : plain;
  return { entries: `/N ${packed.length}/First ${head.length}`, data: ownBytes(data) };
}

/**
 * The data of each stream that did not change, where it is in the source as its dictionary says. What is encrypted there stays so: the key depends on the
 * number of the object, which stays too.
 */
async function unchangedStreams(
  { engine, document, input, changes }: Source,
  reached: Uint8Array,
  { decrypt }: { readonly decrypt: boolean },
): Promise<Map<number, EngineBytes>> {
  const streams = new Map<number, EngineBytes>();
  if (!input) return streams;
  const isEncrypted = document.getTrailer().get("Encrypt").isDictionary();
  if (isEncrypted && (decrypt || document.wasRepaired())) return streams;
  const changed = new Set(changes.objects.map(({ number }) => number));
  const numbers = Array.from(reached.keys()).filter((number) => reached[number] !== 0 && !changed.has(number));
  for (const [number, { start, end }] of await dataInFile({ engine, document, input }, numbers)) {
    streams.set(number, partOf(input.bytes, start, end));
  }
  return streams;
}

/** `DecodeParms` must have an entry for each filter (ISO 32000-2, table 5). MuPDF relies on it when it removes filters, and other readers reject the stream. */
export function completeParameters(document: PDFDocument, stream: PDFObject): void {
  const filters = stream.get("Filter");
  const parameters = stream.get("DecodeParms");
  if (!filters.isArray() || !parameters.isArray() || parameters.length >= filters.length) return;
  const complete = document.newArray();
  for (let index = 0; index < filters.length; index++) {
    complete.push(index < parameters.length ? parameters.get(index) : document.newNull());
  }
  stream.put("DecodeParms", complete);
}
