/** Lays out the parts of a document with MuPDF, and writes their pages to a PDF. */
import type { Buffer, Document, DocumentWriter, Matrix, Page } from "mupdf";
import { madeTooManyPages } from "../limit-errors.ts";
import type { OutlineEntry } from "../pdf/outline/outline.ts";
import type { PdfEngine } from "../pdf/mupdf/mupdf.ts";
import type { SteppedStage } from "../work.ts";
import { limits } from "../../limits.ts";
import type { PageFormat, DocumentPart, RunningSection } from "./source/document.ts";
import { hasPageField } from "./source/page-fields.ts";
import type { FlowLayout } from "./flow-layout.ts";
import type { GlyphTexts } from "./glyph-texts.ts";
import type { Extent, GlyphCounts, MissingGlyphs } from "./missing-glyphs.ts";
import { type DrawnLayout, RunningPages } from "./running-pages.ts";
import { LONGEST_SIDE } from "../geometry.ts";

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
/** Fuel that a page may take for a header, a footer, or a box, in addition to that of its part. A line of text takes 200,000. */
const RUNNING_FUEL = 300_000;
/** Layouts of a part: a wider page may make other content wider. */
const MOST_LAYOUTS = 3;
/**
 * The smallest scale of a whole document, as browsers print content up to twice as wide as the page. And that of a single page, below which text is
 * unreadable.
 */
const [LEAST_SCALE, LEAST_PAGE_SCALE] = [0.5, 0.2];
/** Levels of an outline that are kept, and entries on all of them. */
const OUTLINE_LEVELS = 32;

type OutlineItem = NonNullable<ReturnType<Document["loadOutline"]>>[number];

/** The text of a part, among the layouts of a page. */
interface TextPlace {
  /** The page of the layout (0-based); undefined: the first. */
  readonly page?: number;
  /** The page of the output (0-based) of its first page. Undefined: links in it lead to the text. */
  readonly first?: number;
}

/** Where the layout of a part is on its pages. */
interface Frame {
  readonly width: number;
  readonly height: number;
  readonly matrix: Matrix;
}

/** A part that was laid out. */
interface LaidOutPart {
  readonly document: Document;
  /** With the page that its content fits on. */
  readonly part: DocumentPart;
  readonly counts: GlyphCounts;
  readonly extents: readonly Extent[];
}

/** Lays out the parts one after the other: only one is held at a time. */
export class PartWriter {
  readonly #engine: PdfEngine;
  readonly #layout: FlowLayout;
  readonly #stage: SteppedStage;
  readonly #buffer: Buffer;
  readonly #writer: DocumentWriter;
  readonly #links: PageLink[] = [];
  readonly #targets = new Map<string, PagePoint>();
  readonly #outline: OutlineEntry[] = [];
  readonly #notConverted = new Set<string>();
  #pageCount = 0;
  /** The number of the next page, as headers have it. */
  #nextNumber = 1;
  #outlineEntries = 0;
  #title: string | undefined;
  #author: string | undefined;

  /** `stage`: it gets fuel for headers and footers, whose number is known when the text is laid out. */
  constructor(engine: PdfEngine, layout: FlowLayout, stage: SteppedStage) {
    const { mupdf } = engine;
    this.#engine = engine;
    this.#layout = layout;
    this.#stage = stage;
    this.#buffer = new mupdf.Buffer();
    // Not compressed: whole fonts, of which little stays.
    this.#writer = new mupdf.DocumentWriter(this.#buffer, "pdf", "");
  }

  /** Headers may have the number of all pages, for which several parts are laid out twice. */
  async write(parts: readonly DocumentPart[]): Promise<LaidOut> {
    const isCounted = parts.length > 1 && parts.some(({ running = [] }) => running.some(hasTotal));
    const total = isCounted ? await this.#count(parts) : undefined;
    for (const part of parts) await this.#add(part, total);
    return this.#end();
  }

