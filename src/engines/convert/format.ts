/** Which format a document has: by its bytes, never by its name. */
import type { InputBytes } from "../memory/heap.ts";
import { latin1 } from "../../bytes/latin1.ts";
import { imageKindOf } from "../image/kind.ts";
import { beginsAsPdf, PDF_HEAD_BYTES } from "../../bytes/pdf-signature.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { Archive } from "./source/archive.ts";
import { mainPartOf } from "./source/relationships.ts";
import { encodingOf, type SaidEncoding } from "./source/decode-text.ts";
import { delimiterOf } from "./csv.ts";
import { limits } from "../../limits.ts";

/** The formats that are converted. */
export const FORMATS = ["html", "xhtml", "markdown", "text", "csv", "docx", "xlsx"] as const;
export type SourceFormat = (typeof FORMATS)[number];

/** Those that text can be: a client can choose among them. */
export const TEXT_FORMATS: ReadonlySet<SourceFormat> = new Set(["html", "xhtml", "markdown", "text", "csv"]);

export type Detected =
  | { readonly format: SourceFormat; readonly archive: Archive }
  /** `encoding`: a label of the WHATWG Encoding Standard. */
  | { readonly format: SourceFormat; readonly encoding: string }
  /** The name of what it is, for an error. */
  | { readonly unsupported: string };

/** By the media type of the main part, whose name programs choose (ECMA-376, part 1, 11.3.10 and 12.3.23), or by its usual folder where a package has no types. */
const MAIN_PARTS: readonly { readonly type: RegExp; readonly folder: string; readonly format: SourceFormat }[] = [
  {
    type: /(?:wordprocessingml\.(?:document|template)|ms-word\.(?:document|template)\.macroEnabled(?:Template)?)\.main\+xml/,
    folder: "word/",
    format: "docx",
  },
  {
    type: /(?:spreadsheetml\.(?:sheet|template)|ms-excel\.(?:sheet|template)\.macroEnabled)\.main\+xml/,
    folder: "xl/",
    format: "xlsx",
  },
];

const HEAD_BYTES = 64 * 1024;

/** What is in a ZIP, by an entry that only it has. */
const PACKAGES: readonly (readonly [string | RegExp, SourceFormat | { unsupported: string }])[] = [
  ["word/document.xml", "docx"],
  ["xl/workbook.xml", "xlsx"],
  ["xl/workbook.bin", { unsupported: "a binary Excel workbook (XLSB)" }],
  [/^ppt\/presentation\.xml$/, { unsupported: "a PowerPoint presentation (PPTX)" }],
  [/^META-INF\/container\.xml$/, { unsupported: "an e-book (EPUB)" }],
  [/^Contents\/section0\.xml$/, { unsupported: "a Hancom document (HWPX)" }],
  [/^(FixedDocSeq|FixedDocumentSequence)\.fdseq$/i, { unsupported: "an XPS document" }],
  [/^Index\/Document\.iwa$/, { unsupported: "an iWork document" }],
];

/** By the media type in an OpenDocument package. */
const OPEN_DOCUMENT: Readonly<Record<string, string>> = {
  text: "an OpenDocument text (ODT)",
  spreadsheet: "an OpenDocument spreadsheet (ODS)",
  presentation: "an OpenDocument presentation (ODP)",
};

