/** Writes PDFs: rewritten in place, as incremental updates, or assembled from copies. */
import type { Buffer, PDFDocument, PDFObject } from "mupdf";
import { keepMetadataClear } from "../document/clear-metadata.ts";
import { keepsNamedFilters, namesCryptFilter, refuseMixedFilters } from "../encryption/crypt-filters.ts";
import type { OpenPdf } from "../document/document.ts";
import { LEAST_BYTES } from "../objects/damage.ts";
import { loseClaim, profileToKeep, writeKept } from "../conformance/keep.ts";
import { profileFacts } from "../conformance/model/profiles.ts";
import { ensureIdentifier } from "../document/identifier.ts";
import type { EngineBytes } from "../../memory/heap.ts";
import { joinedBytes, ownBytes } from "../../memory/joined-bytes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";
import { eachPointer } from "../objects/each-object.ts";
import { isEmptyNameAt } from "../objects/empty-names.ts";
import { objectNumber } from "../objects/objects.ts";
import { walkValues } from "../objects/walk-values.ts";
import { repairPageTree } from "../document/page-tree.ts";
import { expectationOf, verify, verifyAppended } from "./verify.ts";
import { completeParameters, documentChanges, type NewEncryption, write } from "./write.ts";
import { encryptedInDifferentWays } from "../../file-errors.ts";

/**
 * Options for MuPDF: object streams, and deflate for streams without a filter. Compared with zlib's default effort,
 * files grow by at most 1 % and saving takes 0.6 to 0.9 of the time. Below 30 MuPDF does not deflate at all.
 */
const SAVE = "objstms,compress,compression-effort=30";

/** Documents with as many objects are written in pieces: MuPDF holds them and its output, which grows by half its size, at once. */
const MANY_OBJECTS = 5000;

/** Fuel per checked object, in addition to what MuPDF spends on reading it. */
const OBJECT_WORK = 200;

/** Maximum size in bytes of an encrypted empty stream: an initialization vector and a block of padding. */
const SHORT = 32;

/** Empty data, deflated (RFC 1950). */
const NOTHING = Uint8Array.of(0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01);

/** The rule of all parts of ISO 19005 that forbids encryption. */
const NO_ENCRYPTION = "6.1.3-2";

interface Room {
  /** As in `KeptDocument`. Without it, the file is not validated. */
  readonly lostRules?: Set<string> | undefined;
  /** Whether the output may be about as large as the input, so that room is reserved for it. */
  readonly large: boolean;
  /** The form field of the document whose encryption the output keeps, if it keeps any. */
  readonly field?: string | undefined;
  /** Whether a name in it may be empty, so that all of them are looked at. Default: true. */
  readonly mayHaveEmptyNames?: boolean;
}

/** How a document that was changed in place is written. */
interface Written {
  /** The changed pages (0-based). */
  readonly changed?: readonly number[] | undefined;
  /** Whether the changes break no rule of PDF/A, or the claim was decided before: then the file is not validated. Default: false. */
  readonly keepsClaim?: boolean | undefined;
  /** Whether a signature is put into its place later. Default: false. */
  readonly awaitsSignature?: boolean | undefined;
}

/** Whether the numbers of its objects are too high for its size. */
export const isSparse = ({ document, input }: OpenPdf): boolean =>
  document.countObjects() * LEAST_BYTES > input.bytes.length;

/** Saves a document that was changed in place. Keeps everything except unused objects. */
export function rewritePdf(open: OpenPdf, { changed, keepsClaim = false }: Written = {}): Promise<EngineBytes> {
  const { engine, document } = open;
  const rewrite = async (): Promise<EngineBytes> => {
    const reached = await usedObjects(open);
    const expectation = await expectationOf(engine, document, changed);
    const file = await write(open, { reached, encryption: "kept" });
    await verify(engine, file, expectation);
    return file;
  };
  return keepsClaim ? rewrite() : writeKept(open, rewrite);
}

/**
 * Saves a document that was changed in place, as small as possible.
 * @throws Refusal `unsupported_encryption` if parts of it are encrypted in different ways
 */
export async function rewriteSmall(open: OpenPdf): Promise<EngineBytes> {
  const { engine, document, input } = open;
  refuseMixedFilters(document, input.field);
  return writeKept(open, async () => {
    const reached = await usedObjects(open);
    const expectation = await expectationOf(engine, document);
    const file = await write(open, { reached, encryption: "kept", isDense: true });
    await verify(engine, file, expectation);
    return file;
  });
}

/**
 * Saves a document that was changed in place with another encryption. The caller verifies the file.
 * @throws Refusal `limit_exceeded`; CipherFailure
 */
export async function rewriteEncrypted(open: OpenPdf, encryption: NewEncryption): Promise<EngineBytes> {
  if ((await profileToKeep(open)) !== undefined) await loseClaim(open, [NO_ENCRYPTION]);
  return write(open, { reached: await usedObjects(open), encryption });
}

