import type { PDFDocument, PDFObject } from "mupdf";
import { expect, test } from "vitest";
import { latin1 } from "../../../src/bytes/latin1.ts";
import { smallFont } from "../../harness/fonts/sfnt-fixtures.ts";
import { sound, stream } from "../conformance/report.ts";
import { type ArchivedFonts, archivedFonts, inEngine } from "./archived-fonts.ts";

/** A page of 99 points with this text in a font, which is object 5. */
const showing = (text: string, font: string, more: readonly string[] = []): Uint8Array =>
  sound("/Contents 4 0 R /Resources << /Font << /F 5 0 R >> >>", [
    stream("", `BT /F 20 Tf 5 50 Td ${text} Tj ET`),
    font,
    ...more,
  ]);

/** A 64th of a pixel, to which MuPDF rounds the points of an outline, after it has stretched one. */
const ROUNDING = 4;

/** The largest difference of two samples. */
function mostDifference(before: ArchivedFonts["before"], after: ArchivedFonts["after"]): number {
  const others = after.pixels.flatMap((page) => [...page]);
  return before.pixels
    .flatMap((page) => [...page])
    .reduce((most, sample, at) => Math.max(most, Math.abs(sample - (others[at] ?? 999))), 0);
}

test.each<[name: string, font: string, text: string, changes: Record<string, number>]>([
  ["one of the standard 14", "/Subtype /Type1 /BaseFont /Helvetica", "(Abc \\344)", { fonts_embedded: 1 }],
  [
    "one with the same metrics",
    "/Subtype /TrueType /BaseFont /Arial,Bold /Encoding /WinAnsiEncoding /FirstChar 97 /LastChar 98 /Widths [556 611] /FontDescriptor << /Type /FontDescriptor /FontName /Arial,Bold /Flags 32 >>",
    "(ab)",
    { fonts_embedded: 1 },
  ],
  [
    "another one that is much narrower",
    "/Subtype /TrueType /BaseFont /Narrow /Encoding /WinAnsiEncoding /FirstChar 97 /LastChar 98 /Widths [300 320] /FontDescriptor << /Type /FontDescriptor /FontName /Narrow /Flags 34 >>",
    "(abba)",
    { fonts_substituted: 1 },
  ],
  ["symbols", "/Subtype /Type1 /BaseFont /Symbol", "(abc)", { fonts_embedded: 1 }],
  ["dingbats", "/Subtype /Type1 /BaseFont /ZapfDingbats", "(abc)", { fonts_embedded: 1 }],
  [
    "differences",
    "/Subtype /Type1 /BaseFont /Times-Roman /Encoding << /Differences [1 /germandbls /eacute 65 /space] >>",
    "(\\001\\002A\\001)",
    { fonts_embedded: 1 },
  ],
])("a font that is not embedded is embedded as it is shown: %s", async (_, font, text, changes) => {
  const { before, after, ...result } = await archivedFonts(showing(text, `<< /Type /Font ${font} >>`));
  expect(before.failures).toContain("6.2.11.4.1-1 x1");
  expect(after).toEqual({ ...before, failures: [], pixels: expect.anything() });
  expect(mostDifference(before, after)).toBeLessThanOrEqual(ROUNDING);
  expect(result.changes).toEqual(changes);
});

test("the program has the widths that the font declares, and only the glyphs that are shown", async () => {
  const font =
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 97 /LastChar 98 /Widths [700.5 500] /Encoding /WinAnsiEncoding >>";
  const { after, file } = await archivedFonts(showing("(ab)", font));
  expect(after.failures).toEqual([]);
  const written = await inEngine(file, async ({ document }) => {
    const found = document.findPage(0).get("Resources", "Font", "F");
    const program = found.get("FontDescriptor", "FontFile3");
    return { font: found.resolve().toString(true, true), size: program.readStream().getLength() };
  });
  expect(written.font).toMatch(/\/BaseFont\/[A-Z]{6}\+Helvetica\/FirstChar 97\/LastChar 98\/Widths\[700\.5 500\]/);
  expect(written.size).toBeLessThan(1_000);
});

test("a font that is a direct object is embedded", async () => {
  const file = sound(
    "/Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >> >>",
    [stream("", "BT /F 20 Tf 5 50 Td (a) Tj ET")],
  );
  const { before, after } = await archivedFonts(file);
  expect(after).toEqual({ ...before, failures: [] });
});

const fontOf = (document: PDFDocument): PDFObject => document.findPage(0).get("Resources", "Font", "F");

/** The file after a change of its font. */
const withFont = async (
  file: Uint8Array,
  change: (font: PDFObject, document: PDFDocument) => void,
): Promise<Uint8Array> =>
  inEngine(file, async ({ document }) => {
    change(fontOf(document), document);
    return document.saveToBuffer("garbage=1").asUint8Array().slice();
  });

