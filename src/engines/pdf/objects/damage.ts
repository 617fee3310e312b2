import type { PDFDocument } from "mupdf";
import type { InputBytes } from "../../memory/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import type { Pointer } from "../mupdf/values.ts";
import { find } from "../../../bytes/find.ts";
import { eachObjectHaving } from "./each-object.ts";
import { isEmptyNameAt, noteEmptyNames } from "./empty-names.ts";
import { isNamed } from "./objects.ts";
import { type WalkedContainer, walkValues } from "./walk-values.ts";

/**
 * The keyword before the offset of the cross-references, and how many bytes at the end of the file are searched for it: at
 * least as many as MuPDF searches.
 */
const START = "startxref";
const TAIL = 4096;

/**
 * Most objects that are checked before drawing. Writing and copying eventually load all objects anyway, but drawing does
 * not, and 200,000 objects take about 60 MiB.
 */
const MOST_CHECKED = 200_000;

/** Fuel per checked object, in addition to what MuPDF spends on reading it. */
const OBJECT_WORK = 100;

/** Hides the cross-references of a file until disposed. If the file is opened meanwhile, MuPDF repairs it. */
export function withoutXref(bytes: InputBytes): Disposable {
  const from = Math.max(0, bytes.length - TAIL);
  const places: number[] = [];
  const tail = bytes.view(from, bytes.length);
  for (let at = find(tail, START, 0); at >= 0; at = find(tail, START, at + 1)) places.push(from + at);
  const write = (letter: string): void => {
    for (const at of places) bytes.view(at, at + 1)[0] = letter.charCodeAt(0);
  };
  write("S");
  return { [Symbol.dispose]: () => write("s") };
}

/** What a document is checked for before it is used. */
export type ValidationPurpose = "save" | "render" | "graft";

/** Bytes of a file for each of its object numbers: readers take higher numbers for damage (qpdf 12). */
export const LEAST_BYTES = 3;

/** Numbers behind the last that are looked at: a document does not get more objects than these from one operation. */
const NUMBERS_BEHIND = 65_536;

/**
 * Reads objects until MuPDF finds a damaged one and repairs the whole document. Otherwise it would do so on first access:
 * while writing, this loses changes and the pages they touch; while interpreting a page, it continues with objects that are
 * gone. Before saving, all objects are read, since MuPDF also reads unused ones; otherwise, only those in use. Then the numbers of
 * new objects begin above all that anything refers to. Before grafting, references to objects beyond the last are removed as well:
 * they are null (ISO 32000-2, 7.3.10), and MuPDF refuses to copy them.
 */
export async function findDamage(
  engine: PdfEngine,
  document: PDFDocument,
  purpose: ValidationPurpose,
  length: number,
): Promise<void> {
  if (purpose !== "save") {
    await readUsed(engine, document, purpose);
    return;
  }
  const highest = new HighestReference(engine, document, length);
  await readAll(engine, document, highest);
  await highest.lookAtTrailer();
  highest.reserve();
}

/**
 * Keeps new objects from the numbers that only the trailer refers to. For a file that is read in ranges: the rest of it is not read.
 * @param length of the file, in bytes
 */
export async function reserveTrailersNumbers(engine: PdfEngine, document: PDFDocument, length: number): Promise<void> {
  const highest = new HighestReference(engine, document, length);
  await highest.lookAtTrailer();
  highest.reserve();
}

/**
 * The highest object number that a document refers to. A reference to an object that no one defined is null (ISO 32000-2, 7.3.10), until a new object gets its
 * number: LibreOffice's files refer to one behind their last, which signatures would see as changed.
 */
class HighestReference {
  readonly #engine: PdfEngine;
  readonly #document: PDFDocument;
  readonly #most: number;
  #number = 0;

  constructor(engine: PdfEngine, document: PDFDocument, length: number) {
    this.#engine = engine;
    this.#document = document;
    this.#most = Math.min(document.countObjects() + NUMBERS_BEHIND, Math.floor(length / LEAST_BYTES));
  }

