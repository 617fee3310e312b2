/** From a document of another kind to a PDF. */
import type { InputBytes } from "../memory/heap.ts";
import { invalidParameter } from "../errors.ts";
import {
  needsBrowser,
  needsOffice,
  noLaidOutPages,
  notConvertible,
  notOfFormat,
  nothingToShow,
  passwordRequired,
} from "../file-errors.ts";
import { textTooLarge } from "../limit-errors.ts";
import { assetsNotAllowed, charactersUnsupported, engineDoesNotRead } from "../parameter-errors.ts";
import { browserUnavailable, officeUnavailable } from "../result-errors.ts";
import type { ConversionEngine, OfficeConverter, OfficeSettings, PageBrowser } from "../services.ts";
import type { Engines } from "../lease/engines.ts";
import type { SteppedStage } from "../work.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { limits } from "../../limits.ts";
import { Assets } from "./source/assets.ts";
import { decodeSource, type SaidEncoding } from "./source/decode-text.ts";
import type { Conversion } from "./source/document.ts";
import { type ConversionOptions, DocumentParts } from "./source/document-parts.ts";
import { type Converted, finish } from "./finish.ts";
import { type Detected, detectFormat, type UnsupportedFile } from "./detect.ts";
import { FlowLayout } from "./flow-layout.ts";
import { formats } from "./formats/index.ts";
import {
  BROWSER_TYPES,
  type BrowserFormat,
  type BrowserOptions,
  type BrowserSource,
  printInBrowser,
} from "./in-browser.ts";
import { convertInOffice, type OfficeSource } from "./in-office.ts";
import { officeReads } from "./office-formats.ts";
import { PartWriter } from "./lay-out.ts";

/** The engines that the request allows and the service has. Of several, the document chooses one. */
export interface EngineChoice {
  /** Those that take all parameters of the request. */
  readonly allowed: ReadonlySet<ConversionEngine>;
  /** The parameter that rules the others out; undefined if none does. */
  readonly chosenBy: string | undefined;
  readonly browser: { readonly browser: PageBrowser; readonly print: BrowserOptions } | undefined;
  readonly office: { readonly office: OfficeConverter; readonly settings: OfficeSettings } | undefined;
}

/**
 * Converts a document. The request's files must not be read afterwards.
 * @throws Refusal `unsupported_format`, `invalid_file`, `unsupported_text`, `limit_exceeded`, `overloaded`
 */
export async function convert(
  engines: Engines,
  file: InputBytes,
  options: ConversionOptions,
  choice: EngineChoice,
): Promise<Converted> {
  const { work } = engines;
  const bytes = file.length + (options.assets?.length ?? 0);
  const reading = work.stage("readDocument", bytes * limits.work.readByte);
  const prepared = await reading.run(() => engines.pdf.scope(() => prepare(engines.pdf, file, options, choice)));
  if ("text" in prepared && choice.browser) return await printInBrowser(engines, choice.browser, prepared, options);
  if ("extension" in prepared && choice.office)
    return await convertInOffice(engines, choice.office, { ...prepared, bytes: file }, options);
  if (!("parts" in prepared)) throw new Error("there is no engine for the document");
  return await engines.pdf.scope(() => layOut(engines, bytes, prepared, options));
}

/** `textBytes`: of the texts in a package, inflated. */
type ReadConversion = Conversion & { readonly format: string; readonly textBytes: number };

/** Reads the document for the layout, or as much of it as another engine needs. */
async function prepare(
  engine: PdfEngine,
  file: InputBytes,
  options: ConversionOptions,
  choice: EngineChoice,
): Promise<ReadConversion | BrowserSource | Omit<OfficeSource, "bytes">> {
  const detected = await detectFormat(engine, file, options);
  if ("unsupported" in detected) return forOffice(detected, options, choice);
  const source = formatOf(detected, options);
  const { name, title } = source.format;
  const { allowed, chosenBy } = choice;
  const reading = enginesFor(source);
  const possible = allowed.intersection(new Set(reading));
  if (possible.size === 0 && chosenBy !== undefined) throw engineDoesNotRead(chosenBy, name, reading);
  if (source.format.kind === "drawing" || (!possible.has("flow") && possible.has("browser"))) {
    if (choice.browser) return forBrowser(engine, file, source, options);
    throw chosenBy === undefined ? needsBrowser(title) : browserUnavailable(chosenBy);
  }
  if (!possible.has("flow") && chosenBy !== undefined) {
    if (!choice.office) throw officeUnavailable(chosenBy);
    return { format: name, extension: name, isEncrypted: false };
  }
  const conversion = await read(new DocumentParts(engine, options), file, source);
  return options.mayUseBrowser && conversion.needsBrowser
    ? forBrowser(engine, file, source, options)
    : { ...conversion, format: name, textBytes: "archive" in source ? source.archive.textBytes : 0 };
}

const isBrowserFormat = (name: string): name is BrowserFormat => name in BROWSER_TYPES;

