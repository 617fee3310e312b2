/** The structured text that MuPDF makes of a page: blocks, their lines, and the characters of these. All of it holds until something is allocated. */
import type { StructuredText } from "mupdf";
import type { LibMuPDF } from "../../../../wasm/generated/mupdf.js";
import { BLOCKS, FZ_STEXT_BLOCK, FZ_STEXT_CHAR, FZ_STEXT_STRUCT } from "./abi.ts";
import type { PdfEngine } from "./mupdf.ts";

/** Bits of the flags of a vector: its lines are drawn, not its inside; it is a rectangle. */
export const [STROKED, RECTANGLE] = [1, 2];

/** The type of structure whose elements are distinguished; see tags/slots.ts. */
export const SLOT = "Slot";

export interface StextBlock {
  /** Its address. */
  readonly block: number;
  readonly type: number;
  /** The slot that it is in, if structure was requested; see tags/slots.ts. */
  readonly slot: number | undefined;
}

/** All blocks except those of structure, which are replaced by their contents. */
export function blocksIn(engine: PdfEngine, text: StructuredText): StextBlock[] {
  const found: StextBlock[] = [];
  collect(engine.lib, engine.lib._wasm_stext_page_get_first_block(text.pointer), undefined, found);
  return found;
}

function collect(lib: LibMuPDF, first: number, slot: number | undefined, found: StextBlock[]): void {
  for (let block = first; block !== 0; block = lib._wasm_stext_block_get_next(block)) {
    const type = lib._wasm_stext_block_get_type(block);
    if (type !== BLOCKS.structure) {
      found.push({ block, type, slot });
      continue;
    }
    const word = (address: number): number => lib.HEAPU32[address >> 2] ?? 0;
    const down = word(block + FZ_STEXT_BLOCK.down);
    const own = isSlot(lib.HEAPU8, down + FZ_STEXT_STRUCT.raw) ? word(block + FZ_STEXT_BLOCK.index) : slot;
    collect(lib, word(down + FZ_STEXT_STRUCT.first_block), own, found);
  }
}

const isSlot = (heap: Uint8Array, name: number): boolean =>
  Array.from(`${SLOT}\0`).every((character, index) => heap[name + index] === character.charCodeAt(0));

/** The box around a block: `[x0, y0, x1, y1]` in points, origin top-left of the visible page. */
export function blockBoxOf({ lib }: PdfEngine, block: number): [number, number, number, number] {
  const at = lib._wasm_stext_block_get_bbox(block) >> 2;
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = lib.HEAPF32.subarray(at, at + 4);
  return [x0, y0, x1, y1];
}

/** The flags of a vector: `STROKED`, `RECTANGLE`. */
export const vectorFlags = ({ lib }: PdfEngine, block: number): number => lib._wasm_stext_block_get_v_flags(block);

/** The color of a vector: a byte each of alpha, red, green, and blue, from the highest. */
export const vectorColor = ({ lib }: PdfEngine, block: number): number => lib._wasm_stext_block_get_v_argb(block) >>> 0;

/** A line of a block of text. */
export interface StextLine {
  /** Unit vector, y down. */
  readonly direction: readonly [number, number];
  /** Whether it is a column. Then MuPDF has for the origin of each character the end of its glyph. */
  readonly vertical: boolean;
  readonly characters: StextCharacters;
}

export function* blockLinesOf({ lib }: PdfEngine, block: number): Generator<StextLine, void> {
  let line = lib._wasm_stext_block_get_first_line(block);
  for (; line !== 0; line = lib._wasm_stext_line_get_next(line)) {
    const direction = lib._wasm_stext_line_get_dir(line) >> 2;
    yield {
      direction: [lib.HEAPF32[direction] ?? 0, lib.HEAPF32[direction + 1] ?? 0],
      vertical: lib._wasm_stext_line_get_wmode(line) === 1,
      characters: new StextCharacters(lib, lib._wasm_stext_line_get_first_char(line)),
    };
  }
}

/** The characters of all text, in the order of the content. */
export function* charactersIn(
  engine: PdfEngine,
  text: StructuredText,
): Generator<{ readonly character: StextCharacters; readonly vertical: boolean }, void> {
  for (const { block, type } of blocksIn(engine, text)) {
    if (type !== BLOCKS.text) continue;
    for (const { characters, vertical } of blockLinesOf(engine, block)) {
      while (characters.next()) yield { character: characters, vertical };
    }
  }
}

/** The offset of a field in 4-byte words. */
const [CODE, ORIGIN, QUAD, SIZE, FONT, NEXT] = (["c", "origin", "quad", "size", "font", "next"] as const).map(
  (field) => FZ_STEXT_CHAR[field] / 4,
) as [number, number, number, number, number, number];
const FLAGS_WORD = Math.floor(FZ_STEXT_CHAR.flags / 4);
const FLAGS_SHIFT = (FZ_STEXT_CHAR.flags % 4) * 8;

/**
 * Reads the characters of a line one after the other, from the heap: a call of MuPDF for each field would take as long as all else that is done with them.
 * Positions are in points, with the origin top-left of the visible page.
 */
export class StextCharacters {
  readonly #floats: Float32Array;
  readonly #words: Uint32Array;
  #next: number;
  /** Where the current character is, in words. */
  #at = 0;

  constructor(lib: LibMuPDF, first: number) {
    this.#floats = lib.HEAPF32;
    this.#words = lib.HEAPU32;
    this.#next = first;
  }

  /** Moves to the next character. Returns whether there is one. */
  next(): boolean {
    if (this.#next === 0) return false;
    this.#at = this.#next >> 2;
    this.#next = this.#words[this.#at + NEXT] ?? 0;
    return true;
  }

  /** The code point. */
  get code(): number {
    return this.#words[this.#at + CODE] ?? 0;
  }

  get x(): number {
    return this.#floats[this.#at + ORIGIN] ?? 0;
  }

  get y(): number {
    return this.#floats[this.#at + ORIGIN + 1] ?? 0;
  }

  /** A coordinate of the corners upper left, upper right, lower left, lower right, in the character's own orientation: x and y of each, 0 to 7. */
  corner(index: number): number {
    return this.#floats[this.#at + QUAD + index] ?? 0;
  }

  /** The font size as displayed, in points. */
  get size(): number {
    return this.#floats[this.#at + SIZE] ?? 0;
  }

  /** The address of the font; 0 if there is none. */
  get font(): number {
    return this.#words[this.#at + FONT] ?? 0;
  }

  /** The bits of `CHAR_FLAG`, and others. */
  get flags(): number {
    return ((this.#words[this.#at + FLAGS_WORD] ?? 0) >>> FLAGS_SHIFT) & 0xffff;
  }
}

/** The properties of a font. Of its name, the first 100 bytes. */
export function fontFacts(
  { lib }: PdfEngine,
  font: number,
): { name: string; bold: boolean; italic: boolean; monospaced: boolean } {
  let name = "";
  const start = lib._wasm_font_get_name(font);
  for (let at = start; lib.HEAPU8[at] !== 0 && at < start + 100; at++) name += String.fromCharCode(lib.HEAPU8[at] ?? 0);
  return {
    name,
    bold: lib._wasm_font_is_bold(font) !== 0,
    italic: lib._wasm_font_is_italic(font) !== 0,
    monospaced: lib._wasm_font_is_monospaced(font) !== 0,
  };
}
