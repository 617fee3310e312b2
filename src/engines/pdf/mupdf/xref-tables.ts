/** The cross-reference tables of a document in MuPDF's heap. */
import type { PDFDocument } from "mupdf";
import { PDF_DOCUMENT, PDF_XREF, PDF_XREF_SUBSEC } from "./abi.ts";

interface Section {
  /** Address of its number of objects. */
  readonly at: number;
  readonly count: number;
  readonly tables: readonly Table[];
}

interface Table {
  /** The number of its first entry. */
  readonly first: number;
  readonly length: number;
  readonly entries: number;
}

/** Position of the header in the file, and of the newest cross-reference section after the header, in bytes. */
export function fileOffsets(memory: WebAssembly.Memory, document: PDFDocument): { header: number; startXref: number } {
  const words = new DataView(memory.buffer, document.pointer);
  return {
    header: words.getInt32(PDF_DOCUMENT.bias, true),
    startXref: Number(words.getBigInt64(PDF_DOCUMENT.startxref, true)),
  };
}

/** The sections of a document, newest first, and how many of them hold its unsaved changes: none or one. */
export function sectionsOf(
  memory: WebAssembly.Memory,
  document: PDFDocument,
): { sections: readonly Section[]; changed: number } {
  const words = new Uint32Array(memory.buffer);
  const word = (at: number): number => words[at >> 2] ?? 0;
  const start = word(document.pointer + PDF_DOCUMENT.xref_sections);
  const sections = Array.from({ length: word(document.pointer + PDF_DOCUMENT.num_xref_sections) }, (_, index) => {
    const section = start + index * PDF_XREF.SIZE;
    const at = section + PDF_XREF.num_objects;
    const count = word(at);
    const tables: Table[] = [];
    for (let table = word(section + PDF_XREF.subsec); table !== 0; table = word(table + PDF_XREF_SUBSEC.next)) {
      tables.push({
        length: word(table + PDF_XREF_SUBSEC.len),
        first: word(table + PDF_XREF_SUBSEC.start),
        entries: word(table + PDF_XREF_SUBSEC.table),
      });
    }
    return { at, count, tables };
  });
  if (Math.max(...sections.map(({ count }) => count)) !== document.countObjects()) {
    throw new Error("MuPDF's cross-reference tables lie elsewhere");
  }
  return { sections, changed: word(document.pointer + PDF_DOCUMENT.num_incremental_sections) };
}
