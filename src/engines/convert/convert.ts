/** From a document of another kind to a PDF. */
import type { EngineBytes, InputBytes } from "../memory/heap.ts";
import { invalidParameter, Refusal } from "../errors.ts";
import type { Engines } from "../lease/engines.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { limits, MiB } from "../../limits.ts";
import type { Work } from "../work.ts";
import { Assets } from "./source/assets.ts";
import { boundedHtml } from "./source/bounded-html.ts";
import { delimiterOf, readCsv } from "./csv.ts";
import { decodeSource, type SaidEncoding } from "./source/decode-text.ts";
import type { Conversion, PageFormat, PaperSize, DocumentPart } from "./source/document.ts";
import { DocumentFonts } from "./document-fonts.ts";
import { readDocx } from "./docx/read.ts";
import { finish } from "./finish.ts";
import { type Detected, detectFormat, type SourceFormat, TEXT_FORMATS } from "./format.ts";
import { type PageRule, prepareHtml } from "./source/html.ts";
import { PartWriter } from "./lay-out.ts";
import { markdownPage } from "./markdown.ts";
import { htmlDocument } from "./source/markup.ts";
import { type Sheet, sheetPart } from "./source/sheet.ts";
import { textBody } from "./text.ts";
import { readXlsx } from "./xlsx/read.ts";

export interface ConversionOptions extends SaidEncoding {
  /** For text, which may be of several formats. */
  readonly format?: SourceFormat | undefined;
  /** In points, in the orientation that is wanted; undefined: that of the document, else A4. */
  readonly page?: PaperSize | undefined;
  readonly landscape?: boolean | undefined;
  /** In points; undefined: those of the document, else 54. */
  readonly margin?: number | undefined;
  readonly fontSize: number;
  readonly css: string;
  /** A ZIP archive with the files that HTML or Markdown refers to. */
  readonly assets?: InputBytes | undefined;
  /** Whether content wider than the page is scaled down; else the page is made wider. */
  readonly scaled: boolean;
  readonly title?: string | undefined;
  readonly language?: string | undefined;
  /** Whether characters without a glyph are refused. */
  readonly strict: boolean;
}

export interface Converted {
  readonly bytes: EngineBytes;
  readonly format: SourceFormat;
  readonly pageCount: number;
  /** Characters that have no glyph in any font. */
  readonly missingGlyphs: number;
  readonly notConverted: readonly string[];
}

const A4: PaperSize = { width: 595.28, height: 841.89 };
const DEFAULT_MARGIN = 54;
/** Most missing characters listed in an error. */
const CHARACTERS_NAMED = 20;

/**
 * Converts a document. The request's files must not be read afterwards.
 * @throws Refusal `unsupported_format`, `invalid_file`, `unsupported_text`, `limit_exceeded`, `overloaded`
 */
export async function convert(engines: Engines, file: InputBytes, options: ConversionOptions): Promise<Converted> {
  const { pdf } = engines;
  const { work } = pdf;
  const bytes = file.length + (options.assets?.length ?? 0);
  const conversion = await work.stage("readDocument", bytes * limits.work.readByte).run(async () => {
    const source = await formatOf(pdf, file, options);
    return { ...(await read(pdf, file, source, options)), format: source.format };
  });
  if (conversion.parts.length === 0)
    throw new Refusal("invalid_file", "The document has nothing to show.", { input: "file" });
  const needed = conversion.parts.reduce((sum, { fuel }) => sum + fuel, 0);
  const layOut = work.stage("layOut", Math.min(needed, bytes * limits.work.laidOutByte));
  return await layOut.run(() => laidOut(engines, conversion, options));
}

async function laidOut(
  { pdf, loadFont }: Engines,
  conversion: Conversion & { readonly format: SourceFormat },
  options: ConversionOptions,
): Promise<Converted> {
  const writer = new PartWriter(pdf, new DocumentFonts(pdf, loadFont));
  try {
    for (const part of conversion.parts) await writer.add({ ...part, fit: options.scaled ? "width" : "none" });
    const all = await writer.end();
    const { characters, count } = all.missing;
    if (options.strict && count > 0) {
      const named = [...characters].slice(0, CHARACTERS_NAMED);
      throw new Refusal("unsupported_text", `No available font has these characters: ${named.join(" ")}`, {
        characters: named,
      });
    }
    if (all.pageCount === 0) throw new Refusal("invalid_file", "The document has no pages.", { input: "file" });
    const bytes = await finish(pdf, all, {
      title: options.title ?? conversion.title ?? all.title,
      author: conversion.author ?? all.author,
      language: options.language ?? conversion.language,
    });
    return {
      bytes,
      format: conversion.format,
      pageCount: all.pageCount,
      missingGlyphs: count,
      notConverted: [...conversion.notConverted.union(all.notConverted)].sort(),
    };
  } catch (error) {
    throw pdf.explain(error);
  }
}

async function formatOf(
  engine: PdfEngine,
  file: InputBytes,
  { format: wanted, ...said }: ConversionOptions,
): Promise<Extract<Detected, { format: SourceFormat }>> {
  const detected = await detectFormat(engine, file, said);
  if ("unsupported" in detected)
    throw new Refusal("unsupported_format", `\`file\` is ${detected.unsupported}.`, { input: "file" });
  if (wanted === undefined || wanted === detected.format) return detected;
  if (TEXT_FORMATS.has(wanted) && TEXT_FORMATS.has(detected.format)) return { ...detected, format: wanted };
  throw new Refusal("unsupported_format", `\`file\` is not of the format \`${wanted}\`, but \`${detected.format}\`.`, {
    input: "file",
  });
}

