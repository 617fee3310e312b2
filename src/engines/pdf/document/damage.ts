import type { PDFDocument, PDFObject } from "mupdf";
import type { InputBytes } from "../../bytes/heap.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { find } from "../../bytes/find.ts";

/** What leads to the cross-references, and how many last bytes it is looked for in, at least as many as MuPDF does. */
const START = "startxref";
const TAIL = 4096;

type Pointer = PDFObject["pointer"];

/**
 * Objects that are looked at of a document that is drawn: writing and copying need all of them in the heap sooner or later,
 * drawing does not, and 200,000 take some 60 MiB.
 */
const MOST_DRAWN = 200_000;

/** Fuel for an object that is looked at, beside what MuPDF spends on reading it. */
const OBJECT_WORK = 100;

/** Hides the cross-references of a file until it is disposed of: opened meanwhile, it is repaired. */
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

/**
 * Reads objects until MuPDF finds one damaged and repairs the whole document. Otherwise it does so when it first comes upon the
 * object. Where that is while it writes, what was changed is lost, and pages with it; where it is while it interprets a page,
 * it goes on with objects that are gone. Of a document that is to be written, all are read, since MuPDF reads also those that
 * nothing uses; of another, those that it uses. In a document that is to be copied, references to objects beyond the last are
 * taken out, too: they are null (ISO 32000-2, 7.3.10), and MuPDF refuses to copy them.
 */
export async function findDamage(
  engine: PdfEngine,
  document: PDFDocument,
  purpose: "written" | "drawn" | "copied",
): Promise<void> {
  if (purpose === "written") await readAll(engine, document);
  else await readUsed(engine, document, purpose);
}

async function readAll(engine: PdfEngine, document: PDFDocument): Promise<void> {
  const { lib } = engine;
  for (let number = 1, count = document.countObjects(); number < count && !document.wasRepaired(); number++) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    const reference = lib._wasm_pdf_new_indirect(document.pointer, number);
    try {
      // The first question reads the object.
      lib._wasm_pdf_is_dict(reference);
    } catch (error) {
      // One that cannot be read is written as null.
      if (!engine.isFailure(error)) throw error;
    } finally {
      lib._wasm_pdf_drop_obj(reference);
    }
  }
}

/** Objects are walked without handles: those of each while nothing else is read, which could move them. */
async function readUsed(engine: PdfEngine, document: PDFDocument, purpose: "drawn" | "copied"): Promise<void> {
  const mend = purpose === "copied";
  if (document.wasRepaired() && !mend) return;
  const { lib } = engine;
  const count = document.countObjects();
  const repaired = document.wasRepaired();
  const nothing = document.newNull();
  const reached = new Uint8Array(count);
  const pending: number[] = [];
  let left = purpose === "drawn" ? MOST_DRAWN : Infinity;

  /** Whether a value leads to nothing. */
  const visit = (value: Pointer): boolean => {
    if (lib._wasm_pdf_is_indirect(value) === 0) {
      look(value);
      return false;
    }
    const number = lib._wasm_pdf_to_num(value);
    if (number <= 0 || number >= count) return true;
    if (reached[number] === 0) pending.push(number);
    reached[number] = 1;
    return false;
  };
  const look = (object: Pointer): void => {
    if (lib._wasm_pdf_is_dict(object) !== 0) {
      for (let index = lib._wasm_pdf_dict_len(object) - 1; index >= 0; index--) {
        const dangles = visit(lib._wasm_pdf_dict_get_val(object, index));
        if (dangles && mend) lib._wasm_pdf_dict_del(object, lib._wasm_pdf_dict_get_key(object, index));
      }
    } else if (lib._wasm_pdf_is_array(object) !== 0) {
      for (let index = lib._wasm_pdf_array_len(object) - 1; index >= 0; index--) {
        const dangles = visit(lib._wasm_pdf_array_get(object, index));
        if (dangles && mend) lib._wasm_pdf_array_put(object, index, nothing.pointer);
      }
    }
  };

  look(document.getTrailer().pointer);
  for (let number = pending.pop(); number !== undefined && left > 0; number = pending.pop(), left--) {
    engine.work.spend(OBJECT_WORK);
    await engine.work.pause();
    const reference = lib._wasm_pdf_new_indirect(document.pointer, number);
    try {
      // The first question reads the object.
      lib._wasm_pdf_is_dict(reference);
      if (document.wasRepaired() !== repaired) {
        // Everything may have another number now.
        if (mend) await readUsed(engine, document, purpose);
        return;
      }
      look(reference);
    } catch (error) {
      // An object that cannot be read leads nowhere.
      if (!engine.isFailure(error)) throw error;
    } finally {
      lib._wasm_pdf_drop_obj(reference);
    }
  }
}