/** Saves a document that was changed in place without its encryption. `mostVersion`: the highest version of its header, times 10. */
export async function rewriteDecrypted(
  open: OpenPdf,
  { mostVersion }: { readonly mostVersion?: number } = {},
): Promise<EngineBytes> {
  const { engine, document } = open;
  const reached = await usedObjects(open);
  const expectation = await expectationOf(engine, document);
  const file = await write(open, { reached, encryption: "none", ...(mostVersion !== undefined && { mostVersion }) });
  await verify(engine, file, { ...expectation, encrypted: false });
  return file;
}

/** The objects of a document that are written, by their numbers. */
async function usedObjects(open: OpenPdf): Promise<Uint8Array> {
  await repairPageTree(open);
  ownObjects(open.document);
  return (await findUsed(open)).reached;
}

/**
 * Finds the objects reachable from the trailer, without recursion. Walks them without handles: the values of one object are
 * visited while nothing else is read, which could move them.
 */
export async function findUsed({
  document,
  engine,
}: Pick<OpenPdf, "document" | "engine">): Promise<{ reached: Uint8Array; count: number }> {
  const { values, work } = engine;
  const reached = new Uint8Array(document.countObjects());
  const pending: number[] = [];
  const look = (object: Pointer) =>
    walkValues(engine, object, (value) => {
      if (!values.isReference(value)) return;
      const number = values.numberOf(value);
      if (reached[number] !== 0) return;
      reached[number] = 1;
      pending.push(number);
    });
  await look(document.getTrailer().pointer);
  let count = 0;
  for (let number = pending.pop(); number !== undefined; number = pending.pop(), count++) {
    work.spend(OBJECT_WORK);
    await work.pause();
    const reference = values.reference(document, number);
    try {
      const looked = look(reference);
      if (looked) await looked;
    } catch (error) {
      // An unreadable object references nothing.
      if (!engine.isFailure(error)) throw error;
    } finally {
      values.drop(reference);
    }
  }
  return { reached, count };
}

/** In level a, a document has tags (ISO 19005-2, 6.7.3.3). */
const HAS_TAGS = "6.7.3.3-1";

/** Whether a document made of copied pages still claims to conform. Pages without tags end a claim of level a. */
async function keepsLevel(open: Parameters<typeof loseClaim>[0]): Promise<boolean> {
  const profile = await profileToKeep(open);
  if (profile === undefined) return false;
  const { level } = profileFacts(profile);
  if (level !== "a" || open.document.getTrailer().get("Root", "StructTreeRoot").isDictionary()) return true;
  await loseClaim(open, [HAS_TAGS]);
  return false;
}

/**
 * Saves a document assembled from copies, with the encryption it was opened with. Where the copies share the data of their sources, and are most of
 * them, so does the file.
 */
export async function savePdf(engine: PdfEngine, document: PDFDocument, room: Room): Promise<EngineBytes> {
  const { lostRules } = room;
  const isClaimed = await keepsLevel({ engine, document, lostRules: lostRules ?? new Set() });
  // MuPDF writes object streams into files of part 1, and the wrong version into those of part 4.
  const inPieces = isClaimed || (room.large && engine.sharesFiles) || document.countObjects() >= MANY_OBJECTS;
  if (!inPieces || document.getTrailer().get("Encrypt").isDictionary())
    return engine.bytesOf(await written(engine, document, SAVE, room));
  ownObjects(document);
  const save = async (): Promise<EngineBytes> => {
    const { reached } = await findUsed({ engine, document });
    const expectation = await expectationOf(engine, document);
    const file = await write({ engine, document }, { reached, encryption: "kept" });
    await verify(engine, file, expectation);
    return file;
  };
  return lostRules ? writeKept({ engine, document, lostRules }, save) : save();
}

/** Creates a document, writes it, and frees everything it needed. For thousands of small documents. */
export async function makePdf(engine: PdfEngine, make: () => Promise<PDFDocument>, room: Room): Promise<EngineBytes> {
  return engine.scope(async () => savePdf(engine, await make(), room));
}

/**
 * Saves a document that was changed in place as an incremental update of its file, so that signatures over the bytes of the
 * file can still be verified (ISO 32000-2, 7.5.6). The earlier state of what changed remains in the file. Undefined if the file
 * cannot be appended to because it was damaged.
 */
export async function appendToPdf(
  open: OpenPdf,
  { changed, keepsClaim = false, awaitsSignature }: Written = {},
): Promise<EngineBytes | undefined> {
  const { engine, document, input } = open;
  if (!document.canBeSavedIncrementally()) return undefined;
  const append = async (): Promise<EngineBytes> => {
    const changes = documentChanges(open);
    const update = await write(open, { changes });
    const rest = engine.ranges ? outside(engine, update) : update;
    const file = { ...joinedBytes([input.bytes, rest]), continues: { file: input.bytes, rest } };
    await verifyAppended(open, file, changes, changed ?? []);
    return file;
  };
  return keepsClaim ? append() : writeKept(open, append, { awaitsSignature });
}

