/**
 * Reads each offset of abi.ts back, from documents with known contents: another MuPDF must not read or write in wrong places. Once in an isolate, it
 * takes 11 ms of CPU, and 40 ms more where its calls have to be compiled first (`process.cpuUsage()` around it in Node).
 */
import type * as MuPDF from "mupdf";
import type { Document, PDFDocument } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import {
  BLOCKS,
  CHAR_FLAG,
  ENTRY_TYPE,
  FZ_BUFFER,
  FZ_COLORSPACE,
  FZ_FONT,
  FZ_IMAGE,
  FZ_STEXT_BLOCK,
  FZ_STEXT_CHAR,
  FZ_STEXT_STRUCT,
  PDF_CRYPT,
  PDF_DOCUMENT,
  PDF_KIND,
  PDF_OBJ,
  PDF_REV_PAGE_MAP,
  PDF_XREF,
  PDF_XREF_ENTRY,
  PDF_XREF_SUBSEC,
  SBRK_END,
} from "./abi.ts";

/** Before the header, so that `bias` is not 0. */
const JUNK = "%junk\n";
/** The object with another generation, and that generation. */
const [AGAIN, GENERATION] = [12, 2];
const PAGES = [3, 13];
const [CONTENTS, INDEXED_IMAGE, GRAY_IMAGE] = [4, 10, 11];
const CONTENT =
  "/Slot<</MCID 0>>BDC BT/F 20 Tf 10 150 Td(ab)Tj 0 -50 Td(ab)Tj ET EMC/Slot<</MCID 1>>BDC BT/F 20 Tf 10 50 Td(cd)Tj ET EMC";

/** Objects by their numbers, from 1. The first page has two elements of structure, with two lines of text and one. */
const OBJECTS = [
  "<</Type/Catalog/Pages 2 0 R/StructTreeRoot 6 0 R>>",
  "<</Type/Pages/Kids[3 0 R 13 0 R]/Count 2>>",
  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/StructParents 0>>",
  `<</Length ${CONTENT.length}>>stream\n${CONTENT}\nendstream`,
  "<</Type/Font/Subtype/Type3/FontMatrix[.001 0 0 .001 0 0]/FontBBox[0 0 500 500]/FirstChar 97/LastChar 100/Widths[500 500 500 500]/CharProcs<<>>/Encoding<</Differences[97/a/b/c/d]>>>>",
  "<</Type/StructTreeRoot/K[7 0 R 8 0 R]/ParentTree 9 0 R/RoleMap<</Slot/Span>>>>",
  "<</Type/StructElem/S/Slot/P 6 0 R/Pg 3 0 R/K 0>>",
  "<</Type/StructElem/S/Slot/P 6 0 R/Pg 3 0 R/K 1>>",
  "<</Nums[0[7 0 R 8 0 R]]>>",
  "<</Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace[/Indexed/DeviceGray 1<00FF>]/Mask[0 0]/Length 1>>stream\n0\nendstream",
  "<</Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray/Decode[1 0]/Length 1>>stream\n0\nendstream",
  "<<>>",
  "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 14 0 R/Resources<</Font<</F 15 0 R>>>>>>",
  "<</Length 29>>stream\nBT/F 20 Tf 10 150 Td(a)Tj ET \nendstream",
  "<</Type/Font/Subtype/Type1/BaseFont/Unknown/FontDescriptor<</Type/FontDescriptor/FontName/Unknown/Flags 32>>>>",
];

/** The file key of `encryptedObjects` (ISO 32000-2, Algorithm 2) for the password "". */
const KEY = "cd0706474ebc6db571ee2025522c61dc";
/** The number of a filter for AES-128 in MuPDF. */
const AES_128 = 2;

/** A document of which only the streams, or only the strings, are encrypted. */
const encryptedObjects = (what: "StmF" | "StrF"): string[] => [
  "<</Type/Catalog/Pages 2 0 R>>",
  "<</Type/Pages/Kids[]/Count 0>>",
  `<</Filter/Standard/V 4/R 4/Length 128/P -4/O<${"4f".repeat(32)}>/U<34a0a00a06a3f13d1b5049e42cfc54f9${"00".repeat(16)}>\
/CF<</StdCF<</CFM/AESV2/Length 16>>>>/${what}/StdCF>>`,
];

