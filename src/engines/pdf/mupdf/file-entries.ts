import type { PDFDocument } from "mupdf";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { sectionsOf } from "./xref-tables.ts";

/** The entry of an object in the cross-references of a file. */
export interface FileEntry {
  /** The object stream that contains the object. */
  readonly container?: number;
  /** Position in bytes from the header, or the index in the object stream. */
  readonly offset: number;
  readonly generation: number;
}

/** The entry at an address; undefined if it is free. */
function entryAt(heap: DataView, at: number): FileEntry | undefined {
  const type = heap.getUint8(at);
  const offset = Number(heap.getBigInt64(at + PDF_XREF_ENTRY.ofs, true));
  const generation = heap.getUint16(at + PDF_XREF_ENTRY.gen, true);
  if (type === ENTRY_TYPE.inUse) return { offset, generation };
  // An object in an object stream has its index in place of a generation (ISO 32000-2, table 18).
  return type === ENTRY_TYPE.inStream ? { container: offset, offset: generation, generation: 0 } : undefined;
}

/** The newest entry of each object in the file of a document, by its number; without free ones and those of unsaved changes. */
export function fileEntriesOf(memory: WebAssembly.Memory, document: PDFDocument): Map<number, FileEntry> {
  const heap = new DataView(memory.buffer);
  const { sections, changed } = sectionsOf(memory, document);
  const found = new Map<number, FileEntry>();
  const passed = new Set<number>();
  for (const { tables } of sections.slice(changed)) {
    for (const { first, length, entries } of tables) {
      for (let index = 0; index < length; index++) {
        const [number, at] = [first + index, entries + index * PDF_XREF_ENTRY.SIZE];
        // An entry without a type has no information.
        if (heap.getUint8(at) === 0 || passed.has(number)) continue;
        passed.add(number);
        const entry = entryAt(heap, at);
        if (entry) found.set(number, entry);
      }
    }
  }
  return found;
}

/** The newest entry of one object. */
export function fileEntryOf(memory: WebAssembly.Memory, document: PDFDocument, number: number): FileEntry | undefined {
  const heap = new DataView(memory.buffer);
  const { sections, changed } = sectionsOf(memory, document);
  for (const { tables } of sections.slice(changed)) {
    for (const { first, length, entries } of tables) {
      const at = entries + (number - first) * PDF_XREF_ENTRY.SIZE;
      if (number >= first && number < first + length && heap.getUint8(at) !== 0) return entryAt(heap, at);
    }
  }
  return undefined;
}
