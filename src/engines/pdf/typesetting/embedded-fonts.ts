/** The fonts of stamps in a document: embedded as subsets, with the text of each glyph. */
import type { PDFDocument, PDFObject } from "mupdf";
import { ParseMeter } from "../../parse-meter.ts";
import { CffFont, FONT_BBOX } from "../fonts/cff.ts";
import { SfntFont } from "../fonts/sfnt.ts";
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

/** What is needed to embed a font (ISO 32000-2, 9.8). Lengths are in thousandths of the font size. */
interface EmbeddedSubset {
  readonly data: Uint8Array;
  readonly widths: readonly number[];
  readonly bbox: readonly [number, number, number, number];
  readonly ascent: number;
  readonly descent: number;
  readonly isTrueType: boolean;
}

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
  write(): void {
    for (const [font, subset] of this.#subsets) this.#writeFont(font, subset);
  }

  #writeFont(font: StampFont, { reference, ids, texts }: Subset): void {
    const document = this.#document;
    const { widths, bbox, ascent, descent, ...file } = this.#subset(font, ids);
    const name = `${tagOf(font.font.getName() + ids.join())}+${font.font.getName().replace(/[^A-Za-z0-9]/g, "")}`;
    const descriptor = document.addObject({
      Type: "FontDescriptor",
      FontName: name,
      // Symbolic: the codes do not use a standard encoding.
      Flags: 4,
      FontBBox: bbox,
      ItalicAngle: 0,
      Ascent: ascent,
      Descent: descent,
      CapHeight: 700,
      StemV: 80,
      [file.isTrueType ? "FontFile2" : "FontFile3"]: document.addStream(
        file.data,
        file.isTrueType ? { Length1: file.data.length } : { Subtype: "CIDFontType0C" },
      ),
    });
    const descendant = document.addObject({
      Type: "Font",
      Subtype: file.isTrueType ? "CIDFontType2" : "CIDFontType0",
      BaseFont: name,
      ...(file.isTrueType ? { CIDToGIDMap: "Identity" } : {}),
      CIDSystemInfo: { Ordering: "(Identity)", Registry: "(Adobe)", Supplement: 0 },
      FontDescriptor: descriptor,
      DW: EM,
      W: [0, widths],
    });
    const entries = {
      Type: "Font",
      Subtype: "Type0",
      BaseFont: name,
      Encoding: "Identity-H",
      DescendantFonts: [descendant],
      ToUnicode: document.addStream(toUnicode(texts), {}),
    };
    for (const [key, value] of Object.entries(entries)) reference.put(key, value);
  }

  /** The glyphs of one of our font files, or of a font built into MuPDF, which exports it only as part of a document. */
  #subset({ font, data }: StampFont, ids: readonly number[]): EmbeddedSubset {
    if (data) return this.#trueType(data, ids);
    const scratch = new this.#engine.mupdf.PDFDocument();
    const descriptor = scratch.addFont(font).get("DescendantFonts", 0, "FontDescriptor");
    const trueType = descriptor.get("FontFile2");
    const isTrueType = trueType.isStream();
    const file = (isTrueType ? trueType : descriptor.get("FontFile3")).readStream();
    const program = file.asUint8Array().slice();
    file.destroy();
    scratch.destroy();
    if (isTrueType) return this.#trueType(program, ids);
    const advance = (id: number): number => (id === EMPTY ? 0 : Math.round(font.advanceGlyph(id, 0) * EM));
    const cff = new CffFont(program);
    const [left = 0, bottom = 0, right = 0, top = 0] = cff.numbersOf(FONT_BBOX);
    return {
      data: this.#glyphsOf(cff, ids),
      bbox: [left, bottom, right, top],
      widths: [0, ...ids].map(advance),
      ascent: top,
      descent: bottom,
      isTrueType,
    };
  }

  #trueType(file: Uint8Array, ids: readonly number[]): EmbeddedSubset {
    const font = new SfntFont(file);
    const { bbox, ascent, descent, thousandths } = font.metrics;
    const widths = [0, ...ids].map((id) => (id === EMPTY ? 0 : thousandths(font.advanceOf(id))));
    return { data: this.#glyphsOf(font, ids), widths, bbox, ascent, descent, isTrueType: true };
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
