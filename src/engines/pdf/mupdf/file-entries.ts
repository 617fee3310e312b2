import type { PDFDocument } from "mupdf";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { sectionsOf } from "./xref-tables.ts";

/** What the cross-references of a file say of an object. */
export interface FileEntry {
  /** The object stream that contains the object. */
  readonly container?: number;
  /** Position in bytes from the header, or the index in the object stream. */
  readonly offset: number;
  readonly generation: number;
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
        const [number, entry] = [first + index, entries + index * PDF_XREF_ENTRY.SIZE];
        const type = heap.getUint8(entry);
        if (type === 0 || passed.has(number)) continue;
        passed.add(number);
        const offset = Number(heap.getBigInt64(entry + PDF_XREF_ENTRY.ofs, true));
        const generation = heap.getUint16(entry + PDF_XREF_ENTRY.gen, true);
        if (type === ENTRY_TYPE.inUse) found.set(number, { offset, generation });
        // An object in an object stream has its index in place of a generation (ISO 32000-2, table 18).
        if (type === ENTRY_TYPE.inStream) found.set(number, { container: offset, offset: generation, generation: 0 });
      }
    }
  }
  return found;
}