  /** The number of pages of parts. */
  async #count(parts: readonly DocumentPart[]): Promise<number> {
    let total = 0;
    for (const part of parts) {
      this.#stage.add(part.fuel);
      const running = part.page && (await RunningPages.of(this.#layout, { ...part, page: part.page }));
      const { document, extents } = await this.#laidOut(running ? running.room(part) : { part, space: 0 });
      total += extents.length;
      running?.close();
      this.#close(document);
      this.#refuseMany(total);
    }
    return total;
  }

  async #add(original: DocumentPart, total: number | undefined): Promise<void> {
    for (const name of original.notConverted ?? []) this.#notConverted.add(name);
    const running = original.page && (await RunningPages.of(this.#layout, { ...original, page: original.page }));
    const room = running ? running.room(original) : { part: original, space: 0, shift: 0 };
    const { document, part, counts, extents } = await this.#laidOut(room);
    try {
      this.#refuseMany(this.#pageCount + extents.length);
      const isShaped = this.#layout.add(counts);
      await this.#addPages(document, part, { extents, isShaped, running, shift: room.shift, total });
      for (const name of running?.notConverted ?? []) this.#notConverted.add(name);
    } finally {
      running?.close();
      this.#close(document);
    }
  }

  #close(document: Document): void {
    document.destroy();
    // Decoded images of this part.
    this.#engine.emptyStore();
  }

  /** Content that is wider than the page is laid out again on a wider page, which is scaled down to the one that was wanted. `space`: above the text. */
  async #laidOut({ part, space }: { readonly part: DocumentPart; readonly space: number }): Promise<LaidOutPart> {
    for (let [tries, fitted] = [1, part]; ; tries++) {
      const { type, css, fontSize, page, scale = 1 } = fitted;
      const content = space > 0 ? withSpace(part.content, space / scale) : part.content;
      const area = page && contentBox(page);
      const document = await this.#layout.open({ content, type, css, fontSize, area });
      this.#refuseMany(await this.#engine.long.countPages(document));
      const { counts, extents } = await this.#layout.textOf(document);
      const right = extents.reduce((most, extent) => Math.max(most, extent.right), 0);
      const wider = tries < MOST_LAYOUTS ? widened(fitted, right) : undefined;
      if (!wider) return { document, part: fitted, counts, extents };
      this.#close(document);
      fitted = wider;
    }
  }

