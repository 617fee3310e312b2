/** A form's own fonts with one-byte character codes (ISO 32000-2, 9.6). */
import type { Font, PDFObject } from "mupdf";
import { differencesOf, NAMES, WIN_ANSI } from "../fonts/encoding.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { items } from "../objects/objects.ts";

/** Those of the standard 14 fonts, available in every reader, that can show text (9.6.2.2). */
const STANDARD = /^(Helvetica|Courier)(-(Bold|Oblique|BoldOblique))?$|^Times-(Roman|Bold|Italic|BoldItalic)$/;

/** A font with known character codes and widths. */
export class SimpleFont {
  /** The font object for resources. */
  readonly object: PDFObject;
  readonly isEmbedded: boolean;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #widths: (code: number, character: string) => number;

  private constructor(
    object: PDFObject,
    isEmbedded: boolean,
    codes: ReadonlyMap<string, number>,
    widths: (code: number, character: string) => number,
  ) {
    this.object = object;
    this.isEmbedded = isEmbedded;
    this.#codes = codes;
    this.#widths = widths;
  }

  /** Undefined if the font may be unable to show any text but the existing one. */
  static read(engine: PdfEngine, object: PDFObject): SimpleFont | undefined {
    if (!object.isDictionary()) return undefined;
    const nameIn = (key: string): string => (object.get(key).isName() ? object.get(key).asName() : "");
    if (!["Type1", "TrueType", "MMType1"].includes(nameIn("Subtype"))) return undefined;
    const name = nameIn("BaseFont");
    // A subset contains only the glyphs of the existing text.
    if (/^[A-Z]{6}\+/.test(name) || /dingbats|symbol/i.test(name)) return undefined;
    // Viewers replace fonts that are not embedded with others of different widths.
    const embedded = ["FontFile", "FontFile2", "FontFile3"].some((key) => object.get("FontDescriptor", key).isStream());
    if (!embedded && !STANDARD.test(name)) return undefined;
    const codes = codesOf(object, STANDARD.test(name));
    const widths = widthsOf(engine, object, name);
    return codes && widths && new SimpleFont(object, embedded, codes, widths);
  }

  /** One byte per character, or undefined if the font lacks one. */
  encode(text: string): number[] | undefined {
    const codes: number[] = [];
    for (const character of text) {
      const code = this.#codes.get(character === "\u00a0" ? " " : character);
      if (code === undefined || !(this.#widths(code, character) > 0)) return undefined;
      codes.push(code);
    }
    return codes;
  }

  /** Width of a text that the font can show, in thousandths of the font size. */
  width(text: string): number {
    let sum = 0;
    for (const character of text) {
      const plain = character === "\u00a0" ? " " : character;
      sum += this.#widths(this.#codes.get(plain) ?? 0, plain);
    }
    return sum;
  }
}

function codesOf(font: PDFObject, standard: boolean): ReadonlyMap<string, number> | undefined {
  const encoding = font.get("Encoding");
  const base = encoding.isDictionary() ? encoding.get("BaseEncoding") : encoding;
  const name = base.isName() ? base.asName() : "";
  const characters = new Map<number, string>();
  for (let code = 0x20; code < 0x7f; code++) characters.set(code, String.fromCharCode(code));
  if (name === "WinAnsiEncoding") {
    Array.from(WIN_ANSI).forEach((character, index) => character !== " " && characters.set(0x80 + index, character));
    for (let code = 0xa1; code <= 0xff; code++) if (code !== 0xad) characters.set(code, String.fromCharCode(code));
  } else if (name !== "MacRomanEncoding") {
    // Uses the font's own encoding, known for standard fonts, in which these two codes are different quotation marks (annex
    // D.2).
    if (!standard && !encoding.isDictionary()) return undefined;
    characters.delete(0x27);
    characters.delete(0x60);
  }
  for (const [code, name] of differencesOf(font)) {
    const glyph = name.asName();
    const character = NAMES.get(glyph) ?? (/^[A-Za-z]$/.test(glyph) ? glyph : undefined);
    if (character === undefined) characters.delete(code);
    else characters.set(code, character);
  }
  return new Map([...characters].filter(([known]) => known > 0 && known < 256).map(([known, text]) => [text, known]));
}

function widthsOf(
  engine: PdfEngine,
  font: PDFObject,
  name: string,
): ((code: number, character: string) => number) | undefined {
  const list = font.get("Widths");
  if (list.isArray()) {
    const first = font.get("FirstChar").asNumber();
    const widths = items(list).map((width) => width.asNumber());
    return (code) => widths[code - first] ?? 0;
  }
  if (!STANDARD.test(name)) return undefined;
  const metrics: Font = new engine.mupdf.Font(name);
  const known = new Map<string, number>();
  return (_code, character) => {
    const width = known.get(character) ?? metrics.advanceGlyph(metrics.encodeCharacter(character), 0) * 1000;
    known.set(character, width);
    return width;
  };
}