function enginesFor(source: Source): readonly ConversionEngine[] {
  const { name } = source.format;
  if (source.format.kind === "drawing") return ["browser"];
  if (isBrowserFormat(name)) return ["flow", "browser"];
  return officeReads(name) ? ["flow", "office"] : ["flow"];
}

/** A document for a browser, with the files that it refers to. */
async function forBrowser(
  engine: PdfEngine,
  file: InputBytes,
  source: Source,
  options: ConversionOptions,
): Promise<BrowserSource> {
  const { name: format } = source.format;
  if (!("encoding" in source && isBrowserFormat(format))) throw new Error("a browser does not read the format");
  const files = options.assets ? await new Assets(engine, options.assets).all() : new Map<string, Uint8Array>();
  const text = await textOf(engine, file, source.encoding, options);
  return { text: source.format.kind === "drawing" ? source.format.prepare(text) : text, format, files };
}

/** A document that only an office converter reads. */
function forOffice(
  { unsupported, office }: UnsupportedFile,
  { format }: ConversionOptions,
  { allowed, chosenBy, office: converter }: EngineChoice,
): Omit<OfficeSource, "bytes"> {
  if (office === undefined) throw notConvertible(unsupported);
  if (converter === undefined) throw needsOffice(unsupported);
  if (format !== undefined) throw notOfFormat(format, office);
  if (!allowed.has("office") && chosenBy !== undefined) throw engineDoesNotRead(chosenBy, office, ["office"]);
  const isEncrypted = office === "encrypted";
  if (isEncrypted && converter.settings.password === undefined) throw passwordRequired("file");
  return { format: office, extension: isEncrypted ? "docx" : office, isEncrypted };
}

/**
 * Fuel for laying out a document. A package may have a hundred times as many bytes of text as of its own. Each text counts once, although a document
 * can show it again and again.
 */
function mostToLayOut(bytes: number, textBytes: number): number {
  const { laidOutByte, mostForFiles } = limits.work;
  return Math.max(bytes * laidOutByte, Math.min(textBytes * laidOutByte, mostForFiles));
}

async function layOut(
  engines: Engines,
  bytes: number,
  conversion: ReadConversion,
  options: ConversionOptions,
): Promise<Converted> {
  if (conversion.parts.length === 0) throw nothingToShow();
  const needed = conversion.parts.reduce((sum, { fuel }) => sum + fuel, 0);
  const stage = engines.work.stage("layOut", Math.min(needed, mostToLayOut(bytes, conversion.textBytes)));
  return await stage.run(() => laidOut(engines, conversion, options, stage));
}

async function laidOut(
  { pdf, loadFont }: Engines,
  conversion: ReadConversion,
  options: ConversionOptions,
  stage: SteppedStage,
): Promise<Converted> {
  const writer = new PartWriter(pdf, new FlowLayout(pdf, loadFont), stage);
  try {
    const fit = options.scaled ? "width" : "none";
    const all = await writer.write(conversion.parts.map((part) => ({ ...part, fit })));
    const { characters, count } = all.missing;
    if (options.strict && count > 0) throw charactersUnsupported([...characters]);
    if (all.pageCount === 0) throw noLaidOutPages();
    const bytes = await finish(pdf, all, {
      title: options.title ?? conversion.title ?? all.title,
      author: conversion.author ?? all.author,
      language: options.language ?? conversion.language,
    });
    return {
      engine: "flow",
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

type Source = Exclude<Detected, UnsupportedFile>;

function formatOf(detected: Source, { format: wanted }: ConversionOptions): Source {
  const { name } = detected.format;
  if (wanted === undefined || wanted === name) return detected;
  const chosen = formats.find((format) => format.name === wanted);
  if ("encoding" in detected && (chosen?.kind === "text" || chosen?.kind === "drawing"))
    return { format: chosen, encoding: detected.encoding };
  throw notOfFormat(wanted, name);
}

async function read(parts: DocumentParts, file: InputBytes, source: Source): Promise<Conversion> {
  const { engine, options } = parts;
  const { name } = source.format;
  if (source.format.kind === "drawing") throw new Error("only a browser reads drawings");
  if (options.assets && !("takesAssets" in source.format)) throw assetsNotAllowed(name, referring());
  if ("encoding" in source) return source.format.read(await textOf(engine, file, source.encoding, options), parts);
  if (options.encoding !== undefined)
    throw invalidParameter("encoding", `must not be sent for \`${name}\`: only text has encodings`);
  return "archive" in source ? source.format.read(source.archive, parts) : source.format.read(file, parts);
}

/** The formats whose documents refer to files, in words. */
const referring = (): string =>
  new Intl.ListFormat("en").format(formats.flatMap((format) => ("takesAssets" in format ? [format.title] : [])));

async function textOf({ work }: PdfEngine, file: InputBytes, encoding: string, said: SaidEncoding): Promise<string> {
  if (file.length > limits.conversion.textBytes) throw textTooLarge(file.length);
  work.spend(file.length);
  await work.rest();
  return decodeSource(file.view(0, file.length).slice(), encoding, said).replaceAll("\0", "\ufffd").toWellFormed();
}
