/** Every element that a format's schema has is shown, named in `X-Not-Converted`, or has nothing to show on paper. */
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post } from "../harness/requests/client.ts";
import { archive, docx, paragraph, xlsx, xlsxDrawing } from "../harness/fixtures/office-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";

const { baseUrl, liveKey } = ownServer();

interface Shown {
  /** With single spaces. */
  readonly text: string;
  readonly notConverted: string | null;
}

async function shown(source: string | Uint8Array, format?: string): Promise<Shown> {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const file = { bytes, fileName: "file.bin" };
  const { status, message, body, headers } = await post({ baseUrl, key: liveKey }, "to-pdf", {
    file,
    ...(format && { format }),
  });
  expect([status, message]).toEqual([200, undefined]);
  const { pages } = await openPdf(body);
  const text = pages.map((page) => page.text).join(" ");
  return { text: text.replace(/\s+/g, " ").trim(), notConverted: headers.get("X-Not-Converted") };
}

const words = (names: string): string[] => names.trim().split(/\s+/);
const run = "<w:r><w:t>Marker</w:t></w:r>";
const p = `<w:p>${run}</w:p>`;

describe("WordprocessingML", () => {
  const inRun = (content: string): string => `<w:p><w:r>${content}</w:r></w:p>`;
  const inDrawing = (content: string): string =>
    inRun(
      `<w:drawing><wp:inline><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></wp:inline></w:drawing>`,
    );
  const box = `<w:txbxContent>${p}</w:txbxContent>`;
  const shape = `<wps:wsp><wps:spPr/><wps:txbx>${box}</wps:txbx><wps:bodyPr/></wps:wsp>`;

  test.each<readonly [string, string]>([
    ["p, r, t", p],
    ["tbl, tr, tc", `<w:tbl><w:tr><w:tc>${p}</w:tc></w:tr></w:tbl>`],
    ["sdt and sdtContent of blocks", `<w:sdt><w:sdtPr/><w:sdtContent>${p}</w:sdtContent></w:sdt>`],
    ["sdt of rows", `<w:tbl><w:sdt><w:sdtContent><w:tr><w:tc>${p}</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>`],
    ["sdt of cells", `<w:tbl><w:tr><w:sdt><w:sdtContent><w:tc>${p}</w:tc></w:sdtContent></w:sdt></w:tr></w:tbl>`],
    ...words("customXml smartTag").flatMap((name) => [
      [`${name} of blocks`, `<w:${name}>${p}</w:${name}>`] as const,
      [`${name} of rows`, `<w:tbl><w:${name}><w:tr><w:tc>${p}</w:tc></w:tr></w:${name}></w:tbl>`] as const,
    ]),
    ...words("hyperlink fldSimple smartTag customXml dir bdo").map(
      (name) => [name, `<w:p><w:${name}>${run}</w:${name}></w:p>`] as const,
    ),
    ["sdt of runs", `<w:p><w:sdt><w:sdtContent>${run}</w:sdtContent></w:sdt></w:p>`],
    ["rubyBase", inRun(`<w:ruby><w:rubyPr/><w:rubyBase>${run}</w:rubyBase></w:ruby>`)],
    ["txbx of a drawing", inDrawing(shape)],
    ["wgp and grpSp", inDrawing(`<wpg:wgp><wpg:grpSp>${shape}</wpg:grpSp></wpg:wgp>`)],
    ["wpc", inDrawing(`<wpc:wpc>${shape}</wpc:wpc>`)],
    [
      "AlternateContent, Choice",
      inRun(
        `<mc:AlternateContent><mc:Choice><w:drawing><wp:anchor><a:graphic><a:graphicData>${shape}</a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback/></mc:AlternateContent>`,
      ),
    ],
    ...words("shape rect roundrect oval").map(
      (name) =>
        [`textbox of ${name}`, inRun(`<w:pict><v:${name}><v:textbox>${box}</v:textbox></v:${name}></w:pict>`)] as const,
    ),
    ["group", inRun(`<w:pict><v:group><v:rect><v:textbox>${box}</v:textbox></v:rect></v:group></w:pict>`)],
    ["textpath", inRun('<w:pict><v:shapetype/><v:shape><v:textpath on="t" string="Marker"/></v:shape></w:pict>')],
    ["drop-down of a form", inRun(dropDown("First", "Marker"))],
  ])("%s is shown", async (_, body) => {
    expect(await shown(docx(body))).toEqual({ text: "Marker", notConverted: null });
  });

  test.each<readonly [string, string, string]>([
    ...words("ins moveTo").map(
      (name) => [name, `<w:p><w:${name}>${run}</w:${name}></w:p>`, "tracked-changes"] as const,
    ),
    ["oMath", "<w:p><m:oMath><m:r><m:t>Marker</m:t></m:r></m:oMath></w:p>", "formulas"],
  ])("%s is shown and reported", async (_, body, name) => {
    expect(await shown(docx(body))).toEqual({ text: "Marker", notConverted: name });
  });

  const named: readonly (readonly [string, string, string])[] = [
    ...words("del moveFrom").map(
      (name) => [name, `<w:p><w:${name}>${run}</w:${name}></w:p>`, "tracked-changes"] as const,
    ),
    ["del of blocks", `<w:del>${p}</w:del>`, "tracked-changes"],
    ...words("commentRangeStart commentReference").map(
      (name) => [name, `<w:p><w:${name}/></w:p>`, "comments"] as const,
    ),
    ["comment of a run", inRun("<w:commentReference/>"), "comments"],
    ["chart", inDrawing("<c:chart/>"), "charts"],
    ["relIds", inDrawing("<dgm:relIds/>"), "diagrams"],
    [
      "wsp without text",
      inDrawing('<wps:wsp><wps:spPr><a:prstGeom prst="rightArrow"/></wps:spPr></wps:wsp>'),
      "shapes",
    ],
    ["lockedCanvas", inDrawing("<lc:lockedCanvas/>"), "shapes"],
    ...words("shape rect roundrect oval line polyline curve arc").map(
      (name) => [`${name} without text`, inRun(`<w:pict><v:${name}/></w:pict>`), "shapes"] as const,
    ),
    ["OLEObject", inRun("<w:object><o:OLEObject/></w:object>"), "embedded-objects"],
    ...words("objectEmbed objectLink").map(
      (name) => [name, inRun(`<w:object><w:${name}/></w:object>`), "embedded-objects"] as const,
    ),
    ...words("altChunk").map((name) => [name, `<w:${name}/>`, "embedded-documents"] as const),
    ["subDoc", "<w:p><w:subDoc/></w:p>", "embedded-documents"],
    ["control", inRun("<w:object><w:control/></w:object>"), "form-fields"],
    ["contentPart", inRun("<w:contentPart/>"), "ink"],
    ["movie", inRun("<w:pict><w:movie/></w:pict>"), "media"],
    ...words("pgNum dayShort dayLong monthShort monthLong yearShort yearLong").map(
      (name) => [name, inRun(`<w:${name}/>`), "fields"] as const,
    ),
    [
      "blip with an address",
      inDrawing('<pic:pic><pic:blipFill><a:blip r:link="rLink"/></pic:blipFill></pic:pic>'),
      "external-images",
    ],
    [
      "imagedata with an address",
      inRun('<w:pict><v:shape><v:imagedata r:href="rLink"/></v:shape></w:pict>'),
      "external-images",
    ],
    [
      "imagedata with a source",
      inRun('<w:pict><v:shape><v:imagedata src="a.png"/></v:shape></w:pict>'),
      "external-images",
    ],
    ["an element of no schema", `<w:future>${p}</w:future>`, "unknown-elements"],
    ["an element of no schema in a run", inRun("<w:future/>"), "unknown-elements"],
  ];
  test.each(named)("%s is reported", async (_, body, name) => {
    expect(await shown(docx(`${paragraph("Rest")}${body}`))).toEqual({ text: "Rest", notConverted: name });
  });

  test.each<readonly [string, string]>([
    ["properties of a paragraph", "<w:p><w:pPr><w:keepNext/></w:pPr></w:p>"],
    ...words(
      `bookmarkStart bookmarkEnd proofErr permStart permEnd commentRangeEnd moveFromRangeStart moveFromRangeEnd moveToRangeStart moveToRangeEnd
      customXmlInsRangeStart customXmlInsRangeEnd customXmlDelRangeStart customXmlDelRangeEnd customXmlMoveFromRangeStart
      customXmlMoveFromRangeEnd customXmlMoveToRangeStart customXmlMoveToRangeEnd`,
    ).map((name) => [name, `<w:p><w:${name}/></w:p><w:${name}/>`] as const),
    ...words(
      "tab ptab br cr noBreakHyphen softHyphen lastRenderedPageBreak annotationRef footnoteRef endnoteRef separator continuationSeparator instrText rPr",
    ).map((name) => [name, inRun(`<w:${name}/>`)] as const),
  ])("%s has nothing to report", async (_, body) => {
    const { text, notConverted } = await shown(docx(`${paragraph("Rest")}${body}`));
    expect([text.replace(/[\u2011\u00ad-]/g, "").trim(), notConverted]).toEqual(["Rest", null]);
  });
});

