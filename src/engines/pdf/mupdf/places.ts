import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { fileOffsets, sectionsOf } from "./xref-tables.ts";

/** The place of an object in the file. */
export interface ObjectPlace {
  /** Position of the object, or of the object stream that contains it; undefined if MuPDF has read it. */
  readonly object: number | undefined;
  /** Position of the data of a stream, once its dictionary has been read, and unless MuPDF holds other data for it. */
  readonly data: number | undefined;
}

/** Finds the address of an object's newest entry. `all`: including the entries of unsaved changes. */
function entriesOf(
  memory: WebAssembly.Memory,
  document: PDFDocument,
  { all }: { readonly all: boolean },
): (number: number) => number | undefined {
  const heap = new DataView(memory.buffer);
  const { sections, changed } = sectionsOf(memory, document);
  const tables = sections.slice(all ? 0 : changed).flatMap((section) => section.tables);
  return (number) => {
    for (const { first, length, entries } of tables) {
      const at = entries + (number - first) * PDF_XREF_ENTRY.SIZE;
      if (number >= first && number < first + length && heap.getUint8(at) !== 0) return at;
    }
    return undefined;
  };
}

/** Where objects of a document lie in its file, by their numbers; without those that are not in it. Loads no object. */
export function placesOf(
  memory: WebAssembly.Memory,
  document: PDFDocument,
  numbers: readonly number[],
): Map<number, ObjectPlace> {
  const heap = new DataView(memory.buffer);
  const { header } = fileOffsets(memory, document);
  const entryOf = entriesOf(memory, document, { all: false });
  const positionIn = (entry: number, offset: number): number => Number(heap.getBigInt64(entry + offset, true));
  const places = new Map<number, ObjectPlace>();
  for (const number of numbers) {
    const own = entryOf(number);
    if (own === undefined) continue;
    const isInStream = heap.getUint8(own) === ENTRY_TYPE.inStream;
    const entry = isInStream ? entryOf(positionIn(own, PDF_XREF_ENTRY.ofs)) : own;
    if (entry === undefined || heap.getUint8(entry) !== ENTRY_TYPE.inUse) continue;
    const isRead = heap.getUint32(own + PDF_XREF_ENTRY.obj, true) !== 0;
    const isElsewhere = isInStream || heap.getUint32(own + PDF_XREF_ENTRY.stm_buf, true) !== 0;
    const data = isElsewhere ? 0 : positionIn(own, PDF_XREF_ENTRY.stm_ofs);
    places.set(number, {
      object: isRead ? undefined : header + positionIn(entry, PDF_XREF_ENTRY.ofs),
      data: data > 0 ? data : undefined,
    });
  }
  return places;
}

/** Bytes in the heap. */
interface HeapRange {
  readonly pointer: number;
  readonly length: number;
}

/**
 * Makes bytes in the heap the data of streams, by their numbers: MuPDF shares them with every copy of a stream, instead of reading them from the file
 * for each. Leaves changed streams alone. The bytes must not move as long as the document or a copy is used.
 */
export function shareData(
  lib: LibMuPDF,
  memory: WebAssembly.Memory,
  document: PDFDocument,
  streams: ReadonlyMap<number, HeapRange>,
): void {
  const [newest, ofFile] = [true, false].map((all) => entriesOf(memory, document, { all }));
  const entries = [...streams].map(([number, range]) => ({ ...range, own: newest?.(number), known: ofFile?.(number) }));
  for (const { own, known, pointer, length } of entries) {
    if (own === undefined || own !== known || lib.HEAPU32[(own + PDF_XREF_ENTRY.stm_buf) >> 2] !== 0) continue;
    const buffer = lib._wasm_new_buffer_from_data(pointer, length);
    // A reference that is never dropped: MuPDF must not free the bytes.
    lib._wasm_keep_buffer(buffer);
    lib.HEAPU32[(own + PDF_XREF_ENTRY.stm_buf) >> 2] = buffer;
  }
}

/** Of each of some object streams, by their numbers, an object in it that is not loaded yet: loading it loads all of them. */
export function firstIn(memory: WebAssembly.Memory, document: PDFDocument, streams: ReadonlySet<number>): number[] {
  const heap = new DataView(memory.buffer);
  const found = new Map<number, number>();
  for (const { tables } of sectionsOf(memory, document).sections) {
    for (const { first, length, entries } of tables) {
      for (let index = 0; index < length && found.size < streams.size; index++) {
        const entry = entries + index * PDF_XREF_ENTRY.SIZE;
        if (heap.getUint8(entry) !== ENTRY_TYPE.inStream || heap.getUint32(entry + PDF_XREF_ENTRY.obj, true) !== 0)
          continue;
        const stream = Number(heap.getBigInt64(entry + PDF_XREF_ENTRY.ofs, true));
        if (streams.has(stream) && !found.has(stream)) found.set(stream, first + index);
      }
    }
  }
  return [...found.values()];
}
