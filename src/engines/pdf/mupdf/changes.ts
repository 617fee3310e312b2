import type { PDFDocument } from "mupdf";
import { ENTRY_TYPE, PDF_XREF_ENTRY } from "./abi.ts";
import { fileOffsets, sectionsOf } from "./xref-tables.ts";

/** The changes in a document since it was opened, and the offset at which its file can be continued. */
export interface Changes {
  /** Position of the header in the file. Offsets in the file count from there. */
  readonly header: number;
  /** Offset of the newest cross-reference section of the file. */
  readonly startXref: number;
  /** One more than the highest object number in the file. */
  readonly size: number;
  /** New, changed, and deleted objects in order of their numbers. A deleted one has the generation of its next use. */
  readonly objects: readonly { readonly number: number; readonly generation: number; readonly deleted: boolean }[];
  /** The generation of each object of the file whose generation is not 0. */
  readonly generations: ReadonlyMap<number, number>;
}

const MOST_GENERATIONS = 65_535;

/** Reads the changes from the section that MuPDF adds to a document's cross-references for them. Loads no object. */
export function changesOf(memory: WebAssembly.Memory, document: PDFDocument): Changes {
  const { sections, changed } = sectionsOf(memory, document);
  const heap = new DataView(memory.buffer);
  const [newest] = sections.slice(0, changed);
  const ofFile = sections.slice(changed);
  const generations = new Map<number, number>();
  const size = Math.max(0, ...ofFile.map(({ count }) => count));
  /** The type of each object in the file. */
  const types = new Uint8Array(size);
  for (const { tables } of ofFile) {
    for (const { first, length, entries } of tables) {
      for (let index = 0; index < length; index++) {
        const [number, entry] = [first + index, entries + index * PDF_XREF_ENTRY.SIZE];
        const type = heap.getUint8(entry);
        if (type === 0 || types[number] !== 0) continue;
        types[number] = type;
        const generation = type === ENTRY_TYPE.inUse ? heap.getUint16(entry + PDF_XREF_ENTRY.gen, true) : 0;
        if (generation > 0) generations.set(number, generation);
      }
    }
  }
  const isInFile = (number: number): boolean => (types[number] || ENTRY_TYPE.free) !== ENTRY_TYPE.free;
  const objects: { number: number; generation: number; deleted: boolean }[] = [];
  for (const { first, length, entries } of newest?.tables ?? []) {
    // The table may have more entries than the section: room for new objects.
    for (let index = 0; index < length && first + index < (newest?.count ?? 0); index++) {
      const [number, type] = [first + index, heap.getUint8(entries + index * PDF_XREF_ENTRY.SIZE)];
      if (number === 0 || (type !== ENTRY_TYPE.inUse && !(type === ENTRY_TYPE.free && isInFile(number)))) continue;
      const generation = generations.get(number) ?? 0;
      const deleted = type === ENTRY_TYPE.free;
      objects.push({ number, deleted, generation: deleted ? Math.min(generation + 1, MOST_GENERATIONS) : generation });
    }
  }
  return { ...fileOffsets(memory, document), size, objects, generations };
}