/** A form field of older documents with its entries, of which the second is chosen. */
function dropDown(...entries: readonly string[]): string {
  const list = entries.map((entry) => `<w:listEntry w:val="${entry}"/>`).join("");
  return `<w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="D"/><w:ddList><w:result w:val="1"/>${list}</w:ddList></w:ffData></w:fldChar><w:instrText> FORMDROPDOWN </w:instrText><w:fldChar w:fldCharType="end"/>`;
}

describe("parts of DOCX", () => {
  const textOf = async (body: string): Promise<string> => (await shown(docx(body))).text;
  const checkBox = (state: string): string =>
    `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:sizeAuto/>${state}</w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t>Agreed</w:t></w:r></w:p>`;

  test.each([
    ["checked", "<w:checked/>", "☒Agreed"],
    ["not checked", '<w:checked w:val="0"/>', "☐Agreed"],
    ["checked at first", '<w:default w:val="1"/>', "☒Agreed"],
    ["checked at first, but not anymore", '<w:default w:val="1"/><w:checked w:val="false"/>', "☐Agreed"],
  ])("a check box of older forms that is %s is shown", async (_, state, text) => {
    expect(await textOf(checkBox(state))).toBe(text);
  });

  test("a drop-down of older forms shows its result if it has one, and otherwise the chosen entry", async () => {
    const field = (result: string): string =>
      `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="AAA"/><w:listEntry w:val="BBB"/></w:ddList></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
    expect(await textOf(`${field("")}${field("<w:r><w:t>Result</w:t></w:r>")}`)).toBe("BBB Result");
  });

  test.each([
    ["a check box", '<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', "<w:r><w:t>☒</w:t></w:r>", "☒"],
    ["a check box without text", '<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', "", "☒"],
    ["an empty check box without text", '<w14:checkbox><w14:checked w14:val="0"/></w14:checkbox>', "", "☐"],
    ["a drop-down", "<w:dropDownList/>", "<w:r><w:t>Chosen</w:t></w:r>", "Chosen"],
    [
      "a drop-down without text",
      '<w:dropDownList w:lastValue="2"><w:listItem w:displayText="One" w:value="1"/><w:listItem w:displayText="Two" w:value="2"/></w:dropDownList>',
      "",
      "Two",
    ],
    ["a combo box", '<w:comboBox w:lastValue="own"/>', "", "own"],
    ["a date", '<w:date w:fullDate="2026-11-28T00:00:00Z"/>', "<w:r><w:t>28 November</w:t></w:r>", "28 November"],
  ])("%s is shown as a content control", async (_, properties, content, text) => {
    const control = `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
    expect(await shown(docx(`<w:p>${control}</w:p>`))).toEqual({ text, notConverted: null });
  });

  test("the base of ruby is followed by its reading", async () => {
    const ruby =
      "<w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby>";
    expect(await textOf(`<w:p><w:r>${ruby}</w:r></w:p>`)).toBe("base(kan)");
  });

  test("deleted rows, cells, and ends of paragraphs are left out", async () => {
    const row = (properties: string, text: string, cell = ""): string =>
      `<w:tr><w:trPr>${properties}</w:trPr><w:tc><w:tcPr>${cell}</w:tcPr>${paragraph(text)}</w:tc><w:tc>${paragraph("kept")}</w:tc></w:tr>`;
    const table = `<w:tbl>${row("", "one")}${row("<w:del/>", "two")}${row("<w:ins/>", "three")}${row("", "four", "<w:cellDel/>")}</w:tbl>`;
    expect(await shown(docx(table))).toEqual({ text: "one kept three kept kept", notConverted: "tracked-changes" });
    const joined = `${paragraph("Hel", "<w:rPr><w:del/></w:rPr>")}${paragraph("lo")}${paragraph("Last", "<w:rPr><w:del/></w:rPr>")}`;
    expect(await shown(docx(joined))).toEqual({ text: "Hello Last", notConverted: "tracked-changes" });
  });

  test("losses in a header are reported, unless no section has it", async () => {
    const running = {
      header1: '<w:p><w:r><w:pict><v:line/><v:shape><v:imagedata r:id="x"/></v:shape></w:pict></w:r></w:p>',
    };
    const section = '<w:sectPr><w:headerReference w:type="default" r:id="r-header1"/></w:sectPr>';
    expect((await shown(docx(p + section, { running }))).notConverted).toBe("shapes,unsupported-images");
    expect((await shown(docx(p, { running }))).notConverted).toBeNull();
  });
});

