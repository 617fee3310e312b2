import type { PDFDocument } from "mupdf";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { fileOffsets, sectionsOf } from "./xref-tables.ts";

/** Where an object lies in the file. */
export interface Place {
  /** Position of the object, or of the object stream that contains it; undefined if MuPDF has read it. */
  readonly object: number | undefined;
  /** Position of the data of a stream, once its dictionary has been read, and unless MuPDF holds other data for it. */
  readonly data: number | undefined;
}

/** Where objects of a document lie in its file, by their numbers; without those that are not in it. Loads no object. */
export function placesOf(
  memory: WebAssembly.Memory,
  document: PDFDocument,
  numbers: readonly number[],
): Map<number, Place> {
  const heap = new DataView(memory.buffer);
  const { sections, changed } = sectionsOf(memory, document);
  const { header } = fileOffsets(memory, document);
  const tables = sections.slice(changed).flatMap((section) => section.tables);
  /** The address of an object's newest entry. */
  const entryOf = (number: number): number | undefined => {
    for (const { first, length, entries } of tables) {
      const at = entries + (number - first) * PDF_XREF_ENTRY.SIZE;
      if (number >= first && number < first + length && heap.getUint8(at) !== 0) return at;
    }
    return undefined;
  };
  const positionIn = (entry: number, offset: number): number => Number(heap.getBigInt64(entry + offset, true));
  const places = new Map<number, Place>();
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
