/** E-books (FB2 and EPUB), Rich Text, and OpenDocument. */
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { post, type ApiResponse } from "../harness/requests/client.ts";
import { encoded } from "../harness/fixtures/encoded.ts";
import { archive, epub } from "../harness/fixtures/office-fixtures.ts";
import { openPdf } from "../harness/engines/pdfjs.ts";
import { writePng } from "../harness/images/png-writer.ts";
import { plainText } from "../harness/engines/qpdf.ts";

const { baseUrl, liveKey } = ownServer();

const send = (source: string | Uint8Array): Promise<ApiResponse> =>
  post({ baseUrl, key: liveKey }, "to-pdf", {
    file: { bytes: typeof source === "string" ? new TextEncoder().encode(source) : source, fileName: "file.bin" },
  });

async function converted(source: string | Uint8Array): Promise<{
  readonly format: string | null;
  readonly notConverted: string | null;
  readonly body: Uint8Array;
  /** Of each page, with single spaces. */
  readonly pages: readonly string[];
}> {
  const { status, message, body, headers } = await send(source);
  expect([status, message]).toEqual([200, undefined]);
  const { pages } = await openPdf(body);
  return {
    format: headers.get("X-Converted-From"),
    notConverted: headers.get("X-Not-Converted"),
    body,
    pages: pages.map(({ text }) => text.replace(/\s+/g, " ").trim()),
  };
}

const png = writePng({ width: 8, height: 8, colorType: 2, depth: 8 }, () => 0);

const book = (body: string, more = "", about = ""): string =>
  `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><author><first-name>Ada</first-name><last-name>Byron</last-name></author><book-title>Notes</book-title>${about}</title-info></description>${body}${more}</FictionBook>`;

describe("FB2", () => {
  test("sections, poems, tables, and notes of an FB2 are shown in order, and notes are linked", async () => {
    const { format, notConverted, pages, body } = await converted(
      book(
        `<body><title><p>Main</p><p>Title</p></title><epigraph><p>Said</p><text-author>Somebody</text-author></epigraph>
        <section id="s1"><title><p>First</p></title><p>Some <strong>bold</strong> and <emphasis>slanted</emphasis> text<a l:href="#n1" type="note">1</a>.</p>
        <poem><stanza><v>Verse one</v><v>Verse two</v></stanza></poem><table><tr><th>Head</th><td>Cell</td></tr></table></section></body>`,
        '<body name="notes"><section id="n1"><title><p>1</p></title><p>The note</p></section></body>',
      ),
    );
    expect([format, notConverted]).toEqual(["fb2", null]);
    expect(pages).toEqual([
      "Main Title Said Somebody First Some bold and slanted text1. Verse one Verse two Head Cell 1 The note",
    ]);
    const text = await plainText(body);
    expect(text).toContain("/Subtype /Link");
    for (const title of ["Main Title", "First"]) expect(text).toContain(`/Title (${title})`);
  });

  test("pictures of an FB2 are drawn, and those that are missing or of another kind are named", async () => {
    const binary = `<binary id="a.png" content-type="image/png">${Buffer.from(png).toString("base64")}</binary>`;
    const drawn = await converted(book('<body><section><p>A<image l:href="#a.png"/></p></section></body>', binary));
    expect([drawn.notConverted, (await plainText(drawn.body)).includes("/Subtype /Image")]).toEqual([null, true]);
    const missing = await converted(book('<body><section><p>A<image l:href="#b.png" alt="B"/></p></section></body>'));
    expect([missing.notConverted, missing.pages]).toEqual(["external-images", ["AB"]]);
    const other = '<binary id="a" content-type="image/png">!</binary><future/>';
    const broken = await converted(book('<body><section><p>A<image l:href="#a" alt="B"/></p></section></body>', other));
    expect([broken.notConverted, broken.pages]).toEqual(["unknown-elements,unsupported-images", ["AB"]]);
  });

  test("the code page that an FB2 declares is the one that it is read in", async () => {
    const source = book("<body><section><p>Привет</p></section></body>").replace("utf-8", "windows-1251");
    expect((await converted(encoded(source, "windows-1251"))).pages).toEqual(["Привет"]);
  });

  test("an FB2 that is not well-formed is an error", async () => {
    const { status, message } = await send(book("<body><section></body>"));
    expect([status, message]).toEqual([400, "The document is damaged: `FictionBook` is not well-formed."]);
  });
});

