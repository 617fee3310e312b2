/** Which characters of a page have no glyph in the font that they are set in. */
import type { Font, StructuredText } from "mupdf";
import { charactersIn } from "../pdf/mupdf/structured-text.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";

const CHARACTER_WORK = 20;
/** Characters that no font needs a glyph for: controls, formats, spaces, and what selects a variant. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\ufe00-\ufe0f]/u;

/** Counts them over the pages of a document. */
export class MissingGlyphs {
  count = 0;
  /** Each of them once. */
  readonly characters = new Set<string>();
  readonly #engine: PdfEngine;
  readonly #fonts = new Map<number, Font>();
  /** What is known of each character, by font. */
  readonly #known = new Map<number, Map<number, boolean>>();

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  async add(text: StructuredText): Promise<void> {
    const { work } = this.#engine;
    // Counted first: what is read of the text holds only until something is allocated.
    const counts = new Map<number, Map<number, number>>();
    for (const { character } of charactersIn(this.#engine, text)) {
      work.spend(CHARACTER_WORK);
      const ofFont = counts.get(character.font) ?? new Map<number, number>();
      counts.set(character.font, ofFont.set(character.code, (ofFont.get(character.code) ?? 0) + 1));
    }
    for (const [font, codes] of counts) {
      for (const [code, count] of codes) {
        if (!this.#isMissing(font, code)) continue;
        this.count += count;
        this.characters.add(String.fromCodePoint(code));
      }
    }
    await work.pause();
  }

  #isMissing(pointer: number, code: number): boolean {
    const known = this.#known.get(pointer) ?? new Map<number, boolean>();
    this.#known.set(pointer, known);
    const before = known.get(code);
    if (before !== undefined) return before;
    const isText = code > 0 && code <= 0x10ffff && !INVISIBLE.test(String.fromCodePoint(code));
    const missing = isText && this.#fontAt(pointer).encodeCharacter(code) === 0;
    known.set(code, missing);
    return missing;
  }

  /** Kept, so that no other font gets the address. */
  #fontAt(pointer: number): Font {
    const font = this.#fonts.get(pointer) ?? new this.#engine.mupdf.Font(pointer as unknown as Font["pointer"]);
    this.#fonts.set(pointer, font);
    return font;
  }
}
