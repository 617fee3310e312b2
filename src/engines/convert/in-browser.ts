/** Converts HTML with a browser. */
import type { EngineBytes, InputBytes } from "../memory/heap.ts";
import { madeTooManyPages } from "../limit-errors.ts";
import { marginsTooWide } from "../parameter-errors.ts";
import type { Engines } from "../lease/engines.ts";
import { type OpenPdf, openPdf } from "../pdf/document/document.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { eachObjectHaving } from "../pdf/objects/each-object.ts";
import { rewritePdf } from "../pdf/write/save.ts";
import { DOCUMENT_ORIGIN, type PageBrowser, type Printed, type PrintSettings } from "../services.ts";
import { limits } from "../../limits.ts";
import { type Converted, describe } from "./finish.ts";
import { A4, type ConversionOptions, DEFAULT_MARGINS } from "./source/document-parts.ts";

/** The settings that only a browser has. `prefersCssPageSize` undefined: unless the client wants another size. */
export type BrowserOptions = Omit<
  PrintSettings,
  "width" | "height" | "margins" | "css" | "mostBytes" | "prefersCssPageSize"
> & {
  readonly hosts: readonly string[];
  readonly prefersCssPageSize: boolean | undefined;
};

/** HTML for a browser, with the files that it refers to. */
export interface HtmlSource {
  readonly html: string;
  readonly isXml: boolean;
  readonly format: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The losses by the kinds of files that a browser could not load. Others are `external-data`. */
const LOSSES: Readonly<Record<string, string>> = {
  Image: "external-images",
  Stylesheet: "external-style-sheets",
  Font: "external-fonts",
  Script: "external-scripts",
  Media: "media",
  Document: "frames",
};

/**
 * Prints HTML, or the document at a URL. The engines are given back meanwhile, so that nothing else in them may be open.
 * @throws Refusal `invalid_parameters`, `limit_exceeded`, `browser_failed`
 */
export async function printInBrowser(
  engines: Engines,
  { browser, print }: { readonly browser: PageBrowser; readonly print: BrowserOptions },
  source: HtmlSource | { readonly url: string },
  options: Pick<ConversionOptions, "page" | "landscape" | "margins" | "css" | "title" | "language">,
): Promise<Converted> {
  const { hosts, ...settings } = print;
  const files = "html" in source ? source.files : new Map<string, Uint8Array>();
  // Of the text, a copy in UTF-8 and one in base64 are made.
  const held =
    files.values().reduce((sum, file) => sum + file.length, 0) + ("html" in source ? source.html.length * COPIES : 0);
  engines.pdf.claim(held);
  engines.park("browser");
  const printed = await browser.print(
    { source: "html" in source ? { html: source.html, type: typeOf(source) } : source, files, hosts },
    { ...settings, ...paperOf(options, print), mostBytes: engines.sizes.heldBytes },
  );
  await engines.resume();
  const { pdf } = engines;
  pdf.claim(-held);
  const { bytes, pageCount } = await pdf.scope(() => finishArrived(pdf, printed, options));
  const hasScripts = "html" in source && !print.allowsScripts && /<script\b/i.test(source.html);
  const notConverted = [...printed.missing].map((kind) => LOSSES[kind] ?? "external-data");
  return {
    engine: "browser",
    bytes,
    pageCount,
    format: "html" in source ? source.format : "html",
    missingGlyphs: undefined,
    notConverted: [...new Set([...notConverted, ...(hasScripts ? ["scripts"] : [])])].sort(),
  };
}

const COPIES = 3;

const typeOf = ({ isXml }: HtmlSource): string => `${isXml ? "application/xhtml+xml" : "text/html"}; charset=utf-8`;

/** The page, in the orientation that is wanted. Sizes and margins that the client names overrule those of `@page`. */
function paperOf(
  { page, landscape, margins: wanted, css }: Pick<ConversionOptions, "page" | "landscape" | "margins" | "css">,
  { singlePage, prefersCssPageSize }: BrowserOptions,
): Pick<PrintSettings, "width" | "height" | "margins" | "css" | "prefersCssPageSize"> {
  const size = page ?? A4;
  const isTurned = landscape !== undefined && landscape !== size.width > size.height;
  const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
  const margins = { ...DEFAULT_MARGINS, ...wanted };
  if (margins.left + margins.right > width - 36 || margins.top + margins.bottom > height - 36)
    throw marginsTooWide(width, height);
  const rules = Object.entries(wanted).map(([side, points]) => `margin-${side}:${points}pt!important`);
  return {
    width,
    height,
    margins,
    css: rules.length === 0 ? css : `${css}\n@page{${rules.join(";")}}`,
    prefersCssPageSize: prefersCssPageSize ?? (page === undefined && landscape === undefined && !singlePage),
  };
}

/** Opens the PDF of another program in the engine, gives it its title and language, and verifies the written bytes. */
export async function finishArrived(
  pdf: PdfEngine,
  { chunks, length, hasTitle }: Pick<Printed, "chunks" | "length" | "hasTitle">,
  { title, language }: Pick<ConversionOptions, "title" | "language">,
): Promise<{ bytes: EngineBytes; pageCount: number; repaired: boolean }> {
  const arena = pdf.files.arena(length, { copies: false });
  for (const chunk of chunks) arena.write(chunk);
  const bytes: InputBytes = arena.seal();
  using open = await openPdf(pdf, { field: "file", bytes, passwordIsOwn: false }, { validateFor: "save" });
  if (open.pageCount > limits.pages) throw madeTooManyPages(open.pageCount);
  await dropRelativeLinks(open);
  const own = (name: string): string | undefined => open.document.getMetaData(`info:${name}`) || undefined;
  await describe(open, { title: title ?? (hasTitle ? own("Title") : undefined), author: own("Author"), language });
  return { bytes: await rewritePdf(open), pageCount: open.pageCount, repaired: open.repaired };
}

/** Chromium writes the resolved URLs of relative links, but a document that was sent as a file has no address. Its tags still refer to the annotations. */
const dropRelativeLinks = (open: OpenPdf): Promise<void> =>
  eachObjectHaving(open, { keys: ["A"] }, (annotation) => {
    const uri = annotation.get("A", "URI");
    if (uri.isString() && uri.asString().startsWith(`${DOCUMENT_ORIGIN}/`)) annotation.delete("A");
  });
