/** Office documents and e-books, written as their standards have them. */
import { unzipSync, zipSync } from "fflate";

const encoder = new TextEncoder();
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
/** Namespaces of what documents, sheets, and drawings may hold, by their usual prefixes. */
const OTHERS = Object.entries({
  wp: "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
  a: "http://schemas.openxmlformats.org/drawingml/2006/main",
  pic: "http://schemas.openxmlformats.org/drawingml/2006/picture",
  c: "http://schemas.openxmlformats.org/drawingml/2006/chart",
  dgm: "http://schemas.openxmlformats.org/drawingml/2006/diagram",
  lc: "http://schemas.openxmlformats.org/drawingml/2006/lockedCanvas",
  m: "http://schemas.openxmlformats.org/officeDocument/2006/math",
  mc: "http://schemas.openxmlformats.org/markup-compatibility/2006",
  v: "urn:schemas-microsoft-com:vml",
  o: "urn:schemas-microsoft-com:office:office",
  wps: "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
  wpg: "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
  wpc: "http://schemas.microsoft.com/office/word/2010/wordprocessingCanvas",
  w14: "http://schemas.microsoft.com/office/word/2010/wordml",
  x14: "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main",
  x15: "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main",
  x99: "urn:example:future",
  xdr: "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
  sle: "http://schemas.microsoft.com/office/drawing/2010/slicer",
})
  .map(([prefix, name]) => `xmlns:${prefix}="${name}"`)
  .join(" ");
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export type Entries = Readonly<Record<string, string | Uint8Array>>;

/** An archive with the entries in their order. */
export const archive = (entries: Entries, level: 0 | 6 = 6): Uint8Array =>
  zipSync(
    Object.fromEntries(
      Object.entries(entries).map(([name, content]) => [
        name,
        typeof content === "string" ? encoder.encode(content) : content,
      ]),
    ),
    { level },
  );

const relationships = (
  list: readonly (readonly [id: string, type: string, target: string, external?: boolean])[],
): string =>
  `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(
      ([id, type, target, external]) =>
        `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ""}/>`,
    )
    .join("")}</Relationships>`;

/** A paragraph of a DOCX with one run. */
export const paragraph = (text: string, properties = "", run = ""): string =>
  `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}<w:r>${run && `<w:rPr>${run}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

interface DocxParts {
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly header?: string;
  readonly core?: string;
  readonly media?: Readonly<Record<string, Uint8Array>>;
}

/** A DOCX of the contents of its body. Links: `rLink` leads to https://example.com/docx; images: `rImage0`, ... in the order of `media`. */
export function docx(body: string, parts: DocxParts = {}): Uint8Array {
  const { styles, numbering, footnotes, header, core, media = {} } = parts;
  const part = (root: string, content: string | undefined): string | undefined =>
    content === undefined ? undefined : `${XML}<w:${root} ${W} ${R} ${OTHERS}>${content}</w:${root}>`;
  const optional: Readonly<Record<string, string | undefined>> = {
    styles: part("styles", styles),
    numbering: part("numbering", numbering),
    footnotes: part("footnotes", footnotes),
    header: part("hdr", header),
  };
  const present = Object.entries(optional).flatMap(([name, content]) =>
    content === undefined ? [] : [[name, content] as const],
  );
  return archive({
    "[Content_Types].xml": `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    "word/document.xml": `${XML}<w:document ${W} ${R} ${OTHERS}><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": relationships([
      ["rLink", "hyperlink", "https://example.com/docx", true],
      ...present.map(([name]) => [`r-${name}`, name, `${name}.xml`] as const),
      ...Object.keys(media).map((name, index) => [`rImage${index}`, "image", `media/${name}`] as const),
    ]),
    ...Object.fromEntries(present.map(([name, content]) => [`word/${name}.xml`, content])),
    ...Object.fromEntries(Object.entries(media).map(([name, bytes]) => [`word/media/${name}`, bytes])),
    ...(core !== undefined && { "docProps/core.xml": core }),
  });
}