/** A copy outside of the engine, which is then free for other requests while a large file is sent. */
function outside(engine: PdfEngine, bytes: EngineBytes): EngineBytes {
  engine.claim(bytes.length);
  return ownBytes(bytes.view(0, bytes.length).slice());
}

/** Writes a document and verifies the file. */
async function written(engine: PdfEngine, document: PDFDocument, options: string, room: Room): Promise<Buffer> {
  const expectation = await expectationOf(engine, document);
  const output = await mupdfFile(engine, document, options, room);
  await verify(engine, engine.bytesOf(output), expectation);
  return output;
}

async function mupdfFile(
  engine: PdfEngine,
  document: PDFDocument,
  options: string,
  { large, field, mayHaveEmptyNames = true }: Room,
): Promise<Buffer> {
  const hasEmptyName = await makeWritable(engine, document, field, { searchesNames: mayHaveEmptyNames });
  ownObjects(document);
  // MuPDF renews the second half of the one that is there.
  ensureIdentifier(document);
  const finish = keepMetadataClear(document);
  // Decoded objects are no longer needed, and the output needs the room.
  engine.emptyStore();
  if (large) engine.makeRoom();
  engine.reserveObjects(document, Math.ceil(document.countObjects() / 100));
  const output = await engine.long.save(document, hasEmptyName ? `${options.replace("objstms,", "")},pretty` : options);
  finish(output.asUint8Array());
  return output;
}

/** Completes the parameters of all streams with several filters. */
export async function completeStreams({ engine, document }: OpenPdf): Promise<void> {
  const { values } = engine;
  const filter = document.newName("Filter");
  await eachPointer({ document, engine }, (reference, number) => {
    if (!values.isArray(values.get(reference, filter.pointer))) return;
    engine.scope(() => completeParameters(document, document.newIndirect(number)));
  });
}

/** Makes the catalog and the Info dictionary objects of their own (ISO 32000-2, table 15). */
function ownObjects(document: PDFDocument): void {
  for (const key of ["Root", "Info"]) {
    const value = document.getTrailer().get(key);
    if (!value.isDictionary() || value.isIndirect()) continue;
    const added = document.addObject(value);
    // The first object that is added to a document makes its trailer another one.
    document.getTrailer().put(key, added);
  }
}

/**
 * Makes all objects safe to write. Returns whether any has, if that is searched for, an empty name, which MuPDF writes without a separator (`/15 0 R`
 * for `/ 15 0 R`) unless the output is pretty-printed and without object streams.
 * @throws Refusal `unsupported_encryption` if the document's encryption cannot be kept
 */
async function makeWritable(
  engine: PdfEngine,
  document: PDFDocument,
  field: string | undefined,
  { searchesNames }: { readonly searchesNames: boolean },
): Promise<boolean> {
  const { values } = engine;
  const encrypt = document.getTrailer().get("Encrypt");
  const staysEncrypted = encrypt.isDictionary();
  const metadata = objectNumber(document.getTrailer().get("Root", "Metadata"));
  if (staysEncrypted) refuseMixedFilters(document, field);
  const refusesNamed = staysEncrypted && !keepsNamedFilters(engine, document);
  const filterKey = document.newName("Filter");
  let hasEmptyName = false;
  const look = (object: Pointer) =>
    searchesNames
      ? walkValues(engine, object, (value, place) => {
          hasEmptyName ||= isEmptyNameAt(engine, value, place);
        })
      : undefined;
  const prepare = (object: PDFObject, number: number): void => {
    if (refusesNamed && number !== metadata && namesCryptFilter(object)) throw encryptedInDifferentWays(field);
    completeParameters(document, object);
    if (staysEncrypted && object.get("Length").asNumber() <= SHORT) deflateNothing(engine, object);
  };
  const lookAtStream = (reference: Pointer, number: number): void => {
    if (!values.isStream(reference)) return;
    const hasFilters = values.isArray(values.get(reference, filterKey.pointer));
    if (hasFilters || staysEncrypted) engine.scope(() => prepare(document.newIndirect(number), number));
  };
  await eachPointer({ document, engine }, (reference, number) => {
    const looked = look(reference);
    if (looked) return looked.then(() => lookAtStream(reference, number));
    lookAtStream(reference, number);
    return undefined;
  });
  return hasEmptyName;
}

/** For an empty stream MuPDF writes the length it would have encrypted, but no data. Makes it hold deflated empty data. */
function deflateNothing(engine: PdfEngine, stream: PDFObject): void {
  const data = stream.readRawStream();
  const isEmpty = data.getLength() === 0;
  data.destroy();
  if (!isEmpty) return;
  const deflated = new engine.mupdf.Buffer(NOTHING);
  stream.writeRawStream(deflated);
  deflated.destroy();
  stream.put("Filter", stream._doc.newName("FlateDecode"));
  stream.delete("DecodeParms");
}
