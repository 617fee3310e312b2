/** How large glyphs of fonts are, as MuPDF draws them. */
import type { Font } from "mupdf";
import type { PageBox } from "../../geometry.ts";
import type { PdfEngine } from "./mupdf.ts";

/** The font size at which glyphs are measured: MuPDF adds a point on each side. */
const [SIZE, ADDED] = [1000, 1];

/** Measures the ink of each glyph once, for as long as its fonts are held. */
export class GlyphInks {
  readonly #mupdf: PdfEngine["mupdf"];
  readonly #known = new Map<string, PageBox>();

  constructor({ mupdf }: PdfEngine) {
    this.#mupdf = mupdf;
  }

  /** The rectangle around the ink of a glyph, in font sizes from its origin; all 0 if it has none. */
  of(font: Font, glyph: number): PageBox {
    const key = `${font.pointer} ${glyph}`;
    const known = this.#known.get(key);
    if (known) return known;
    const text = new this.#mupdf.Text();
    text.showGlyph(font, [SIZE, 0, 0, SIZE, 0, 0], glyph, -1);
    const [x0, y0, x1, y1] = text.getBounds(null as never, this.#mupdf.Matrix.identity);
    text.destroy();
    const [left, bottom] = [(x0 + ADDED) / SIZE, (y0 + ADDED) / SIZE];
    const [right, top] = [(x1 - ADDED) / SIZE, (y1 - ADDED) / SIZE];
    const ink: PageBox = right > left && top > bottom ? [left, bottom, right, top] : [0, 0, 0, 0];
    this.#known.set(key, ink);
    return ink;
  }
}
