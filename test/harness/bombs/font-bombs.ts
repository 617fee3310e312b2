/** Documents with an embedded font that makes whoever cuts it down work much. */
import { concatenate, flate, latin1, pdf, type PdfObject } from "../fixtures/pdf-writer.ts";
import { fontOf, u16, u32 } from "../fonts/sfnt-fixtures.ts";

const long = (value: number): number[] => [29, ...u32(value)];

/** A page that shows `A` in a simple font. `key`: of the file in the descriptor. */
function pageWith(subtype: string, key: string, file: PdfObject): Uint8Array {
  const widths = `/FirstChar 65 /LastChar 65 /Widths [600]`;
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>",
      flate("BT /F 12 Tf 20 20 Td (A) Tj ET"),
      `<< /Type /Font /Subtype /${subtype} /BaseFont /ABCDEF+Bomb ${widths} /FontDescriptor 6 0 R >>`,
      `<< /Type /FontDescriptor /FontName /ABCDEF+Bomb /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /${key} 7 0 R >>`,
      file,
    ],
    "/Root 1 0 R",
  );
}

/** An INDEX of empty items but one. */
function index(items: readonly Uint8Array[]): Uint8Array {
  if (items.length === 0) return Uint8Array.of(0, 0);
  let at = 1;
  const offsets = items.flatMap(({ length }) => u32((at += length)));
  return concatenate([Uint8Array.from([...u16(items.length), 4, ...u32(1), ...offsets]), ...items]);
}

/**
 * A font of the Compact Font Format (Adobe Technical Note 5176) with so many glyphs. The names of all are one string: the number of one that is
 * there, of one byte or as long as `name`, or beyond all strings.
 */
export function namesOfGlyphs(glyphs: number, name: "short" | "long" | "beyond"): Uint8Array {
  const head = Uint8Array.of(1, 0, 4, 4);
  const names = index([latin1("Bomb")]);
  const strings = index(name === "beyond" ? [] : [latin1("n".repeat(name === "long" ? 30_000 : 1))]);
  const charset = Uint8Array.from([0, ...Array.from({ length: glyphs - 1 }, () => u16(391)).flat()]);
  const shapes = index(Array<Uint8Array>(glyphs).fill(Uint8Array.of(14)));
  const top = (start: number): Uint8Array =>
    index([Uint8Array.from([...long(start), 15, ...long(start + charset.length), 17])]);
  const start = head.length + names.length + top(0).length + strings.length + 2;
  const font = concatenate([head, names, top(start), strings, index([]), charset, shapes]);
  return pageWith("Type1", "FontFile3", flate(font, "/Subtype /Type1C"));
}

const EMPTY_GLYPHS = {
  head: [...Array<number>(50).fill(0), ...u16(0, 0)],
  hhea: [...Array<number>(34).fill(0), ...u16(1)],
  hmtx: u16(600, 0),
  loca: u16(0, 0),
  glyf: [],
};

/** A TrueType font with so many tables of codes, each of which maps 65,536 of them. */
export function tablesOfCodes(count: number): Uint8Array {
  const start = 4 + 8 * count;
  const records = Array.from({ length: count }, (_, table) => [...u16(3, 1), ...u32(start + 28 * table)]).flat();
  const table = [...u16(12, 0), ...u32(28, 0, 1), ...u32(0, 0xffff, 0)];
  const cmap = [...u16(0, count), ...records, ...Array.from({ length: count }, () => table).flat()];
  const font = fontOf({ ...EMPTY_GLYPHS, cmap, maxp: [...u32(0x10000), ...u16(1)], post: u32(0x30000) });
  return pageWith("TrueType", "FontFile2", flate(font));
}

/** A TrueType font whose glyphs all have the same name. */
export function namesakeGlyphs(count: number): Uint8Array {
  const indices = Array.from({ length: count }, () => u16(258)).flat();
  const post = [...u32(0x20000), ...Array<number>(28).fill(0), ...u16(count), ...indices, 1, 65];
  const cmap = [...u16(0, 1, 3, 1), ...u32(12), ...u16(6, 12, 0, 65, 1, 0)];
  const loca = Array.from({ length: count + 1 }, () => u16(0)).flat();
  const maxp = [...u32(0x10000), ...u16(count)];
  const font = fontOf({ ...EMPTY_GLYPHS, loca, cmap, maxp, post });
  return pageWith("TrueType", "FontFile2", flate(font));
}

/** A page that shows `A` in a font whose codes mean what a CMap says (ISO 32000-2, 9.10.3). */
export function meaningOf(cmap: string): Uint8Array {
  return pdf(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources << /Font << /F 5 0 R >> >> /Contents 4 0 R >>",
      flate("BT /F 12 Tf 20 20 Td (A) Tj ET"),
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>",
      flate(cmap),
    ],
    "/Root 1 0 R",
  );
}
