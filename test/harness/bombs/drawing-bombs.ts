/** Small pages that take long to draw: what they hold is drawn again and again, or is far larger than it looks. */
import { deepFont } from "../fonts/cff-fixtures.ts";
import type { DrawnPage } from "../fixtures/drawing-fixtures.ts";
import { concatenate, flate, latin1 } from "../fixtures/pdf-writer.ts";

const A4 = { width: 595, height: 842 };

/** A page that paints itself full so often, each time mixed with what is there, channel by channel. */
export const fills = (count: number): DrawnPage => ({
  ...A4,
  resources: "/ExtGState << /G << /BM /Luminosity /ca .5 >> >>",
  content: `/G gs ${"1 0 0 rg 0 0 595 842 re f\n".repeat(count)}`,
});

/** Tiles of one point, one every twentieth of a point. */
export const tiles: DrawnPage = {
  ...A4,
  resources: "/Pattern << /P $0 >>",
  objects: [
    {
      entries: "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep .05 /YStep .05 /Resources << >>",
      data: latin1("1 0 0 rg 0 0 1 1 re f"),
    },
  ],
  content: "/Pattern cs /P scn 0 0 595 842 re f",
};

/** An image of four pixels that is smoothed over the whole page, again and again. */
export const smoothed: DrawnPage = {
  ...A4,
  resources: "/XObject << /I $0 >>",
  objects: [
    {
      entries:
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Interpolate true",
      data: latin1("abcdefghijkl"),
    },
  ],
  content: "q 595 0 0 842 0 0 cm /I Do Q\n".repeat(40),
};

/** A shading whose color comes from a program of PostScript with many steps. */
export const shading: DrawnPage = {
  ...A4,
  resources: "/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 595 0 842] /Function $0 >> >>",
  objects: [
    {
      entries: "/FunctionType 4 /Domain [0 595 0 842] /Range [0 1]",
      data: latin1(`{ add ${"sin cos ".repeat(20_000)} }`),
    },
  ],
  content: "/S sh\n".repeat(20),
};

