/** Fonts for the text of fields: the form's own font, a standard one, or, for other scripts, the fonts of stamps. */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { formTextTooLong } from "../../limit-errors.ts";
import type { LoadFont } from "../../fonts.ts";
import type { OpenPdf } from "../document/document.ts";
import { SimpleFont } from "./simple-font.ts";
import { objectNumber } from "../objects/objects.ts";
import { StampFonts } from "../typesetting/embedded-fonts.ts";
import { Typesetter } from "../typesetting/typesetter.ts";
import { showLine } from "../typesetting/show-line.ts";
import type { TypesetLine } from "../typesetting/line.ts";
import { type NameResource, numbers } from "../content/operands.ts";
import { hex } from "../../../bytes/hex.ts";

/** One line of text ready to draw. Lengths are in thousandths of the font size. */
export interface SetLine {
  readonly width: number;
  /** Operators that show it at a position, in points. */
  show(size: number, x: number, y: number, name: NameResource): string;
}

export interface Face {
  /** How far a line extends above and below its baseline, as a fraction of the font size. */
  readonly ascent: number;
  readonly descent: number;
  /** By text. Texts must not contain control characters. */
  set(texts: readonly string[]): Promise<ReadonlyMap<string, SetLine>>;
}

const NOTHING: SetLine = { width: 0, show: () => "" };

/** A text that was not set becomes a line of zero width that shows nothing. */
export const lineOf = (lines: ReadonlyMap<string, SetLine>, text: string): SetLine => lines.get(text) ?? NOTHING;

/** The faces of one document. */
export class FieldFonts {
  readonly #open: OpenPdf;
  readonly #typesetter: Typesetter;
  readonly #fonts: StampFonts;
  readonly #simple = new Map<number, SimpleFont | undefined>();
  readonly #standard = new Map<string, SimpleFont>();
  readonly #lines = new Map<string, SetLine>();
  readonly #embedsAll: boolean;
  #characters = 0;

  /** `embedsAll`: whether fonts that the file does not have are not used, as PDF/A requires. */
  constructor(open: OpenPdf, loadFont: LoadFont, { embedsAll }: { readonly embedsAll: boolean }) {
    this.#open = open;
    this.#embedsAll = embedsAll;
    this.#typesetter = new Typesetter(open.engine, loadFont);
    this.#fonts = new StampFonts(open.engine, open.document);
  }

  /** The face for a text: the field's font if it has all the characters. */
  faceFor(text: string, font: PDFObject | undefined): Face {
    const plain = text.replaceAll("\n", "");
    const own = font && this.#read(font);
    if (own?.encode(plain) && (own.isEmbedded || !this.#embedsAll)) return simpleFace(own);
    if (this.#embedsAll) return this.#setFace;
    const standard = this.#standardFont(standardLike(font));
    return standard.encode(plain) ? simpleFace(standard) : this.#setFace;
  }

  /** Writes the fonts that were created. Nothing can be drawn afterwards. */
  async write(): Promise<void> {
    await this.#fonts.write();
  }

  #read(font: PDFObject): SimpleFont | undefined {
    const number = objectNumber(font);
    if (number > 0 && this.#simple.has(number)) return this.#simple.get(number);
    const read = SimpleFont.read(this.#open.engine, font);
    if (number > 0) this.#simple.set(number, read);
    return read;
  }

  #standardFont(name: string): SimpleFont {
    const known = this.#standard.get(name);
    if (known) return known;
    const entries = { Type: "Font", Subtype: "Type1", BaseFont: name, Encoding: "WinAnsiEncoding" };
    const made = SimpleFont.read(this.#open.engine, this.#open.document.addObject(entries));
    if (!made) throw new Error(`${name} is no standard font`);
    this.#standard.set(name, made);
    return made;
  }

  readonly #setFace: Face = {
    ascent: 0.86,
    descent: 0.3,
    set: async (texts) => {
      const unknown = [...new Set(texts)].filter((text) => !this.#lines.has(text));
      this.#count(unknown);
      const lines = await this.#typesetter.setLines(unknown);
      for (const line of lines) this.#lines.set(line.text, this.#setLine(line));
      return this.#lines;
    },
  };

  #setLine(line: TypesetLine): SetLine {
    return {
      width: line.width,
      show: (size, x, y, name) =>
        line.glyphs.length === 0 ? "" : showLine(line, size, [1, 0, 0, 1, x, y], this.#fonts, name),
    };
  }

  /** Each glyph is temporarily an object. */
  #count(texts: readonly string[]): void {
    this.#characters += texts.reduce((sum, { length }) => sum + length, 0);
    if (this.#characters <= limits.stamps.charactersSet) return;
    throw formTextTooLong(this.#characters);
  }
}

function simpleFace(font: SimpleFont): Face {
  const line = (text: string): SetLine => ({
    width: font.width(text),
    show: (size, x, y, name) => {
      return `BT /${name("Font", font.object)} ${numbers(size)} Tf ${numbers(x, y)} Td <${hex(font.encode(text) ?? [])}> Tj ET`;
    },
  });
  return {
    ascent: 0.72,
    descent: 0.21,
    set: (texts) => Promise.resolve(new Map(texts.map((text) => [text, line(text)]))),
  };
}

/** The standard font most similar to one that cannot be used. */
function standardLike(font: PDFObject | undefined): string {
  const base = font?.get("BaseFont");
  const name = base?.isName() ? base.asName() : "";
  const bold = /bold|black|heavy/i.test(name);
  if (/cour|mono|typewriter/i.test(name)) return bold ? "Courier-Bold" : "Courier";
  if (/times|serif|roman|georgia|garamond/i.test(name) && !/sans/i.test(name))
    return bold ? "Times-Bold" : "Times-Roman";
  return bold ? "Helvetica-Bold" : "Helvetica";
}
