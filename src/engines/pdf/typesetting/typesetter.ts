/** Sets text with MuPDF's HTML engine: shaped, reordered, and in fonts that have its characters. */
import type { Device, Font } from "mupdf";
import {
  DOCUMENT_FONTS,
  type FontFace,
  type FontName,
  FONTS,
  type LoadFont,
  pdfNameOf,
  withSymbolFonts,
} from "../../fonts.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { inVisualRuns } from "./order.ts";
import { EM, type StampFont, type TypesetLine, type ShapedGlyph, LINE_HEIGHT } from "./line.ts";
import { charactersUnsupported } from "../../parameter-errors.ts";

/** Distance from the top of a line to its baseline in MuPDF, regardless of its fonts. */
const BASELINE = 0.9 * EM;
/**
 * Most lines per HTML document: coordinates are floats, which lose precision further down. Also limits characters, each of
 * which takes memory there.
 */
const LINES_AT_ONCE = 200;
const CHARACTERS_AT_ONCE = 20_000;
/** Wider than any line: `white-space: pre` does not wrap, but right-aligned text would be placed at this edge. */
const WIDTH = 100 * EM;

/** The font for each script, by MuPDF's names. Chinese, Japanese, and Korean are built into MuPDF (Droid Sans Fallback). */
const SCRIPTS: Readonly<Record<string, FontName>> = {
  Latin: "NotoSans",
  Greek: "NotoSans",
  Cyrillic: "NotoSans",
  Common: "NotoSans",
  Arabic: "IBMPlexSansArabic",
  Devanagari: "NotoSans",
  Hebrew: "NotoSansHebrew",
  Thai: "NotoSansThai",
};

/** Fonts that text is set in by their names. */
const NAMED: readonly FontName[] = [...FONTS, ...DOCUMENT_FONTS];

/** The family of the operator's font in HTML, whatever its name: one text has one at most. */
const OWN = "OwnFont";

/** MuPDF requests a font by family or by script; the unused one has this name. */
const UNNAMED = "undefined";

const LETTER = /\p{L}/u;
const ARABIC = /\p{Script=Arabic}/u;
const HEBREW = /\p{Script=Hebrew}/u;

/**
 * The first font of a line. A line with right-to-left letters is set entirely in one font, which also has Latin letters,
 * since readers reorder words only within one font.
 */
function faceOf(text: string, face: FontFace): FontFace {
  return ARABIC.test(text) ? "IBMPlexSansArabic" : HEBREW.test(text) ? "NotoSansHebrew" : face;
}

/** Sets text, and holds the fonts it needs. */
export class Typesetter {
  readonly #engine: PdfEngine;
  readonly #loadFont: LoadFont;
  readonly #loaded = new Map<FontFace, StampFont>();
  readonly #byPointer = new Map<unknown, StampFont>();

  constructor(engine: PdfEngine, loadFont: LoadFont) {
    this.#engine = engine;
    this.#loadFont = loadFont;
  }

