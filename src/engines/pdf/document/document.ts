import type { DisplayList, PDFDocument } from "mupdf";
import { limits } from "../../../limits.ts";
import { Refusal } from "../../errors.ts";
import {
  catalogUnreadable,
  emptyFile,
  encryptedWithoutPassword,
  encryptionLost,
  noPages,
  notPdf,
  ownerPasswordRequired,
  pageTreeUnreadable,
  pagesLost,
  passwordIncorrect,
  passwordRequired,
  unreadablePdf,
} from "../../file-errors.ts";
import { tooManyAnnotations, tooManyObjects, tooManyPages } from "../../limit-errors.ts";
import { ownBytes } from "../../memory/joined-bytes.ts";
import { Ranges } from "../../memory/ranges.ts";
import { markClearMetadata } from "./clear-metadata.ts";
import { inlineEncryption } from "../encryption/crypt-filters.ts";
import {
  findDamage,
  hasLostEncryption,
  reserveTrailersNumbers,
  type ValidationPurpose,
  withoutXref,
} from "../objects/damage.ts";
import { isOwnerPassword, opens } from "../encryption/passwords.ts";
import type { InputBytes } from "../../memory/heap.ts";
import { means } from "../mupdf/messages.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { loadLargeObjects, measureFile } from "../objects/object-streams.ts";
import { repairFieldParents } from "./fields.ts";
import { fetchAnnotations, fetchDocument } from "./fetch-pages.ts";
import {
  correctPageCounts,
  findMissingPages,
  flattenPages,
  pageAt,
  refuseDeepTree,
  salvagePages,
  shapeOf,
} from "./page-tree.ts";
import { saslPrep } from "../encryption/saslprep.ts";
import { withoutSignLabels } from "./without-sign-labels.ts";
import { withoutStructure } from "./without-structure.ts";

/** A PDF in the request, with everything needed to open it. */
export interface PdfInput {
  /** Identifies the input in errors: the name of its form field. */
  readonly field: string;
  readonly bytes: InputBytes;
  readonly password?: string;
  /** Whether the password was given for this input. If so, a wrong one is an error even if none is needed. */
  readonly passwordIsOwn: boolean;
}

/** Permission bits of the encryption dictionary (ISO 32000-2, table 22): 3 to 6 and 9 to 12. */
const PERMISSION_BITS = 0b1111_0011_1100;

/** Fuel per page whose annotations are counted, in addition to what MuPDF spends on finding it. */
const PAGE_WORK = 500;

/** All permissions granted. */
const ALL_PERMISSIONS = -4;

/** An open PDF. Closed by `using` or at the end of the lease. */
export interface OpenPdf extends Disposable {
  readonly input: PdfInput;
  readonly engine: PdfEngine;
  readonly document: PDFDocument;
  readonly pageCount: number;
  readonly encrypted: boolean;
  /**
   * Whether the client may do anything with it: it is not encrypted, nothing is forbidden, or the owner password was given.
   */
  readonly unrestricted: boolean;
  /** Whether the page tree needs no repair. */
  readonly treeIsSound: boolean;
  /**
   * Whether the file was damaged: MuPDF rebuilt its cross-references, or its page tree, form fields, or permissions were repaired. Can become true while
   * objects are read.
   */
  readonly repaired: boolean;
  /** The clauses of ISO 19005 because of which a file that was written of it no longer claims to conform to PDF/A. */
  readonly lostRules: Set<string>;
}

/**
 * Opens a PDF in the arena. `validateFor`: looks for damage in the whole file up front, before it is saved, its pages are
 * rendered (or otherwise interpreted), or they are grafted. By default, damage is found when the damaged object is read.
 * `lenient`: accepts a document of which pages are lost, and finds the pages without a page tree if there is none.
 * `repair`: makes MuPDF rebuild the cross-references, which is also done if they lead to no pages.
 * @throws Refusal `invalid_file` (unreadable, without pages, damaged beyond repair with `missingPages`),
 *   `password_required`, `incorrect_password`, `unsupported_encryption`, `limit_exceeded` (pages, objects, bytes)
 */
