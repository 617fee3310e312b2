/** The font of recognized text: it draws nothing, and maps each code to its character (ISO 32000-2, 9.7 and 9.10.3). */
import type { PDFDocument, PDFObject } from "mupdf";
import { writeCompositeFont } from "../pdf/fonts/composite-font.ts";
import { toUnicode, hexCode } from "../pdf/fonts/to-unicode.ts";
import { writeTables } from "../pdf/fonts/sfnt.ts";

const NAME = "HiddenText";
/** Units per em, and extent above and below the baseline. */
const EM = 1000;
const ASCENT = 800;
export const DESCENT = 200;
/** Codes have two bytes, and 0 is not used. */
const MOST_CODES = 0xffff;

/** One font per document, whose codes are assigned as characters occur: code points, including those beyond the BMP. */
export class HiddenFont {
  readonly #document: PDFDocument;
  readonly #codes = new Map<string, number>();
  /** An object number, because a handle may be destroyed before the document is. */
  #number = 0;

  constructor(document: PDFDocument) {
    this.#document = document;
  }

  /** The font object, which `write` fills in. */
  get reference(): PDFObject {
    if (this.#number === 0) this.#number = this.#document.addObject(this.#document.newDictionary()).asIndirect();
    return this.#document.newIndirect(this.#number);
  }

  /** The codes of a text as a hexadecimal string. */
  show(text: string): string {
    let digits = "";
    for (const character of text) {
      let code = this.#codes.get(character);
      if (code === undefined) {
        code = this.#codes.size + 1;
        if (code > MOST_CODES) throw new Error("the document has more different characters than one font has codes");
        this.#codes.set(character, code);
      }
      digits += hexCode(code);
    }
    return `<${digits}>`;
  }

  /** Writes the font, if it was used; no characters can be added after that. */
  write(): void {
    if (this.#number === 0) return;
    writeCompositeFont(this.#document, this.reference, {
      name: NAME,
      program: fontFile(),
      isTrueType: true,
      // Symbolic, with a single width.
      flags: 5,
      bbox: [0, -DESCENT, EM, ASCENT],
      ascent: ASCENT,
      descent: -DESCENT,
      capHeight: ASCENT,
      // All codes share one glyph.
      cidToGid: new Uint8Array(2 * (this.#codes.size + 1)),
      toUnicode: toUnicode([...this.#codes.keys()]),
    });
  }
}

/**
 * A TrueType font with one glyph, a line across its em that encloses nothing: PDFium ignores words with empty glyphs, and
 * words without a width on pages that are not rotated.
 */
function fontFile(): Uint8Array<ArrayBuffer> {
  const table = (...values: readonly number[]): DataView => {
    const view = new DataView(new ArrayBuffer(values.length * 2));
    values.forEach((value, index) => view.setUint16(index * 2, value & 0xffff));
    return view;
  };
  // One contour of two points, with its bounding box. The flags specify which coordinates repeat.
  const glyph = table(1, 0, -DESCENT, EM, ASCENT, 1, 0, 0x1101, EM, -DESCENT, DESCENT + ASCENT);
  return writeTables([
    ["glyf", glyph],
    // Version, checksum (filled in later), magic number, flags, units per em, dates, bounding box, style, smallest size,
    // direction, short offsets.
    [
      "head",
      table(1, 0, 1, 0, 0, 0, 0x5f0f, 0x3cf5, 0, EM, 0, 0, 0, 0, 0, 0, 0, 0, 0, -DESCENT, EM, ASCENT, 0, 8, 2, 0, 0),
    ],
    ["hhea", table(1, 0, ASCENT, -DESCENT, 0, EM, 0, 0, EM, 1, 0, 0, 0, 0, 0, 0, 0, 1)],
    ["hmtx", table(EM, 0)],
    ["loca", table(0, glyph.byteLength / 2)],
    ["maxp", table(1, 0, 1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)],
  ]);
}