/** The package with its main part under another name, as its relationships say, and its content types if a media type is given. */
export function withMainPart(file: Uint8Array, name: string, mediaType?: string): Uint8Array {
  const entries = unzipSync(file);
  const usual = Object.keys(entries).find((entry) => /^(word\/document|xl\/workbook)\.xml$/.test(entry)) ?? "";
  const relations = (part: string): string => part.replace(/([^/]+)$/, "_rels/$1.rels");
  const { [usual]: main, [relations(usual)]: own, ...rest } = entries;
  const type = `application/vnd.openxmlformats-officedocument.${mediaType}.main+xml`;
  const override = mediaType === undefined ? "" : `<Override PartName="/${name}" ContentType="${type}"/>`;
  return archive({
    ...rest,
    "[Content_Types].xml": `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${override}</Types>`,
    "_rels/.rels": relationships([["rId1", "officeDocument", `/${name}`]]),
    [name]: main ?? new Uint8Array(),
    [relations(name)]: own ?? new Uint8Array(),
  });
}

interface SheetPart {
  readonly name: string;
  readonly state?: string;
  /** What the sheet contains. */
  readonly content: string;
}

/** An XLSX. `strings`: the shared strings. */
export function xlsx(
  sheets: readonly SheetPart[],
  { strings = [], styles = "" }: { strings?: readonly string[]; styles?: string } = {},
): Uint8Array {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  return archive({
    "xl/workbook.xml": `${XML}<workbook ${main} ${R}><sheets>${sheets
      .map(
        ({ name, state }, index) =>
          `<sheet name="${name}" sheetId="${index + 1}"${state ? ` state="${state}"` : ""} r:id="rId${index}"/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships([
      ...sheets.map((_, index) => [`rId${index}`, "worksheet", `worksheets/sheet${index}.xml`] as const),
      ["rStrings", "sharedStrings", "sharedStrings.xml"],
      ["rStyles", "styles", "styles.xml"],
    ]),
    "xl/sharedStrings.xml": `${XML}<sst ${main}>${strings.map((text) => `<si><t>${text}</t></si>`).join("")}</sst>`,
    "xl/styles.xml": `${XML}<styleSheet ${main}>${styles}</styleSheet>`,
    ...Object.fromEntries(
      sheets.map(({ content }, index) => [
        `xl/worksheets/sheet${index}.xml`,
        `${XML}<worksheet ${main} ${R} ${OTHERS}>${content}</worksheet>`,
      ]),
    ),
  });
}

/** The workbook with a drawing on its first sheet. */
export const xlsxDrawing = (file: Uint8Array, content: string): Uint8Array =>
  archive({
    ...unzipSync(file),
    "xl/worksheets/_rels/sheet0.xml.rels": relationships([["rDrawing", "drawing", "../drawings/drawing0.xml"]]),
    "xl/drawings/drawing0.xml": `${XML}<xdr:wsDr ${R} ${OTHERS}>${content}</xdr:wsDr>`,
  });

/** An EPUB of chapters: titles and bodies. */
export function epub(
  title: string,
  chapters: readonly (readonly [title: string, body: string])[],
  more: Entries = {},
): Uint8Array {
  const item = (_: unknown, index: number): string =>
    `<item id="c${index}" href="c${index}.xhtml" media-type="application/xhtml+xml"/>`;
  return archive({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "content.opf": `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></metadata><manifest><item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>${chapters.map(item).join("")}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join("")}</spine></package>`,
    "nav.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol>${chapters.map(([name], index) => `<li><a href="c${index}.xhtml">${name}</a></li>`).join("")}</ol></nav></body></html>`,
    ...Object.fromEntries(
      chapters.map(([name, body], index) => [
        `c${index}.xhtml`,
        `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>${name}</title></head><body><h1>${name}</h1>${body}</body></html>`,
      ]),
    ),
    ...more,
  });
}