interface KnownFile {
  readonly bytes: Uint8Array;
  /** From the header. */
  readonly offsets: readonly number[];
  readonly startxref: number;
}

function fileOf(objects: readonly string[], trailer: string): KnownFile {
  let text = "%PDF-1.7\n";
  const offsets: number[] = [];
  const generationOf = (number: number): number => (number === AGAIN ? GENERATION : 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} ${generationOf(index + 1)} obj${object}\nendobj\n`;
  }
  const startxref = text.length;
  const lines = offsets.map((offset, index) => {
    return `${String(offset).padStart(10, "0")} ${String(generationOf(index + 1)).padStart(5, "0")} n \n`;
  });
  const size = objects.length + 1;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${lines.join("")}trailer<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${startxref}\n%%EOF`;
  return { bytes: new TextEncoder().encode(JUNK + text), offsets, startxref };
}

/**
 * Checks abi.ts with a new instance, which has to be reset afterwards.
 * @throws Error that names the first field with another offset
 */
export function checkAbi({ lib, mupdf }: { readonly lib: LibMuPDF; readonly mupdf: typeof MuPDF.default }): void {
  checkHeapEnd(lib);
  const file = fileOf(OBJECTS, "");
  const document = pdfOf(mupdf.Document.openDocument(file.bytes, "application/pdf"));
  checkFile(lib, document, file);
  checkImages(lib, document);
  checkText(lib, document);
  checkFonts(lib, mupdf, document);
  checkColors(lib, mupdf);
  checkPageMap(lib, document);
  const id = `<${"49".repeat(16)}>`;
  for (const what of ["StmF", "StrF"] as const) {
    const encrypted = fileOf(encryptedObjects(what), `/Encrypt 3 0 R/ID[${id}${id}]`);
    checkCrypt(lib, pdfOf(mupdf.Document.openDocument(encrypted.bytes, "application/pdf")), what);
  }
}

function pdfOf(document: Document): PDFDocument {
  const pdf = document.asPDF();
  if (!pdf) throw new Error("MuPDF does not read a PDF");
  return pdf;
}

function expect(field: string, actual: number, expected: number): void {
  if (actual === expected) return;
  throw new Error(
    `MuPDF keeps ${field} elsewhere than src/engines/pdf/mupdf/abi.ts says: found ${actual}, expected ${expected}.`,
  );
}

const view = (lib: LibMuPDF): DataView => new DataView(lib.HEAPU8.buffer);
/** -1 outside of the memory: an address was read from a wrong place. */
const word = (lib: LibMuPDF, at: number): number =>
  at + 4 <= view(lib).byteLength ? view(lib).getUint32(at, true) : -1;
const long = (lib: LibMuPDF, at: number): number => Number(view(lib).getBigInt64(at, true));

function checkHeapEnd(lib: LibMuPDF): void {
  const size = 2 ** 20;
  const before = lib.HEAPU32.slice();
  const pointer = lib._wasm_malloc(size);
  lib._wasm_free(pointer);
  const after = lib.HEAPU32;
  const isEnd = (end = 0, index: number): boolean => {
    const grown = end - (before[index] ?? 0);
    return end % 8 === 0 && end >= pointer + size && grown > 0 && grown < 2 * size;
  };
  if (isEnd(after[SBRK_END / 4], SBRK_END / 4)) return;
  expect("the end of the heap (SBRK_END)", after.findIndex(isEnd) * 4, SBRK_END);
}