describe("EPUB", () => {
  test("chapters of an EPUB follow the spine, with their styles, pictures, and links to each other", async () => {
    const { format, notConverted, pages, body } = await converted(
      epub(
        "Book",
        [
          ["One", '<p>See <a href="c1.xhtml#here">two</a>.</p><p class="hidden">Secret</p>'],
          ["Two", '<p id="here">Here&#160;it is. <a href="c0.xhtml">Back</a></p><img src="images/a.png" alt=""/>'],
        ],
        {
          "images/a.png": png,
          "c0.xhtml":
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title><link rel="stylesheet" href="book.css"/></head><body><h1>One</h1><p>See <a href="c1.xhtml#here">two</a>.</p><p class="hidden">Secret</p></body></html>',
          "book.css": ".hidden{display:none}",
        },
      ),
    );
    expect([format, notConverted]).toEqual(["epub", null]);
    expect(pages).toEqual(["One See two.", "Two Here it is. Back"]);
    const text = await plainText(body);
    expect(text.match(/\/Subtype \/Link/g)).toHaveLength(2);
    expect(text).toContain("/Subtype /Image");
  });

  test("a cover that is a drawing around a picture is the picture", async () => {
    const { notConverted, body } = await converted(
      epub("Book", [["Cover", '<svg xmlns="http://www.w3.org/2000/svg"><image href="a.png"/></svg>']], {
        "a.png": png,
      }),
    );
    expect([notConverted, (await plainText(body)).includes("/Subtype /Image")]).toEqual([null, true]);
  });

  test("an EPUB without a file of its spine is an error", async () => {
    const { status, message } = await send(
      epub("Book", [["One", ""]], {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="x.opf"/></rootfiles></container>',
      }),
    );
    expect([status, message]).toEqual([400, "The document is damaged: `x.opf` is missing."]);
  });
});

describe("RTF", () => {
  const rtf = (body: string): string =>
    String.raw`{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 MS Gothic;}{\f2\fcharset204 Arial Cyr;}}{\colortbl;\red255\green0\blue0;}{\stylesheet{\s1 heading 1;}}` +
    `${body}}`;

  test("text of an RTF is read in the code pages of its fonts, and in Unicode", async () => {
    const { format, notConverted, pages } = await converted(
      rtf(String.raw`\f0 caf\'e9 \f1\'93\'fa\'96\'7b \f2\'cf\'f0\'e8 \f0\u8364? \uc2\u937xy\uc1  end\par`),
    );
    expect([format, notConverted]).toEqual(["rtf", null]);
    expect(pages).toEqual(["café 日本При€ Ω end".replace("日本При", "日本 При ")]);
  });

  test("paragraphs, tables, links, and notes of an RTF are shown, and what it says about itself is not", async () => {
    const { notConverted, pages, body } = await converted(
      rtf(
        String.raw`{\info{\title The title}{\author Ada}}{\*\unknown hidden}\pard\s1 Heading\par\pard\b bold\b0  {\v secret}plain{\footnote\pard The note}\par
{\field{\*\fldinst HYPERLINK "https://example.com/rtf"}{\fldrslt a link}}\par
\trowd\cellx2000\cellx4000\intbl One\cell Two\cell\row\trowd\clmgf\cellx2000\clmrg\cellx4000\intbl Both\cell\cell\row\pard After\par`,
      ),
    );
    expect([notConverted, pages]).toEqual([null, ["Heading bold plain1 a link One Two Both After 1. The note"]]);
    const text = await plainText(body);
    for (const shown of ["https://example.com/rtf", "(The title)", "(Ada)", "/Title (Heading)"])
      expect(text).toContain(shown);
  });

  test("pictures of an RTF are drawn, and what is not converted is named", async () => {
    const hex = Buffer.from(png).toString("hex");
    const drawn = await converted(rtf(String.raw`A{\pict\pngblip\picwgoal200\pichgoal200 ` + hex + String.raw`}\par`));
    expect([drawn.notConverted, (await plainText(drawn.body)).includes("/Subtype /Image")]).toEqual([null, true]);
    const lost = await converted(
      rtf(String.raw`{\header Top\par}{\footer\pard}A{\*\annotation Remark}{\pict\wmetafile8 00}{\deleted gone}\par`),
    );
    expect([lost.notConverted, lost.pages]).toEqual(["comments,headers,tracked-changes,unsupported-images", ["A"]]);
  });

  test("an RTF whose groups are too deep is an error", async () => {
    const { status, code } = await send(rtf("{".repeat(600)));
    expect([status, code]).toEqual([400, "invalid_file"]);
  });
});