describe("SpreadsheetML", () => {
  const cell = '<c r="A1" t="inlineStr"><is><t>Marker</t></is></c>';
  const data = `<sheetData><row r="1">${cell}</row></sheetData>`;
  const book = (more: string, content = data): Uint8Array => xlsx([{ name: "S", content: `${content}${more}` }]);

  test.each<readonly [string, string]>([
    ["conditionalFormatting", "conditional-formats"],
    ["oleObjects", "embedded-objects"],
    ["controls", "form-fields"],
    ["picture", "background-images"],
    ["drawingHF", "headers"],
    ["legacyDrawingHF", "headers"],
    ["future", "unknown-elements"],
  ])("%s is reported", async (element, name) => {
    expect(await shown(book(`<${element}/>`))).toEqual({ text: "Marker", notConverted: name });
  });

  test.each<readonly [string, string]>([
    ["<headerFooter><oddHeader>&amp;CPage</oddHeader></headerFooter>", "headers"],
    ['<tableParts count="1"><tablePart/></tableParts>', "table-styles"],
    ["<extLst><ext><x14:sparklineGroups/></ext></extLst>", "sparklines"],
    ["<extLst><ext><x14:slicerList/></ext></extLst>", "slicers"],
    ["<extLst><ext><x14:slicerRefs/></ext></extLst>", "slicers"],
    ["<extLst><ext><x15:timelineRefs/></ext></extLst>", "slicers"],
    ["<extLst><ext><x14:conditionalFormattings/></ext></extLst>", "conditional-formats"],
    ["<extLst><ext><x15:webExtensions/></ext></extLst>", "embedded-objects"],
    ["<extLst><ext><x99:future/></ext></extLst>", "unknown-elements"],
  ])("%s is reported in the workbook", async (content, name) => {
    expect(await shown(book(content))).toEqual({ text: "Marker", notConverted: name });
  });

  test("elements without a printed form have nothing to report", async () => {
    const elements = words(
      `sheetPr dimension sheetViews sheetFormatPr sheetCalcPr sheetProtection protectedRanges scenarios autoFilter sortState dataConsolidate
      customSheetViews phoneticPr dataValidations printOptions pageMargins pageSetup headerFooter rowBreaks colBreaks customProperties cellWatches
      ignoredErrors smartTags drawing legacyDrawing webPublishItems tableParts extLst cols mergeCells hyperlinks`,
    );
    const file = book(elements.map((name) => `<${name}/>`).join(""));
    expect(await shown(file)).toEqual({ text: "Marker", notConverted: null });
  });

  test.each([
    [
      "chart",
      "<xdr:graphicFrame><a:graphic><a:graphicData><c:chart/></a:graphicData></a:graphic></xdr:graphicFrame>",
      "charts",
    ],
    [
      "relIds",
      "<xdr:graphicFrame><a:graphic><a:graphicData><dgm:relIds/></a:graphicData></a:graphic></xdr:graphicFrame>",
      "diagrams",
    ],
    ["pic", "<xdr:pic/>", "images"],
    ["sp with text", "<xdr:sp><xdr:txBody><a:p><a:r><a:t>Text</a:t></a:r></a:p></xdr:txBody></xdr:sp>", "text-boxes"],
    ["sp", "<xdr:grpSp><xdr:sp><xdr:spPr/></xdr:sp></xdr:grpSp>", "shapes"],
    ["cxnSp", "<xdr:cxnSp/>", "shapes"],
    ["contentPart", "<xdr:contentPart/>", "ink"],
    [
      "slicer",
      "<mc:AlternateContent><mc:Choice><xdr:graphicFrame><a:graphic><a:graphicData><sle:slicer/></a:graphicData></a:graphic></xdr:graphicFrame></mc:Choice><mc:Fallback><xdr:sp/></mc:Fallback></mc:AlternateContent>",
      "slicers",
    ],
    ["an element of no schema", "<xdr:future/>", "unknown-elements"],
  ])("%s of a drawing is reported", async (_, content, name) => {
    const file = xlsxDrawing(
      book("<drawing/>"),
      `<xdr:twoCellAnchor><xdr:from/><xdr:to/>${content}<xdr:clientData/></xdr:twoCellAnchor>`,
    );
    expect(await shown(file)).toEqual({ text: "Marker", notConverted: name });
  });

  test("a formula without a value is shown itself, and reported", async () => {
    const formulas = `<sheetData><row r="1"><c r="A1"><f>SUM(B1:B2)*2</f></c><c r="B1"><f>1&lt;2</f><v></v></c><c r="C1"><f t="shared" si="0"/></c><c r="D1"><f>1+1</f><v>2</v></c><c r="E1" t="str"><f>""</f><v></v></c><c r="F1" t="inlineStr"><is><t>end</t></is></c></row></sheetData>`;
    expect(await shown(book("", formulas))).toEqual({
      text: "=SUM(B1:B2)*2 =1<2 =… 2 end",
      notConverted: "formula-results",
    });
  });

  test("values have the formats of their cells", async () => {
    const codes = ["000-00-0000", '[>=50]"pass";"fail"', '[<1000]0;0.0,"K"', "# ?/?", "[$-407]mmmm"];
    const styles = `<numFmts>${codes.map((code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"/>`).join("")}</numFmts><cellXfs>${codes.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join("")}</cellXfs>`;
    const values = [123456789, 25, 45678, 2.5, 45000];
    const cells = values.map((value, index) => `<c r="${"ABCDE"[index]}1" s="${index}"><v>${value}</v></c>`).join("");
    const file = xlsx([{ name: "S", content: `<sheetData><row r="1">${cells}</row></sheetData>` }], { styles });
    expect(await shown(file)).toEqual({ text: "123-45-6789 fail 45.7K 2 1/2 März", notConverted: null });
  });
});

describe("HTML", () => {
  const page = (body: string): Promise<Shown> =>
    shown(`<!DOCTYPE html><html><body><p>Rest</p>${body}</body></html>`, "html");

  test.each(
    words(
      `article section nav aside h1 h2 h3 h4 h5 h6 hgroup header footer address p pre blockquote div main search figure figcaption
      a em strong small s cite q dfn abbr ruby data time code var samp kbd sub sup i b u mark bdi bdo span ins del
      form label button output fieldset legend details summary noscript slot custom-element
      center font big strike tt marquee nobr acronym dir`,
    ),
  )("%s is shown", async (name) => {
    const { text, notConverted } = await page(`<${name}>Marker</${name}>`);
    expect([text.replace(/^Rest (?:[\u201c"]\s?)?(?:\u2022 )?/, "").slice(0, 6), notConverted]).toEqual([
      "Marker",
      null,
    ]);
  });

  test.each([
    ["ol, ul, menu, li", "<ol><li>a</ol><ul><li>b</ul><menu><li>c</menu>", "Rest 1. a • b c"],
    ["dl, dt, dd", "<dl><dt>a<dd>b</dl>", "Rest a b"],
    [
      "table and what is in it",
      "<table><caption>a</caption><colgroup><col></colgroup><thead><tr><th>b</thead><tbody><tr><td>c</tbody><tfoot><tr><td>d</tfoot></table>",
      "Rest b c d a",
    ],
    ["rt and rp", "<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby>", "Rest a(b)"],
    ["dialog that is open", "<dialog open>a</dialog>", "Rest a"],
    ["hr, br, wbr", "<hr>a<br>b<wbr>c", "Rest a bc"],
  ])("%s are shown", async (_, body, text) => {
    const { text: found, notConverted } = await page(body);
    expect([found.replace("• c", "c"), notConverted]).toEqual([text, null]);
  });

  test.each<readonly [string, string]>([
    ...words("video audio object embed canvas applet bgsound").map((name) => [`<${name}></${name}>`, "media"] as const),
    ...words("input textarea select meter progress").map((name) => [`<${name}></${name}>`, "form-fields"] as const),
    ["<svg><text>a</text></svg>", "svg"],
    ["<math><mi>a</mi></math>", "formulas"],
    ["<iframe></iframe>", "frames"],
    ["<picture><source srcset=a.webp><img src=a.png></picture>", "external-images"],
    ["<map><area href=a></map>", "image-maps"],
    ["<link rel=stylesheet href=a.css>", "external-style-sheets"],
  ])("%s is reported", async (body, name) => {
    expect(await page(body)).toEqual({ text: "Rest", notConverted: name });
  });

  test.each([
    "<script>Marker</script>",
    "<template>Marker</template>",
    "<style>Marker</style>",
    "<title>Marker</title>",
    "<dialog>Marker</dialog>",
    "<datalist><option>Marker</option></datalist>",
    "<meta name=description content=Marker>",
    "<base href=Marker>",
    "<input type=hidden value=Marker>",
  ])("%s has no printed effect and no report", async (body) => {
    expect(await page(body)).toEqual({ text: "Rest", notConverted: null });
  });
});

test("a workbook whose sheet is of another kind is reported", async () => {
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const file = archive({
    "xl/workbook.xml": `<workbook xmlns:r="${relations}"><sheets><sheet name="D" r:id="d"/><sheet name="S" r:id="s"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="d" Type="${relations}/dialogsheet" Target="d.xml"/><Relationship Id="s" Type="${relations}/worksheet" Target="s.xml"/></Relationships>`,
    "xl/s.xml":
      '<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Marker</t></is></c></row></sheetData></worksheet>',
  });
  expect(await shown(file)).toEqual({ text: "Marker", notConverted: "other-sheets" });
});
