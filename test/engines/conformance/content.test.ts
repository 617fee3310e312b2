import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { broken, report, sound, stream } from "./report.ts";

const GRAY = "[/CalGray << /WhitePoint [1 1 1] >>]";
const BOX = "0 0 9 9 re f";
const page = (content: string, resources: string, objects: readonly string[]): Uint8Array =>
  sound(`/Contents 4 0 R /Resources << /ColorSpace << /Own ${GRAY} >> ${resources} >>`, [
    stream("", content),
    ...objects,
  ]);

test("a form begins in the colors of the content that draws it", async () => {
  const drawn = (content: string): Uint8Array =>
    page(content, "/XObject << /X 5 0 R >>", [stream("/Subtype /Form /BBox [0 0 9 9] /Resources << >>", BOX)]);
  expect(broken(await report(drawn("/Own cs /X Do"), "2b"))).toEqual([]);
  expect(broken(await report(drawn("/X Do"), "2b"))).toEqual(["6.2.4.3-4 x1"]);
  expect(broken(await report(drawn("q /Own cs Q /X Do"), "2b"))).toEqual(["6.2.4.3-4 x1"]);
});

test("an image mask is painted in the current color, and a pattern begins in black", async () => {
  const mask = (content: string): Uint8Array =>
    page(content, "/XObject << /X 5 0 R >>", [stream("/Subtype /Image /Width 1 /Height 1 /ImageMask true", "x")]);
  expect(broken(await report(mask("/X Do"), "2b"))).toEqual(["6.2.4.3-4 x1"]);
  expect(broken(await report(mask("/Own cs /X Do"), "2b"))).toEqual([]);
  const tiles = "/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 /Resources << >>";
  const tiled = page(`/Own cs /Pattern cs /P scn ${BOX}`, "/Pattern << /P 5 0 R >>", [stream(tiles, BOX)]);
  expect(broken(await report(tiled, "2b"))).toEqual(["6.2.4.3-4 x1"]);
});

const TYPE_3 =
  "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 98 /Widths [9 9] " +
  "/CharProcs << /a 6 0 R /b 7 0 R >> /Encoding << /Differences [97 /a /b] >> /Resources << /ExtGState << /S << /ca .5 >> >> >> >>";
const shown = (text: string, glyphs: readonly string[]): Uint8Array =>
  page(`/Own cs BT /F 9 Tf (${text}) Tj ET`, "/Font << /F 5 0 R >>", [
    TYPE_3,
    ...glyphs.map((glyph) => stream("", glyph)),
  ]);

test("a glyph of a Type 3 font begins in the color of the text", async () => {
  expect(broken(await report(shown("a", [`9 0 d0 ${BOX}`, "9 0 d0"]), "2b"))).toEqual([]);
  expect(broken(await report(shown("a", [`9 0 d0 0 g ${BOX}`, "9 0 d0"]), "2b"))).toEqual(["6.2.4.3-4 x1"]);
});

test("all glyphs of a font that is shown are read, but only those that are shown make a page transparent", async () => {
  const glyphs = [`9 0 d0 ${BOX}`, "9 0 d0 1 0 0 rg /S gs"];
  expect(broken(await report(shown("a", glyphs), "2b"))).toEqual(["6.2.4.3-2 x1"]);
  expect(broken(await report(shown("b", glyphs), "2b"))).toEqual(["6.2.4.3-2 x1", "6.2.10-2 x1"]);
});

const PRIVATE = "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <41> <e000> endbfchar";
const private2a = (content: string, properties = "", element = ""): Uint8Array =>
  sound(
    `/StructParents 0 /Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >> ${properties} >>`,
    [stream("", content), stream("", PRIVATE), `<< /S /Span /K 0 ${element} >>`],
    {
      catalog:
        "/MarkInfo << /Marked true >> /StructTreeRoot << /K 6 0 R /ParentTree << /Nums [0 [6 0 R]] >> >> /Lang (en)",
    },
  );
const TEXT = "BT 3 Tr /F 9 Tf (A) Tj ET";

