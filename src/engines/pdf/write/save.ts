/** Writing PDFs: changed in place, behind their own bytes, or made of copies. */
import type { Buffer, PDFDocument, PDFObject } from "mupdf";
import { keepMetadataClear } from "../document/clear-metadata.ts";
import type { OpenPdf } from "../document/document.ts";
import type { EngineBytes } from "../../bytes/heap.ts";
import { ownBytes } from "../../bytes/joined-bytes.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { repairPageTree } from "../document/page-tree.ts";
import { packSmall, SMALL_FILE } from "./small-file.ts";
import { expectationOf, verify } from "./verify.ts";
import { makeWritable } from "./writable.ts";

/** What a PDF begins with (7.5.2), or has somewhere in its first 1,024 bytes. */
const HEADER = "%PDF-";

/**
 * How every PDF is written: object streams, streams without a filter deflated. Less effort than zlib's usual makes no file
 * more than 1 % larger and takes 0.6 to 0.9 of the time; below 30 MuPDF does not deflate at all.
 */
const SAVE = "objstms,compress,compression-effort=30";

/** The same with zlib's greatest effort, for those who ask for a small file. */
const SAVE_SMALL = "objstms,compress,compression-effort=100";

/** Without the encryption that the document has. */
const DECRYPT = ",encrypt=none";

/**
 * MuPDF looks for unused objects by recursion, from page to linked page and from bookmark to bookmark, and runs out of stack
 * where such a chain has some 4,000 objects. In a document with fewer objects there is none that long.
 */
const MOST_OBJECTS_TO_COLLECT = 3000;

/** Fuel for an object that is looked at, beside what MuPDF spends on reading it. */
const OBJECT_WORK = 200;
const ENTRY_WORK = 10;

type Pointer = PDFObject["pointer"];

/** What was changed in a document: 0-based pages. */
interface Changes {
  readonly changed?: readonly number[] | undefined;
}

/** Writes a document that was changed in place. All of it is kept, but for objects that nothing uses. */
export async function rewritePdf(open: OpenPdf, { changed }: Changes = {}): Promise<EngineBytes> {
  const { engine, document } = open;
  const options = (await prepare(open)) + SAVE;
  return engine.bytesOf(await written(engine, document, options, { large: true }, changed));
}

/** Writes a document that was changed in place, as small as we can. `bytes`: what it will have at most, about. */
export async function rewriteSmall(open: OpenPdf, bytes: number): Promise<EngineBytes> {
  const { engine, document } = open;
  const options = (await prepare(open)) + SAVE_SMALL;
  const expectation = expectationOf(engine, document);
  const file = engine.bytesOf(await write(engine, document, options, { large: true, bytes }));
  const packed = file.length > SMALL_FILE ? undefined : await packSmall(engine.work, file.view(0, file.length).slice());
  const smallest = packed && packed.length < file.length ? ownBytes(packed) : file;
  verify(engine, smallest, expectation);
  return smallest;
}

/** Writes a document that was changed in place without its encryption, for one who encrypts it next and verifies that. */
export async function writeDecrypted(open: OpenPdf): Promise<Buffer> {
  return write(open.engine, open.document, (await prepare(open)) + SAVE + DECRYPT, { large: true });
}

/** Makes a document ready to be written; gives the option of saving by which its unused objects are left out. */
async function prepare(open: OpenPdf): Promise<string> {
  await repairPageTree(open);
  const used = await findUsed(open);
  if (used.count <= MOST_OBJECTS_TO_COLLECT) return "garbage=2,";
  dropUnused(open.document, used.reached);
  return "";
}

/** Old object streams are among them. */
function dropUnused(document: PDFDocument, reached: Uint8Array): void {
  for (let number = 1; number < reached.length; number++) if (reached[number] === 0) document.deleteObject(number);
}

/**
 * Finds the objects that can be reached from the trailer, without recursion from one to the next. They are walked without
 * handles: those of each while nothing else is read, which could move them.
 */
