import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Font } from "mupdf";
import { boxFont, cidOf, namedBoxFont } from "./cff-fixtures.ts";
import { u16, u32 } from "./sfnt-fixtures.ts";
import { type1Font } from "./type1-fixtures.ts";
import { concatenate, flate, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";

const path = createRequire(import.meta.url).resolve(
  "@expo-google-fonts/great-vibes/400Regular/GreatVibes_400Regular.ttf",
);
const file = new Uint8Array(readFileSync(path));
const font = new Font("GreatVibes", file);
/** What is shown; codes of one byte from 65 on in this order, in fonts with codes of their own. */
const TEXT = "Jackdaws love my quartz";
const letters = [...new Set(TEXT)];
const glyphOf = (letter: string): number => font.encodeCharacter(letter);

/** The font with another table `cmap` (OpenType 1.9), its checksums left alone. */
function withCharacterMap(cmap: readonly number[]): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const copy = concatenate([file, new Uint8Array(-file.length & 3), Uint8Array.from(cmap)]);
  for (let at = 12, end = 12 + view.getUint16(4) * 16; at < end; at += 16) {
    if (String.fromCharCode(...file.subarray(at, at + 4)) !== "cmap") continue;
    copy.set(u32(file.length + (-file.length & 3), cmap.length), at + 8);
  }
  return copy;
}

/** The font with a table of control values that ends so many bytes behind the file. */
function withTableBeyond(bytes: number): Uint8Array {
  const copy = file.slice();
  const view = new DataView(copy.buffer);
  for (let at = 12, end = 12 + view.getUint16(4) * 16; at < end; at += 16) {
    if (String.fromCharCode(...copy.subarray(at, at + 4)) !== "cvt ") continue;
    view.setUint32(at + 12, copy.length - view.getUint32(at + 8) + bytes);
    return copy;
  }
  throw new Error("the font has no such table");
}

/** Codes from 65 on in the private area, as Windows has it for symbols: platform 3, encoding 0, format 6. */
const symbols = [
  ...u16(0, 1, 3, 0, 0, 12, 6, 10 + letters.length * 2, 0, 0xf041, letters.length),
  ...letters.flatMap((letter) => u16(glyphOf(letter))),
];
/** Codes from 65 on for the Macintosh: platform 1, encoding 0, format 0. */
const macintosh = [
  ...u16(0, 1, 1, 0, 0, 12, 6, 10 + letters.length * 2, 0, 65, letters.length),
  ...letters.flatMap((letter) => u16(glyphOf(letter))),
];

const hex = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
const ownCodes = `<${hex(Array.from(TEXT, (letter) => 65 + letters.indexOf(letter)))}>`;
const glyphs = `<${hex(Array.from(TEXT).flatMap((letter) => u16(glyphOf(letter))))}>`;
const width = (letter: string): number => Math.round(font.advanceGlyph(glyphOf(letter), 0) * 1000);
const ownWidths = `/FirstChar 65 /LastChar ${64 + letters.length} /Widths [${letters.map(width).join(" ")}]`;
const latin = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const latinWidths = `/FirstChar 32 /LastChar 126 /Widths [${latin.map(width).join(" ")}]`;
const names = letters.map((letter) => (letter === " " ? "/space" : `/${letter}`)).join(" ");

interface EmbeddedFont {
  readonly name: string;
  /** Entries of the font, or of its CIDFont. */
  readonly entries: string;
  readonly flags: 4 | 32;
  readonly text: string;
  readonly file?: Uint8Array;
  readonly isComposite?: boolean;
  /** Whether the file is in the Compact Font Format. */
  readonly isCompact?: boolean;
  readonly isType1?: boolean;
  /** Whether the text stands in a form that takes the font of its caller. */
  readonly inForm?: boolean;
  /** Whether it may be cut down. */
  readonly shrinks: boolean;
}