export async function openPdf(
  engine: PdfEngine,
  sent: PdfInput,
  options: { validateFor?: ValidationPurpose | undefined; repair?: boolean; lenient?: boolean } = {},
): Promise<OpenPdf> {
  const { validateFor, repair = false, lenient = false } = options;
  const { field } = sent;
  if (sent.bytes.length === 0) throw emptyFile(field);
  const inRanges = sent.bytes.stored !== undefined;
  // The objects of a file that is read in ranges are bounded by the heap and the work budget.
  // The engine already had the objects that were appended to a file.
  const measured = inRanges ? undefined : await measureFile(engine.work, sent.bytes.continues?.file ?? sent.bytes);
  const document = await openDocument(engine, sent, repair);
  const { input, isOwner } = await authenticate(engine, document, sent);
  if (measured) await loadLargeObjects(engine, document, measured);
  const objects = document.countObjects();
  if (objects > limits.objects) throw tooManyObjects(field, objects);
  engine.freeUnused(document);
  if (inRanges) await fetchDocument(engine, document, field);
  if (!inRanges) await engine.scope(() => refuseDeepTree({ document, engine }, field));
  const wasEncrypted = document.getTrailer().get("Encrypt").isDictionary();
  if (validateFor !== undefined && !inRanges) await findDamage(engine, document, validateFor, sent.bytes.length);
  if (validateFor === "save" && inRanges) await reserveTrailersNumbers(engine, document, sent.bytes.length);
  /** Whether the page tree had to be changed. */
  let isCorrected = await engine.scope(() => correctPageCounts(engine.work, document, { all: !inRanges }));
  if (!repair && !inRanges && !document.wasRepaired() && !hasPages(engine, document)) {
    document.destroy();
    return openPdf(engine, sent, { ...options, repair: true });
  }
  const hasTree = document.getTrailer().get("Root", "Pages", "Kids").isArray();
  if (lenient && !(hasTree && hasPages(engine, document))) {
    await salvagePages({ engine, document });
    isCorrected = true;
  }
  const root = document.getTrailer().get("Root");
  if (!root.isDictionary() || root.isStream()) throw catalogUnreadable(field);
  const pageCount = countPages(engine, document, field);
  const encryption = document.getTrailer().get("Encrypt");
  const encrypted = encryption.get("Filter").isName() && !encryption.isStream();
  // A repaired file may have a different trailer.
  const isLost =
    encrypted !== wasEncrypted || (!encrypted && document.wasRepaired() && (await hasLostEncryption(engine, document)));
  if (isLost) throw encryptionLost(field);
  // The default MuPDF uses if it is missing. Other readers would not open the file.
  const lacksPermissions = encrypted && !encryption.get("P").isNumber();
  if (lacksPermissions) encryption.put("P", ALL_PERMISSIONS);
  const permissions = encryption.get("P");
  const restricted = encrypted && (permissions.asNumber() & PERMISSION_BITS) !== PERMISSION_BITS;
  const tree = document.getTrailer().get("Root", "Pages");
  const shape = inRanges ? "sound" : await engine.scope(() => shapeOf(engine.work, tree));
  const treeIsSound = shape === "sound" && !isCorrected;
  const hasCycles = !inRanges && (await repairFieldParents({ engine, document }));
  const open: OpenPdf = {
    input,
    engine,
    document,
    pageCount,
    encrypted,
    unrestricted: !restricted || (await isOwner()),
    treeIsSound,
    get repaired() {
      return document.wasRepaired() || !treeIsSound || hasCycles || lacksPermissions;
    },
    lostRules: new Set(),
    [Symbol.dispose]: () => document.destroy(),
  };
  if (encrypted) {
    inlineEncryption(engine, document);
    markClearMetadata(document);
  }
  if (!inRanges && !lenient) await refuseMissingPages(open);
  if (measured && pageCount * measured.largest.arrayItems > limits.annotations) await refuseAnnotations(open);
  if (shape === "deep" && !lenient) await flattenPages(open);
  return open;
}

/** Opens a file that was just written, from bytes outside of the engine. */
export function openBytes(engine: PdfEngine, bytes: Uint8Array): Promise<OpenPdf> {
  const file = ownBytes(bytes);
  const rest = ownBytes(new Uint8Array());
  return openPdf(engine, {
    field: "file",
    // As one that was appended to, it is not looked for in the heap.
    bytes: { ...file, pointer: 0, continues: { file, rest } },
    passwordIsOwn: false,
  });
}

/**
 * Runs `work` on a document from which only some parts are copied. If this reveals damage, runs it again on a document that
 * was checked and repaired as a whole, since the first copies may be wrong.
 */
export async function copyFrom<T>(
  engine: PdfEngine,
  sent: PdfInput,
  work: (open: OpenPdf) => T | Promise<T>,
): Promise<T> {
  {
    using open = await openPdf(engine, sent);
    const { repaired } = open;
    try {
      const result = await work(open);
      if (open.repaired === repaired) return result;
    } catch (error) {
      const meaning = engine.explain(error);
      if (!(meaning instanceof Refusal) || meaning.code !== "invalid_file") throw error;
    }
  }
  using open = await openPdf(engine, sent, { validateFor: "graft" });
  return await work(open);
}

/** Refuses an input with restricted permissions unless it was opened with its owner password. */
export function requireOwner(open: OpenPdf): void {
  if (open.unrestricted) return;
  throw ownerPasswordRequired(open.input.field);
}

