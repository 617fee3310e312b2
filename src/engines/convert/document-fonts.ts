/** The fonts of converted documents: by family and style, and for each script that a family lacks. */
import type { Font } from "mupdf";
import { DOCUMENT_FONTS, type FontFace, type FontName, FONTS, type LoadFont, pdfNameOf, ownFont } from "../fonts.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";

type Family = "NotoSans" | "NotoSerif" | "NotoSansMono";

/** Families that documents name, as the one that is used for them. Any other falls back to the next in the list of the document. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [
    /^(ui-)?monospace$|^(courier|consolas|menlo|monaco|lucida console|andale mono|dejavu sans mono|liberation mono|sf mono)|\bmono\b/,
    "NotoSansMono",
  ],
  [
    /^sans-serif$|^system-ui$|^(arial|helvetica|calibri|aptos|verdana|tahoma|segoe ui|trebuchet|open sans|roboto|lato|inter|gill sans|lucida (sans|grande)|dejavu sans|liberation sans|noto sans|carlito|arimo)/,
    "NotoSans",
  ],
  [
    /^serif$|^(times|georgia|cambria|garamond|palatino|book antiqua|charter|liberation serif|noto serif|tinos|minion)/,
    "NotoSerif",
  ],
];

/**
 * By script, in MuPDF's names. Fonts for Chinese, Japanese, and Korean are built in (Droid Sans Fallback). All families have Latin letters, so Latin
 * text lacks only symbols.
 */
const SCRIPTS: Readonly<Record<string, FontName>> = {
  Latin: "NotoSansSymbols2",
  Common: "NotoSansSymbols2",
  Greek: "NotoSans",
  Cyrillic: "NotoSans",
  Devanagari: "NotoSans",
  Arabic: "IBMPlexSansArabic",
  Hebrew: "NotoSansHebrew",
  Thai: "NotoSansThai",
};

/** MuPDF's name for the family in a request for a script, and for the script in a request for a family. */
const UNNAMED = "undefined";

const KNOWN: ReadonlySet<string> = new Set([...FONTS, ...DOCUMENT_FONTS]);

function styled(family: Family, bold: boolean, italic: boolean): FontName {
  if (family === "NotoSansMono") return bold ? "NotoSansMonoBold" : "NotoSansMono";
  return `${family}${bold ? "Bold" : ""}${italic ? "Italic" : ""}` as FontName;
}

function fontFor(name: string, script: string, bold: boolean, italic: boolean): FontName | undefined {
  if (name === UNNAMED) return SCRIPTS[script];
  if (KNOWN.has(name)) return name as FontName;
  const lower = name.toLowerCase();
  const family = FAMILIES.find(([names]) => names.test(lower))?.[1];
  return family && styled(family, bold, italic);
}

/** The fonts of one request. MuPDF asks for them during layout and cannot wait, so that which are missing are loaded, and the layout is done again. */
export class DocumentFonts {
  readonly #engine: PdfEngine;
  readonly #loadFont: LoadFont;
  readonly #loaded = new Map<FontFace, Font>();
  readonly #missing = new Set<FontFace>();

  constructor(engine: PdfEngine, loadFont: LoadFont) {
    this.#engine = engine;
    this.#loadFont = loadFont;
    engine.mupdf.installLoadFontFunction((name, script, bold, italic) => {
      const style = { bold: Boolean(bold), italic: Boolean(italic) };
      const wanted = ownFont(loadFont, name, style) ?? fontFor(name, script, style.bold, style.italic);
      if (wanted === undefined) return null;
      const font = this.#loaded.get(wanted);
      if (!font) this.#missing.add(wanted);
      return font ?? null;
    });
  }

  /** Loads the fonts that were missing since the last time, and returns whether there were any. */
  async loadMissing(): Promise<boolean> {
    const missing = [...this.#missing];
    this.#missing.clear();
    for (const face of missing) {
      const data = new Uint8Array(await this.#loadFont(face));
      this.#loaded.set(face, new this.#engine.mupdf.Font(pdfNameOf(face), data));
    }
    return missing.length > 0;
  }
}
