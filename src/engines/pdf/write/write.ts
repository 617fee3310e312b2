/**
 * Writes a document: its changes as an update of its file (ISO 32000-2, 7.5.6), or all that it uses as a new file. Streams that did not change are
 * parts of their source, and those of a new document share MuPDF's memory, so that memory and work depend on the other objects. MuPDF would hold
 * the source, all objects, and 1.6 times the output.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import { bytesOf } from "../../../bytes/latin1.ts";
import { deflate } from "../../flate/deflate.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { ownBytes, partOf } from "../../memory/joined-bytes.ts";
import { namesCryptFilter } from "../encryption/crypt-filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { profileToKeep } from "../conformance/keep.ts";
import { ensureIdentifier } from "../document/identifier.ts";
import { dataInFile } from "../document/stream-data.ts";
import { fileKeyOf } from "../encryption/file-key.ts";
import { Cipher } from "../encryption/object-cipher.ts";
import type { FileEncryption } from "../encryption/parameters.ts";
import type { Changes } from "../mupdf/changes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { isNamed, objectNumber } from "../objects/objects.ts";
import { serialize } from "../objects/serialize.ts";
import { type ObjectName, PdfWriter, type SourceStream } from "./pdf-writer.ts";

/** Objects in an object stream, and bytes: readers parse all of a stream for one of its objects. */
const PACKING = { objects: 200, bytes: 256 * 1024 };
/** The same where size matters most. */
const DENSE = { objects: 65_536, bytes: 1024 * 1024 };

/** Fuel per object, and per byte of a stream that is deflated. */
const OBJECT_WORK = 500;
const BYTE_WORK = 10;

/** Streams of up to this many bytes are not deflated. */
const SHORT = 256;

/** Memory of a row of the cross-references in bytes: an object with five members, and its places in lists. */
const ROW_BYTES = 100;

/** The first version with object streams (7.5.7), times 10. */
const OBJECT_STREAMS = 15;

/** The version that part 4 is about (ISO 19005-4, 6.1.2), times 10. */
const PDF_2 = 20;

const ID_BYTES = 16;
const FILTERED = "/Filter/FlateDecode";

/** Entries of a trailer that belong to its own section (tables 5, 15, and 17). `ID` is written anew. */
export const OF_SECTION: ReadonlyMap<string, undefined> = new Map(
  "Type Size Prev XRefStm Index W Length Filter DecodeParms ID".split(" ").map((name) => [`/${name}`, undefined]),
);

/** What a file with new encryption keeps of a trailer: strings in a trailer are not encrypted. */
const KEPT = ["Root", "Info"];

/** Streams of these types have no meaning beside new cross-references. */
const OF_FILE = ["XRef", "ObjStm"];

/** Values for entries of a dictionary; undefined removes an entry. */
type Entries = Map<string, string | undefined>;

/** A document that is written. `input`: the file that it was opened from; a new document has none. */
export interface WrittenDocument extends Pick<OpenPdf, "engine" | "document"> {
  readonly input?: OpenPdf["input"];
}

/** An update of the document's file with these changes. */
interface Update {
  readonly changes: Changes;
}

/** A new encryption dictionary, and what encrypts with its key. */
export interface NewEncryption extends Pick<FileEncryption, "dictionary" | "version" | "id"> {
  readonly cipher: Cipher;
}

/** A new file. */
interface WholeFile {
  /** The objects that are written, by their numbers. */
  readonly reached: Uint8Array;
  /** The encryption of the file, if it has one: that of the document, none, or a new one. */
  readonly encryption: "kept" | "none" | NewEncryption;
  /** Whether a small file matters more than reading single objects of it. */
  readonly isDense?: boolean;
  /** The highest version of its header, times 10. */
  readonly mostVersion?: number;
}