async function read(
  engine: PdfEngine,
  file: InputBytes,
  source: Extract<Detected, { format: SourceFormat }>,
  options: ConversionOptions,
): Promise<Conversion> {
  const { work } = engine;
  const { fontSize, css } = options;
  const { format } = source;
  if (options.assets && !HAS_ASSETS.has(format)) throw refusedAssets(format);
  const office = { page: (own: PageFormat) => pageFormat(options, {}, own), fontSize, css };
  if ("encoding" in source)
    return readText(engine, format, await textOf(engine, file, source.encoding, options), options);
  if (options.encoding !== undefined)
    throw invalidParameter("encoding", `must not be sent for \`${format}\`: only text has encodings`);
  if (format === "docx") return readDocx(work, source.archive, office);
  const { sheets, ...rest } = await readXlsx(work, source.archive);
  return { ...rest, parts: await sheetParts(engine, sheets, options) };
}

const HAS_ASSETS: ReadonlySet<SourceFormat> = new Set(["html", "xhtml", "markdown"]);

const refusedAssets = (format: SourceFormat): Refusal =>
  new Refusal("invalid_parameters", "`assets` does not fit the document.", {
    fields: [{ name: "assets", issue: `must not be sent for \`${format}\`: only HTML and Markdown refer to files` }],
  });

async function textOf({ work }: PdfEngine, file: InputBytes, encoding: string, said: SaidEncoding): Promise<string> {
  const limit = limits.conversion.textBytes;
  if (file.length > limit)
    throw new Refusal("limit_exceeded", `Text can have up to ${limit / MiB} MiB.`, { limit, actual: file.length });
  work.spend(file.length);
  await work.rest();
  return decodeSource(file.view(0, file.length).slice(), encoding, said).replaceAll("\0", "\ufffd").toWellFormed();
}

async function readText(
  engine: PdfEngine,
  format: SourceFormat,
  text: string,
  options: ConversionOptions,
): Promise<Conversion> {
  const { work } = engine;
  const none: ReadonlySet<string> = new Set();
  if (format === "csv") {
    const records = await readCsv(work, text, delimiterOf(text) ?? ",");
    const columns = records.reduce((most, record) => Math.max(most, record.length), 0);
    const rows = records.map((record, row) =>
      Array.from({ length: columns }, (_, column) => csvCell(record[column] ?? "", row === 0)),
    );
    return {
      parts: await sheetParts(engine, [{ rows, widths: Array.from({ length: columns }, () => undefined) }], options),
      notConverted: none,
    };
  }
  if (format === "text") {
    const html = htmlDocument({ body: await textBody(work, text) });
    return { parts: [await htmlPart(work, html, "text/html", options, {})], notConverted: none };
  }
  const page = format === "markdown" ? await markdownPage(work, text) : undefined;
  const source = page ? htmlDocument({ title: page.title, body: page.body }) : `\ufeff${text}`;
  const assets = options.assets && new Assets(engine, options.assets);
  const prepared = await prepareHtml(work, source, { css: options.css, isXml: format === "xhtml", assets });
  assets?.refuseUnused();
  const type = format === "xhtml" ? "application/xhtml+xml" : "text/html";
  return {
    parts: [await htmlPart(work, prepared.html, type, options, prepared.pageRule)],
    title: page?.title,
    language: page?.language ?? prepared.language,
    notConverted: prepared.notConverted,
  };
}

/** Characters of a number in a cell. */
const LONGEST_NUMBER = 100;
const isNumber = /^\s*[-+\u2212(]?[$\u20ac\u00a3]?\s?\d[\d.,\s]*%?\)?\s*$/;

const csvCell = (text: string, header: boolean): { text: string; header: boolean; align?: "right" } => ({
  text,
  header,
  ...(!header && text.length <= LONGEST_NUMBER && isNumber.test(text) && { align: "right" as const }),
});

async function htmlPart(
  work: Work,
  html: string,
  type: string,
  options: ConversionOptions,
  rule: PageRule,
): Promise<DocumentPart> {
  const page = pageFormat(options, rule);
  // What the document says of its margins was read above.
  const { left, right } = page.margins;
  const bounded = await boundedHtml(work, html, `${options.css}\n@page{margin:0}`, {
    isXml: type === "application/xhtml+xml",
    emsOfPage: (page.width - left - right) / options.fontSize,
  });
  return { ...bounded, type, page, fontSize: options.fontSize };
}

async function sheetParts(
  { work }: PdfEngine,
  sheets: readonly Sheet[],
  options: ConversionOptions,
): Promise<DocumentPart[]> {
  const { margins, ...page } = pageFormat(options, {});
  const { fontSize, scaled, css } = options;
  const parts: DocumentPart[] = [];
  for (const sheet of sheets)
    parts.push(await sheetPart(work, sheet, { page, margins, fontSize: Math.min(fontSize, 10), scaled, css }));
  return parts;
}

/** The page: as the client wants it, else as the document has it, else A4. */
function pageFormat(options: ConversionOptions, rule: PageRule, own?: PageFormat): PageFormat {
  const size = options.page ?? rule.size ?? (own && { width: own.width, height: own.height }) ?? A4;
  const turned = options.landscape !== undefined && options.landscape !== size.width > size.height;
  const { width, height } = turned ? { width: size.height, height: size.width } : size;
  const margin = options.margin ?? DEFAULT_MARGIN;
  const all = { top: margin, right: margin, bottom: margin, left: margin };
  const margins = options.margin === undefined ? { ...all, ...own?.margins, ...rule.margins } : all;
  const fits = margins.left + margins.right < width - 36 && margins.top + margins.bottom < height - 36;
  if (fits) return { width, height, margins };
  throw new Refusal("invalid_parameters", "The margins leave no room on the page.", {
    fields: [{ name: "marginPt", issue: `must leave at least 36 points of a page of ${width} by ${height} points` }],
  });
}
