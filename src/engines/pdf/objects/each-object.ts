import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { isConstant, NONE, type Pointer } from "../mupdf/values.ts";

/** Fuel per object number and per visited object, in addition to what MuPDF spends on reading it. */
const NUMBER_WORK = 20;
const OBJECT_WORK = 200;

/** Object numbers without a visitable object, by document. MuPDF does not reuse them. */
const empty = new WeakMap<PDFDocument, Uint8Array>();

interface Document {
  readonly document: PDFDocument;
  readonly engine: PdfEngine;
}

/**
 * Visits the dictionaries, streams, and arrays of a document that are indirect objects, in order of their numbers, and lets
 * other requests run meanwhile. Unused numbers cost little: real files have 150,000 of them next to 1,000 objects. Objects
 * that cannot be read are skipped.
 * @param visit gets a handle that is valid only until it returns
 */
export async function eachObject(
  { document, engine }: Document,
  visit: (object: PDFObject, number: number) => void,
): Promise<void> {
  await eachPointer({ document, engine }, (_, number) => {
    engine.scope(() => visit(document.newIndirect(number), number));
  });
}

/** Visits only selected objects: a look at a key costs a tenth of a visit. */
export async function eachObjectHaving(
  { document, engine }: Document,
  selection: Selection,
  visit: (object: PDFObject, number: number) => void,
): Promise<void> {
  await engine.scope(async () => {
    const isSelected = selectorOf({ document, engine }, selection);
    await eachPointer({ document, engine }, (reference, number) => {
      if (isSelected(reference)) engine.scope(() => visit(document.newIndirect(number), number));
    });
  });
}

interface Selection {
  /** Dictionaries and streams with any of these keys. */
  readonly keys: readonly string[];
  /** Also those of any of these types. */
  readonly types?: readonly string[];
}

/** The names live as long as the scope. */
function selectorOf(
  { document, engine: { values } }: Document,
  { keys, types = [] }: Selection,
): (reference: Pointer) => boolean {
  const pointersOf = (names: readonly string[]): Pointer[] => names.map((name) => document.newName(name).pointer);
  const anyOf = pointersOf(keys);
  const wanted = pointersOf(types);
  const typeKey = document.newName("Type").pointer;
  if (!wanted.every(isConstant)) throw new TypeError("Types must be standard names.");
  return (reference) => {
    if (anyOf.some((key) => values.get(reference, key) !== NONE)) return true;
    if (wanted.length === 0) return false;
    const type = values.get(reference, typeKey);
    return type !== NONE && wanted.includes(values.resolved(type));
  };
}

/**
 * The same without handles, which take longer than a look at an object.
 * @param visit gets a pointer to a reference to the object, valid only until it returns, or until its promise is resolved
 */
export async function eachPointer(
  { document, engine }: Document,
  visit: (reference: PDFObject["pointer"], number: number) => void | Promise<void>,
): Promise<void> {
  const { values, work } = engine;
  const count = document.countObjects();
  const passed = empty.get(document) ?? new Uint8Array(count);
  empty.set(document, passed);
  for (let number = 1; number < count; number++) {
    if (passed[number] === 1) continue;
    work.spend(NUMBER_WORK);
    await work.pause();
    const reference = values.reference(document, number);
    try {
      if (values.isDictionary(reference) || values.isArray(reference)) {
        work.spend(OBJECT_WORK);
        const visited = visit(reference, number);
        if (visited) await visited;
      } else if (number < passed.length) passed[number] = 1;
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    } finally {
      values.drop(reference);
    }
  }
}