function checkFile(lib: LibMuPDF, document: PDFDocument, { offsets, startxref }: KnownFile): void {
  const at = document.pointer;
  const size = OBJECTS.length + 1;
  expect("pdf_document.bias", view(lib).getInt32(at + PDF_DOCUMENT.bias, true), JUNK.length);
  expect("pdf_document.startxref", long(lib, at + PDF_DOCUMENT.startxref), startxref);
  expect("pdf_document.crypt", word(lib, at + PDF_DOCUMENT.crypt), 0);
  expect("pdf_document.num_xref_sections", word(lib, at + PDF_DOCUMENT.num_xref_sections), 1);
  expect("pdf_document.num_incremental_sections", word(lib, at + PDF_DOCUMENT.num_incremental_sections), 0);
  const section = word(lib, at + PDF_DOCUMENT.xref_sections);
  expect("pdf_xref.num_objects", word(lib, section + PDF_XREF.num_objects), size);
  const table = word(lib, section + PDF_XREF.subsec);
  expect("pdf_xref_subsec.next", word(lib, table + PDF_XREF_SUBSEC.next), 0);
  expect("pdf_xref_subsec.len", word(lib, table + PDF_XREF_SUBSEC.len), size);
  expect("pdf_xref_subsec.start", word(lib, table + PDF_XREF_SUBSEC.start), 0);
  const entries = word(lib, table + PDF_XREF_SUBSEC.table);
  checkEntries(lib, document, entries, offsets);

  const root = document.getTrailer().get("Root");
  const kinds = [
    [PDF_KIND.reference, root],
    [PDF_KIND.dictionary, root.resolve()],
    [PDF_KIND.array, root.get("Pages", "Kids")],
    [PDF_KIND.name, document.newName("Unknown to MuPDF")],
  ] as const;
  for (const [kind, { pointer }] of kinds) expect("pdf_obj.kind", view(lib).getUint8(pointer + PDF_OBJ.kind), kind);

  // A change adds a section before the others.
  const added = document.addObject(document.newDictionary());
  expect("pdf_document.num_incremental_sections", word(lib, at + PDF_DOCUMENT.num_incremental_sections), 1);
  expect("pdf_document.num_xref_sections", word(lib, at + PDF_DOCUMENT.num_xref_sections), 2);
  const sections = word(lib, at + PDF_DOCUMENT.xref_sections);
  expect("pdf_xref.num_objects", word(lib, sections + PDF_XREF.num_objects), added.asIndirect() + 1);
  expect("pdf_xref.SIZE", word(lib, sections + PDF_XREF.SIZE + PDF_XREF.num_objects), size);
  expect("pdf_xref.subsec", word(lib, sections + PDF_XREF.SIZE + PDF_XREF.subsec), table);
}

function checkEntries(lib: LibMuPDF, document: PDFDocument, entries: number, offsets: readonly number[]): void {
  const entryOf = (number: number): number => entries + number * PDF_XREF_ENTRY.SIZE;
  const heap = view(lib);
  expect("pdf_xref_entry.type", heap.getUint8(entryOf(0) + PDF_XREF_ENTRY.type), ENTRY_TYPE.free);
  for (const [index, offset] of offsets.entries()) {
    const entry = entryOf(index + 1);
    expect("pdf_xref_entry.type", heap.getUint8(entry + PDF_XREF_ENTRY.type), ENTRY_TYPE.inUse);
    expect("pdf_xref_entry.ofs", long(lib, entry + PDF_XREF_ENTRY.ofs), offset);
  }
  expect("pdf_xref_entry.gen", heap.getUint16(entryOf(AGAIN) + PDF_XREF_ENTRY.gen, true), GENERATION);
  const entry = entryOf(CONTENTS);
  expect("pdf_xref_entry.obj", word(lib, entry + PDF_XREF_ENTRY.obj), 0);
  const contents = document.newIndirect(CONTENTS);
  const resolved = lib._wasm_pdf_resolve_indirect(contents.pointer) as unknown as number;
  expect("pdf_xref_entry.obj", word(lib, entry + PDF_XREF_ENTRY.obj), resolved);
  const data =
    JUNK.length + (offsets[CONTENTS - 1] ?? 0) + `${CONTENTS} 0 obj${OBJECTS[CONTENTS - 1] ?? ""}`.indexOf(CONTENT);
  expect("pdf_xref_entry.stm_ofs", long(lib, entry + PDF_XREF_ENTRY.stm_ofs), data);
  expect("pdf_xref_entry.stm_buf", word(lib, entry + PDF_XREF_ENTRY.stm_buf), 0);
}

