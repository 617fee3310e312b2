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
  /** How many CIDs from 0 on the program has, if that is to be listed, as PDF/A-1 requires of subsets (ISO 19005-1, 6.3.5). */
  readonly cids?: number;
}

/** Fills in the dictionary of the font. */
export function writeCompositeFont(document: PDFDocument, font: PDFObject, written: CompositeFont): void {
  const { name, program, isTrueType, widths, cidToGid, cids } = written;
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
    ...(cids === undefined ? {} : { CIDSet: document.addStream(firstBits(cids), {}) }),
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

/** A bit for each CID from 0 on, the highest of each byte first. */
const firstBits = (count: number): Uint8Array =>
  Uint8Array.from({ length: Math.ceil(count / 8) }, (_, at) => 0xff & (0xff << Math.max(0, 8 * (at + 1) - count)));