async function findUsed({ document, engine }: OpenPdf): Promise<{ reached: Uint8Array; count: number }> {
  const { lib, work } = engine;
  const reached = new Uint8Array(document.countObjects());
  const pending: number[] = [];
  const visit = (value: Pointer): void => {
    if (lib._wasm_pdf_is_indirect(value) === 0) {
      look(value);
      return;
    }
    const number = lib._wasm_pdf_to_num(value);
    if (reached[number] !== 0) return;
    reached[number] = 1;
    pending.push(number);
  };
  const look = (object: Pointer): void => {
    const isArray = lib._wasm_pdf_is_array(object) !== 0;
    const length = isArray
      ? lib._wasm_pdf_array_len(object)
      : lib._wasm_pdf_is_dict(object) !== 0
        ? lib._wasm_pdf_dict_len(object)
        : 0;
    work.spend(length * ENTRY_WORK);
    for (let index = 0; index < length; index++) {
      visit(isArray ? lib._wasm_pdf_array_get(object, index) : lib._wasm_pdf_dict_get_val(object, index));
    }
  };
  look(document.getTrailer().pointer);
  let count = 0;
  for (let number = pending.pop(); number !== undefined; number = pending.pop(), count++) {
    work.spend(OBJECT_WORK);
    await work.pause();
    const reference = lib._wasm_pdf_new_indirect(document.pointer, number);
    try {
      look(reference);
    } catch (error) {
      // An object that cannot be read leads nowhere.
      if (!engine.isFailure(error)) throw error;
    } finally {
      lib._wasm_pdf_drop_obj(reference);
    }
  }
  return { reached, count };
}

/**
 * Writes a document that was made of copies, in the encryption it was opened with. `large`: the output may be about as large
 * as the input, and is given room for that.
 */
export async function savePdf(
  engine: PdfEngine,
  document: PDFDocument,
  room: { large: boolean },
): Promise<EngineBytes> {
  return engine.bytesOf(await written(engine, document, SAVE, room));
}

/** Makes a document, writes it and lets go of all that was needed for it: for documents made by the thousand. */
export async function makePdf(
  engine: PdfEngine,
  make: () => Promise<PDFDocument>,
  room: { large: boolean },
): Promise<EngineBytes> {
  return engine.bytesOf(await engine.scope(async () => written(engine, await make(), SAVE, room)));
}

/**
 * Writes a document that was changed in place behind its own bytes, which stay as they are, so that signatures over them
 * can still be verified (ISO 32000-2, 7.5.6). What was changed remains there in its earlier state. Undefined where the file
 * cannot be appended to: it was damaged, or something stands before its header, which MuPDF does not count in.
 */
export async function appendToPdf(
  { engine, document, input }: OpenPdf,
  { changed }: Changes = {},
): Promise<EngineBytes | undefined> {
  const beginsWithHeader = latin1(input.bytes.view(0, HEADER.length)) === HEADER;
  if (!beginsWithHeader || !document.canBeSavedIncrementally()) return undefined;
  return engine.bytesOf(await written(engine, document, "incremental", { large: true }, changed));
}

/** Writes a document, and reads the file again. */
async function written(
  engine: PdfEngine,
  document: PDFDocument,
  options: string,
  room: { large: boolean },
  changed?: readonly number[],
): Promise<Buffer> {
  const expectation = expectationOf(engine, document, changed);
  const output = await write(engine, document, options, room);
  verify(engine, engine.bytesOf(output), expectation);
  return output;
}

async function write(
  engine: PdfEngine,
  document: PDFDocument,
  options: string,
  { large, bytes }: { large: boolean; bytes?: number | undefined },
): Promise<Buffer> {
  const hasEmptyName = await makeWritable(engine, document, { decrypt: options.endsWith(DECRYPT) });
  const finish = keepMetadataClear(document);
  // The cache of decoded objects is of no more use, and the output wants its room.
  engine.lib._wasm_empty_store();
  if (large) engine.makeRoom(bytes);
  engine.reserveObjects(document, Math.ceil(document.countObjects() / 100));
  const output = await engine.long.save(document, hasEmptyName ? `${options.replace("objstms,", "")},pretty` : options);
  finish(output.asUint8Array());
  return output;
}
