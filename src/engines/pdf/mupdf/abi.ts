/**
 * Offsets in MuPDF's structs for data that its functions do not return, in the one binary that wasm/prepare.ts accepts (MuPDF 1.28, wasm32). Structs
 * and fields have the names of MuPDF's headers; offsets are in bytes. Every offset is here, and abi-check.ts reads each of them back.
 */

/** include/mupdf/pdf/document.h. `bias`: position of the header in the file. `startxref`: from there to the newest cross-references, in 64 bits. */
export const PDF_DOCUMENT = {
  bias: 148,
  startxref: 152,
  crypt: 168,
  num_xref_sections: 184,
  num_incremental_sections: 192,
  xref_sections: 212,
  map_page_count: 236,
  rev_page_map: 240,
  fwd_page_map: 244,
} as const;

/** source/pdf/pdf-object.c: what all objects begin with. A name that MuPDF knows, null, true, and false have no memory. */
export const PDF_OBJ = { kind: 2 } as const;

/** Kinds of objects. */
export const PDF_KIND = {
  array: "a".charCodeAt(0),
  dictionary: "d".charCodeAt(0),
  reference: "r".charCodeAt(0),
  name: "n".charCodeAt(0),
} as const;

/** An entry of `rev_page_map`, which is in the order of `object`. */
export const PDF_REV_PAGE_MAP = { page: 0, object: 4, SIZE: 8 } as const;

/** include/mupdf/pdf/xref.h. Sections are an array, newest first; their tables are a chain. */
export const PDF_XREF = { num_objects: 0, subsec: 8, SIZE: 40 } as const;
export const PDF_XREF_SUBSEC = { next: 0, len: 4, start: 8, table: 12 } as const;

/**
 * `ofs`: position of the object from the header, or the number of its object stream. `stm_ofs`: position of its data in the file, header or
 * not. Both in 64 bits. `stm_buf`: other data for it.
 */
export const PDF_XREF_ENTRY = { type: 0, gen: 2, ofs: 8, stm_ofs: 16, stm_buf: 24, obj: 28, SIZE: 32 } as const;

/** Types of entries (ISO 32000-2, 7.5.4, 7.5.8). An entry without a type has no information about its object. */
export const ENTRY_TYPE = { free: "f".charCodeAt(0), inUse: "n".charCodeAt(0), inStream: "o".charCodeAt(0) } as const;

/** source/pdf/pdf-crypt.c. `length`: of the file key, in bits. `stmf`, `strf`: the methods for streams and strings. */
export const PDF_CRYPT = { length: 8, stmf: 16, strf: 24, key: 224, KEY_SIZE: 32 } as const;

/** include/mupdf/fitz/structured-text.h. `down` and `index` are those of a block of structure: its contents, and its place in its parent. */
export const FZ_STEXT_BLOCK = { bbox: 8, down: 24, index: 28 } as const;

/** Types of blocks of structured text. */
export const BLOCKS = { text: 0, image: 1, structure: 2, vector: 3 } as const;

/** The contents of a block of structure. `up`: the block itself; `raw`: the name of its own type, up to a zero byte. */
export const FZ_STEXT_STRUCT = { up: 0, first_block: 8, raw: 20 } as const;

/** `origin`: two floats. `quad`: eight, the corners upper left, upper right, lower left, lower right, in the character's own orientation. */
export const FZ_STEXT_CHAR = { c: 0, flags: 6, origin: 12, quad: 20, size: 52, font: 56, next: 60 } as const;

/** Bits of `fz_stext_char.flags`: drawn in bold, filled, stroked. */
export const CHAR_FLAG = { fakeBold: 8, filled: 16, stroked: 32 } as const;

/** source/fitz/font-imp.h. `buffer`: with the program; `flags` has a bit for a font that stands for another one. */
export const FZ_FONT = { buffer: 68, flags: 72, FT_SUBSTITUTE: 16 } as const;

/** include/mupdf/fitz/buffer.h */
export const FZ_BUFFER = { data: 4, len: 12 } as const;

/** include/mupdf/fitz/image.h; one of the bits of `flags` means that a color is transparent. */
export const FZ_IMAGE = { flags: 26, colorspace: 44, USE_COLORKEY: 4 } as const;

/** include/mupdf/fitz/color.h */
export const FZ_COLORSPACE = { type: 16, INDEXED: 6, icc_buffer: 32 } as const;

/** Address of the variable in which `sbrk` keeps the end of the heap. */
export const SBRK_END = 6_168_460;

/**
 * The constants of `drand48`, which follow the 48 bits of state of MuPDF's random numbers. File identifiers (ISO 32000-2, 14.4) depend on
 * nothing but that state, which MuPDF seeds with the time in seconds.
 */
export const DRAND48 = { constants: [0x6d, 0xe6, 0xec, 0xde, 0x05, 0x00, 0x0b, 0x00], STATE_SIZE: 6 } as const;
