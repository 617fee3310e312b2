import type { PDFDocument, PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";

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

/**
 * The same without handles, which take longer than a look at an object.
 * @param visit gets a pointer to a reference to the object, valid only until it returns, or what it returns is resolved
 */
export async function eachPointer(
  { document, engine }: Document,
  visit: (reference: PDFObject["pointer"], number: number) => void | Promise<void>,
): Promise<void> {
  const { lib, work } = engine;
  const count = document.countObjects();
  const passed = empty.get(document) ?? new Uint8Array(count);
  empty.set(document, passed);
  for (let number = 1; number < count; number++) {
    if (passed[number] === 1) continue;
    work.spend(NUMBER_WORK);
    await work.pause();
    const reference = lib._wasm_pdf_new_indirect(document.pointer, number);
    try {
      if (lib._wasm_pdf_is_dict(reference) !== 0 || lib._wasm_pdf_is_array(reference) !== 0) {
        work.spend(OBJECT_WORK);
        const visited = visit(reference, number);
        if (visited) await visited;
      } else if (number < passed.length) passed[number] = 1;
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    } finally {
      lib._wasm_pdf_drop_obj(reference);
    }
  }
}
