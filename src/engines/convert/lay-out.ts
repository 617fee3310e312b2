/** Lays out the parts of a document with MuPDF, and writes their pages to a PDF. */
import type { Buffer, Document, DocumentWriter, Matrix, Page } from "mupdf";
import { madeTooManyPages } from "../limit-errors.ts";
import type { OutlineEntry } from "../pdf/outline/outline.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import { limits } from "../../limits.ts";
import type { PageFormat, DocumentPart } from "./source/document.ts";
import type { DocumentFonts } from "./document-fonts.ts";
import { GlyphTexts } from "./glyph-texts.ts";
import { type Extent, type GlyphCounts, MissingGlyphs, countGlyphs } from "./missing-glyphs.ts";

/** Bookmarks that are made of headings. */
const MOST_BOOKMARKS = 20_000;

/** A place on a page (0-based), in its coordinates: origin at the bottom left, y upward. */
export interface PagePoint {
  readonly page: number;
  readonly x: number;
  readonly y: number;
}

/** A link on a page. `to`: a URI, or a place that is known once all parts are laid out. */
export interface PageLink {
  readonly page: number;
  readonly box: readonly [number, number, number, number];
  readonly to: { readonly uri: string } | { readonly place: PagePoint } | { readonly target: string };
}

export interface LaidOut {
  /** The PDF, without links, outline, and metadata. */
  readonly buffer: Buffer;
  readonly pageCount: number;
  readonly links: readonly PageLink[];
  readonly targets: ReadonlyMap<string, PagePoint>;
  readonly outline: readonly OutlineEntry[];
  readonly missing: MissingGlyphs;
  readonly texts: GlyphTexts;
  /** The losses of the output, by the names of the reference. */
  readonly notConverted: ReadonlySet<string>;
  /** The document's own title. */
  readonly title: string | undefined;
  readonly author: string | undefined;
}

/** Fuel per page of output, in addition to MuPDF's own. */
const PAGE_WORK = 10_000;
const LINK_WORK = 2_000;
/** Layouts of a part: a wider page may make other content wider. */
const MOST_LAYOUTS = 3;
/**
 * The smallest scale of a whole document, as browsers print content up to twice as wide as the page. And that of a single page, below which text is
 * unreadable.
 */
const [LEAST_SCALE, LEAST_PAGE_SCALE] = [0.5, 0.2];
/** The largest side of a page in points (ISO 32000-2, annex C). */
const LARGEST_SIDE = 14_400;
/** Levels of an outline that are kept, and entries on all of them. */
const OUTLINE_LEVELS = 32;

type OutlineItem = NonNullable<ReturnType<Document["loadOutline"]>>[number];

/** Where the layout of a part is on its pages. */
interface Frame {
  readonly width: number;
  readonly height: number;
  readonly matrix: Matrix;
}

/** Lays out the parts one after the other: only one is held at a time. */
export class PartWriter {
  readonly #engine: PdfEngine;
  readonly #fonts: DocumentFonts;
  readonly #buffer: Buffer;
  readonly #writer: DocumentWriter;
  readonly #links: PageLink[] = [];
  readonly #targets = new Map<string, PagePoint>();
  readonly #outline: OutlineEntry[] = [];
  readonly #missing: MissingGlyphs;
  readonly #texts: GlyphTexts;
  readonly #notConverted = new Set<string>();
  #pageCount = 0;
  #outlineEntries = 0;
  #title: string | undefined;
  #author: string | undefined;

  constructor(engine: PdfEngine, fonts: DocumentFonts) {
    const { mupdf } = engine;
    this.#engine = engine;
    this.#fonts = fonts;
    this.#buffer = new mupdf.Buffer();
    // Not compressed: whole fonts, of which little stays.
    this.#writer = new mupdf.DocumentWriter(this.#buffer, "pdf", "");
    this.#missing = new MissingGlyphs(engine);
    this.#texts = new GlyphTexts(engine, (pointer) => this.#missing.fontAt(pointer));
  }

  /** Content that is wider than the page is laid out again on a wider page, which is scaled down to the one that was wanted. */
  async add(part: DocumentPart): Promise<void> {
    const { mupdf } = this.#engine;
    mupdf.setUserCSS(part.css ?? "");
    for (const name of part.notConverted ?? []) this.#notConverted.add(name);
    const source = new mupdf.Buffer(part.content);
    try {
      let fitted: DocumentPart | undefined = part;
      for (let tries = 1; fitted !== undefined; tries++) fitted = await this.#add(fitted, source, tries < MOST_LAYOUTS);
    } finally {
      source.destroy();
    }
  }