function checkImages(lib: LibMuPDF, document: PDFDocument): void {
  for (const number of [INDEXED_IMAGE, GRAY_IMAGE]) {
    const isIndexed = number === INDEXED_IMAGE;
    const image = document.loadImage(document.newIndirect(number));
    const at = image.pointer as unknown as number;
    const hasColorKey = (view(lib).getUint8(at + FZ_IMAGE.flags) & FZ_IMAGE.USE_COLORKEY) !== 0;
    expect("fz_image.flags", Number(hasColorKey), Number(isIndexed));
    const space = image.getColorSpace();
    expect("fz_image.colorspace", word(lib, at + FZ_IMAGE.colorspace), space?.pointer as unknown as number);
    const type = word(lib, word(lib, at + FZ_IMAGE.colorspace) + FZ_COLORSPACE.type);
    expect("fz_colorspace.type", Number(type === FZ_COLORSPACE.INDEXED), Number(isIndexed));
  }
}

function checkText(lib: LibMuPDF, document: PDFDocument): void {
  const text = document.loadPage(0).toStructuredText("structured,clip=no");
  let [elements, lines] = [0, 0];
  const checkBlocks = (first: number, element: number | undefined): void => {
    for (let block = first; block !== 0; block = lib._wasm_stext_block_get_next(block)) {
      expect("fz_stext_block.bbox", lib._wasm_stext_block_get_bbox(block), block + FZ_STEXT_BLOCK.bbox);
      if (lib._wasm_stext_block_get_type(block) !== BLOCKS.structure) {
        if (element === undefined) continue;
        checkCharacters(lib, lib._wasm_stext_block_get_first_line(block), element);
        lines++;
        continue;
      }
      const down = word(lib, block + FZ_STEXT_BLOCK.down);
      expect("fz_stext_struct.up", word(lib, down + FZ_STEXT_STRUCT.up), block);
      const raw = down + FZ_STEXT_STRUCT.raw;
      const isOwn = "Slot\0".split("").every((letter, index) => lib.HEAPU8[raw + index] === letter.charCodeAt(0));
      if (isOwn) expect("fz_stext_block.index", word(lib, block + FZ_STEXT_BLOCK.index), elements++);
      checkBlocks(word(lib, down + FZ_STEXT_STRUCT.first_block), isOwn ? elements - 1 : element);
    }
  };
  checkBlocks(lib._wasm_stext_page_get_first_block(text.pointer), undefined);
  expect("fz_stext_struct.raw", elements, 2);
  expect("fz_stext_struct.first_block", lines, 3);
}

/** `element`: the number of the line. */
function checkCharacters(lib: LibMuPDF, line: number, element: number): void {
  const first = lib._wasm_stext_line_get_first_char(line);
  const heap = view(lib);
  for (const [at, code] of [
    [first, "ac".charCodeAt(element)],
    [lib._wasm_stext_char_get_next(first), "bd".charCodeAt(element)],
  ] as const) {
    expect("fz_stext_char.c", word(lib, at + FZ_STEXT_CHAR.c), code);
    const flags = heap.getUint16(at + FZ_STEXT_CHAR.flags, true);
    const { filled, stroked, fakeBold } = CHAR_FLAG;
    expect("fz_stext_char.flags", flags & (filled | stroked | fakeBold), filled);
    expect("fz_stext_char.origin", lib._wasm_stext_char_get_origin(at), at + FZ_STEXT_CHAR.origin);
    expect("fz_stext_char.quad", lib._wasm_stext_char_get_quad(at), at + FZ_STEXT_CHAR.quad);
    expect("fz_stext_char.size", heap.getFloat32(at + FZ_STEXT_CHAR.size, true), lib._wasm_stext_char_get_size(at));
    expect("fz_stext_char.font", word(lib, at + FZ_STEXT_CHAR.font), lib._wasm_stext_char_get_font(at));
    expect("fz_stext_char.next", word(lib, at + FZ_STEXT_CHAR.next), lib._wasm_stext_char_get_next(at));
  }
}

