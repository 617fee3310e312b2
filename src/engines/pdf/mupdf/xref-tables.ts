/**
 * The cross-reference tables of a document in MuPDF's heap. All offsets hold for the one binary that wasm/prepare.ts accepts,
 * and are checked on each call.
 */
import type { PDFDocument } from "mupdf";

/** Offset in `pdf_document` of the number of its cross-reference sections, and of how many of them hold unsaved changes. */
const SECTION_COUNT = 184;
const CHANGED_COUNT = 192;
/** Offset of the pointer to them, newest first; the first word of each is its number of objects. */
const XREF_SECTIONS = 212;
/** Offset of the position of the header in the file, and of what the file says after `startxref`, in 64 bits. */
const HEADER_AT = 148;
const START_XREF = 152;

/** Size of a section in bytes, and the offset of the pointer to its first table. */
const SECTION_BYTES = 40;
const TABLES = 8;
/** Size of a table entry in bytes; its first byte is its type, and its second 16-bit word its generation. */
export const ENTRY_BYTES = 32;
export const GENERATION = 2;
/** Types of entries (ISO 32000-2, 7.5.4). An entry without a type says nothing about its object. */
export const FREE = "f".charCodeAt(0);
export const IN_USE = "n".charCodeAt(0);
/** In an object stream, whose number stands where otherwise the position is (7.5.8). */
export const IN_OBJECT_STREAM = "o".charCodeAt(0);

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
  return { header: words.getInt32(HEADER_AT, true), startXref: Number(words.getBigInt64(START_XREF, true)) };
}

/** The sections of a document, newest first, and how many of them hold its unsaved changes: none or one. */
export function sectionsOf(
  memory: WebAssembly.Memory,
  document: PDFDocument,
): { sections: readonly Section[]; changed: number } {
  const words = new Uint32Array(memory.buffer);
  const word = (at: number): number => words[at >> 2] ?? 0;
  const start = word(document.pointer + XREF_SECTIONS);
  const sections = Array.from({ length: word(document.pointer + SECTION_COUNT) }, (_, index) => {
    const at = start + index * SECTION_BYTES;
    const count = word(at);
    const tables: Table[] = [];
    for (let table = word(at + TABLES); table !== 0; table = word(table)) {
      tables.push({ length: word(table + 4), first: word(table + 8), entries: word(table + 12) });
    }
    return { at, count, tables };
  });
  if (Math.max(...sections.map(({ count }) => count)) !== document.countObjects()) {
    throw new Error("MuPDF's cross-reference tables lie elsewhere");
  }
  return { sections, changed: word(document.pointer + CHANGED_COUNT) };
}
