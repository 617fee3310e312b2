/** Documents that are small, or simple, and cost much to convert. */
import { deflateRawSync, deflateSync } from "node:zlib";
import { archive, docx, epub, paragraph, xlsx } from "../fixtures/office-fixtures.ts";
import { pngOf } from "../images/png-writer.ts";

export interface Bomb {
  readonly name: string;
  readonly bytes: () => Uint8Array;
  readonly fields?: Readonly<Record<string, string>>;
}

const encoder = new TextEncoder();
const GB = 1_000_000_000;
const word = (body: string): string =>
  `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`;
const sheet = (content: string): Uint8Array => xlsx([{ name: "Sheet", content }]);
const cell = (reference: string): string => `<c r="${reference}" t="inlineStr"><is><t>x</t></is></c>`;
const image = '<img src="a.png"/>';

interface ZipEntry {
  readonly name: string;
  /** Deflated. */
  readonly packed: Uint8Array;
  /** What it says to have when it is inflated. */
  readonly size: number;
}

/** A ZIP of entries that are deflated already, whatever they say of themselves (APPNOTE.TXT 6.3.10). */
function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, packed, size } of entries) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(8, 8);
    local.writeUInt32LE(packed.length, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50, 0);
    row.writeUInt16LE(20, 4);
    row.writeUInt16LE(20, 6);
    local.copy(row, 10, 8, 28);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), Buffer.from(packed));
    central.push(row, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(entries.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** Nothing, deflated. */
const EMPTY = deflateRawSync(Buffer.alloc(0));
const entry = (name: string, text: string): ZipEntry => {
  const bytes = encoder.encode(text);
  return { name, packed: deflateRawSync(bytes), size: bytes.length };
};
/** An entry of 1 GB of zeros. `says`: the size that it says to have. */
const zeros = (name: string, says = GB): ZipEntry => ({ name, packed: deflatedZeros(), size: says });
let packedZeros: Uint8Array | undefined;
const deflatedZeros = (): Uint8Array => (packedZeros ??= deflateRawSync(Buffer.alloc(GB), { level: 9 }));

const container = entry(
  "META-INF/container.xml",
  '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
);
const bookOf = (chapter: ZipEntry): Uint8Array =>
  zipOf([
    entry("mimetype", "application/epub+zip"),
    container,
    entry(
      "content.opf",
      '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
    ),
    chapter,
  ]);

const laughs = (root: string, text: string): string => {
  const levels = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`);
  return `<?xml version="1.0"?><!DOCTYPE ${root} [<!ENTITY l0 "lol">${levels.join("")}]>${text}`;
};
const external = (root: string, text: string): string =>
  `<?xml version="1.0"?><!DOCTYPE ${root} [<!ENTITY l9 SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1/p">%p;]>${text}`;
const xhtml = (body: string): string =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`;

/** A gray PNG of so many pixels on a side, all black. */
const largePng = (side: number): Uint8Array =>
  pngOf(
    { width: side, height: side, colorType: 0, depth: 8 },
    deflateSync(Buffer.alloc(side * (side + 1)), { level: 9 }),
  );
let large: Uint8Array | undefined;
const picture = (): Uint8Array => (large ??= largePng(30_000));

const text = (content: () => string, fields?: Readonly<Record<string, string>>): Omit<Bomb, "name"> => ({
  bytes: () => encoder.encode(content()),
  ...(fields && { fields }),
});
const html = (content: () => string): Omit<Bomb, "name"> => text(content, { format: "html" });
const markdown = (content: () => string): Omit<Bomb, "name"> => text(content, { format: "markdown" });
const styled = (css: () => string, body = "<p>x</p>".repeat(100)): Omit<Bomb, "name"> =>
  html(() => `<html><head><style>${css()}</style></head><body>${body}</body></html>`);
const nested = (before: string, after: string, depth: number): string =>
  before.repeat(depth) + "x" + after.repeat(depth);
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join("");
const tables = (depth: number): string => nested("<table><tr><td>", "</td></tr></table>", depth);
const wordTables = (depth: number): string =>
  nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>", depth).replace("x", paragraph("x"));

const wideTable = (rows: number): string => `${"|a".repeat(1_000)}|\n${"|-".repeat(1_000)}|\n${"|a\n".repeat(rows)}`;
/** A code block that ends with the item that it is in, although it is not closed. */
const SEEMS_CODE = "- a\n\n  ```\n\nb\n\n";

const BOMBS: Readonly<Record<string, Omit<Bomb, "name">>> = {
  "DOCX of 1 GB": { bytes: () => zipOf([zeros("word/document.xml")]) },
  "DOCX of 1 GB that says 1 KB": { bytes: () => zipOf([zeros("word/document.xml", 1000)]) },
  "XLSX of 1 GB": { bytes: () => zipOf([zeros("xl/workbook.xml")]) },
  "EPUB of 1 GB": { bytes: () => bookOf(zeros("c.xhtml")) },
  "EPUB of 1 GB that says 1 KB": { bytes: () => bookOf(zeros("c.xhtml", 1000)) },
  "EPUB of 400 MB": {
    bytes: () => bookOf({ name: "c.xhtml", packed: deflateRawSync(Buffer.alloc(400_000_000)), size: 400_000_000 }),
  },
  "EPUB of 60 MB of text": { bytes: () => bookOf(entry("c.xhtml", xhtml("<p>word word word</p>".repeat(3_000_000)))) },
  "CBZ of 1 GB": { bytes: () => zipOf([zeros("a.png")]) },
  "100,000 entries": {
    bytes: () =>
      zipOf(Array.from({ length: 100_000 }, (_, index) => ({ name: `${index}.png`, packed: EMPTY, size: 0 }))),
  },
  "60,000 entries": {
    bytes: () =>
      zipOf(Array.from({ length: 60_000 }, (_, index) => ({ name: `${index}.png`, packed: EMPTY, size: 0 }))),
  },
  "DOCX of 60,000 entries": {
    bytes: () =>
      zipOf([
        entry("word/document.xml", word(paragraph("x"))),
        ...Array.from({ length: 60_000 }, (_, index) => ({ name: `${index}.png`, packed: EMPTY, size: 0 })),
      ]),
  },
  "billion laughs in DOCX": {
    bytes: () => archive({ "word/document.xml": laughs("w:document", word(paragraph("&l9;")).slice(21)) }),
  },
  "external entities in DOCX": {
    bytes: () => archive({ "word/document.xml": external("w:document", word(paragraph("&l9;")).slice(21)) }),
  },
  "billion laughs in EPUB": {
    bytes: () => epub("t", [], { "c.xhtml": "", "nav.xhtml": laughs("html", xhtml("&l9;")) }),
  },
  "billion laughs in a chapter": { bytes: () => bookOf(entry("c.xhtml", laughs("html", xhtml("<p>&l9;</p>")))) },
  "external entities in a chapter": { bytes: () => bookOf(entry("c.xhtml", external("html", xhtml("<p>&l9;</p>")))) },
  "billion laughs in XHTML": text(() => laughs("html", xhtml("<p>&l9;</p>")), { format: "xhtml" }),
  "billion laughs in FB2": text(() =>
    laughs("FictionBook", "<FictionBook><body><section><p>&l9;</p></section></body></FictionBook>"),
  ),
  "FB2 of 100,000 nested sections": text(
    () => `<FictionBook><body>${nested("<section>", "</section>", 100_000)}</body></FictionBook>`,
  ),
  "FB2 of a million paragraphs": text(() => `<FictionBook><body>${"<p>x</p>".repeat(1_000_000)}</body></FictionBook>`),
  "HTML of 100,000 nested elements": html(() => nested("<div>", "</div>", 100_000)),
  "HTML of 100,000 nested spans": html(() => `<p>${nested("<span>", "</span>", 100_000)}</p>`),
  "HTML of 5,000 nested elements": html(() => nested("<div>", "</div>", 5_000)),
  "HTML of 400 nested elements": html(() => nested("<div>", "</div>", 400)),
  "HTML of 1,000 nested tables": html(() => tables(1_000)),
  "HTML of 100 nested tables": html(() => tables(100)),
  "HTML of 20 nested tables": html(() => tables(20)),
  "HTML of 1,000 nested lists": html(() => nested("<ul><li>", "</li></ul>", 1_000)),
  "HTML of a million unclosed elements": html(() => "<b>".repeat(1_000_000)),
  "HTML of a million unclosed tags": html(() => "<img ".repeat(1_000_000)),
  "HTML of 100,000 unclosed scripts": html(() => '<a title="'.repeat(100_000)),
  "HTML of 400,000 tags without an end": html(() => `<html><body>${"<html ".repeat(400_000)}`),
  "HTML of 400,000 style attributes": html(() => `<html><body>${'style="'.repeat(400_000)}`),
  "HTML of 400,000 display": html(() => `<html><body>${"style='' display ".repeat(300_000)}`),
  "HTML of a million spaces": html(() => `<html><body><p lang${" ".repeat(1_000_000)}`),
  "HTML of 100,000 titles": html(() => `<html>${"<title>".repeat(100_000)}`),
  "HTML of a table of 300,000 cells": html(() => `<table>${many(1000, () => `<tr>${"<td>x".repeat(300)}`)}</table>`),
  "HTML of a table of 100,000 columns": html(() => `<table><tr>${"<td>x".repeat(100_000)}</table>`),
  "HTML of spans of a million": html(() => `<table><tr><td colspan=1000000000 rowspan=1000000000>x</table>`),
  "HTML of a million paragraphs": html(() => "<p>x".repeat(1_000_000)),
  "HTML of a paragraph of 8 million characters": html(() => `<p>${"x ".repeat(4_000_000)}`),
  "HTML of a word of 8 million characters": html(() => `<p>${"x".repeat(8_000_000)}`),
  "HTML with text of 1,000 points": text(() => `<p>${"x ".repeat(100_000)}`, { css: "p{font-size:1000pt}" }),
  "text of a million lines": text(() => "x\n".repeat(1_000_000), { format: "text" }),
  "text of 8 million characters": text(() => "word ".repeat(1_600_000), { format: "text" }),
  "Markdown of a million paragraphs": markdown(() => "x\n\n".repeat(1_000_000)),
  "Markdown of 600,000 paragraphs": markdown(() => "x\n\n".repeat(600_000)),
  "Markdown of a table of 1,000 columns": markdown(() => wideTable(50_000)),
  "Markdown of a table that seems to be code": markdown(() => `${SEEMS_CODE}${wideTable(1_000)}`),
  "Markdown of a list that seems to be code": markdown(() => `${SEEMS_CODE}- x\n${"y\n".repeat(100_000)}`),
  "Markdown of 2,000 definitions": markdown(
    () => `${many(1_999, (index) => `[a${index}]: b\n\n`)}${"[a1] x\n\n".repeat(15_000)}`,
  ),
  "Markdown of definitions that seem to be code": markdown(
    () => SEEMS_CODE + many(20_000, (index) => `[a${index}]: b\n`) + "[a1] x\n\n".repeat(5_000),
  ),
  "Markdown of 50,000 addresses": markdown(() => "<a@b.c ".repeat(50_000)),
  "Markdown of paragraphs of addresses": markdown(() => `${"a.".repeat(4_900)}@\n\n`.repeat(45)),
  "Markdown of paragraphs of a_b": markdown(() => `${"a_b".repeat(3_300)}\n\n`.repeat(50)),
  "Markdown of 100,000 [": markdown(() => "[".repeat(100_000)),
  "Markdown of 100,000 [ apart": markdown(() => "[abcde ".repeat(100_000)),
  "Markdown of 100,000 ![": markdown(() => "![a](".repeat(100_000)),
  "Markdown of 100,000 *": markdown(() => "*".repeat(100_000)),
  "Markdown of 100,000 * apart": markdown(() => "*abcdef ".repeat(100_000)),
  "Markdown of 100,000 _ **": markdown(() => "**abcdef _xyzabc ".repeat(50_000)),
  "Markdown of 100,000 >": markdown(() => ">".repeat(100_000)),
  "Markdown of lines of >": markdown(() => many(190, (index) => `${"> ".repeat(index)}x\n`).repeat(20)),
  "Markdown of nested lists": markdown(() => many(500, (index) => `${"  ".repeat(index)}- x\n`)),
  "Markdown of 100,000 backticks": markdown(() => "`".repeat(100_000)),
  "Markdown of backticks apart": markdown(() => many(1_200, (index) => `${"`".repeat((index % 390) + 1)}abcdefg`)),
  "Markdown of 100,000 footnotes": markdown(
    () => many(50_000, (index) => `[^${index}]: x\n`) + many(50_000, (index) => `[^${index}] `),
  ),
  "Markdown of 100,000 headings": markdown(() => "# x\n".repeat(100_000)),
  "Markdown of a long table": markdown(() => `${"|a".repeat(1000)}|\n${"|-".repeat(1000)}|\n${"|a\n".repeat(50_000)}`),
  "Markdown of links": markdown(() => "<a@b.c ".repeat(50_000)),
  "Markdown of 100,000 definitions": markdown(() => many(60_000, (index) => `[a${index}]: x\n`)),
  "CSS of 100,000 rules": styled(() => many(100_000, (index) => `.c${index}{color:red}`)),
  "CSS of 100,000 rules for a class": styled(
    () => many(100_000, (index) => `p.c${index}{color:red}`),
    '<p class="x">x</p>'.repeat(10_000),
  ),
  "CSS of a selector of 100,000 parts": styled(() => `${"p ".repeat(100_000)}{color:red}`),
  "CSS of a selector of 100,000 children": styled(() => `${"p>".repeat(100_000)}p{color:red}`),
  "CSS of a selector of 100,000 classes": styled(() => `p${".a".repeat(100_000)}{color:red}`),
  "CSS of 100,000 selectors": styled(() => `${"p,".repeat(100_000)}p{color:red}`),
  "CSS of 100,000 braces": styled(() => "p{".repeat(100_000)),
  "CSS of 100,000 @media": styled(() => "@media print{".repeat(100_000)),
  "CSS of 100,000 parentheses": styled(() => `p{color:${"rgb(".repeat(100_000)}}`),
  "CSS of 100,000 values": styled(() => `p{margin:${"1 ".repeat(100_000)}}`),
  "CSS of 100,000 @page": styled(() => "@page{{".repeat(100_000)),
  "CSS of 100,000 comments": styled(() => "/*".repeat(100_000)),
  "CSS of 100,000 @font-face": styled(() => "@font-face{font-family:".repeat(50_000)),
  "CSS of 20,000 breaks": styled(
    () => many(5_000, (index) => `.c${index}{break-before:page}`),
    '<p class="a">x</p>'.repeat(20_000),
  ),
  "PNG of 900 megapixels in EPUB": {
    bytes: () =>
      archive(
        {
          mimetype: "application/epub+zip",
          "META-INF/container.xml":
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
          "content.opf":
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>',
          "c.xhtml": xhtml(image),
          "a.png": picture(),
        },
        0,
      ),
  },
  "PNG of 900 megapixels in CBZ": { bytes: () => archive({ "a.png": picture() }, 0) },
  "PNG of 900 megapixels in DOCX": {
    bytes: () =>
      docx(
        `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="635000" cy="635000"/><a:graphic><a:graphicData><a:blip r:embed="rImage0"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
        { media: { "a.png": picture() } },
      ),
  },
  "PNG of 900 megapixels in HTML": html(
    () => `<img src="data:image/png;base64,${Buffer.from(picture()).toString("base64")}">`,
  ),
  "DOCX of a picture 1,000 times": {
    bytes: () =>
      docx(
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="635000" cy="635000"/><a:graphic><a:graphicData><a:blip r:embed="rImage0"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>'.repeat(
          1000,
        ),
        { media: { "a.png": largePng(8_000) } },
      ),
  },
  "DOCX of 100,000 nested elements": {
    bytes: () => docx(nested("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>", 100_000)),
  },
  "DOCX of 1,000 nested tables": { bytes: () => docx(wordTables(1_000)) },
  "DOCX of 160 nested tables": { bytes: () => docx(wordTables(160)) },
  "DOCX of 100 nested text boxes": {
    bytes: () => docx(nested("<w:p><w:r><w:pict><w:txbxContent>", "</w:txbxContent></w:pict></w:r></w:p>", 100)),
  },
  "DOCX of 90 nested alternatives": {
    bytes: () =>
      docx(
        `<w:p><w:r>${nested("<w:AlternateContent><w:Choice><w:AlternateContent/></w:Choice><w:Choice>", "</w:Choice></w:AlternateContent>", 90)}</w:r></w:p>`,
      ),
  },
  "DOCX of 300,000 paragraphs": { bytes: () => docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>".repeat(300_000)) },
  "DOCX of a million paragraphs": { bytes: () => docx("<w:p/>".repeat(1_000_000)) },
  "DOCX of 100,000 notes": {
    bytes: () =>
      docx(
        many(50_000, (index) => `<w:p><w:r><w:footnoteReference w:id="${index}"/></w:r></w:p>`),
        { footnotes: many(50_000, (index) => `<w:footnote w:id="${index}"/>`) },
      ),
  },
  "DOCX of one note 50,000 times": {
    bytes: () =>
      docx('<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'.repeat(50_000), {
        footnotes: `<w:footnote w:id="1">${paragraph("x".repeat(1000))}</w:footnote>`,
      }),
  },
  "DOCX of 10,000 sections": {
    bytes: () =>
      docx(
        many(
          10_000,
          (index) => `<w:p><w:pPr><w:sectPr><w:pgSz w:w="${4000 + index}" w:h="4000"/></w:sectPr></w:pPr></w:p>`,
        ),
      ),
  },
  "DOCX of rows merged down": {
    bytes: () =>
      docx(
        `<w:tbl>${'<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr></w:tc></w:tr>'}${"<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>".repeat(100_000)}</w:tbl>`,
      ),
  },
  "XML of unclosed tags": { bytes: () => archive({ "word/document.xml": "<a ".repeat(1_000_000) }) },
  "XML of unclosed quotes": { bytes: () => archive({ "word/document.xml": '<a b="'.repeat(200_000) }) },
  "XML of unclosed comments": { bytes: () => archive({ "word/document.xml": "<!--".repeat(200_000) }) },
  "XML of unclosed types": { bytes: () => archive({ "word/document.xml": "<!DOCTYPE [".repeat(100_000) }) },
  "XML of 200,000 attributes": {
    bytes: () => archive({ "word/document.xml": `<a ${many(200_000, (index) => `a${index}="x" `)}>` }),
  },
  "XML of a long name": { bytes: () => archive({ "word/document.xml": `<${"a".repeat(300_000)}` }) },
  "XML of a long attribute": { bytes: () => archive({ "word/document.xml": `<a ${"x".repeat(300_000)}/>` }) },
  "XLSX with a cell at XFD1048576": {
    bytes: () =>
      sheet(`<sheetData><row r="1">${cell("A1")}</row><row r="1048576">${cell("XFD1048576")}</row></sheetData>`),
  },
  "XLSX with a merge over the sheet": {
    bytes: () =>
      sheet(
        `<sheetData><row r="1">${cell("A1")}</row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`,
      ),
  },
  "XLSX with 100,000 merges": {
    bytes: () =>
      sheet(
        `<sheetData><row r="1">${cell("A1")}</row></sheetData><mergeCells>${'<mergeCell ref="A1:J1000"/>'.repeat(100_000)}</mergeCells>`,
      ),
  },
  "XLSX with 100,000 columns": {
    bytes: () =>
      sheet(
        `<cols>${'<col min="1" max="16384" width="9"/>'.repeat(100_000)}</cols><sheetData><row r="1">${cell("A1")}</row></sheetData>`,
      ),
  },
  "XLSX of 10,000 rows of 16,384": {
    bytes: () =>
      sheet(
        `<sheetData>${many(10_000, (index) => `<row r="${index + 1}">${cell(`XFD${index + 1}`)}</row>`)}</sheetData>`,
      ),
  },
  "XLSX of 200,000 cells": {
    bytes: () =>
      sheet(
        `<sheetData>${many(10_000, (index) => `<row r="${index + 1}">${cell("A1").replace(' r="A1"', "").repeat(20)}</row>`)}</sheetData>`,
      ),
  },
  "XLSX with a long string 10,000 times": {
    bytes: () =>
      xlsx(
        [
          {
            name: "Sheet",
            content: `<sheetData>${many(10_000, (index) => `<row r="${index + 1}"><c t="s"><v>0</v></c></row>`)}</sheetData>`,
          },
        ],
        { strings: ["word ".repeat(20_000)] },
      ),
  },
  "XLSX with a long format": {
    bytes: () =>
      xlsx(
        [
          {
            name: "Sheet",
            content: `<sheetData>${many(1_000, (index) => `<row r="${index + 1}"><c s="0"><v>45000</v></c></row>`)}</sheetData>`,
          },
        ],
        {
          styles: `<numFmts><numFmt numFmtId="200" formatCode="${"y-".repeat(50_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`,
        },
      ),
  },
  "XLSX with a format of 255 characters": {
    bytes: () =>
      xlsx(
        [
          {
            name: "Sheet",
            content: `<sheetData>${many(7_500, (index) => `<row r="${index + 1}"><c s="0"><v>45000</v></c></row>`)}</sheetData>`,
          },
        ],
        {
          styles: `<numFmts><numFmt numFmtId="200" formatCode="${"m-".repeat(127)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs>`,
        },
      ),
  },
  "XLSX of 10,000 sheets": {
    bytes: () =>
      xlsx(
        Array.from({ length: 3_000 }, (_, index) => ({
          name: `s${index}`,
          content: `<sheetData><row>${cell("A1")}</row></sheetData>`,
        })),
      ),
  },
  "CSV of a million rows": text(() => "a,b\n".repeat(1_000_000), { format: "csv" }),
  "CSV of 100,000 rows": text(() => "a,b\n".repeat(100_000), { format: "csv" }),
  "CSV of 50,000 rows": text(() => "a,b\n".repeat(50_000), { format: "csv" }),
  "CSV of a long row": text(() => `${"a,".repeat(1_000_000)}\n`, { format: "csv" }),
  "CSV of a long row of 190,000": text(() => `${"a,".repeat(190_000)}\n`, { format: "csv" }),
  "CSV of quotes": text(() => '"'.repeat(2_000_000), { format: "csv" }),
  "many spaces": text(() => `<?xml${" ".repeat(1_000_000)}`),
  comments: text(() => "<!-- -->  ".repeat(100_000)),
};

export const bombs: readonly Bomb[] = Object.entries(BOMBS).map(([name, bomb]) => ({ name, ...bomb }));