/** Text in a font whose glyph shows text in the next font, and so on: 30 glyphs at each of so many levels. */
export const glyphs = (levels: number): DrawnPage => {
  // The first object has the number 4; each level is a font and its glyph.
  const font = (level: number): string => `${4 + 2 * level} 0 R`;
  const objects = Array.from({ length: levels }, (_, level) => [
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 97 /Widths [1]` +
      ` /Encoding << /Differences [97 /a] >> /CharProcs << /a ${5 + 2 * level} 0 R >>` +
      ` /Resources << /Font << /F ${level + 1 < levels ? font(level + 1) : "3 0 R"} >> >> >>`,
    { entries: "", data: latin1(`1 0 d0 BT /F 1 Tf (${"a".repeat(30)}) Tj ET`) },
  ]).flat();
  return { ...A4, resources: "/Font << /F0 $0 >>", objects, content: "BT /F0 12 Tf 72 72 Td (a) Tj ET" };
};

/** Curved patches over the whole page, one upon the other. */
export const patches = (count: number): DrawnPage => {
  const corners = Uint8Array.from({ length: 32 }, (_, index) => (index * 89) % 256);
  const patch = concatenate([Uint8Array.of(0), corners, Uint8Array.of(0, 255, 0, 255)]);
  const data = concatenate(Array.from({ length: count }, () => patch));
  const form = "/BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [0 595 0 842 0 1]";
  return {
    ...A4,
    resources: "/Shading << /S $0 >>",
    objects: [flate(data, `/ShadingType 7 /ColorSpace /DeviceGray ${form}`)],
    content: "/S sh",
  };
};

/** Immediate and intermediate generic regions (ISO/IEC 14492, 7.3.1): MuPDF does not decode these. */
const IMMEDIATE = 38;
export const INTERMEDIATE = 36;

/** An image of so many pixels each way, all of them coded as one region (7.4.6), in 60 bytes. */
export const bilevel = (side: number, region = IMMEDIATE): DrawnPage => {
  const integers = (...values: number[]): Uint8Array => Uint8Array.from(values.flatMap(bigEndian));
  const segment = (number: number, type: number, data: Uint8Array): Uint8Array =>
    concatenate([integers(number), Uint8Array.of(type, 0, 1), integers(data.length), data]);
  const page = concatenate([integers(side, side, 0, 0), Uint8Array.of(0, 0, 0)]);
  const nominal = Uint8Array.of(3, 255, 253, 255, 2, 254, 254, 254);
  const coded = concatenate([integers(side, side, 0, 0), Uint8Array.of(0, 0), nominal, latin1("any bytes will do")]);
  const data = concatenate([segment(0, 48, page), segment(1, region, coded)]);
  const entries = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 1 /ColorSpace /DeviceGray`;
  return {
    ...A4,
    resources: "/XObject << /I $0 >>",
    objects: [{ entries: `${entries} /Filter /JBIG2Decode`, data }],
    content: "q 595 0 0 842 0 0 cm /I Do Q",
  };
};

/** An image of so many pixels each way in an empty codestream of JPEG 2000 (ISO/IEC 15444-1, A.5), cut into `tile`s. */
export const emptyWavelets = (side: number, tile: number): DrawnPage => {
  const u16 = (value: number): number[] => [value >> 8, value & 255];
  const marker = (code: number, ...data: number[]): number[] => [255, code, ...u16(data.length + 2), ...data];
  const integers = (...values: number[]): number[] => values.flatMap(bigEndian);
  const size = integers(side, side, 0, 0, tile, tile, 0, 0);
  const tilePart = [255, 0x90, ...u16(10), ...u16(0), ...bigEndian(14), 0, 1, 255, 0x93];
  const data = Uint8Array.from([
    255,
    0x4f,
    ...marker(0x51, ...u16(0), ...size, ...u16(1), 7, 1, 1),
    // No precincts of its own, one layer, five decompositions, blocks of 4 by 4.
    ...marker(0x52, 0, 0, ...u16(1), 0, 5, 0, 0, 0, 1),
    ...marker(0x5c, 0x40, ...Array.from({ length: 16 }, () => 0x40)),
    ...tilePart,
    255,
    0xd9,
  ]);
  const entries = `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /BitsPerComponent 8 /ColorSpace /DeviceGray`;
  return {
    ...A4,
    resources: "/XObject << /I $0 >>",
    objects: [{ entries: `${entries} /Filter /JPXDecode`, data }],
    content: "q 595 0 0 842 0 0 cm /I Do Q",
  };
};

/** Text in a font whose glyphs call subroutines that call subroutines, ten levels deep, 200 times each. */
export const subroutines = (glyphs: number): DrawnPage => ({
  ...A4,
  resources: "/Font << /F $0 >>",
  objects: [
    `<< /Type /Font /Subtype /Type0 /BaseFont /Deep /Encoding /Identity-H /DescendantFonts [5 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Deep /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>` +
      ` /FontDescriptor 6 0 R >>`,
    `<< /Type /FontDescriptor /FontName /Deep /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 1000 /Descent 0` +
      ` /CapHeight 700 /StemV 80 /FontFile3 7 0 R >>`,
    { entries: "/Subtype /CIDFontType0C", data: deepFont(glyphs) },
  ],
  content: `BT /F 12 Tf 72 72 Td <${Array.from({ length: glyphs - 1 }, (_, index) => (index + 1).toString(16).padStart(4, "0")).join("")}> Tj ET`,
});

const bigEndian = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** The baselines of so many lines from the top of a page to its bottom. */
const baselines = (count: number, height: number): number[] =>
  Array.from({ length: count }, (_, at) => height - 20 - (at * (height - 40)) / count);

/** Rules of one width over the whole page, with lines of three words between them: each pair of rules may hold a table. */
export const ruledLines = (rules: number, lines: number): DrawnPage => {
  const [width, height] = [595, 14_000];
  const across = Array.from({ length: rules }, (_, at) => height - 10 - (at * (height - 20)) / rules)
    .map((y) => `30 ${y.toFixed(2)} m 560 ${y.toFixed(2)} l S\n`)
    .join("");
  const texts = baselines(lines, height)
    .map((y, at) => [40, 220, 400].map((x, column) => shownAt(`w${3 * at + column}`, x, y, 2)).join(""))
    .join("");
  return { width, height, content: `.5 w ${across}BT ${texts}ET` };
};

/** Words so close to each other that a table of them has so many columns, in a frame with rules under its rows. */
export const wideTable = (rows: number, columns: number): DrawnPage => {
  const [width, height] = [40 + 20 * columns, 40 + 14 * rows];
  const across = Array.from(
    { length: rows + 1 },
    (_, at) => `20 ${20 + 14 * at} m ${width - 20} ${20 + 14 * at} l S\n`,
  );
  const texts = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) =>
      shownAt(`w${row * columns + column}`, 22 + 20 * column + ((column * 7) % 5), height - 30 - 14 * row, 4),
    ).join(""),
  );
  return { width, height, content: `.5 w ${across.join("")}BT ${texts.join("")}ET` };
};

/** Columns of words without anything drawn, in each of which every other word reaches into the next: no table begins at any of the lines. */
export const raggedLines = (lines: number, words: number): DrawnPage => {
  const [width, height] = [40 + 30 * words, 14_000];
  const texts = baselines(lines, height).map((y, row) =>
    Array.from({ length: words }, (_, column) =>
      shownAt(`w${row * words + column}`, 20 + 30 * column + ((row * 7) % 23), y, 3),
    ).join(""),
  );
  return { width, height, content: `BT ${texts.join("")}ET` };
};

/** In a font of so many points. */
const shownAt = (text: string, x: number, y: number, size: number): string =>
  `/F1 ${size} Tf 1 0 0 1 ${x} ${y.toFixed(2)} Tm (${text}) Tj\n`;
