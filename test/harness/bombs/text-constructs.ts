/** Documents of a construct of their format, so many times. */
import { docx, paragraph, xlsx } from "../fixtures/office-fixtures.ts";

const encoder = new TextEncoder();
const many = (count: number, one: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join("");
const nested = (before: string, after: string, depth: number): string =>
  `${before.repeat(depth)}x${after.repeat(depth)}`;
const page = (css: string, body: string): Uint8Array =>
  encoder.encode(`<html><head><style>${css}</style></head><body>${body}</body></html>`);
const sheet = (content: string, parts: Parameters<typeof xlsx>[1] = {}): Uint8Array =>
  xlsx([{ name: "Sheet", content }], parts);
const cell = '<c r="A1" t="inlineStr"><is><t>x</t></is></c>';
const oneCell = `<sheetData><row r="1">${cell}</row></sheetData>`;
const field = (kind: string): string => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;

/** HTML with style sheets. */
export const htmlConstructs = {
  "rules for elements that are not there": (count) =>
    page(
      many(count, (index) => `.a${index} b{color:red}`),
      "<p>x</p>",
    ),
  "rules that match each element": (count) => page("p{color:red}".repeat(count), "<p>x</p>".repeat(100)),
  "selectors of a rule": (count) => page(`${many(count, (index) => `.a${index},`)}p{color:red}`, "<p>x</p>"),
  "rules of attributes": (count) =>
    page(
      many(count, (index) => `[a${index}="x"]{color:red}`),
      '<p a="x">x</p>'.repeat(100),
    ),
  declarations: (count) => page(`p{${"color:red;".repeat(count)}}`, "<p>x</p>"),
  "names of a list style": (count) => page(`p{color:${"list-style: ".repeat(count)}}`, "<p>x</p>"),
  "spaces of a selector": (count) => page(`${" ".repeat(count)}\u00e9{break-before:page}`, "<p>x</p><p>y</p>"),
  elements: (count) => page("", "<b>x</b> ".repeat(count)),
  "words of a class": (count) => page(".a{color:red}", `<p class="${many(count, (index) => `b${index} `)}">x</p>`),
  "letters of a word": (count) => page("", `<p>${"x".repeat(count)}`),
  "joined letters of a word": (count) => page("", `<p>${"\u0644\u0627".repeat(count / 2)}`),
  "letters with marks": (count) => page("", `<p>${`a${"\u0301".repeat(19)}`.repeat(count / 20)}`),
} satisfies Readonly<Record<string, (count: number) => Uint8Array>>;

export const csvConstructs = {
  cells: (count) => encoder.encode(`${"a,".repeat(19)}b\n`.repeat(count / 20)),
  "quotes of a cell": (count) => encoder.encode(`a,b\nc,"${'"" '.repeat(count)}"\n`),
  "spaces of a number": (count) => encoder.encode(`a,b\nc,1${" ".repeat(count)}x\n`),
} satisfies Readonly<Record<string, (count: number) => Uint8Array>>;

/** Paragraphs of so many marks, and as many paragraphs as there are of them: a run may have 600. */
const runs = (count: number, mark: string, each = 250): Uint8Array =>
  encoder.encode(`${mark.repeat(each)}\n\n`.repeat(Math.ceil(count / each)));

export const markdownConstructs = {
  "marks of emphasis": (count) => runs(count, "*a_"),
  "marks of emphasis in a row": (count) => runs(count, "***a_"),
  "underscores in words": (count) => runs(count, "a_"),
  "brackets of pictures": (count) => runs(count, "![]("),
  "signs that begin nothing": (count) => runs(count, "!a"),
  "letters of an address": (count) => encoder.encode(`${"a.".repeat(900)}@\n\n`.repeat(count / 1_000)),
  "rows of tables": (count) => encoder.encode(`${"|a|b|\n|-|-|\n"}${"|a|b|\n".repeat(500)}\n`.repeat(count / 500)),
  "Markdown paragraphs": (count) => encoder.encode("word *word* `word`\n\n".repeat(count)),
} satisfies Readonly<Record<string, (count: number) => Uint8Array>>;

/** Documents of Word and Excel. */
export const officeConstructs = {
  paragraphs: (count) => docx(paragraph("x").repeat(count)),
  "references to a note": (count) =>
    docx('<w:p><w:r><w:footnoteReference w:id="1"/></w:r></w:p>'.repeat(count), {
      footnotes: `<w:footnote w:id="1">${paragraph("word ".repeat(20))}</w:footnote>`,
    }),
  "styles based on each other": (count) =>
    docx(paragraph("x", `<w:pStyle w:val="s${count - 1}"/>`), {
      styles: many(
        count,
        (index) => `<w:style w:type="paragraph" w:styleId="s${index}"><w:basedOn w:val="s${index - 1}"/></w:style>`,
      ),
    }),
  "levels of lists": (count) =>
    docx(paragraph("x", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'), {
      numbering: `<w:abstractNum w:abstractNumId="0">${many(count, (index) => `<w:lvl w:ilvl="${index}"><w:lvlText w:val="%1."/></w:lvl>`)}</w:abstractNum>${many(count, (index) => `<w:num w:numId="${index}"><w:abstractNumId w:val="0"/></w:num>`)}`,
    }),
  "fields in each other": (count) =>
    docx(
      `<w:p>${field("begin").repeat(count)}<w:r><w:t>x</w:t></w:r>${`${field("end")}<w:r><w:t>y</w:t></w:r>`.repeat(count)}</w:p>`,
    ),
  "quotes of a field": (count) =>
    docx(
      `<w:p>${field("begin")}<w:r><w:instrText>HYPERLINK ${"\u201c ".repeat(count)}</w:instrText></w:r>${field("separate")}<w:r><w:t>x</w:t></w:r>${field("end")}</w:p>`,
    ),
  "cells merged down": (count) =>
    docx(
      `<w:tbl>${many(Math.sqrt(count), (row) => `<w:tr>${`<w:tc><w:tcPr><w:vMerge${row === 0 ? ' w:val="restart"' : ""}/></w:tcPr></w:tc>`.repeat(Math.sqrt(count))}</w:tr>`)}</w:tbl>`,
    ),
  "merged ranges": (count) =>
    sheet(`${oneCell}<mergeCells>${'<mergeCell ref="A1:J1000"/>'.repeat(count)}</mergeCells>`),
  "ranges of columns": (count) =>
    sheet(`<cols>${'<col min="1" max="16384" width="9"/>'.repeat(count)}</cols>${oneCell}`),
  "fonts of cells": (count) =>
    sheet(oneCell, {
      styles: `<fonts><font>${"<x/>".repeat(count)}</font></fonts><cellXfs>${'<xf fontId="0"/>'.repeat(count)}</cellXfs>`,
    }),
  "runs of shared strings": (count) =>
    sheet('<sheetData><row r="1"><c t="s"><v>0</v></c></row></sheetData>', {
      strings: Array.from({ length: count }, () => "</t><t>x"),
    }),
} satisfies Readonly<Record<string, (count: number) => Uint8Array>>;

/** Counts to begin with where 1,000 are too many, or too few to be seen. */
export const firstCounts: Readonly<Record<string, number>> = {
  "references to a note": 100,
  "quotes of a field": 10_000,
  cells: 2_000,
  "rows of tables": 500,
  "Markdown paragraphs": 250,
};

/** What is refused, however many there are of the counts that tests send. */
export const refusedConstructs = {
  "attributes of an element": {
    code: "limit_exceeded",
    file: (count: number) => docx(`<w:p ${many(count + 1, (index) => `a${index}="x" `)}/>`),
  },
  "elements in each other": {
    code: "invalid_file",
    file: (count: number) => docx(nested("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>", count)),
  },
} as const;
