/** The area of ink of each glyph of a page: it may reach beyond the advance of the glyph, as in an italic f. */
import { inverse, type Matrix, multiply, type PageBox } from "../../geometry.ts";
import type { Font, Matrix as MatrixTuple, Text } from "mupdf";
import { withoutStructure } from "../document/without-structure.ts";
import type { OpenPdf } from "../document/document.ts";
import { GlyphInks } from "../mupdf/glyph-ink.ts";
import { corners, type Polygon, transformed } from "./geometry.ts";

/** A glyph, in units of the page. */
export interface GlyphInk {
  /** Its origin. */
  readonly x: number;
  readonly y: number;
  /** The area that it advances along its line, as high as its ink, and all of its ink. */
  readonly ink: Polygon;
}

/** Fuel per glyph that is shown. */
const GLYPH_WORK = 200;

/** The glyphs of a page (0-based) as MuPDF draws them. */
export async function readInk({ document, engine }: OpenPdf, index: number): Promise<GlyphInk[]> {
  const { mupdf, long } = engine;
  const found: GlyphInk[] = [];
  await engine.scope(async () => {
    const page = await long.loadPage(document, index);
    const toPage = inverse(page.getTransform() as unknown as Matrix);
    const inks = new GlyphInks(engine);
    const boxOf = (font: Font, glyph: number): PageBox => {
      const [left, bottom, right, top] = inks.of(font, glyph);
      const advance = font.advanceGlyph(glyph, 0);
      return [Math.min(left, advance, 0), bottom, Math.max(right, advance, 0), top];
    };
    const add = (text: Text, matrix: MatrixTuple): void =>
      text.walk({
        showGlyph: (font, placed, glyph, _unicode, mode) => {
          // Further characters of the glyph before; and columns, each of whose glyphs counts as a square.
          if (glyph < 0 || mode !== 0) return;
          const own = multiply(multiply(placed as Matrix, matrix as Matrix), toPage);
          found.push({ x: own[4], y: own[5], ink: transformed(corners(boxOf(font, glyph)), own) });
        },
      });
    const list = await withoutStructure(document, () => long.displayList(page, { annotations: false }));
    const device = new mupdf.Device({
      fillText: (text, matrix) => add(text, matrix),
      strokeText: (text, _stroke, matrix) => add(text, matrix),
      clipText: (text, matrix) => add(text, matrix),
      clipStrokeText: (text, _stroke, matrix) => add(text, matrix),
      ignoreText: (text, matrix) => add(text, matrix),
    });
    await long.run(list, device, mupdf.Matrix.identity);
    engine.refuseSkipped();
  });
  engine.work.spend(found.length * GLYPH_WORK);
  await engine.work.pause();
  return found;
}
