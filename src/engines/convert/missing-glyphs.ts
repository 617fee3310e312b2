/** Which characters of a page have no glyph in the font that they are set in. */
import type { Font, StructuredText } from "mupdf";
import { charactersIn } from "../pdf/mupdf/structured-text.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";

const CHARACTER_WORK = 20;
/** Characters that need no glyph: controls, formats, spaces, and variation selectors. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Z}\ufe00-\ufe0f]/u;

/** How often each character occurs, by the address of its font. */
export type GlyphCounts = Map<number, Map<number, number>>;

/** Where the visible characters of a page begin on the left and end on the right, in points from the left of the layout; 0 if there are none. */
export interface Extent {
  readonly left: number;
  readonly right: number;
}

/** Adds the characters of a page to `counts`. */
export async function countGlyphs(engine: PdfEngine, text: StructuredText, counts: GlyphCounts): Promise<Extent> {
  let [left, right] = [0, 0];
  for (const { character } of charactersIn(engine, text)) {
    engine.work.spend(CHARACTER_WORK);
    const { code, font } = character;
    const ofFont = counts.get(font) ?? new Map<number, number>();
    counts.set(font, ofFont.set(code, (ofFont.get(code) ?? 0) + 1));
    if (isSpace(code)) continue;
    const corners = [character.corner(UPPER_RIGHT), character.corner(UPPER_LEFT)];
    left = Math.min(left, ...corners);
    right = Math.max(right, ...corners);
  }
  await engine.work.pause();
  return { left, right };
}

const [UPPER_LEFT, UPPER_RIGHT] = [0, 2];
const isSpace = (code: number): boolean => code <= 0x20 || code === 0xa0;

/** Counts them over the pages of a document. */
export class MissingGlyphs {
  count = 0;
  /** Each of them once. */
  readonly characters = new Set<string>();
  readonly #engine: PdfEngine;
  readonly #fonts = new Map<number, Font>();
  /** Whether each font has a glyph for a character. */
  readonly #known = new Map<number, Map<number, boolean>>();

  constructor(engine: PdfEngine) {
    this.#engine = engine;
  }

  /** The fonts must still exist. */
  add(counts: GlyphCounts): void {
    for (const [font, codes] of counts) {
      for (const [code, count] of codes) {
        if (!this.#isMissing(font, code)) continue;
        this.count += count;
        this.characters.add(String.fromCodePoint(code));
      }
    }
  }

  #isMissing(pointer: number, code: number): boolean {
    const known = this.#known.get(pointer) ?? new Map<number, boolean>();
    this.#known.set(pointer, known);
    const before = known.get(code);
    if (before !== undefined) return before;
    const isText = code > 0 && code <= 0x10ffff && !INVISIBLE.test(String.fromCodePoint(code));
    const missing = isText && this.fontAt(pointer).encodeCharacter(code) === 0;
    known.set(code, missing);
    return missing;
  }

  /** Kept, so that no other font gets the address. */
  fontAt(pointer: number): Font {
    const font = this.#fonts.get(pointer) ?? new this.#engine.mupdf.Font(pointer as unknown as Font["pointer"]);
    this.#fonts.set(pointer, font);
    return font;
  }
}