test("a code for private use needs ActualText on its sequence, on one around it, or on its element", async () => {
  expect(broken(await report(private2a(TEXT), "2a"))).toEqual(["6.2.11.7.3-1 x1"]);
  expect(broken(await report(private2a(`/Span << /ActualText (x) >> BDC ${TEXT} EMC`), "2a"))).toEqual([]);
  const nested = `/Span << /ActualText (x) >> BDC /Span << /MCID 0 >> BDC ${TEXT} EMC EMC`;
  expect(broken(await report(private2a(nested), "2a"))).toEqual([]);
  const named = private2a(`/Span /P BDC ${TEXT} EMC`, "/Properties << /P << /ActualText (x) >> >>");
  expect(broken(await report(named, "2a"))).toEqual([]);
  const marked = `/Span << /MCID 0 >> BDC ${TEXT} EMC`;
  expect(broken(await report(private2a(marked), "2a"))).toEqual(["6.2.11.7.3-1 x1"]);
  expect(broken(await report(private2a(marked, "", "/ActualText (x)"), "2a"))).toEqual([]);
  expect(broken(await report(private2a(`${marked} ${TEXT}`, "", "/ActualText (x)"), "2a"))).toEqual([
    "6.2.11.7.3-1 x1",
  ]);
});

test("languages are checked in the content, too", async () => {
  const file = private2a("/Span << /Lang (-BG) >> BDC EMC /Span << /Lang (zh-Hant-HK) >> BDC EMC");
  expect(broken(await report(file, "2a"))).toEqual(["6.7.4-1 x1"]);
});

test("ActualText of part 4 has no characters for private use, in the content and in elements", async () => {
  const header = "%PDF-2.0";
  const content = "/Contents 4 0 R /Resources << >>";
  const inContent = sound(content, [stream("", "/Span << /ActualText <feffe000> >> BDC EMC")], { header });
  expect(broken(await report(inContent, "4"))).toEqual(["6.2.10.8-1 x1"]);
  const element = sound("", ["<< /S /P /ActualText <feffe000> >>", "<< /S /P /ActualText (x) >>"], { header });
  expect(broken(await report(element, "4"))).toEqual(["6.2.10.8-1 x1"]);
});

const cmyk = `${"\0".repeat(8)}\x02${"\0".repeat(3)}prtrCMYK`.padEnd(128, "\0");

test("part 4 has no ICCBased CMYK of the profile that the output intent has, in one stream or in two", async () => {
  const file = (number: number, other = cmyk): Uint8Array =>
    sound(
      `/Contents 4 0 R /Resources << /ColorSpace << /S [/ICCBased ${number} 0 R] >> >>`,
      [stream("", "/S cs"), stream("/N 4", cmyk), stream("/N 4", other)],
      { header: "%PDF-2.0", catalog: "/OutputIntents [<< /S /GTS_PDFA1 /DestOutputProfile 5 0 R >>]" },
    );
  expect(broken(await report(file(5), "4"))).toEqual(["6.2.4.2-3 x1"]);
  expect(broken(await report(file(6), "4"))).toEqual(["6.2.4.2-3 x1"]);
  expect(broken(await report(file(6, `${cmyk}x`), "4"))).toEqual([]);
});

const PACKET =
  `<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
  `<rdf:Description rdf:about="" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"><pdfaid:part>2</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>` +
  `</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
const claiming = (entries = "", objects: readonly string[] = []): Uint8Array =>
  sound(entries, [stream("/Type /Metadata /Subtype /XML", PACKET), ...objects], { catalog: "/Metadata 4 0 R" });
const FILE = "<< /Type /Filespec /F (a) /UF (a) /EF << /F 6 0 R >> >>";
const embedding = (file: Uint8Array): Uint8Array => claiming("", [FILE, stream("", latin1(file))]);

test("an embedded file conforms if it is PDF/A of part 1 or 2 by its own claim, and keeps its rules", async () => {
  const found = await report(embedding(claiming()), "2b");
  expect(found).toMatchObject({ failures: [], conforms: true, claimed: "2b" });
  for (const file of [bytesOf("text"), bytesOf("%PDF-1.7 damaged"), sound(""), claiming("/AA << >>")])
    expect(broken(await report(embedding(file), "2b"))).toEqual(["6.8-5 x1"]);
});

test("files that are embedded in embedded files are not judged, which leaves the verdict open", async () => {
  const found = await report(embedding(embedding(claiming())), "2b");
  expect(found).toMatchObject({ failures: [], conforms: null });
  expect(found.coverage.rules).toBe(found.coverage.of - 1);
});