  /**
   * Sets lines, which must not contain control characters.
   * @throws Refusal `unsupported_text`
   */
  async setLines(texts: readonly string[], face: FontFace = "NotoSans"): Promise<TypesetLine[]> {
    for (const name of new Set<FontFace>(["NotoSans", face, ...texts.map((text) => faceOf(text, face))]))
      await this.#load(name);
    const lines: TypesetLine[] = [];
    while (lines.length < texts.length) {
      const some: string[] = [];
      let characters = 0;
      for (const text of texts.slice(lines.length, lines.length + LINES_AT_ONCE)) {
        characters += text.length;
        if (some.length > 0 && characters > CHARACTERS_AT_ONCE) break;
        some.push(text);
      }
      lines.push(...(await this.#setSome(some, face)));
    }
    return lines;
  }

  async #setSome(texts: readonly string[], face: FontFace): Promise<TypesetLine[]> {
    for (;;) {
      const missing = new Set<FontFace>();
      const lines = this.#layOut(texts, face, missing);
      // MuPDF requests fonts during layout and cannot wait for them.
      if (missing.size === 0) return lines;
      for (const name of missing) await this.#load(name);
    }
  }

  async #load(face: FontFace): Promise<void> {
    if (this.#loaded.has(face)) return;
    const data = new Uint8Array(await this.#loadFont(face));
    const font = new this.#engine.mupdf.Font(pdfNameOf(face), data);
    this.#remember(font, data, face);
  }

  #remember(font: Font, data: Uint8Array | undefined, face?: FontFace): StampFont {
    const known: StampFont = { font, data };
    this.#byPointer.set(font.pointer, known);
    if (face) this.#loaded.set(face, known);
    return known;
  }

  #layOut(texts: readonly string[], face: FontFace, missing: Set<FontFace>): TypesetLine[] {
    const { mupdf } = this.#engine;
    mupdf.installLoadFontFunction((name, script) => {
      const named = name === OWN ? face : (NAMED.find((font) => font === name) ?? "NotoSans");
      const wanted = script === UNNAMED ? named : SCRIPTS[script];
      const font = wanted && this.#loaded.get(wanted)?.font;
      if (wanted && !font) missing.add(wanted);
      return font ?? null;
    });
    const shown = texts.flatMap((text, index) => (text.trim() === "" ? [] : [{ text, index }]));
    const lines = texts.map((text) => ({ text, glyphs: [] as ShapedGlyph[], width: 0 }));
    if (shown.length === 0) return lines;
    const html = new mupdf.Buffer(
      htmlOf(
        shown.map(({ text }) => text),
        face,
      ),
    );
    const document = mupdf.Document.openDocument(html, "application/xhtml+xml");
    document.layout(WIDTH, (shown.length + 1) * LINE_HEIGHT, EM);
    const unknown = new Set<string>();
    const collector = this.#collector((y) => lines[shown[Math.floor(y / LINE_HEIGHT)]?.index ?? -1], unknown);
    const page = document.loadPage(0);
    page.run(collector, mupdf.Matrix.identity);
    for (const used of [page, document, html]) used.destroy();
    if (missing.size === 0 && unknown.size > 0) throw charactersUnsupported([...unknown]);
    return lines.map(({ text, glyphs }) => inVisualRuns(text, glyphs));
  }

  /** Collects the glyphs of the lines: in logical order, relative to the baseline of each line. */
  #collector(lineAt: (y: number) => { glyphs: ShapedGlyph[] } | undefined, unknown: Set<string>): Device {
    const { mupdf } = this.#engine;
    const at = (font: Font, trm: readonly number[], id: number, character: number, direction: number): void => {
      const [, , , , x = 0, y = 0] = trm;
      const line = lineAt(y);
      if (!line) throw new Error("a glyph stands outside the lines");
      const text = character < 0 ? "" : String.fromCodePoint(character);
      const last = line.glyphs.at(-1);
      if (id < 0) {
        if (last) last.text += text;
        return;
      }
      if (id === 0) {
        if (!/\p{Default_Ignorable_Code_Point}/u.test(text)) unknown.add(text);
        return;
      }
      const known = this.#byPointer.get(font.pointer) ?? this.#remember(new mupdf.Font(font.pointer), undefined);
      const advance = font.advanceGlyph(id, 0) * EM;
      const up = Math.floor(y / LINE_HEIGHT) * LINE_HEIGHT + BASELINE - y;
      line.glyphs.push({ font: known, id, text, x, y: up, advance, rightToLeft: direction % 2 === 1 });
    };
    return new mupdf.Device({
      fillText: (text) =>
        text.walk({
          showGlyph: (font, trm, id, character, _mode, direction) => at(font, trm, id, character, direction),
        }),
    });
  }
}

/** XHTML, since in HTML mode MuPDF reads `&amp;lt;` as `<`. */
function htmlOf(texts: readonly string[], face: FontFace): string {
  const style =
    `@page{margin:0}body{margin:0;font-size:${EM}pt;line-height:${LINE_HEIGHT}pt;white-space:pre;text-align:left}` +
    "p{margin:0}";
  const lines = texts.map((text) => {
    const first = LETTER.exec(text)?.[0] ?? "";
    const direction = ARABIC.test(first) || HEBREW.test(first) ? ' dir="rtl"' : "";
    const used = faceOf(text, face);
    return `<p style="font-family:${typeof used === "string" ? used : OWN}"${direction}>${withSymbolFonts(text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`))}</p>`;
  });
  return `<html xmlns="http://www.w3.org/1999/xhtml"><head><style>${style}</style></head><body>${lines.join("")}</body></html>`;
}
