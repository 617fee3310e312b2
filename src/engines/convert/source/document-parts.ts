/** Parts of a PDF from what the readers of formats make, with the pages that the client wants. */
import type { InputBytes } from "../../memory/heap.ts";
import { marginsTooWide } from "../../parameter-errors.ts";
import type { PdfEngine } from "../../pdf/mupdf/mupdf.ts";
import type { Work } from "../../work.ts";
import { boundedHtml } from "./bounded-html.ts";
import type { SaidEncoding } from "./decode-text.ts";
import type { DocumentPart, PageFormat, PaperMargins, PaperSize } from "./document.ts";
import type { PageRule } from "./html.ts";
import { type Sheet, sheetPart } from "./sheet.ts";

export interface ConversionOptions extends SaidEncoding {
  /** For text, which may be of several formats. */
  readonly format?: string | undefined;
  /** In points, in the orientation that is wanted; undefined: that of the document, else A4. */
  readonly page?: PaperSize | undefined;
  readonly landscape?: boolean | undefined;
  /** In points; those that are missing are the document's, else 54. */
  readonly margins: Partial<PaperMargins>;
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
  /** Whether a browser converts the document if that shows more of it. */
  readonly mayUseBrowser: boolean;
}

export const A4: PaperSize = { width: 595.28, height: 841.89 };
export const DEFAULT_MARGINS: PaperMargins = { top: 54, right: 54, bottom: 54, left: 54 };
/** Font size of sheets, at most, in points. */
const SHEET_FONT_SIZE = 10;

export class DocumentParts {
  readonly engine: PdfEngine;
  readonly options: ConversionOptions;

  constructor(engine: PdfEngine, options: ConversionOptions) {
    this.engine = engine;
    this.options = options;
  }

  get work(): Work {
    return this.engine.work;
  }

  /** `rule`: the document's own rule for its pages. */
  async ofHtml(
    html: string,
    { isXml = false, rule = {} }: { isXml?: boolean; rule?: PageRule } = {},
  ): Promise<DocumentPart> {
    const { css, fontSize } = this.options;
    const page = this.page(rule);
    const { left, right } = page.margins;
    const bounded = await boundedHtml(this.work, html, css, {
      isXml,
      emsOfPage: (page.width - left - right) / fontSize,
    });
    return { ...bounded, type: isXml ? "application/xhtml+xml" : "text/html", page, fontSize };
  }

  async ofSheets(sheets: readonly Sheet[]): Promise<DocumentPart[]> {
    const { margins, ...page } = this.page();
    const { scaled, css } = this.options;
    const fontSize = Math.min(this.options.fontSize, SHEET_FONT_SIZE);
    const parts: DocumentPart[] = [];
    for (const sheet of sheets) parts.push(await sheetPart(this.work, sheet, { page, margins, fontSize, scaled, css }));
    return parts;
  }

  /**
   * The page: as the client wants it, else as the document has it, else A4.
   * @throws Refusal `invalid_parameters` (margins)
   */
  page(rule: PageRule = {}, own?: PageFormat): PageFormat {
    const { options } = this;
    const size = options.page ?? rule.size ?? (own && { width: own.width, height: own.height }) ?? A4;
    const turned = options.landscape !== undefined && options.landscape !== size.width > size.height;
    const { width, height } = turned ? { width: size.height, height: size.width } : size;
    const margins = { ...DEFAULT_MARGINS, ...own?.margins, ...rule.margins, ...options.margins };
    const fits = margins.left + margins.right < width - 36 && margins.top + margins.bottom < height - 36;
    if (fits) return { width, height, margins };
    throw marginsTooWide(width, height);
  }
}
