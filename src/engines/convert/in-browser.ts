/** Converts HTML with a browser. */
import type { EngineBytes, InputBytes } from "../memory/heap.ts";
import { madeTooManyPages } from "../limit-errors.ts";
import { marginsTooWide } from "../parameter-errors.ts";
import type { Engines } from "../lease/engines.ts";
import { type OpenPdf, openPdf } from "../pdf/document/document.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { eachObjectHaving } from "../pdf/objects/each-object.ts";
import { rewritePdf } from "../pdf/write/save.ts";
import {
  DOCUMENT_ORIGIN,
  type PageBrowser,
  type Printed,
  type PrintedDrawing,
  type PrintSettings,
} from "../services.ts";
import { limits } from "../../limits.ts";
import { fuelForBytes } from "../work.ts";
import { type Converted, describe } from "./finish.ts";
import { countNotdef } from "./notdef.ts";
import { A4, type ConversionOptions, DEFAULT_MARGINS } from "./source/document-parts.ts";

/** The settings that only a browser has. `prefersCssPageSize` undefined: unless the client wants another size. */
export type BrowserOptions = Omit<
  PrintSettings,
  "width" | "height" | "margins" | "drawing" | "css" | "mostBytes" | "prefersCssPageSize"
> & {
  readonly hosts: readonly string[];
  readonly prefersCssPageSize: boolean | undefined;
};

/** The formats that a browser reads, with their media types. */
export const BROWSER_TYPES = { html: "text/html", xhtml: "application/xhtml+xml", svg: "image/svg+xml" } as const;
export type BrowserFormat = keyof typeof BROWSER_TYPES;

/** A document for a browser, with the files that it refers to. */
export interface BrowserSource {
  readonly text: string;
  readonly format: BrowserFormat;
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
 * Prints a document, or that at a URL. The engines are given back meanwhile, so that nothing else in them may be open.
 * @throws Refusal `invalid_parameters`, `limit_exceeded`, `browser_failed`
 */
export async function printInBrowser(
  engines: Engines,
  { browser, print }: { readonly browser: PageBrowser; readonly print: BrowserOptions },
  source: BrowserSource | { readonly url: string },
  options: Pick<ConversionOptions, "page" | "landscape" | "margins" | "css" | "title" | "language">,
): Promise<Converted> {
  const { hosts, ...settings } = print;
  const text = "text" in source ? source.text : "";
  const files = "text" in source ? source.files : new Map<string, Uint8Array>();
  // Of the text, a copy in UTF-8 and one in base64 are made.
  const held = files.values().reduce((sum, file) => sum + file.length, 0) + text.length * COPIES;
  engines.pdf.claim(held);
  engines.park("browser");
  const printed = await browser.print(
    {
      source: "text" in source ? { text, type: `${BROWSER_TYPES[source.format]}; charset=utf-8` } : source,
      files,
      hosts,
    },
    {
      ...settings,
      ...paperOf(options, print, "text" in source && source.format === "svg"),
      mostBytes: engines.sizes.heldBytes,
    },
  );
  await engines.resume();
  const { pdf } = engines;
  pdf.claim(-held);
  let missingGlyphs = 0;
  const { bytes, pageCount } = await pdf.scope(() =>
    finishArrived(pdf, printed, options, async (open) => {
      missingGlyphs = await countNotdef(open);
      await dropRelativeLinks(open);
      if (printed.drawing) cutPage(open, printed.drawing);
    }),
  );
  const notConverted = new Set([...printed.missing].map((kind) => LOSSES[kind] ?? "external-data"));
  if (!print.allowsScripts && /<(?:[\w-]+:)?script\b/i.test(text)) notConverted.add("scripts");
  if (printed.drawing?.hasAnimations) notConverted.add("animations");
  return {
    engine: "browser",
    bytes,
    pageCount,
    format: "text" in source ? source.format : printed.drawing ? "svg" : "html",
    missingGlyphs,
    notConverted: [...notConverted].sort(),
  };
}

const COPIES = 3;

const NO_MARGINS = { top: 0, right: 0, bottom: 0, left: 0 } as const;

/**
 * The page, in the orientation that is wanted. Sizes and margins that the client names overrule those of `@page`, and those of a drawing. A URL can
 * lead to a drawing, too.
 */
function paperOf(
  { page, landscape, margins: wanted, css }: Pick<ConversionOptions, "page" | "landscape" | "margins" | "css">,
  { singlePage, prefersCssPageSize }: BrowserOptions,
  isDrawing: boolean,
): Pick<PrintSettings, "width" | "height" | "margins" | "drawing" | "css" | "prefersCssPageSize"> {
  const size = page ?? A4;
  const isTurned = landscape !== undefined && landscape !== size.width > size.height;
  const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
  const drawing = {
    isScaled: page !== undefined || landscape !== undefined,
    margins: { ...NO_MARGINS, ...wanted },
  };
  const margins = isDrawing ? drawing.margins : { ...DEFAULT_MARGINS, ...wanted };
  const isGiven = drawing.isScaled || !isDrawing;
  if (isGiven && (margins.left + margins.right > width - 36 || margins.top + margins.bottom > height - 36))
    throw marginsTooWide(width, height);
  const rules = Object.entries(wanted).map(([side, points]) => `margin-${side}:${points}pt!important`);
  return {
    width,
    height,
    margins,
    drawing,
    css: rules.length === 0 ? css : `${css}\n@page{${rules.join(";")}}`,
    prefersCssPageSize: prefersCssPageSize ?? (page === undefined && landscape === undefined && !singlePage),
  };
}

/** Opens the PDF of another program in the engine, changes it, gives it its title and language, and verifies the written bytes. */
export async function finishArrived(
  pdf: PdfEngine,
  { chunks, length, hasTitle }: Pick<Printed, "chunks" | "length" | "hasTitle">,
  { title, language }: Pick<ConversionOptions, "title" | "language">,
  change: (open: OpenPdf) => Promise<void> = async () => {},
): Promise<{ bytes: EngineBytes; pageCount: number; repaired: boolean }> {
  pdf.work.stage("pipelineStep", fuelForBytes(length));
  const arena = pdf.files.arena(length, { copies: false });
  for (const chunk of chunks) arena.write(chunk);
  const bytes: InputBytes = arena.seal();
  using open = await openPdf(pdf, { field: "file", bytes, passwordIsOwn: false }, { validateFor: "save" });
  if (open.pageCount > limits.pages) throw madeTooManyPages(open.pageCount);
  await change(open);
  const own = (name: string): string | undefined => open.document.getMetaData(`info:${name}`) || undefined;
  await describe(open, { title: title ?? (hasTitle ? own("Title") : undefined), author: own("Author"), language });
  return { bytes: await rewritePdf(open), pageCount: open.pageCount, repaired: open.repaired };
}

/** Removes the parts that were added to a page at the right and at the bottom. */
function cutPage({ document }: OpenPdf, { width, height }: PrintedDrawing): void {
  const page = document.findPage(0);
  const top = page.getInheritable("MediaBox").get(3).asNumber();
  page.put("MediaBox", [0, top - height, width, top]);
}

/** Chromium writes the resolved URLs of relative links, but a document that was sent as a file has no address. Its tags still refer to the annotations. */
const dropRelativeLinks = (open: OpenPdf): Promise<void> =>
  eachObjectHaving(open, { keys: ["A"] }, (annotation) => {
    const uri = annotation.get("A", "URI");
    if (uri.isString() && uri.asString().startsWith(`${DOCUMENT_ORIGIN}/`)) annotation.delete("A");
  });