async function openDocument(engine: PdfEngine, { field, bytes }: PdfInput, repair: boolean): Promise<PDFDocument> {
  try {
    using _ = repair ? withoutXref(bytes) : undefined;
    const from =
      bytes instanceof Ranges
        ? engine.streamOfRanges(bytes)
        : bytes.continues || bytes.stored
          ? engine.streamOf(bytes)
          : engine.bufferOf(bytes);
    const document = await engine.long.open(from);
    from.destroy();
    if (document) return document;
  } catch (error) {
    const meaning = engine.explain(error);
    if (!(error instanceof Error) || !(meaning instanceof Refusal) || meaning.code !== "invalid_file") throw meaning;
    if (means(error.message, "unknownEncryption")) throw encryptedWithoutPassword(field, error);
    throw unreadablePdf(field, error);
  }
  throw notPdf(field);
}

/** Opens the document with its password. Returns the input with the password as spelled in the file. */
async function authenticate(
  engine: PdfEngine,
  document: PDFDocument,
  input: PdfInput,
): Promise<{ input: PdfInput; isOwner(): Promise<boolean> }> {
  const { field, password, passwordIsOwn } = input;
  const opened = (by: PdfInput) => ({ input: by, isOwner: async () => isOwnerPassword(document, by.password ?? "") });
  if (!document.getTrailer().get("Encrypt").isDictionary()) return opened(input);
  if (password === undefined) {
    if (await opens(engine, document, "")) return opened(input);
    throw passwordRequired(field);
  }
  // Many writers skip the preparation (SASLprep) that the standard requires.
  for (const spelling of new Set([password, saslPrep(password) ?? password])) {
    if (await opens(engine, document, spelling)) return opened({ ...input, password: spelling });
  }
  // With one fallback password for many files, a file that opens without a password is not an error.
  if (!passwordIsOwn && (await opens(engine, document, ""))) return opened(input);
  throw passwordIncorrect(field);
}

function hasPages(engine: PdfEngine, document: PDFDocument): boolean {
  try {
    return document.countPages() > 0;
  } catch (error) {
    if (engine.isFailure(error)) return false;
    throw error;
  }
}

function countPages(engine: PdfEngine, document: PDFDocument, field: string): number {
  let pageCount = 0;
  try {
    pageCount = document.countPages();
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    throw pageTreeUnreadable(field, error);
  }
  if (pageCount <= 0) throw noPages(field);
  if (pageCount > limits.pages) throw tooManyPages(field, pageCount);
  return pageCount;
}

/** Refuses a page tree that lists a missing page. In a damaged file, each page must also have everything it draws. */
async function refuseMissingPages({ engine, document, pageCount, input }: OpenPdf): Promise<void> {
  const { missing, lost } = await findMissingPages(engine, document, pageCount);
  if (missing.length === 0 || !(lost.length > 0 || document.wasRepaired())) return;
  throw pagesLost(input.field, missing.slice(0, 100));
}

/**
 * Refuses pages that share so many annotations that looking at those of each page would never end.
 * @throws Refusal `limit_exceeded`
 */
async function refuseAnnotations({ engine, document, pageCount, input }: OpenPdf): Promise<void> {
  let actual = 0;
  for (let index = 0; index < pageCount; index++) {
    engine.work.spend(PAGE_WORK);
    await engine.work.pause();
    engine.scope(() => {
      const annotations = pageAt({ engine, document }, index).get("Annots");
      if (annotations.isArray()) actual += annotations.length;
    });
    if (actual > limits.annotations) throw tooManyAnnotations(input.field, actual);
  }
}

/** An interpreted page that can be drawn any number of times. */
export interface PageList {
  /** x0, y0, x1, y1 of the visible page in points. */
  readonly bounds: readonly [number, number, number, number];
  readonly list: DisplayList;
}

/**
 * Interprets a page (0-based) with its annotations and form fields.
 * @throws Refusal `invalid_file`, `limit_exceeded`, `overloaded` (memory)
 */
export async function pageList(open: OpenPdf, page: number): Promise<PageList> {
  const load = async (): Promise<PageList> => {
    const loaded = await open.engine.long.loadPage(open.document, page);
    try {
      return {
        bounds: loaded.getBounds(),
        list: await withoutStructure(open.document, () => open.engine.long.displayList(loaded)),
      };
    } finally {
      loaded.destroy();
    }
  };
  return drawn(open, async () => {
    await fetchAnnotations(open, page);
    return withoutSignLabels(open, page, load);
  });
}

/**
 * Runs `work`, which draws a page, and makes sure nothing was left out.
 * @throws Refusal if the heap could not grow, and for what MuPDF's errors mean
 */
export async function drawn<T>({ engine }: OpenPdf, work: () => T | Promise<T>): Promise<T> {
  try {
    const result = await work();
    engine.refuseSkipped();
    return result;
  } catch (error) {
    throw engine.explain(error);
  }
}
