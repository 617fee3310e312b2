/** The blocks of MuPDF's structured text, with the structure that they belong to. */
import type { StructuredText } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { SLOT } from "../tags/slots.ts";

/** Types of MuPDF's blocks; the bit of a vector's flags that tells a rectangle. */
export const BLOCKS = { text: 0, image: 1, structure: 2, vector: 3 } as const;
export const RECTANGLE = 2;

export interface StextBlock {
  readonly block: number;
  readonly type: number;
  /** The slot that it is in, if structure was asked for; see slots.ts. */
  readonly slot: number | undefined;
}

/**
 * Layout of a block of structure in MuPDF 1.28, as offsets in 4-byte words: its box, what is below it, and its place among the elements of
 * its parent. Below: the block itself, the structure around it, the first and last block, the standard type, and the name of its own type.
 */
const [BOX, DOWN, INDEX] = [2, 6, 7];
const [UP, FIRST, NAME] = [0, 2, 5];

/** All blocks but those of structure, with what is in these in their place. */
export function blocksIn(engine: PdfEngine, text: StructuredText): StextBlock[] {
  const found: StextBlock[] = [];
  collect(engine, engine.lib._wasm_stext_page_get_first_block(text.pointer), undefined, found);
  return found;
}

function collect(engine: PdfEngine, first: number, slot: number | undefined, found: StextBlock[]): void {
  const { lib } = engine;
  for (let block = first; block !== 0; block = lib._wasm_stext_block_get_next(block)) {
    const type = lib._wasm_stext_block_get_type(block);
    if (type !== BLOCKS.structure) {
      found.push({ block, type, slot });
      continue;
    }
    const word = (from: number, offset: number): number => lib.HEAPU32[(from >> 2) + offset] ?? 0;
    const down = word(block, DOWN);
    // A different MuPDF may use another layout, which must not result in wrong text.
    if (lib._wasm_stext_block_get_bbox(block) !== block + BOX * 4 || word(down, UP) !== block)
      throw new Error("MuPDF keeps the structure of a page in another way than expected");
    collect(engine, word(down, FIRST), isSlot(lib.HEAPU8, down + NAME * 4) ? word(block, INDEX) : slot, found);
  }
}

const isSlot = (heap: Uint8Array, name: number): boolean =>
  Array.from(`${SLOT}\0`).every((character, index) => heap[name + index] === character.charCodeAt(0));

/** A character of MuPDF's structured text, valid until something is allocated. */
export interface StextCharacter {
  readonly address: number;
  /** Whether it is in a column. Then MuPDF has for its origin the end of its glyph. */
  readonly vertical: boolean;
}

/** The characters of all text, in the order of the content. */
export function* charactersIn(engine: PdfEngine, text: StructuredText): Generator<StextCharacter, void> {
  const { lib } = engine;
  for (const { block, type } of blocksIn(engine, text)) {
    if (type !== BLOCKS.text) continue;
    for (let line = lib._wasm_stext_block_get_first_line(block); line; line = lib._wasm_stext_line_get_next(line)) {
      const vertical = lib._wasm_stext_line_get_wmode(line) === 1;
      let address = lib._wasm_stext_line_get_first_char(line);
      for (; address; address = lib._wasm_stext_char_get_next(address)) yield { address, vertical };
    }
  }
}

/**
 * Where a character has its code point, its origin, its corners (the last of which is the origin of a glyph in a column), and its font size, in
 * words from its address (MuPDF 1.28).
 */
export const CHARACTER = { code: 0, origin: 3, corners: 5, lastCorner: 11, size: 13 } as const;