  /** Returns a changed part if it must be laid out again, or adds its pages. */
  async #add(part: DocumentPart, source: Buffer, mayWiden: boolean): Promise<DocumentPart | undefined> {
    const document = await this.#opened(part, source);
    try {
      const { counts, extents } = await this.#textOf(document);
      const right = extents.reduce((most, extent) => Math.max(most, extent.right), 0);
      const wider = mayWiden ? widened(part, right) : undefined;
      if (wider) return wider;
      this.#missing.add(counts);
      const isShaped = this.#texts.add(counts);
      await this.#addPages(document, part, extents, isShaped);
      return undefined;
    } finally {
      document.destroy();
      // Decoded images of this part.
      this.#engine.emptyStore();
    }
  }

  /** The characters of all pages, and how wide the text of each is. */
  async #textOf(document: Document): Promise<{ counts: GlyphCounts; extents: readonly Extent[] }> {
    const { long } = this.#engine;
    const counts: GlyphCounts = new Map();
    const extents: Extent[] = [];
    const count = await long.countPages(document);
    this.#refuseMany(count);
    for (let index = 0; index < count; index++) {
      const page = await long.loadAnyPage(document, index);
      try {
        const text = await long.textOfPage(page, "clip=no");
        extents.push(await countGlyphs(this.#engine, text, counts));
        text.destroy();
      } finally {
        page.destroy();
      }
    }
    return { counts, extents };
  }

  #refuseMany(count: number): void {
    const actual = this.#pageCount + count;
    if (actual > limits.pages) throw madeTooManyPages(actual);
  }

  async end(): Promise<LaidOut> {
    await this.#engine.long.closeWriter(this.#writer);
    this.#writer.destroy();
    return {
      buffer: this.#buffer,
      pageCount: this.#pageCount,
      links: this.#links,
      targets: this.#targets,
      outline: this.#outline,
      missing: this.#missing,
      texts: this.#texts,
      notConverted: this.#notConverted,
      title: this.#title,
      author: this.#author,
    };
  }

  /** Opens and lays out a part, again after each font that was missing. */
  async #opened(part: DocumentPart, source: Buffer): Promise<Document> {
    const { long } = this.#engine;
    for (;;) {
      const document = await long.openAs(part.type, source);
      if (part.page) {
        const { width, height } = contentBox(part.page);
        await long.layOut(document, width, height, part.fontSize);
      }
      await long.countPages(document);
      if (!(await this.#fonts.loadMissing())) return document;
      document.destroy();
      this.#engine.emptyStore();
    }
  }

  /** `isShaped`: whether glyphs of the part may represent other characters than in their fonts. */
  async #addPages(
    document: Document,
    part: DocumentPart,
    extents: readonly Extent[],
    isShaped: boolean,
  ): Promise<void> {
    const first = this.#pageCount;
    const frames: Frame[] = [];
    for (const [index, extent] of extents.entries()) {
      this.#engine.work.spend(PAGE_WORK);
      await this.#engine.work.pause();
      const page = await this.#engine.long.loadAnyPage(document, index);
      try {
        if (isShaped) await this.#texts.read(page, this.#pageCount);
        frames.push(await this.#addPage(document, page, part, extent, first));
      } finally {
        page.destroy();
      }
    }
    await this.#addTargets(document, part, first, frames);
    const children = await this.#outlineOf(document, document.loadOutline() ?? [], first, frames, 1);
    if (part.bookmark === undefined) this.#outline.push(...children);
    else this.#outline.push({ title: part.bookmark, page: first + 1, view: ["Fit"], children });
    this.#title ??= (document.getMetaData("info:Title") ?? "").replace(/\s+/g, " ").trim() || undefined;
    this.#author ??= document.getMetaData("info:Author") || undefined;
  }

  async #addPage(document: Document, page: Page, part: DocumentPart, extent: Extent, first: number): Promise<Frame> {
    const { long } = this.#engine;
    const frame = frameOf(page, part, extent.right);
    const [scale, , , , left] = frame.matrix;
    const isCut = extent.right * scale + left > frame.width + 1 || extent.left * scale + left < -1;
    if (isCut) this.#notConverted.add("wide-content");
    const device = this.#writer.beginPage([0, 0, frame.width, frame.height]);
    await long.runPage(page, device, frame.matrix);
    this.#writer.endPage();
    device.destroy();
    // MuPDF looks for the links of a page in all of the document.
    if (part.hasLinks) await this.#addLinks(document, page, frame, first);
    this.#pageCount += 1;
    return frame;
  }

  async #addLinks(document: Document, page: Page, frame: Frame, first: number): Promise<void> {
    for (const link of page.getLinks()) {
      this.#engine.work.spend(LINK_WORK);
      await this.#engine.work.pause();
      const uri = link.getURI();
      const [x0, y0, x1, y1] = link.getBounds();
      const [left, top] = placed(frame, x0, y0);
      const [right, bottom] = placed(frame, x1, y1);
      const box = [left, bottom, right, top] as const;
      link.destroy();
      if (right <= left || top <= bottom) continue;
      if (/^[a-z][a-z\d+.-]*:/i.test(uri)) {
        if (/^(https?|mailto|tel|ftp):/i.test(uri)) this.#links.push({ page: this.#pageCount, box, to: { uri } });
        continue;
      }
      const place = placeOf(document, uri, first, () => frame);
      if (place) this.#links.push({ page: this.#pageCount, box, to: { place } });
      else if (uri.startsWith("#")) this.#links.push({ page: this.#pageCount, box, to: { target: uri.slice(1) } });
    }
  }

  async #addTargets(
    document: Document,
    { targets = [] }: DocumentPart,
    first: number,
    frames: readonly Frame[],
  ): Promise<void> {
    for (const target of targets) {
      this.#engine.work.spend(LINK_WORK);
      await this.#engine.work.pause();
      const place = placeOf(document, `#${target}`, first, (page) => frames[page]);
      if (place && !this.#targets.has(target)) this.#targets.set(target, place);
    }
  }

  async #outlineOf(
    document: Document,
    items: readonly OutlineItem[],
    first: number,
    frames: readonly Frame[],
    level: number,
  ): Promise<OutlineEntry[]> {
    const entries: OutlineEntry[] = [];
    if (level > OUTLINE_LEVELS) return entries;
    for (const { title, uri, down } of items) {
      this.#engine.work.spend(LINK_WORK);
      await this.#engine.work.pause();
      this.#outlineEntries += 1;
      if (this.#outlineEntries > MOST_BOOKMARKS) break;
      const place = uri === undefined ? undefined : placeOf(document, uri, first, (page) => frames[page]);
      const children = await this.#outlineOf(document, down ?? [], first, frames, level + 1);
      const text = (title ?? "").replace(/\s+/g, " ").trim();
      const view = place && (["XYZ", null, place.y, null] as const);
      if (text === "") entries.push(...children);
      else entries.push({ title: text, page: place ? place.page + 1 : null, ...(view && { view }), children });
    }
    return entries;
  }
}

