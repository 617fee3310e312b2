import type { PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";

/** Offset in `pdf_document` of the number of its cross-reference sections. */
const SECTION_COUNT = 184;
/**
 * Offset of the pointer to them, newest first; the first word of each is its number of objects. All offsets hold for the one
 * binary that wasm/prepare.ts accepts, and are checked on each call.
 */
const XREF_SECTIONS = 212;

/**
 * Makes room in a document's cross-reference table for `count` new objects. MuPDF grows its two tables by one entry per new
 * object, which moves them past one another and, with small objects in between, fragments the heap: 432 instead of 145 MiB for
 * copying 90,000 objects. This grows both at once, before anything lies in between, and then restores the count.
 */
export function reserveObjects(lib: LibMuPDF, memory: WebAssembly.Memory, document: PDFDocument, count: number): void {
  const before = document.countObjects();
  for (let made = 0; made < count; made++) lib._wasm_pdf_create_object(document.pointer);
  const words = new Uint32Array(memory.buffer);
  const section = (words[(document.pointer + XREF_SECTIONS) >> 2] ?? 0) >> 2;
  if (words[section] !== before + count) throw new Error("MuPDF's cross-reference table lies elsewhere");
  words[section] = before;
}

/** Size of a section in bytes, and the offset of the pointer to its first table. */
const SECTION_BYTES = 40;
const TABLES = 8;
/** Size of a table entry in bytes; its first byte is its type. */
const ENTRY_BYTES = 32;
const FREE = "f".charCodeAt(0);

/**
 * Marks unused object numbers of a document as free. MuPDF leaves numbers that the file does not list unmarked, raises an
 * internal error whenever it comes across one, which takes 10 µs, and does not write such a document at all. Real files have
 * 150,000 of them next to 1,000 objects.
 */
export function freeUnused(lib: LibMuPDF, memory: WebAssembly.Memory, document: PDFDocument): void {
  const count = document.countObjects();
  /** First the numbers that have a mark, then those that are in a table. */
  const marked = new Uint8Array(count);
  const listed = new Uint8Array(count);
  for (const tables of tablesOf(memory, document)) {
    for (const { first, length, entries } of tables) {
      listed.fill(1, first, first + length);
      for (let index = 0; index < length; index++) {
        if (lib.HEAPU8[entries + index * ENTRY_BYTES] !== 0) marked[first + index] = 1;
      }
    }
  }
  // Newer sections take precedence for a number, so the mark goes into the oldest one if possible.
  if (listed.includes(0)) reserveObjects(lib, memory, document, 1);
  const sections = tablesOf(memory, document);
  for (const { first, length, entries } of (listed.includes(0) ? sections[0] : sections.at(-1)) ?? []) {
    for (let index = 0; index < length; index++) {
      if (marked[first + index] === 0) lib.HEAPU8[entries + index * ENTRY_BYTES] = FREE;
    }
  }
}

interface Table {
  /** The number of its first entry. */
  readonly first: number;
  readonly length: number;
  readonly entries: number;
}

/** The tables of each section, newest first. */
function tablesOf(memory: WebAssembly.Memory, document: PDFDocument): Table[][] {
  const words = new Uint32Array(memory.buffer);
  const word = (at: number): number => words[at >> 2] ?? 0;
  const start = word(document.pointer + XREF_SECTIONS);
  const sections = Array.from(
    { length: word(document.pointer + SECTION_COUNT) },
    (_, index) => start + index * SECTION_BYTES,
  );
  if (Math.max(...sections.map(word)) !== document.countObjects()) {
    throw new Error("MuPDF's cross-reference tables lie elsewhere");
  }
  return sections.map((section) => {
    const tables: Table[] = [];
    for (let table = word(section + TABLES); table !== 0; table = word(table)) {
      tables.push({ length: word(table + 4), first: word(table + 8), entries: word(table + 12) });
    }
    return tables;
  });
}