/** @throws Refusal `invalid_parameters` (a text of which the encoding is not known) */
export async function detectFormat(engine: PdfEngine, bytes: InputBytes, said: SaidEncoding): Promise<Detected> {
  const head = bytes.view(0, Math.min(bytes.length, HEAD_BYTES)).slice();
  const ascii = (start: number, end: number): string => String.fromCharCode(...head.subarray(start, end));
  if (ascii(0, 4) === "PK\x03\x04") return packageOf(engine, bytes);
  const image = imageKindOf(head);
  if (image !== undefined) return { unsupported: `an image (${image.toUpperCase()}). Use \`from-images\`` };
  if (ascii(60, 68) === "BOOKMOBI" || ascii(60, 68) === "TEXtREAd") return { unsupported: "an e-book (MOBI)" };
  if (ascii(0, 8) === "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    return { unsupported: "an encrypted Office document or one of Office 97 to 2003 (DOC, XLS, PPT)" };
  if (ascii(0, 5) === "{\\rtf") return { unsupported: "a Rich Text document (RTF)" };
  if (beginsAsPdf(head.subarray(0, PDF_HEAD_BYTES))) return { unsupported: "a PDF already" };
  if (ascii(0, 4) === "Rar!" || ascii(0, 6) === "7z\xbc\xaf\x27\x1c" || ascii(0, 2) === "\x1f\x8b")
    return { unsupported: "a compressed archive other than a ZIP" };
  return textFormatOf(head, bytes, said);
}

async function packageOf(engine: PdfEngine, bytes: InputBytes): Promise<Detected> {
  const archive = Archive.open(engine, bytes);
  if (archive === undefined) return { unsupported: "a damaged ZIP archive" };
  const { names } = archive;
  for (const [entry, format] of PACKAGES) {
    if (!names.some((name) => (typeof entry === "string" ? name === entry : entry.test(name)))) continue;
    return typeof format === "string" ? { format, archive } : format;
  }
  if (names.includes("mimetype")) {
    const type = (await archive.readText("mimetype")) ?? "";
    const kind = Object.keys(OPEN_DOCUMENT).find((name) => type.includes(`opendocument.${name}`));
    if (kind !== undefined) return { unsupported: OPEN_DOCUMENT[kind] ?? kind };
  }
  const types = (await archive.readText("[Content_Types].xml")) ?? "";
  const main = await mainPartOf(engine.work, archive);
  const office = MAIN_PARTS.find(({ type, folder }) => type.test(types) || main?.startsWith(folder));
  if (office) return { format: office.format, archive };
  const relations = await archive.readText("_rels/.rels");
  if (relations?.includes("fixedrepresentation")) return { unsupported: "an XPS document" };
  const files = names.filter((name) => !name.endsWith("/"));
  if (files.some((name) => /\.(jpe?g|png|gif|webp|bmp|tiff?)$/i.test(name)))
    return { unsupported: "an archive of images. Use `from-images`" };
  return { unsupported: "a ZIP archive without a document in it" };
}

const MARKDOWN = [
  /^#{1,6} +\S/m,
  /^(```|~~~)/m,
  /^ {0,3}[-*+] +(\[[ xX]\] )?\S/m,
  /\[[^\]\n]{1,200}\]\((?:https?:|#|\.|\/|\w)[^)\n]{0,500}\)/,
  /^\|? *:?-{3,}:? *\|/m,
  /(^|\s)\*\*[^*\n]{1,200}\*\*/,
  /^> +\S/m,
  /^.{1,200}\n(={3,}|-{3,})\s*$/m,
];

/** No text has them, in any encoding but UTF-16 and ISO-2022-JP. */
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0080-\u009f]/u;

function textFormatOf(head: Uint8Array, bytes: InputBytes, said: SaidEncoding): Detected {
  const cut = bytes.length > head.length;
  const unsupported = { unsupported: "of a format that is not supported" };
  const isMarked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (!isMarked && Object.values(said).every((label) => label === undefined) && CONTROLS.test(latin1(head)))
    return unsupported;
  const whole = bytes.length <= limits.conversion.textBytes ? bytes.view(0, bytes.length).slice() : head;
  const encoding = encodingOf(whole, said);
  const text = new TextDecoder(encoding).decode(head, { stream: cut });
  if (CONTROLS.test(text)) return unsupported;
  const format = formatOfText(text, cut);
  return typeof format === "string" ? { format, encoding } : format;
}

/** Markdown often begins with elements, such as a centered title. Several kinds of its marks are outside of elements whose text is code then. */
function isMarkdownWithHtml(text: string): boolean {
  if (/<\/?(?:!doctype|html|head|body)\b/i.test(text)) return false;
  const marked = text.replace(/<(pre|script|style|code|textarea)\b[\s\S]*?<\/\1\s*>/gi, "");
  return MARKDOWN.filter((pattern) => pattern.test(marked)).length > 1;
}

/** HTML, or a fragment of it: with an element of HTML 5, or one that earlier versions had (HTML Standard, 4 and 16.2). */
const HTML_START =
  /^<(?:!DOCTYPE html|(?:html|head|body|base|link|meta|style|title|article|section|nav|aside|h[1-6]|hgroup|header|footer|address|search|main|p|hr|pre|blockquote|ol|ul|menu|li|dl|dt|dd|figure|figcaption|div|a|em|strong|small|s|cite|q|dfn|abbr|ruby|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|bdi|bdo|span|br|wbr|ins|del|picture|img|iframe|embed|object|video|audio|map|table|caption|colgroup|tbody|thead|tfoot|tr|td|th|form|label|input|button|select|textarea|fieldset|legend|details|summary|dialog|script|noscript|template|canvas|svg|center|font|tt|big|strike|dir|frameset|nobr)[\s/>])/i;

function formatOfText(text: string, cut: boolean): SourceFormat | { readonly unsupported: string } {
  const start = text.slice(0, 4096).replace(/^\s*(<\?xml[\s\S]*?\?>|<!--[\s\S]*?-->|\s)*/, "");
  if (/^<FictionBook[\s>]/.test(start)) return { unsupported: "an e-book (FB2)" };
  if (/^(<!DOCTYPE html[^>]*xhtml|<html[^>]*xmlns=)/i.test(start)) return "xhtml";
  if (HTML_START.test(start)) return isMarkdownWithHtml(text) ? "markdown" : "html";
  if (/^(<\?xml|<!DOCTYPE)/i.test(text.trimStart())) return { unsupported: "an XML document of another kind" };
  if (/^<(\w+:)?\w+[^>]*>/.test(start) && /<\/html>/i.test(text)) return "html";
  if (delimiterOf(text, cut) !== undefined) return "csv";
  return MARKDOWN.some((pattern) => pattern.test(text)) ? "markdown" : "text";
}
