/** What MuPDF shows for codes of a font: the program, glyphs, and text, whether the font is embedded or not. */
import type { PDFObject, Text } from "mupdf";
import { hex } from "../../../../bytes/hex.ts";
import type { ShownGlyph } from "../../conformance/model/elements.ts";
import { asPage } from "../../document/as-page.ts";
import type { OpenPdf } from "../../document/document.ts";
import { withoutStructure } from "../../document/without-structure.ts";
import { type MuPdfProgram, programOf } from "../../mupdf/font-programs.ts";
import { GlyphInks } from "../../mupdf/glyph-ink.ts";

/** Font sizes of the codes, and of the letter after each, and codes on a page. */
const [SIZE, MARK, MOST_CODES] = [100, 5, 2_000];
/** Fuel per code. */
const CODE_WORK = 500;

export interface DrawnCode {
  /** The number of the glyph in the program. */
  readonly glyph: number;
  /** Empty if it is not known. */
  readonly text: string;
  /** In thousandths of the font size. */
  readonly advance: number;
  /** Where its ink begins and ends, horizontally, in thousandths of the font size; both 0 if it has none. */
  readonly ink: readonly [number, number];
}

export interface DrawnCodes {
  readonly program: MuPdfProgram;
  /** By index of the code. */
  readonly codes: readonly (DrawnCode | undefined)[];
}

/** Undefined if MuPDF shows nothing in the font. */
export async function showCodes(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly Uint8Array[],
): Promise<DrawnCodes | undefined> {
  const drawn: (DrawnCode | undefined)[] = [];
  let program: MuPdfProgram | undefined;
  for (let from = 0; from < codes.length; from += MOST_CODES) {
    const part = await drawPart(open, font, codes.slice(from, from + MOST_CODES), program === undefined);
    program ??= part.program;
    drawn.push(...part.codes);
  }
  return program && { program, codes: drawn };
}

async function drawPart(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly Uint8Array[],
  wantsProgram: boolean,
): Promise<{ readonly program: MuPdfProgram | undefined; readonly codes: readonly (DrawnCode | undefined)[] }> {
  const { document, engine } = open;
  engine.work.spend(codes.length * CODE_WORK);
  const shown = codes.map((code) => `1 0 0 1 0 0 Tm /F ${SIZE} Tf <${hex(code)}> Tj /M ${MARK} Tf (x) Tj`);
  return engine.scope(async () => {
    const contents = document.addStream(`BT ${shown.join("\n")} ET`, {});
    const fonts = document.newDictionary();
    fonts.put("F", font);
    fonts.put("M", { Type: "Font", Subtype: "Type1", BaseFont: "Helvetica" });
    const resources = document.newDictionary();
    resources.put("Font", fonts);
    const inks = new GlyphInks(engine);
    const drawn: (DrawnCode | undefined)[] = [];
    let program: MuPdfProgram | undefined;
    let current: Omit<DrawnCode, "advance"> | undefined;
    const show = (text: Text): void =>
      text.walk({
        showGlyph: (own, [a, , , , x], glyph, unicode) => {
          if (Math.abs(a - MARK) < 0.01) {
            drawn.push(current && { ...current, advance: Math.round((x / SIZE) * 1_000_000) / 1000 });
            current = undefined;
            return;
          }
          const character = unicode > 0 && unicode !== 0xfffd ? String.fromCodePoint(unicode) : "";
          // Further characters of one code have no glyph.
          if (current) current = { ...current, text: current.text + character };
          else if (glyph >= 0) {
            if (wantsProgram) program ??= programOf(engine, own);
            const [left, , right] = inks.of(own, glyph);
            current = { glyph, text: character, ink: [left * 1000, right * 1000] };
          }
        },
      });
    await asPage(open, { contents, resources }, async () => {
      const page = await engine.long.loadPage(document, 0);
      const list = await withoutStructure(document, () => engine.long.displayList(page, { annotations: false }));
      await engine.long.run(list, new engine.mupdf.Device({ fillText: show }), engine.mupdf.Matrix.identity);
    });
    document.deleteObject(contents.asIndirect());
    // Each code has one mark.
    return { program, codes: drawn.length === codes.length ? drawn : codes.map(() => undefined) };
  });
}

/** The bytes of a code. */
export const codeBytes = ({ code, length }: Pick<ShownGlyph, "code" | "length">): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => Math.floor(code / 256 ** (length - 1 - at)) & 255);