/** How the objects of a document are written. */
interface Plan {
  readonly writer: PdfWriter;
  readonly objects: Iterable<{ readonly known: number } & ObjectName & { readonly deleted: boolean }>;
  readonly generations: ReadonlyMap<number, number>;
  /** The number in the file of an object with this number in the document; undefined if it is not written. */
  readonly numberOf?: (known: number) => number | undefined;
  /** The number of the encryption dictionary, 0 if it is no object; it is neither encrypted nor packed. */
  readonly encryption: number;
  /** The data of streams that are copied, by their numbers. */
  readonly unchanged: ReadonlyMap<number, EngineBytes>;
  /** Whether `unchanged` is encrypted as the file is to be. */
  readonly isFinal: boolean;
  /** Whether short streams are deflated, too, and those that did not change. */
  readonly isDense: boolean;
  /** Whether a stream of references or of objects is left out. */
  readonly isNew: boolean;
}

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
 * The bytes of a file, or of an update of the document's file.
 * @throws Refusal `limit_exceeded`; CipherFailure
 */
export async function write(open: WrittenDocument, target: Update | WholeFile): Promise<EngineBytes> {
  const { engine, document } = open;
  const plan = "changes" in target ? updatePlan(open, target) : await filePlan(open, target);
  const { writer, generations, numberOf, encryption } = plan;
  for (const { known, number, generation, deleted } of plan.objects) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    if (deleted) {
      writer.free({ number, generation });
      continue;
    }
    const object = document.newIndirect(known);
    const kind = engine.scope(() => kindOf(object));
    if (plan.isNew && (kind === "nothing" || kind === "of file")) writer.free({ number, generation: 0 });
    else {
      const { entries, stream } = object.isStream() ? await streamOf(engine, object, plan, known) : {};
      await writer.put({
        number,
        generation,
        syntax: (secret) =>
          serialize(engine, object, { generations, secret, replaced: entries, ...(numberOf && { numberOf }) }),
        stream,
        isOpen: known === encryption,
      });
    }
    object.destroy();
  }
  const chosen = "reached" in target ? target.encryption : "kept";
  return writer.end(
    await (typeof chosen === "object" ? newTrailer(open, plan, chosen) : trailerOf(open, plan, chosen)),
  );
}

/** The entries of the document's trailer for the file. */
async function trailerOf({ engine, document }: WrittenDocument, plan: Plan, chosen: "kept" | "none"): Promise<string> {
  const trailer = document.getTrailer();
  const replaced: Entries = new Map([...OF_SECTION, ["/ID", identifierOf(trailer, { isNew: chosen === "none" })]]);
  if (chosen === "none") replaced.set("/Encrypt", undefined);
  const pieces = await serialize(engine, trailer, { ...plan, secret: false, replaced });
  return pieces.join("").slice("<<".length, -">>".length);
}

/** Writes a new encryption dictionary. Returns the entries of a trailer that refers to it. */
async function newTrailer(
  { document }: WrittenDocument,
  { writer, generations, numberOf = (known) => known }: Plan,
  { dictionary, id }: NewEncryption,
): Promise<string> {
  const trailer = document.getTrailer();
  const number = writer.reserve();
  await writer.put({ number, generation: 0, syntax: () => [dictionary], isOpen: true });
  const kept = KEPT.map((key) => {
    const known = objectNumber(trailer.get(key));
    const written = known > 0 ? numberOf(known) : undefined;
    return written === undefined ? "" : `/${key} ${written} ${generations.get(known) ?? 0} R`;
  });
  return `${kept.join("")}/Encrypt ${number} 0 R/ID${identifierOf(trailer, { own: id, isNew: true })}`;
}