  /** Looks at the values within an object, which must be loaded. */
  lookAt(object: Pointer): Promise<void> | undefined {
    const { values } = this.#engine;
    return walkValues(this.#engine, object, (value) => {
      if (!values.isReference(value)) return;
      const number = values.numberOf(value);
      if (number > this.#number && number <= this.#most) this.#number = number;
    });
  }

  async lookAtTrailer(): Promise<void> {
    await this.lookAt(this.#document.getTrailer().pointer);
  }

  reserve(): void {
    this.#engine.skipNumbers(this.#document, this.#number);
  }
}

/** Objects that cannot be read even in a document that was repaired are null (ISO 32000-2, 7.3.10): MuPDF would not write any. */
async function readAll(engine: PdfEngine, document: PDFDocument, highest: HighestReference): Promise<void> {
  const { values } = engine;
  const wasRepaired = document.wasRepaired();
  const unreadable: number[] = [];
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    const reference = values.reference(document, number);
    try {
      // The first access reads the object.
      values.isDictionary(reference);
      // A repair may renumber everything.
      if (document.wasRepaired() !== wasRepaired) {
        await readAll(engine, document, highest);
        return;
      }
      const looked = highest.lookAt(reference);
      if (looked) await looked;
      // MuPDF only warns when it reads an object in a damaged object stream.
      if (document.wasRepaired() && values.resolved(reference) === 0) unreadable.push(number);
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
      unreadable.push(number);
    } finally {
      values.drop(reference);
    }
  }
  for (const number of unreadable) document.deleteObject(number);
}

/** Walks objects without handles. The values of one object are visited while nothing else is read, which could move them. */
async function readUsed(
  engine: PdfEngine,
  document: PDFDocument,
  purpose: Exclude<ValidationPurpose, "save">,
): Promise<void> {
  const dropDangling = purpose === "graft";
  if (document.wasRepaired() && !dropDangling) return;
  const { values } = engine;
  const count = document.countObjects();
  const repaired = document.wasRepaired();
  const nothing = document.newNull();
  const reached = new Uint8Array(count);
  const pending: number[] = [];
  let left = purpose === "render" ? MOST_CHECKED : Infinity;
  let hasEmptyName = false;

  const visit = (value: Pointer, place: WalkedContainer): void => {
    const { holder, isArray, index } = place;
    // For the files that are made of copies.
    if (dropDangling) hasEmptyName ||= isEmptyNameAt(engine, value, place);
    if (!values.isReference(value)) return;
    const number = values.numberOf(value);
    if (number > 0 && number < count) {
      if (reached[number] === 0) pending.push(number);
      reached[number] = 1;
    } else if (dropDangling) {
      if (isArray) values.putItem(holder, index, nothing.pointer);
      else values.deleteAt(holder, index);
    }
  };
  const look = (object: Pointer) => walkValues(engine, object, visit);

  await look(document.getTrailer().pointer);
  for (let number = pending.pop(); number !== undefined && left > 0; number = pending.pop(), left--) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    const reference = values.reference(document, number);
    try {
      // The first access reads the object.
      values.isDictionary(reference);
      if (document.wasRepaired() !== repaired) {
        // A repair may renumber everything.
        if (dropDangling) await readUsed(engine, document, purpose);
        return;
      }
      const looked = look(reference);
      if (looked) await looked;
    } catch (error) {
      // An unreadable object references nothing.
      if (!engine.isFailure(error)) throw error;
    } finally {
      values.drop(reference);
    }
  }
  if (dropDangling) noteEmptyNames(document, hasEmptyName);
}

/**
 * Whether a document without encryption has an encryption dictionary (ISO 32000-2, 7.6.2) that its trailer no longer leads to: its strings and
 * streams would be read in their encrypted form. Reads all objects.
 */
export async function hasLostEncryption(engine: PdfEngine, document: PDFDocument): Promise<boolean> {
  let isLost = false;
  await eachObjectHaving({ engine, document }, { keys: ["U"] }, (object) => {
    isLost ||=
      !object.isStream() &&
      isNamed(object.get("Filter"), "Standard") &&
      object.get("V").isNumber() &&
      object.get("O").isString() &&
      object.get("U").isString();
  });
  return isLost;
}