export const embeddedFonts: readonly EmbeddedFont[] = [
  {
    name: "a table that ends behind the file",
    entries: `/W [${letters.map((letter) => `${glyphOf(letter)} [${width(letter)}]`).join(" ")}]`,
    flags: 4,
    text: glyphs,
    file: withTableBeyond(100_000),
    isComposite: true,
    shrinks: false,
  },
  {
    name: "symbols by private characters",
    entries: ownWidths,
    flags: 4,
    text: ownCodes,
    file: withCharacterMap(symbols),
    shrinks: true,
  },
  {
    name: "symbols by Macintosh codes",
    entries: ownWidths,
    flags: 4,
    text: ownCodes,
    file: withCharacterMap(macintosh),
    shrinks: true,
  },
  {
    name: "letters by a known encoding",
    entries: `/Encoding /WinAnsiEncoding ${latinWidths}`,
    flags: 32,
    text: `(${TEXT})`,
    shrinks: true,
  },
  {
    name: "letters by their names",
    entries: `/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [65 ${names}] >> ${ownWidths}`,
    flags: 32,
    text: ownCodes,
    shrinks: true,
  },
  {
    name: "glyphs by CIDs",
    entries: `/W [${letters.map((letter) => `${glyphOf(letter)} [${width(letter)}]`).join(" ")}]`,
    flags: 4,
    text: glyphs,
    isComposite: true,
    shrinks: true,
  },
  {
    name: "outlines of the Compact Font Format by CIDs",
    entries: "/DW 500",
    flags: 4,
    text: `<${hex([7, 23, 58].flatMap((glyph) => u16(cidOf(glyph))))}>`,
    file: boxFont(400),
    isComposite: true,
    isCompact: true,
    shrinks: true,
  },
  {
    name: "outlines of the Compact Font Format by names",
    entries: `/Encoding << /Differences [97 /g7 /g23 /g58] >> /FirstChar 97 /LastChar 99 /Widths [500 500 500]`,
    flags: 4,
    text: "(abc)",
    file: namedBoxFont(400),
    isCompact: true,
    isType1: true,
    shrinks: true,
  },
  {
    name: "outlines of the Compact Font Format by their own codes",
    entries: `/FirstChar 65 /LastChar 67 /Widths [500 500 500]`,
    flags: 4,
    text: "(ABC)",
    file: namedBoxFont(400),
    isCompact: true,
    isType1: true,
    shrinks: true,
  },
  {
    name: "outlines of Type 1 by their own codes",
    entries: `/FirstChar 97 /LastChar 100 /Widths [700.5 700.5 640 600]`,
    flags: 4,
    text: "(abcd)",
    file: type1Font(200),
    isType1: true,
    shrinks: true,
  },
  {
    name: "outlines of Type 1 by names",
    entries: `/Encoding << /Differences [65 /C /B /Aacute] >> /FirstChar 65 /LastChar 67 /Widths [600 640 700.5]`,
    flags: 4,
    text: "(ABC)",
    file: type1Font(200),
    isType1: true,
    shrinks: true,
  },
  {
    name: "outlines of Type 1 without widths",
    entries: "",
    flags: 4,
    text: "(abcd)",
    file: type1Font(200),
    isType1: true,
    shrinks: false,
  },
  {
    name: "names that no table has",
    entries: `/Encoding << /Differences [65 ${letters.map((_, index) => `/x${index}`).join(" ")}] >> ${ownWidths}`,
    flags: 4,
    text: ownCodes,
    file: withCharacterMap(symbols),
    shrinks: false,
  },
  { name: "no widths", entries: "/Encoding /WinAnsiEncoding", flags: 32, text: `(${TEXT})`, shrinks: false },
  {
    name: "text in the font of a form's caller",
    entries: `/Encoding /WinAnsiEncoding ${latinWidths}`,
    flags: 32,
    text: `(${TEXT})`,
    inForm: true,
    shrinks: false,
  },
];

/** A page with a line of text in a font that is embedded as a whole. */
export function embeddedFontDocument(fixture: EmbeddedFont): Uint8Array {
  const { entries, flags, text, isComposite = false, isCompact = false, isType1 = false, inForm = false } = fixture;
  const common = `/Type /Font /BaseFont /GreatVibes /FontDescriptor 6 0 R ${entries}`;
  const identity = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity";
  const descriptor = `/FontBBox [-300 -400 1500 1000] /ItalicAngle 0 /Ascent 800 /Descent -300 /CapHeight 700 /StemV 60`;
  const page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 612 200]";
  const objects: PdfObject[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< ${page} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 8 0 R >> >> >>`,
    flate(inForm ? "/F 48 Tf /X Do" : `BT /F 48 Tf 40 80 Td ${text} Tj ET`),
    isComposite
      ? "<< /Type /Font /Subtype /Type0 /BaseFont /GreatVibes /Encoding /Identity-H /DescendantFonts [9 0 R] >>"
      : `<< /Subtype /${isType1 ? "Type1" : "TrueType"} ${common} >>`,
    `<< /Type /FontDescriptor /FontName /GreatVibes /Flags ${flags} ${descriptor} /FontFile${isCompact ? "3" : isType1 ? "" : "2"} 7 0 R >>`,
    flate(
      fixture.file ?? file,
      isCompact ? `/Subtype /${isComposite ? "CIDFontType0C" : "Type1C"}` : `/Length1 ${(fixture.file ?? file).length}`,
    ),
    flate(
      inForm ? `BT 40 80 Td ${text} Tj ET` : "",
      "/Type /XObject /Subtype /Form /BBox [0 0 612 200] /Resources << >>",
    ),
    isComposite ? `<< /Subtype /CIDFontType${isCompact ? 0 : 2} ${identity} ${common} >>` : "null",
  ];
  return pdf(objects, "/Root 1 0 R");
}
