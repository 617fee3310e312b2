import { latin1, pdf, type PdfObject, type WriteOptions } from "./pdf-writer.ts";

/** A page to be read: its content, in one stream or more, and entries of its dictionary beside `/MediaBox [0 0 600 800]`. */
export interface TextPage {
  readonly content: string | readonly string[];
  readonly entries?: string;
  /** A free text annotation 20 points from the left and the bottom: what its appearance shows in Helvetica. */
  readonly note?: string;
}

/** What a two-byte code of font `F2` means: characters, or bytes of a ToUnicode entry as hex, right or wrong. */
export type Meaning = string | { readonly hex: string };

/** Glyphs of `F2` are as wide as this, in thousandths of the font size. */
const GLYPH_WIDTH = 600;

/**
 * A PDF with Helvetica as `F1` and, as `F2`, a font that no one has whose code `n` (from 1) means `meanings[n - 1]`: only
 * its ToUnicode map tells what its glyphs are.
 */
export function textDocument(
  pages: readonly TextPage[],
  meanings: readonly Meaning[] = [],
  options: WriteOptions = {},
): Uint8Array {
  const objects: PdfObject[] = [];
  const add = (object: PdfObject): string => `${objects.push(object)} 0 R`;
  const helvetica = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  const toUnicode = add({ entries: "", data: latin1(unicodeMap(meanings)) });
  const descriptor = add(
    "<< /Type /FontDescriptor /FontName /Fixture /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80" +
      " /FontBBox [0 -200 1000 800] >>",
  );
  const descendant = add(
    "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Fixture /CIDToGIDMap /Identity /CIDSystemInfo" +
      ` << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW ${GLYPH_WIDTH} /FontDescriptor ${descriptor} >>`,
  );
  const composite = add(
    "<< /Type /Font /Subtype /Type0 /BaseFont /Fixture /Encoding /Identity-H" +
      ` /DescendantFonts [${descendant}] /ToUnicode ${toUnicode} >>`,
  );
  const notes = pages.filter(({ note }) => note !== undefined).length;
  const contents = pages.map(({ content }) => (typeof content === "string" ? [content] : content));
  const tree = `${objects.length + contents.flat().length + pages.length + notes + 1} 0 R`;
  const kids = pages.map(({ entries = "", note }, index) => {
    const parts = contents[index] ?? [];
    const streams = parts.map((part) => add({ entries: "", data: latin1(part) }));
    const fonts = `/Resources << /Font << /F1 ${helvetica} /F2 ${composite} >> >>`;
    const annotations = note === undefined ? "" : `/Annots [${freeText(add, note, helvetica)}]`;
    return add(
      `<< /Type /Page /Parent ${tree} /MediaBox [0 0 600 800] ${fonts} /Contents [${streams.join(" ")}] ${annotations} ${entries} >>`,
    );
  });
  add(`<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${pages.length} >>`);
  const root = add(`<< /Type /Catalog /Pages ${tree} >>`);
  return pdf(objects, `/Root ${root}`, options);
}

function freeText(add: (object: PdfObject) => string, note: string, font: string): string {
  const appearance = add({
    entries: `/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 ${font} >> >>`,
    data: latin1(show(note, 2, 5)),
  });
  return `<< /Type /Annot /Subtype /FreeText /Rect [20 20 220 40] /Contents (hidden) /DA (/F1 10 Tf) /F 4 /AP << /N ${appearance} >> >>`;
}

function unicodeMap(meanings: readonly Meaning[]): string {
  const entries = meanings.map((meaning, index) => `<${code(index + 1)}> <${hexOf(meaning)}>`);
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Fixture def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${entries.length} beginbfchar
${entries.join("\n")}
endbfchar
endcmap end end`;
}

const code = (value: number): string => value.toString(16).padStart(4, "0");

function hexOf(meaning: Meaning): string {
  if (typeof meaning !== "string") return meaning.hex;
  return Array.from({ length: meaning.length }, (_, index) => code(meaning.charCodeAt(index))).join("");
}

/** Shows codes of `F2` at a place in points, origin bottom-left. */
export function showCodes(codes: readonly number[], x: number, y: number, size = 10): string {
  return `BT /F2 ${size} Tf ${x} ${y} Td <${codes.map(code).join("")}> Tj ET`;
}

/** Shows ASCII in Helvetica at a place in points, origin bottom-left. */
export function show(text: string, x: number, y: number, size = 10): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${text.replaceAll(/[()\\]/g, "\\$&")}) Tj ET`;
}

/** A font's characters, one a glyph, and the codes that show a text of them from left to right. */
export function spelled(text: string): { readonly meanings: string[]; readonly codes: number[] } {
  const meanings = [...new Set(text)];
  return { meanings, codes: Array.from(text, (character) => meanings.indexOf(character) + 1) };
}