/** New and changed objects are written outside of object streams, for readers that know none. */
function updatePlan({ engine, document, input }: WrittenDocument, { changes }: Update): Plan {
  const { header, startXref, size, objects, generations } = changes;
  // A second update of the same document has the first half of the same.
  ensureIdentifier(document);
  const trailer = document.getTrailer();
  const writer = new PdfWriter(engine, {
    begins: { at: (input?.bytes.length ?? 0) - header, previous: startXref },
    size: Math.max(size, (objects.at(-1)?.number ?? 0) + 1),
    // A file keeps to one kind, for readers that know only the other.
    references: trailer.get("W").isArray() ? "stream" : "table",
    cipher: cipherOf(engine, document),
  });
  return {
    writer,
    objects: objects.map((object) => ({ ...object, known: object.number })),
    generations,
    encryption: 0,
    unchanged: new Map(),
    isFinal: false,
    isDense: false,
    isNew: false,
  };
}

async function filePlan(
  open: WrittenDocument,
  { reached, encryption: chosen, isDense = false, mostVersion = Infinity }: WholeFile,
): Promise<Plan> {
  const { engine, document } = open;
  const isKept = chosen === "kept";
  const kept = isKept ? cipherOf(engine, document) : undefined;
  const encryption = objectNumber(document.getTrailer().get("Encrypt"));
  const numbers = numbersOf(reached, { isKept: kept !== undefined, isDense });
  const isRenumbered = numbers.some((number, known) => number !== 0 && number !== known);
  const changes = engine.changesOf(document);
  const generations: ReadonlyMap<number, number> = isRenumbered ? new Map() : changes.generations;
  const size = numbers.reduce((most, number) => Math.max(most, number), 0) + 1;
  engine.claim(size * ROW_BYTES);
  const added = typeof chosen === "object" ? chosen : undefined;
  // Part 1 allows no streams of objects or of references (ISO 19005-1, 6.1.4).
  const profile = await profileToKeep(open);
  const isPlain = profile === "1b";
  const least = profile === "4" || profile === "4f" ? PDF_2 : 0;
  const version = Math.max(document.getVersion(), added?.version ?? 0, least);
  const writer = new PdfWriter(engine, {
    size,
    cipher: added?.cipher ?? kept,
    ...(isPlain
      ? { begins: { version: Math.min(version, mostVersion) }, references: "table" }
      : {
          begins: { version: Math.min(Math.max(version, OBJECT_STREAMS), mostVersion) },
          references: "stream",
          packing: isDense ? DENSE : PACKING,
        }),
  });
  const used = new Uint8Array(size);
  for (const number of numbers) used[number] = 1;
  // A first section has the numbers of free objects, too (7.5.4).
  for (let number = 1; number < size; number++) if (used[number] === 0) writer.free({ number, generation: 0 });
  return {
    writer,
    objects: objectsOf(numbers, isKept ? 0 : encryption, generations),
    generations,
    numberOf: (known) => numbers[known] || undefined,
    encryption: isKept ? encryption : 0,
    unchanged: await unchangedStreams(open, reached, changes, { isKept }),
    isFinal: added === undefined,
    isDense,
    isNew: true,
  };
}

/** `left`: the number of the object that is not written. */
function* objectsOf(
  numbers: Uint32Array,
  left: number,
  generations: ReadonlyMap<number, number>,
): Generator<{ known: number; number: number; generation: number; deleted: boolean }> {
  for (const [known, number] of numbers.entries()) {
    if (number === 0) continue;
    const deleted = known === left;
    yield { known, number, deleted, generation: deleted ? 0 : (generations.get(known) ?? 0) };
  }
}

function kindOf(object: PDFObject): "object" | "stream" | "of file" | "nothing" {
  if (object.resolve().isNull()) return "nothing";
  if (!object.isStream()) return "object";
  return OF_FILE.some((type) => isNamed(object.get("Type"), type)) ? "of file" : "stream";
}

function cipherOf(engine: PdfEngine, document: PDFDocument): Cipher | undefined {
  const key = fileKeyOf(engine, document);
  return key && new Cipher(crypto, key);
}

/**
 * The numbers in the file by those in the document, 0 for objects that are not written. Where most are not used, they become consecutive: readers
 * take numbers that are too high for the size of a file for damage (qpdf 12). `isKept`: objects that stay encrypted have keys that depend on them.
 */