/** Two of the fonts that MuPDF contains: the beginning of the Compact Font Format, and the first bit of a substitute's flags. */
function checkFonts(lib: LibMuPDF, { Font }: typeof MuPDF.default, document: PDFDocument): void {
  const font = new Font("Helvetica");
  const at = font.pointer as unknown as number;
  const buffer = word(lib, at + FZ_FONT.buffer);
  expect("fz_buffer.data", word(lib, word(lib, buffer + FZ_BUFFER.data)) & 0xffffff, 0x040001);
  expect("fz_buffer.len", Number(word(lib, buffer + FZ_BUFFER.len) > 10_000), 1);
  expect("fz_font.flags", word(lib, at + FZ_FONT.flags) & FZ_FONT.FT_SUBSTITUTE, 0);
  const text = document.loadPage(1).toStructuredText("");
  const block = lib._wasm_stext_page_get_first_block(text.pointer);
  const character = lib._wasm_stext_line_get_first_char(lib._wasm_stext_block_get_first_line(block));
  const substitute = word(lib, character + FZ_STEXT_CHAR.font);
  expect("fz_font.flags", word(lib, substitute + FZ_FONT.flags) & FZ_FONT.FT_SUBSTITUTE, FZ_FONT.FT_SUBSTITUTE);
}

/** `acsp`, by which ICC profiles are known, as a word. */
const PROFILE = 0x70736361;

function checkColors(lib: LibMuPDF, { ColorSpace }: typeof MuPDF.default): void {
  const buffer = word(lib, (ColorSpace.DeviceCMYK.pointer as unknown as number) + FZ_COLORSPACE.icc_buffer);
  expect("fz_colorspace.icc_buffer", word(lib, word(lib, buffer + FZ_BUFFER.data) + 36), PROFILE);
}

function checkPageMap(lib: LibMuPDF, document: PDFDocument): void {
  const at = document.pointer;
  document.findPage(0);
  expect("pdf_document.map_page_count", word(lib, at + PDF_DOCUMENT.map_page_count), PAGES.length);
  const forward = word(lib, at + PDF_DOCUMENT.fwd_page_map);
  const reverse = word(lib, at + PDF_DOCUMENT.rev_page_map);
  for (const [page, object] of PAGES.entries()) {
    expect("pdf_document.fwd_page_map", lib._wasm_pdf_to_num(word(lib, forward + page * 4) as never), object);
    const entry = reverse + page * PDF_REV_PAGE_MAP.SIZE;
    expect("pdf_rev_page_map.page", word(lib, entry + PDF_REV_PAGE_MAP.page), page);
    expect("pdf_rev_page_map.object", word(lib, entry + PDF_REV_PAGE_MAP.object), object);
  }
}

function checkCrypt(lib: LibMuPDF, document: PDFDocument, what: "StmF" | "StrF"): void {
  const crypt = word(lib, document.pointer + PDF_DOCUMENT.crypt);
  expect("pdf_crypt.length", word(lib, crypt + PDF_CRYPT.length), KEY.length * 4);
  expect("pdf_crypt.stmf", word(lib, crypt + PDF_CRYPT.stmf), what === "StmF" ? AES_128 : 0);
  expect("pdf_crypt.strf", word(lib, crypt + PDF_CRYPT.strf), what === "StrF" ? AES_128 : 0);
  const key = Array.from({ length: KEY.length / 2 }, (_, index) => lib.HEAPU8[crypt + PDF_CRYPT.key + index] ?? 0);
  const isKey = key.map((byte) => byte.toString(16).padStart(2, "0")).join("") === KEY;
  expect("pdf_crypt.key", Number(isKey), 1);
}
