/**
 * Reads and writes PDF objects through MuPDF: names as bytes, the entries of dictionaries, and the items of arrays. Visits are bounded.
 */
import type { PDFDocument, PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { tooManyEntries, treeTooLarge } from "../../limit-errors.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { latin1, bytesOf } from "../../../bytes/latin1.ts";

/** Maximum nesting of trees in a document. Anything deeper is ignored. */
export const MAX_DEPTH = 64;

/** Object number of a reference, or 0 for a direct object. */
export function objectNumber(object: PDFObject): number {
  return object.isIndirect() ? object.asIndirect() : 0;
}

/** Digits that identify every 32-bit float. */
const MOST_DIGITS = 9;

/**
 * The value of a number as a file writes it. MuPDF keeps numbers as 32-bit floats, so that 594.96 would be 594.9600219, and a result computed
 * with it would be another number once it is written.
 */
export function decimalOf(number: PDFObject): number {
  const value = number.asNumber();
  for (let digits = 6; digits < MOST_DIGITS; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return value;
}

/** The number of entries of a dictionary or stream dictionary; 0 for any other object. */
export const entryCount = (engine: PdfEngine, dictionary: PDFObject): number =>
  engine.values.entryCount(dictionary.pointer);

/**
 * Entries of a dictionary or stream dictionary, in order, with unresolved values. In one piece: for dictionaries that a document has many of, such as
 * fonts and annotations. Others are visited with `eachEntry`.
 */
export function entries(engine: PdfEngine, dictionary: PDFObject): { key: PDFObject; value: PDFObject }[] {
  const document = dictionary._doc;
  const pointer = dictionary.pointer;
  if (!dictionary.isDictionary()) return [];
  const count = counted(entryCount(engine, dictionary));
  const list: { key: PDFObject; value: PDFObject }[] = [];
  for (let index = 0; index < count; index++) {
    list.push({
      key: document._fromPDFObjectKeep(engine.values.keyAt(pointer, index)),
      value: document._fromPDFObjectKeep(engine.values.valueAt(pointer, index)),
    });
  }
  return list;
}

/** The bytes of a name, one character each: names are not always UTF-8 (ISO 32000-2, 7.3.5). */
export const nameOf = (engine: PdfEngine, name: PDFObject): string => engine.values.nameOf(name.pointer);

/** Whether an object is a name with this value. */
export function isNamed(object: PDFObject, name: string): boolean {
  return object.isName() && object.asName() === name;
}

/** The bytes of a string or name, one character each. Identifies the key of a name tree. */
export function bytesOfString(engine: PdfEngine, object: PDFObject): string | undefined {
  if (object.isString()) return latin1(object.asByteString());
  return object.isName() ? nameOf(engine, object) : undefined;
}

/** Creates a PDF string from bytes (one character each). */
export function byteString(document: PDFDocument, text: string): PDFObject {
  return document.newByteString(bytesOf(text));
}

/** The items of an array. Empty for any other object. In one piece: for arrays of a few numbers or names. Others are visited with `eachItem`. */
export function items(array: PDFObject): PDFObject[] {
  if (!array.isArray()) return [];
  const list: PDFObject[] = [];
  for (let index = 0, length = counted(array.length); index < length; index++) list.push(array.get(index));
  return list;
}

/** Entries after which `eachItem` and `eachEntry` may yield to other requests. */
const STRETCH = 64;

/** The items of an array, and nothing for any other object. Lets other requests run meanwhile. The array must not be changed until then. */
export async function* eachItem({ work }: PdfEngine, array: PDFObject): AsyncGenerator<PDFObject, void> {
  if (!array.isArray()) return;
  for (let index = 0, length = counted(array.length); index < length; index++) {
    if (index % STRETCH === 0) await work.pause();
    yield array.get(index);
  }
}

/** The same where the object may stand for itself, as a single content stream or kid does. */
export async function* eachOrOnly(engine: PdfEngine, object: PDFObject): AsyncGenerator<PDFObject, void> {
  if (object.isArray()) yield* eachItem(engine, object);
  else if (!object.isNull()) yield object;
}

/**
 * The entries of a dictionary or stream dictionary, as `entries` has them. Lets other requests run meanwhile; the dictionary must not be
 * changed until then.
 */
export async function* eachEntry(
  engine: PdfEngine,
  dictionary: PDFObject,
): AsyncGenerator<{ key: PDFObject; value: PDFObject }, void> {
  const { values, work } = engine;
  const document = dictionary._doc;
  const pointer = dictionary.pointer;
  if (!dictionary.isDictionary()) return;
  for (let index = 0, count = counted(entryCount(engine, dictionary)); index < count; index++) {
    if (index % STRETCH === 0) await work.pause();
    yield {
      key: document._fromPDFObjectKeep(values.keyAt(pointer, index)),
      value: document._fromPDFObjectKeep(values.valueAt(pointer, index)),
    };
  }
}

/**
 * The length of an array or dictionary whose values are about to be looked at. A handle on each takes about 200 bytes.
 * @throws Refusal `limit_exceeded`
 */
export function counted(length: number): number {
  if (length <= limits.arrayItems) return length;
  throw tooManyEntries(length);
}

/**
 * Returns a function to call for each entry of a tree.
 * @throws Refusal `limit_exceeded`
 */
export function entryCounter(tree: string): () => void {
  let count = 0;
  return () => {
    if (++count > limits.treeEntries) throw treeTooLarge(tree, count);
  };
}

/**
 * Finds unused names: `name`, `name_2`, `name_3`, and so on. Resumes where it stopped, which keeps thousands of duplicates
 * fast.
 */
export class FreeNames {
  readonly #next = new Map<string, number>();

  of(name: string, used: (name: string) => boolean): string {
    if (!used(name)) return name;
    let number = this.#next.get(name) ?? 2;
    while (used(`${name}_${number}`)) number++;
    this.#next.set(name, number + 1);
    return `${name}_${number}`;
  }
}