describe("ODT", () => {
  const NAMES = ["office", "style", "text", "table", "draw", "fo", "xlink", "svg", "meta"]
    .map((name) => `xmlns:${name}="urn:${name}"`)
    .join(" ");
  const odt = (body: string, { styles = "", shared = "", files = {} as Record<string, Uint8Array> } = {}): Uint8Array =>
    archive({
      mimetype: "application/vnd.oasis.opendocument.text",
      "content.xml": `<office:document-content ${NAMES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
      "styles.xml": `<office:document-styles ${NAMES}>${shared}</office:document-styles>`,
      ...files,
    });

  test("paragraphs, lists, tables, links, notes, and text boxes of an ODT are shown in order", async () => {
    const numbers =
      '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style>';
    const { format, notConverted, pages, body } = await converted(
      odt(
        `<text:h text:outline-level="1">Title</text:h><text:p>A<text:s text:c="2"/>b<text:tab/>c <text:a xlink:href="https://example.com/odt">link</text:a><text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note</text:p></text:note-body></text:note></text:p>
        <text:list text:style-name="L"><text:list-item><text:p>One</text:p></text:list-item><text:list-item><text:p>Two</text:p><text:list><text:list-item><text:p>Inner</text:p></text:list-item></text:list></text:list-item></text:list>
        <table:table><table:table-row><table:table-cell><text:p>Cell</text:p></table:table-cell></table:table-row></table:table>
        <text:p>Around<draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>`,
        { styles: numbers },
      ),
    );
    expect([format, notConverted, pages]).toEqual([
      "odt",
      null,
      ["Title A b c link1 1. One 2. Two 2.a) Inner Cell Around Boxed 1. The note"],
    ]);
    const text = await plainText(body);
    for (const shown of ["https://example.com/odt", "/Title (Title)"]) expect(text).toContain(shown);
  });

  test("the page of an ODT and its hidden text are as its styles say", async () => {
    const shared =
      '<office:automatic-styles><style:page-layout style:name="P"><style:page-layout-properties fo:page-width="5in" fo:page-height="4in" fo:margin="1in"/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="P"><style:header><text:p>Top</text:p></style:header></style:master-page></office:master-styles>';
    const styles =
      '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>';
    const { notConverted, pages, body } = await converted(
      odt(
        '<text:p>One<text:span text:style-name="H">secret</text:span></text:p><text:p text:style-name="B">Two</text:p>',
        { shared, styles },
      ),
    );
    expect([notConverted, pages]).toEqual(["headers", ["One", "Two"]]);
    expect((await plainText(body)).replace(/\s+/g, " ")).toContain("/MediaBox [ 0 0 360 288 ]");
  });

  test("pictures of an ODT are drawn, and what is not converted is named", async () => {
    const frame = (content: string): string =>
      `<text:p>A<draw:frame svg:width="1in" svg:height="1in">${content}</draw:frame></text:p>`;
    const drawn = await converted(
      odt(frame('<draw:image xlink:href="Pictures/a.png"/>'), { files: { "Pictures/a.png": png } }),
    );
    expect([drawn.notConverted, (await plainText(drawn.body)).includes("/Subtype /Image")]).toEqual([null, true]);
    const lost = await converted(
      odt(
        `${frame('<draw:image xlink:href="http://example.com/a.png"/>')}<text:tracked-changes/><text:p><office:annotation/><draw:line/><text:future/></text:p>`,
      ),
    );
    expect([lost.notConverted, lost.pages]).toEqual([
      "comments,external-images,shapes,tracked-changes,unknown-elements",
      ["A"],
    ]);
  });

  test("rows and cells of an ODT are repeated, up to the length that a document may have", async () => {
    const table = (rows: string): string =>
      `<table:table><table:table-row table:number-rows-repeated="${rows}"><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`;
    expect((await converted(odt(table("2")))).pages).toEqual(["x x x x"]);
    const { status, code } = await send(odt(table("1000000000")));
    expect([status, code]).toEqual([413, "limit_exceeded"]);
  });

  test("an ODT with a password gets 415", async () => {
    const manifest =
      '<manifest:manifest xmlns:manifest="urn:m"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>';
    const { status, message } = await send(
      odt("", { files: { "META-INF/manifest.xml": new TextEncoder().encode(manifest) } }),
    );
    expect([status, message]).toEqual([415, expect.stringContaining("an encrypted OpenDocument file (ODT)")]);
  });

  test("an ODT without text is an error", async () => {
    const { status, message } = await send(
      archive({ mimetype: "application/vnd.oasis.opendocument.text", "content.xml": "<o/>" }),
    );
    expect([status, message]).toEqual([400, "The document has no body."]);
  });
});

describe("ODS", () => {
  const NAMES = ["office", "style", "text", "table", "fo", "xlink"]
    .map((name) => `xmlns:${name}="urn:${name}"`)
    .join(" ");
  const ods = (tables: string, styles = ""): Uint8Array =>
    archive({
      mimetype: "application/vnd.oasis.opendocument.spreadsheet",
      "content.xml": `<office:document-content ${NAMES}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    });
  const row = (cells: string, more = ""): string => `<table:table-row ${more}>${cells}</table:table-row>`;
  const cell = (text: string, more = ""): string =>
    `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;

  test("visible sheets, rows, and columns of an ODS are shown, with repeated and merged cells", async () => {
    const styles =
      '<style:style style:name="H" style:family="table"><style:table-properties table:display="false"/></style:style>';
    const { format, notConverted, pages, body } = await converted(
      ods(
        `<table:table table:name="First"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-column table:number-columns-repeated="1022"/>
        ${row(cell("Wide", 'table:number-columns-spanned="3"') + '<table:covered-table-cell table:number-columns-repeated="2"/>')}
        ${row(cell("a") + cell("hidden") + cell('<text:a xlink:href="https://example.com/ods">b</text:a>'))}
        ${row(cell("filtered"), 'table:visibility="filter"')}
        ${row(cell("c", 'table:number-columns-repeated="3"'), 'table:number-rows-repeated="2"')}
        ${row('<table:table-cell table:number-columns-repeated="1024"/>', 'table:number-rows-repeated="1048000"')}</table:table>
        <table:table table:name="Second" table:style-name="H">${row(cell("secret"))}</table:table>`,
        styles,
      ),
    );
    expect([format, notConverted, pages]).toEqual(["ods", null, ["Wide a b c c c c"]]);
    const text = await plainText(body);
    for (const shown of ["https://example.com/ods", "/Title (First)"]) expect(text).toContain(shown);
  });

  test.each([
    ["rows", row(cell("x"), 'table:number-rows-repeated="1000000000"')],
    ["columns", row(cell("x", 'table:number-columns-repeated="1000000000"'))],
  ])("%s of an ODS are repeated up to the number of cells that a document may have", async (_, rows) => {
    const { status, code } = await send(ods(`<table:table>${rows}</table:table>`));
    expect([status, code]).toEqual([413, "limit_exceeded"]);
  });

  test("parts of an ODS that are not converted are named", async () => {
    const { notConverted, pages } = await converted(
      ods(
        `<table:table>${row("<table:table-cell><office:annotation><text:p>Said</text:p></office:annotation><text:p>x</text:p></table:table-cell>")}<table:future/></table:table>`,
      ),
    );
    expect([notConverted, pages]).toEqual(["comments,unknown-elements", ["x"]]);
  });
});