  #refuseMany(count: number): void {
    if (count > limits.pages) throw madeTooManyPages(count);
  }

  async #end(): Promise<LaidOut> {
    await this.#engine.long.closeWriter(this.#writer);
    this.#writer.destroy();
    return {
      buffer: this.#buffer,
      pageCount: this.#pageCount,
      links: this.#links,
      targets: this.#targets,
      outline: this.#outline,
      missing: this.#layout.missing,
      texts: this.#layout.texts,
      notConverted: this.#notConverted,
      title: this.#title,
      author: this.#author,
    };
  }

  /** `isShaped`: whether glyphs of the part may represent other characters than in their fonts. `shift`: of the first page, downward. */
  async #addPages(
    document: Document,
    part: DocumentPart,
    {
      extents,
      isShaped,
      running,
      shift,
      total = extents.length,
    }: Pick<LaidOutPart, "extents"> & {
      readonly isShaped: boolean;
      readonly running: RunningPages | undefined;
      readonly shift: number;
      readonly total: number | undefined;
    },
  ): Promise<void> {
    const first = this.#pageCount;
    const frames: Frame[] = [];
    for (const [index, { right }] of extents.entries()) {
      const page = await this.#engine.long.loadAnyPage(document, index);
      frames.push(frameOf(page, part, right, index === 0 ? shift : 0));
      page.destroy();
    }
    if (running) {
      const matrixOf = (page: number): Matrix => frames[page]?.matrix ?? this.#engine.mupdf.Matrix.identity;
      this.#nextNumber = running.number({ document, pageCount: extents.length, matrixOf }, this.#nextNumber);
    }
    for (const [index, extent] of extents.entries()) {
      this.#engine.work.spend(PAGE_WORK);
      await this.#engine.work.pause();
      const frame = frames[index] as Frame;
      const { matrix } = frame;
      const [scale, , , , left] = matrix;
      if (extent.right * scale + left > frame.width + 1 || extent.left * scale + left < -1)
        this.#notConverted.add("wide-content");
      const around = await running?.layoutsOn(index, total);
      if (around) this.#stage.add(RUNNING_FUEL * (around.before.length + around.after.length));
      const text = { document, page: index, matrix, isShaped, hasLinks: part.hasLinks, first };
      try {
        await this.#addPage([...(around?.before ?? []), text, ...(around?.after ?? [])], frame, (page) => frames[page]);
      } finally {
        around?.close();
      }
    }
    await this.#addTargets(document, part, first, frames);
    const children = await this.#outlineOf(document, document.loadOutline() ?? [], first, frames, 1);
    if (part.bookmark === undefined) this.#outline.push(...children);
    else this.#outline.push({ title: part.bookmark, page: first + 1, view: ["Fit"], children });
    this.#title ??= (document.getMetaData("info:Title") ?? "").replace(/\s+/g, " ").trim() || undefined;
    this.#author ??= document.getMetaData("info:Author") || undefined;
  }

  /** Draws layouts onto a page. */
  async #addPage(
    layouts: readonly (DrawnLayout & TextPlace)[],
    frame: Frame,
    frameAt: (page: number) => Frame | undefined,
  ): Promise<void> {
    const { long } = this.#engine;
    const pages: Page[] = [];
    try {
      for (const { document, page = 0 } of layouts) pages.push(await long.loadAnyPage(document, page));
      if (layouts.some(({ isShaped }) => isShaped)) await this.#layout.texts.read(pages, this.#pageCount);
      const device = this.#writer.beginPage([0, 0, frame.width, frame.height]);
      for (const [index, { matrix }] of layouts.entries()) await long.runPage(pages[index] as Page, device, matrix);
      this.#writer.endPage();
      device.destroy();
      for (const [index, layout] of layouts.entries()) {
        // MuPDF looks for the links of a page in all of the document.
        if (layout.hasLinks)
          await this.#addLinks(pages[index] as Page, layout, { ...frame, matrix: layout.matrix }, frameAt);
      }
    } finally {
      for (const page of pages) page.destroy();
    }
    this.#pageCount += 1;
  }

  async #addLinks(
    page: Page,
    { document, first }: DrawnLayout & TextPlace,
    frame: Frame,
    frameAt: (page: number) => Frame | undefined,
  ): Promise<void> {
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
      const place = first === undefined ? undefined : placeOf(document, uri, first, frameAt);
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

/** HTML with a space before its text, in points. */
function withSpace(content: Uint8Array, height: number): string {
  const html = new TextDecoder().decode(content);
  return html.replace("<body>", () => `<body><div style="height:${height.toFixed(2)}pt"></div>`);
}

/** Whether a header or footer has the number of all pages. */
const hasTotal = ({ headers, footers }: RunningSection): boolean =>
  [...Object.values(headers), ...Object.values(footers)].some(({ html }) =>
    hasPageField(new TextDecoder().decode(html.content), "pages"),
  );

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

/**
 * The place of a page whose text ends at `right`, moved down by `shift`: if it is still wider than the page, it is scaled down further, or gets a
 * wider page.
 */
function frameOf(
  page: Page,
  { page: format, scale = 1, fit = "width" }: DocumentPart,
  right: number,
  shift: number,
): Frame {
  if (format) {
    const { width, height, margins } = format;
    const content = contentBox(format).width;
    const overflow = Math.max(0, right - content);
    const top = margins.top * scale + shift;
    if (fit === "none") {
      const matrix: Matrix = [scale, 0, 0, scale, margins.left * scale, top];
      return { width: Math.min((width + overflow) * scale, LONGEST_SIDE), height: height * scale, matrix };
    }
    const own = overflow > 1 ? Math.max(scale * (content / right), Math.min(scale, LEAST_PAGE_SCALE)) : scale;
    return {
      width: width * scale,
      height: height * scale,
      matrix: [own, 0, 0, own, margins.left * scale, top],
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
