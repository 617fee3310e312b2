/** The fonts of stamps in a document: embedded as subsets, with the text of each glyph. */
import type { Font, PDFDocument, PDFObject } from "mupdf";
import { ParseMeter } from "../../parse-meter.ts";
import { profileToKeep } from "../conformance/keep.ts";
import { CffFont, FONT_BBOX } from "../fonts/cff.ts";
import { type CompositeFont, writeCompositeFont } from "../fonts/composite-font.ts";
import { bytesOfView, SfntFont } from "../fonts/sfnt.ts";
import { EMPTY, subset } from "../fonts/subset.ts";
import { toUnicode } from "../fonts/to-unicode.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { EM, type ShapedGlyph, type StampFont } from "./line.ts";

/** A composite font under construction: code `n` shows `ids[n - 1]` and means `texts[n - 1]`. */
interface Subset {
  readonly reference: PDFObject;
  readonly codes: Map<string, number>;
  readonly ids: number[];
  readonly texts: string[];
}

/** The properties that depend on the font program. */
type EmbeddedSubset = Pick<CompositeFont, "program" | "isTrueType" | "widths" | "bbox" | "ascent" | "descent">;

/** Each glyph gets a code for each text it represents, so that ligatures and conjuncts can be searched and copied. */
export class StampFonts {
  readonly #engine: PdfEngine;
  readonly #document: PDFDocument;
  readonly #subsets = new Map<StampFont, Subset>();

  constructor(engine: PdfEngine, document: PDFDocument) {
    this.#engine = engine;
    this.#document = document;
  }

  /** The font object, which `write` fills in, and the code of the glyph in it. */
  use(glyph: ShapedGlyph): { readonly font: PDFObject; readonly code: number } {
    let subset = this.#subsets.get(glyph.font);
    if (!subset) {
      const reference = this.#document.addObject(this.#document.newDictionary());
      subset = { reference, codes: new Map(), ids: [], texts: [] };
      this.#subsets.set(glyph.font, subset);
    }
    const key = `${glyph.id} ${glyph.text}`;
    let code = subset.codes.get(key);
    if (code === undefined) {
      subset.ids.push(glyph.id);
      code = subset.texts.push(glyph.text);
      subset.codes.set(key, code);
    }
    return { font: subset.reference, code };
  }

  /** Writes the fonts. Nothing can be added afterwards. */
  async write(): Promise<void> {
    const profile = await profileToKeep({ engine: this.#engine, document: this.#document });
    for (const [font, subset] of this.#subsets) this.#writeFont(font, subset, { listsCids: profile === "1b" });
  }

  #writeFont(face: StampFont, { reference, ids, texts }: Subset, { listsCids }: { readonly listsCids: boolean }): void {
    const font = face.font.getName();
    writeCompositeFont(this.#document, reference, {
      ...this.#subset(face, ids),
      name: `${tagOf(font + ids.join())}+${font.replace(/[^A-Za-z0-9]/g, "")}`,
      // Symbolic: the codes do not use a standard encoding.
      flags: 4,
      capHeight: 700,
      toUnicode: toUnicode(texts),
      ...(listsCids && { cids: ids.length + 1 }),
    });
  }

  /** The glyphs of one of our font files, or of a font built into MuPDF, which exports it only as part of a document. */
  #subset({ font, data }: StampFont, ids: readonly number[]): EmbeddedSubset {
    if (data) {
      const outlines = new SfntFont(data).tables.get("CFF ");
      return outlines ? this.#cffSubset(bytesOfView(outlines), font, ids) : this.#trueTypeSubset(data, ids);
    }
    const scratch = new this.#engine.mupdf.PDFDocument();
    const descriptor = scratch.addFont(font).get("DescendantFonts", 0, "FontDescriptor");
    const trueType = descriptor.get("FontFile2");
    const isTrueType = trueType.isStream();
    const file = (isTrueType ? trueType : descriptor.get("FontFile3")).readStream();
    const program = file.asUint8Array().slice();
    file.destroy();
    scratch.destroy();
    return isTrueType ? this.#trueTypeSubset(program, ids) : this.#cffSubset(program, font, ids);
  }

  #cffSubset(program: Uint8Array, font: Font, ids: readonly number[]): EmbeddedSubset {
    const advance = (id: number): number => (id === EMPTY ? 0 : Math.round(font.advanceGlyph(id, 0) * EM));
    const cff = new CffFont(program);
    const [left = 0, bottom = 0, right = 0, top = 0] = cff.numbersOf(FONT_BBOX);
    return {
      program: this.#glyphsOf(cff, ids),
      bbox: [left, bottom, right, top],
      widths: [0, ...ids].map(advance),
      ascent: top,
      descent: bottom,
      isTrueType: false,
    };
  }

  #trueTypeSubset(file: Uint8Array, ids: readonly number[]): EmbeddedSubset {
    const font = new SfntFont(file);
    const { bbox, ascent, descent, thousandths } = font.metrics;
    const widths = [0, ...ids].map((id) => (id === EMPTY ? 0 : thousandths(font.advanceOf(id))));
    return { program: this.#glyphsOf(font, ids), widths, bbox, ascent, descent, isTrueType: true };
  }

  #glyphsOf(font: CffFont | SfntFont, ids: readonly number[]): Uint8Array<ArrayBuffer> {
    const data = subset(font, { inOrder: ids }, new ParseMeter(this.#engine.work, "font"));
    if (!data) throw new Error("a font of ours is not understood");
    return data;
  }
}

/** A six-letter tag that identifies the subset (9.9.2). */
function tagOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) >>> 0;
  return Array.from({ length: 6 }, (_, place) => String.fromCharCode(65 + (Math.floor(hash / 26 ** place) % 26))).join(
    "",
  );
}
