/** Lays out HTML with MuPDF, in the fonts that it needs. */
import type { Document } from "mupdf";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { DocumentFonts } from "./document-fonts.ts";
import { GlyphTexts } from "./glyph-texts.ts";
import { countGlyphs, type Extent, type GlyphCounts, MissingGlyphs } from "./missing-glyphs.ts";
import type { LoadFont } from "../fonts.ts";

/** A document that MuPDF lays out. */
export interface FlowSource {
  readonly content: string | Uint8Array;
  /** The media type by which MuPDF knows it. */
  readonly type: string;
  /** A style sheet that overrules those of the document. */
  readonly css?: string | undefined;
  /** The size in points of text without a size of its own. */
  readonly fontSize: number;
  /** The area of a page, in points; undefined: the document has pages of its own. */
  readonly area: { readonly width: number; readonly height: number } | undefined;
}

/** MuPDF's own margins, which are within the area. */
const NO_MARGINS = "@page{margin:0}";

export class FlowLayout {
  readonly missing: MissingGlyphs;
  readonly texts: GlyphTexts;
  readonly #engine: PdfEngine;
  readonly #fonts: DocumentFonts;

  constructor(engine: PdfEngine, loadFont: LoadFont) {
    this.#engine = engine;
    this.#fonts = new DocumentFonts(engine, loadFont);
    this.missing = new MissingGlyphs(engine);
    this.texts = new GlyphTexts(engine, (pointer) => this.missing.fontAt(pointer));
  }

  /** Opens and lays out a document, again after each font that was missing. */
  async open({ content, type, css = "", fontSize, area }: FlowSource): Promise<Document> {
    const { long, mupdf } = this.#engine;
    const source = typeof content === "string" ? new mupdf.Buffer(content) : new mupdf.Buffer(content);
    try {
      for (;;) {
        mupdf.setUserCSS(area ? `${css}\n${NO_MARGINS}` : css);
        const document = await long.openAs(type, source);
        if (area) await long.layOut(document, area.width, area.height, fontSize);
        await long.countPages(document);
        if (!(await this.#fonts.loadMissing())) return document;
        document.destroy();
        this.#engine.emptyStore();
      }
    } finally {
      source.destroy();
    }
  }

  /** The characters of the pages of a document, and how wide the text of each is. */
  async textOf(document: Document): Promise<{ counts: GlyphCounts; extents: readonly Extent[] }> {
    const { long } = this.#engine;
    const counts: GlyphCounts = new Map();
    const extents: Extent[] = [];
    const count = await long.countPages(document);
    for (let index = 0; index < count; index++) {
      const page = await long.loadAnyPage(document, index);
      try {
        const text = await long.textOfPage(page, "clip=no");
        extents.push(await countGlyphs(this.#engine, text, counts));
        text.destroy();
      } finally {
        page.destroy();
      }
    }
    return { counts, extents };
  }

  /** Adds characters that are drawn. Returns whether some may be shown by other glyphs than in their fonts. */
  add(counts: GlyphCounts): boolean {
    this.missing.add(counts);
    return this.texts.add(counts);
  }
}
