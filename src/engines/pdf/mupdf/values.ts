/** Calls of MuPDF for values of a document without handles, which take longer than a look at a value. */
import type { PDFDocument, PDFObject } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { PDF_KIND, PDF_OBJ } from "./abi.ts";
import { latin1 } from "../../../bytes/latin1.ts";

export type Pointer = PDFObject["pointer"];

/** A lower value is not a pointer but a standard name or a constant of MuPDF, which has each of them once (`PDF_LIMIT` in mupdf/pdf/object.h). */
const FIRST_POINTER = 4096;

/** Whether a value is a name that MuPDF knows, or null, true, or false: the same pointer wherever it is. */
export const isConstant = (value: Pointer): boolean => (value as unknown as number) < FIRST_POINTER;

/** MuPDF's value for an absent entry. */
export const NONE = 0 as unknown as Pointer;

/**
 * Looks at values by their pointers, which are valid until the object that contains them changes. Methods that return a type, a length, or an entry
 * follow a reference, read its object, and throw MuPDF's error if that cannot be read.
 */
export class Values {
  readonly #lib: LibMuPDF;

  constructor(lib: LibMuPDF) {
    this.#lib = lib;
  }

  /** 0 for a constant. Read here, because documents have millions of values, and a call of MuPDF takes longer than its work. */
  #kindOf(value: Pointer): number {
    return isConstant(value) ? 0 : (this.#lib.HEAPU8[(value as unknown as number) + PDF_OBJ.kind] ?? 0);
  }

  /** A new reference to an object, to be dropped. */
  reference(document: PDFDocument, number: number): Pointer {
    return this.#lib._wasm_pdf_new_indirect(document.pointer, number);
  }

  drop(reference: Pointer): void {
    this.#lib._wasm_pdf_drop_obj(reference);
  }

  isReference(value: Pointer): boolean {
    return this.#kindOf(value) === PDF_KIND.reference;
  }

  /** The object number of a reference. */
  numberOf(reference: Pointer): number {
    return this.#lib._wasm_pdf_to_num(reference);
  }

  /** The target of a reference, `NONE` if that cannot be read; any other value itself. */
  resolved(value: Pointer): Pointer {
    return this.#lib._wasm_pdf_resolve_indirect(value);
  }

  /** True also for a stream. */
  isDictionary(value: Pointer): boolean {
    const kind = this.#kindOf(value);
    return kind === PDF_KIND.reference ? this.#lib._wasm_pdf_is_dict(value) !== 0 : kind === PDF_KIND.dictionary;
  }

  isArray(value: Pointer): boolean {
    const kind = this.#kindOf(value);
    return kind === PDF_KIND.reference ? this.#lib._wasm_pdf_is_array(value) !== 0 : kind === PDF_KIND.array;
  }

  isStream(value: Pointer): boolean {
    return this.#lib._wasm_pdf_is_stream(value) !== 0;
  }

  isName(value: Pointer): boolean {
    return this.#lib._wasm_pdf_is_name(value) !== 0;
  }

  isString(value: Pointer): boolean {
    return this.#lib._wasm_pdf_is_string(value) !== 0;
  }

  /** The bytes of a name, one character each: names are not always UTF-8 (ISO 32000-2, 7.3.5). */
  nameOf(name: Pointer): string {
    const heap = this.#lib.HEAPU8;
    let text = "";
    for (let at = this.#lib._wasm_pdf_to_name(name); heap[at] !== 0; at++) text += String.fromCharCode(heap[at] ?? 0);
    return text;
  }

  /** Whether a value is itself an empty name. MuPDF's own names are not. */
  isEmptyName(value: Pointer): boolean {
    return this.#kindOf(value) === PDF_KIND.name && this.#lib.HEAPU8[this.#lib._wasm_pdf_to_name(value)] === 0;
  }

  /** The number of items; 0 for any other value. */
  arrayLength(array: Pointer): number {
    return this.#lib._wasm_pdf_array_len(array);
  }

  item(array: Pointer, index: number): Pointer {
    return this.#lib._wasm_pdf_array_get(array, index);
  }

  putItem(array: Pointer, index: number, value: Pointer): void {
    this.#lib._wasm_pdf_array_put(array, index, value);
  }

  /** The number of entries of a dictionary or stream dictionary; 0 for any other value. */
  entryCount(dictionary: Pointer): number {
    return this.#lib._wasm_pdf_dict_len(dictionary);
  }

  keyAt(dictionary: Pointer, index: number): Pointer {
    return this.#lib._wasm_pdf_dict_get_key(dictionary, index);
  }

  valueAt(dictionary: Pointer, index: number): Pointer {
    return this.#lib._wasm_pdf_dict_get_val(dictionary, index);
  }

  /** The value of a key, `NONE` if there is none. */
  get(dictionary: Pointer, key: Pointer): Pointer {
    return this.#lib._wasm_pdf_dict_get(dictionary, key);
  }

  deleteAt(dictionary: Pointer, index: number): void {
    this.#lib._wasm_pdf_dict_del(dictionary, this.keyAt(dictionary, index));
  }

  /** The value in the syntax of a file (7.3), in as few bytes as possible and in ASCII. */
  serialized(value: Pointer): string {
    const start = this.#lib._wasm_pdf_sprint_obj(value, 1, 1);
    const heap = this.#lib.HEAPU8;
    const written = latin1(heap.subarray(start, heap.indexOf(0, start)));
    this.#lib._wasm_free(start);
    return written;
  }
}