const contentBox = ({ width, height, margins }: PageFormat): { width: number; height: number } => ({
  width: width - margins.left - margins.right,
  height: height - margins.top - margins.bottom,
});

/** The part on wider pages, so that all of a text that ends at `right` fits; undefined if it fits, or cannot be made smaller. */
function widened(part: DocumentPart, right: number): DocumentPart | undefined {
  const { page, scale = 1, fit = "width" } = part;
  if (page === undefined || fit === "none") return undefined;
  const { width } = contentBox(page);
  const factor = Math.min((right + 1) / width, scale / LEAST_SCALE);
  if (right <= width + 1 || factor <= 1) return undefined;
  const { top, right: rightMargin, bottom, left } = page.margins;
  return {
    ...part,
    scale: scale / factor,
    page: {
      width: page.width * factor,
      height: page.height * factor,
      margins: { top: top * factor, right: rightMargin * factor, bottom: bottom * factor, left: left * factor },
    },
  };
}

/** The place of a page whose text ends at `right`: if it is still wider than the page, it is scaled down further, or gets a wider page. */
function frameOf(page: Page, { page: format, scale = 1, fit = "width" }: DocumentPart, right: number): Frame {
  if (format) {
    const { width, height, margins } = format;
    const content = contentBox(format).width;
    const overflow = Math.max(0, right - content);
    if (fit === "none") {
      const matrix: Matrix = [scale, 0, 0, scale, margins.left * scale, margins.top * scale];
      return { width: Math.min((width + overflow) * scale, LARGEST_SIDE), height: height * scale, matrix };
    }
    const own = overflow > 1 ? Math.max(scale * (content / right), Math.min(scale, LEAST_PAGE_SCALE)) : scale;
    return {
      width: width * scale,
      height: height * scale,
      matrix: [own, 0, 0, own, margins.left * scale, margins.top * scale],
    };
  }
  const [x0, y0, x1, y1] = page.getBounds();
  return { width: x1 - x0, height: y1 - y0, matrix: [1, 0, 0, 1, -x0, -y0] };
}

/** A point of the layout, which has its origin at the top left, on the page of the PDF. */
function placed({ height, matrix }: Frame, x: number, y: number): readonly [number, number] {
  const [a, , , d, e, f] = matrix;
  return [x * a + e, height - (y * d + f)];
}

/** Where a link within a document leads; undefined if nowhere. */
function placeOf(
  document: Document,
  uri: string,
  first: number,
  frameAt: (page: number) => Frame | undefined,
): PagePoint | undefined {
  const page = document.resolveLink(uri);
  const frame = page < 0 ? undefined : frameAt(page);
  if (frame === undefined) return undefined;
  const { x, y } = document.resolveLinkDestination(uri);
  const [left, top] = placed(frame, Number.isFinite(x) ? x : 0, Number.isFinite(y) ? y : 0);
  return { page: first + page, x: left, y: top };
}