function numbersOf(
  reached: Uint8Array,
  { isKept, isDense }: { readonly isKept: boolean; readonly isDense: boolean },
): Uint32Array {
  const used = reached.reduce((sum, isUsed) => sum + isUsed, 0);
  const stays = isKept || (!isDense && used * 2 > reached.length);
  let last = 0;
  return Uint32Array.from(reached, (isUsed, number) => {
    if (isUsed === 0 || number === 0) return 0;
    return stays ? number : ++last;
  });
}

/** The data of a stream for the file, and the entries of its dictionary that describe it. */
async function streamOf(
  engine: PdfEngine,
  object: PDFObject,
  { unchanged, isFinal, isNew, isDense }: Plan,
  known: number,
): Promise<{ entries: Entries; stream: SourceStream }> {
  if (isNew) engine.scope(() => completeParameters(object._doc, object));
  const entries: Entries = new Map([["/Length", undefined]]);
  const isUnfiltered = engine.scope(() => object.get("Filter").isNull());
  const copied = isDense && isUnfiltered ? undefined : unchanged.get(known);
  if (copied) return { entries, stream: { data: copied, isFinal } };
  const data = engine.bytesOf(object.readRawStream());
  const { isPlain, hasOwnFilter } = engine.scope(() => ({
    // Programs that do not read PDF look for XMP as plain text (14.3.2).
    isPlain: isUnfiltered && !isNamed(object.get("Type"), "Metadata"),
    hasOwnFilter: namesCryptFilter(object),
  }));
  // MuPDF leaves the bytes of a stream with its own crypt filter unchanged.
  const stream = { data, isFinal: hasOwnFilter };
  if (!isPlain || data.length <= (isDense ? 0 : SHORT)) return { entries, stream };
  const deflated = await deflate(data.view(0, data.length));
  if (deflated.length + FILTERED.length >= data.length) return { entries, stream };
  engine.claim(deflated.length);
  engine.work.spend(data.length * BYTE_WORK);
  data.free();
  entries.set("/Filter", "/FlateDecode").set("/DecodeParms", undefined);
  return { entries, stream: { ...stream, data: ownBytes(deflated) } };
}

/**
 * The data of each stream that did not change, if it lies in the source as its dictionary describes. `isKept`: encrypted data stays so, with a key
 * that depends on the number of the object, which stays too.
 */
async function unchangedStreams(
  { engine, document, input }: WrittenDocument,
  reached: Uint8Array,
  changes: Changes,
  { isKept }: { readonly isKept: boolean },
): Promise<Map<number, EngineBytes>> {
  const streams = new Map<number, EngineBytes>();
  if (!input) return streams;
  const isEncrypted = document.getTrailer().get("Encrypt").isDictionary();
  if (isEncrypted && (!isKept || document.wasRepaired())) return streams;
  const changed = new Set(changes.objects.map(({ number }) => number));
  const numbers = Array.from(reached.keys()).filter((number) => reached[number] !== 0 && !changed.has(number));
  for (const [number, { start, end }] of await dataInFile({ engine, document, input }, numbers)) {
    streams.set(number, partOf(input.bytes, start, end));
  }
  return streams;
}

/**
 * The file identifier: its first half stays, and its second half is new (14.4). A file without one gets none if it stays
 * encrypted, since its key may depend on the first half. `own`: the first half on which a new key depends, one character per byte. `isNew`: the
 * encryption is new, or none.
 */
function identifierOf(
  trailer: PDFObject,
  { own, isNew = false }: { readonly own?: string | undefined; readonly isNew?: boolean } = {},
): string | undefined {
  const random = hex(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  const first = trailer.get("ID", 0);
  if (own !== undefined) return `[<${hex(bytesOf(own))}><${random}>]`;
  if (first.isString()) return `[<${hex(first.asByteString())}><${random}>]`;
  return !isNew && trailer.get("Encrypt").isDictionary() ? undefined : `[<${random}><${random}>]`;
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
