/** Writes the dictionaries of a composite font whose codes have two bytes and are its CIDs (ISO 32000-2, 9.7). */
import type { PDFDocument, PDFObject } from "mupdf";

/** Lengths are in thousandths of the font size. */
export interface CompositeFont {
  readonly name: string;
  readonly program: Uint8Array;
  /** Otherwise the program is in the Compact Font Format. */
  readonly isTrueType: boolean;
  readonly flags: number;
  readonly bbox: readonly [number, number, number, number];
  readonly ascent: number;
  readonly descent: number;
  readonly capHeight: number;
  /** From CID 0 on; those that are not there are 1000. */
  readonly widths?: readonly number[];
  /** The glyph of each CID in two bytes, if they are not the same numbers. */
  readonly cidToGid?: Uint8Array;
  readonly toUnicode: string;
}

/** Fills in the dictionary of the font. */
export function writeCompositeFont(document: PDFDocument, font: PDFObject, written: CompositeFont): void {
  const { name, program, isTrueType, widths, cidToGid } = written;
  const descriptor = document.addObject({
    Type: "FontDescriptor",
    FontName: name,
    Flags: written.flags,
    FontBBox: written.bbox,
    ItalicAngle: 0,
    Ascent: written.ascent,
    Descent: written.descent,
    CapHeight: written.capHeight,
    StemV: 80,
    [isTrueType ? "FontFile2" : "FontFile3"]: document.addStream(
      program,
      isTrueType ? { Length1: program.length } : { Subtype: "CIDFontType0C" },
    ),
  });
  const descendant = document.addObject({
    Type: "Font",
    Subtype: isTrueType ? "CIDFontType2" : "CIDFontType0",
    BaseFont: name,
    ...(isTrueType ? { CIDToGIDMap: cidToGid ? document.addStream(cidToGid, {}) : "Identity" } : {}),
    CIDSystemInfo: { Ordering: "(Identity)", Registry: "(Adobe)", Supplement: 0 },
    FontDescriptor: descriptor,
    DW: 1000,
    ...(widths ? { W: [0, widths] } : {}),
  });
  const entries = {
    Type: "Font",
    Subtype: "Type0",
    BaseFont: name,
    Encoding: "Identity-H",
    DescendantFonts: [descendant],
    ToUnicode: document.addStream(written.toUnicode, {}),
  };
  for (const [key, value] of Object.entries(entries)) font.put(key, value);
}