/** A composite font that is not embedded. */
const composite = (encoding: string, ordering: string, more = ""): string =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /Composite /Encoding /${encoding} ${more} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Composite /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /Composite /Flags 4 >> /DW 1000 /W [34 [600]] >>] >>`;

const TO_UNICODE = stream(
  "",
  "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0022> <0041> endbfchar",
);

test.each<[name: string, font: string, text: string, more: readonly string[]]>([
  ["codes of a predefined CMap", composite("UniJIS-UCS2-H", "Japan1"), "<65e5672c0041>", []],
  ["CIDs of Japanese", composite("Identity-H", "Japan1"), "<00220023>", []],
  ["codes with a ToUnicode CMap", composite("Identity-H", "Identity", "/ToUnicode 6 0 R"), "<0022>", [TO_UNICODE]],
])("a composite font that is not embedded is embedded as it is shown: %s", async (_, font, text, more) => {
  const { before, after, changes } = await archivedFonts(showing(text, font, more));
  expect(before.failures).toContain("6.2.11.4.1-1 x1");
  expect(after).toEqual({ ...before, failures: [], pixels: expect.anything() });
  expect(mostDifference(before, after)).toBeLessThanOrEqual(ROUNDING);
  expect(changes).toEqual({ fonts_substituted: 1 });
});

const EMBEDDED = showing("(ab)", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");

test.each<[name: string, failures: string[], change: (font: PDFObject, document: PDFDocument) => void]>([
  ["other widths", ["6.2.11.5-1 x2"], (font) => font.put("Widths", [300, 900])],
  [
    "no widths",
    ["6.2.11.2-4 x1", "6.2.11.2-5 x1", "6.2.11.2-6 x1", "6.2.11.5-1 x2"],
    (font) => ["FirstChar", "LastChar", "Widths"].forEach((key) => font.delete(key)),
  ],
  [
    "a code whose name has no glyph",
    ["6.2.11.4.1-2 x1", "6.2.11.5-1 x1"],
    (font) => font.put("Encoding", { Type: "Encoding", Differences: [98, "eacute"] }),
  ],
  [
    "a code that shows .notdef",
    ["6.2.11.5-1 x1", "6.2.11.8-1 x1"],
    (font) => font.put("Encoding", { Type: "Encoding", Differences: [98, ".notdef"] }),
  ],
  ["no type", ["6.2.11.2-1 x1"], (font) => font.delete("Type")],
  ["no subtype of the program", ["6.2.11.2-7 x1"], (font) => font.get("FontDescriptor", "FontFile3").delete("Subtype")],
  [
    "a CharSet without all names",
    ["6.2.11.4.2-1 x1"],
    (font, document) => font.get("FontDescriptor").put("CharSet", document.newString("/a")),
  ],
  [
    "a program that is damaged",
    [],
    (font) => font.get("FontDescriptor", "FontFile3").writeStream(Uint8Array.of(1, 2, 3)),
  ],
])("a font is repaired, and looks the same: %s", async (_, failures, change) => {
  const { file } = await archivedFonts(EMBEDDED);
  const damaged = await withFont(file, change);
  const { before, after, changes } = await archivedFonts(damaged);
  expect(before.failures).toEqual(failures);
  expect(after).toEqual({ ...before, failures: [] });
  expect(Object.values(changes)).toEqual([1]);
});

test("a code of CID 0 gets another CID", async () => {
  const { file } = await archivedFonts(
    showing("<0022>", composite("Identity-H", "Identity", "/ToUnicode 6 0 R"), [TO_UNICODE]),
  );
  const damaged = await withFont(file, (font, document) => {
    document.findPage(0).get("Contents").writeStream("BT /F 20 Tf 5 50 Td <00220000> Tj ET");
    expect(font.get("DescendantFonts", 0, "Subtype").asName()).toBe("CIDFontType0");
  });
  const { before, after, changes } = await archivedFonts(damaged);
  expect(before.failures).toEqual(["6.2.11.5-1 x1", "6.2.11.8-1 x1"]);
  expect(after).toEqual({ ...before, failures: [] });
  expect(changes).toEqual({ fonts_rewritten: 1 });
});

test.each<[name: string, failures: string[], change: (font: PDFObject, document: PDFDocument) => void]>([
  ["no map from CIDs to glyphs", ["6.2.11.3.2-1 x1"], (font) => font.get("DescendantFonts", 0).delete("CIDToGIDMap")],
  [
    "a CIDSet without all CIDs",
    ["6.2.11.4.2-2 x1"],
    (font, document) =>
      font.get("DescendantFonts", 0, "FontDescriptor").put("CIDSet", document.addStream(Uint8Array.of(0), {})),
  ],
  [
    "another character collection than the CMap",
    ["6.2.11.3.1-1 x1"],
    (font) => font.get("DescendantFonts", 0, "CIDSystemInfo").put("Supplement", 9),
  ],
])("a composite font is repaired, and looks the same: %s", async (_, failures, change) => {
  const { file } = await archivedFonts(showing("<65e5>", composite("UniJIS-UCS2-H", "Japan1")));
  const damaged = await withFont(file, change);
  const { before, after } = await archivedFonts(damaged);
  expect(before.failures).toEqual(failures);
  expect(after).toEqual({ ...before, failures: [] });
});

test("a CIDSet of a font that is no subset may list some CIDs only", async () => {
  const { file } = await archivedFonts(showing("<65e5>", composite("UniJIS-UCS2-H", "Japan1")));
  const whole = await withFont(file, (font, document) => {
    font.put("BaseFont", "Composite");
    font.get("DescendantFonts", 0, "FontDescriptor").put("CIDSet", document.addStream(Uint8Array.of(0), {}));
  });
  const { before } = await archivedFonts(whole);
  expect(before.failures).toEqual([]);
});

/** A TrueType font of triangles, of which the last glyph has two parts. */
const trueType = (flags: number, encoding: string): string =>
  `<< /Type /Font /Subtype /TrueType /BaseFont /Small /FirstChar 65 /LastChar 67 /Widths [600 620 500] ${encoding} /FontDescriptor << /Type /FontDescriptor /FontName /Small /Flags ${flags} /FontFile2 6 0 R >> >>`;

test.each<[name: string, failure: string, font: string]>([
  [
    "a nonsymbolic one with differences from StandardEncoding",
    "6.2.11.6-2 x1",
    trueType(32, "/Encoding << /Differences [66 /C] >>"),
  ],
  ["a symbolic one with an encoding", "6.2.11.6-3 x1", trueType(4, "/Encoding /WinAnsiEncoding")],
])("a TrueType font becomes a symbolic one that shows the same glyphs: %s", async (_, failure, font) => {
  const program = stream("", latin1(smallFont()));
  const { before, after, file } = await archivedFonts(showing("(ABC)", font, [program]));
  expect(before.failures).toContain(failure);
  expect(after).toEqual({ ...before, failures: [], pixels: expect.anything() });
  expect(mostDifference(before, after)).toBeLessThanOrEqual(ROUNDING);
  const size = await inEngine(file, async ({ document }) =>
    fontOf(document).get("FontDescriptor", "FontFile2").readStream().getLength(),
  );
  expect(size).toBeLessThan(600);
});

test("glyphs of a Type 3 font set the widths that the font declares", async () => {
  const font =
    "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 97 /LastChar 97 /Widths [700] /Encoding << /Type /Encoding /Differences [97 /a] >> /CharProcs << /a 6 0 R >> /Resources << >> >>";
  const glyph = stream("", "500 0 0 0 400 400 d1 0 0 400 400 re f");
  const { before, after } = await archivedFonts(showing("(aa)", font, [glyph]));
  expect(before.failures).toEqual(["6.2.11.5-1 x1"]);
  expect(after).toEqual({ ...before, failures: [] });
});

test("codes get meanings for level u from the names of glyphs and from the program, and none where these say nothing", async () => {
  const { file } = await archivedFonts(EMBEDDED);
  const named = await withFont(file, (font) => {
    font.delete("ToUnicode");
    font.get("FontDescriptor").put("Flags", 4);
    font.put("Encoding", { Type: "Encoding", Differences: [97, "a.alt", "b"] });
  });
  const { after } = await archivedFonts(named, "2u");
  expect(after.failures).toEqual([]);
  const { file: numbered } = await archivedFonts(
    showing("<0022>", composite("Identity-H", "Identity", "/ToUnicode 6 0 R"), [TO_UNICODE]),
  );
  const unnamed = await withFont(numbered, (font) => font.delete("ToUnicode"));
  const { after: unknown } = await archivedFonts(unnamed, "2u");
  expect(unknown.failures).toEqual(["6.2.11.7.2-1 x1"]);
});

test("meanings that are no characters are removed, and replaced by those of the font", async () => {
  const { file } = await archivedFonts(EMBEDDED);
  const cmap = "1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <61> <0000> <62> <0058> endbfchar";
  const damaged = await withFont(file, (font, document) => font.put("ToUnicode", document.addStream(cmap, {})));
  const { before, after } = await archivedFonts(damaged, "2u");
  expect(before.failures).toEqual(["6.2.11.7.2-2 x1"]);
  expect(after.failures).toEqual([]);
  expect(after.text.trim()).toBe("aX");
});
