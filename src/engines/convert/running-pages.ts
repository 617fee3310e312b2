/** Headers, footers, and placed boxes of a part of a document: the room that they take, and how they are drawn on each page. */
import type { Document, Matrix } from "mupdf";
import type {
  DocumentPart,
  PageFormat,
  PageKind,
  PlacedBox,
  RunningContent,
  RunningSection,
} from "./source/document.ts";
import { placeOf } from "./box-place.ts";
import type { BoundedHtml } from "./source/bounded-html.ts";
import {
  hasPageField,
  PAGE_KINDS,
  pageKindOf,
  type PageNumbers,
  RUNNING_END,
  withPageNumbers,
} from "./source/page-fields.ts";
import type { FlowLayout } from "./flow-layout.ts";

/** A layout whose first page is drawn onto a page of the output. */
export interface DrawnLayout {
  readonly document: Document;
  /** From the layout to the page, with its origin at the top left. */
  readonly matrix: Matrix;
  readonly hasLinks: boolean;
  /** Whether its glyphs may represent other characters than in their fonts. */
  readonly isShaped: boolean;
}

/** The layouts of one page, in the order in which they are drawn, before its text and after it. */
export interface PageLayouts {
  readonly before: readonly DrawnLayout[];
  readonly after: readonly DrawnLayout[];
  /** Closes those that are of this page alone. */
  close(): void;
}

/** The text of a part in the layout. */
export interface LaidOutText {
  readonly document: Document;
  readonly pageCount: number;
  /** From the layout to a page (0-based). */
  readonly matrixOf: (page: number) => Matrix;
}

/** How much a header, or a footer, may take of the height between the margins. */
const LARGEST_SHARE = 0.4;
/** The least height of one, in points. */
const LEAST_HEIGHT = 12;
/** Points from the top of a page within which a section begins on that page. */
const AT_TOP = 1;
/** Numbers as wide as those of most pages, for measuring. */
const SAMPLE: PageNumbers = { page: 88, pages: 88, sectionPages: 88, format: "decimal" };

/** Pictures beside fields are laid out once, and the text for each page. */
const ONLY_PICTURES = "body *{visibility:hidden}body img{visibility:visible}";
const PICTURE = /(<img src=")data:[^"]*("[^>]*\sstyle=")(?=width:)/g;
/** A pixel, which is hidden. */
const NO_PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

interface Area {
  readonly width: number;
  readonly height: number;
}

interface Opened {
  readonly document: Document;
  readonly isShaped: boolean;
  readonly pageCount: number;
  /** Where the text of the first page ends, in points from the left. */
  readonly right: number;
}

/** HTML that is laid out apart from the text: once, or for each page if it has fields. */
class Piece {
  readonly area: Area;
  readonly #layout: FlowLayout;
  readonly #source: BoundedHtml;
  readonly #html: string;
  readonly #fontSize: number;
  readonly #hasFields: boolean;
  #once: Opened | undefined;

  constructor(layout: FlowLayout, source: BoundedHtml, fontSize: number, area: Area) {
    this.area = area;
    this.#layout = layout;
    this.#source = source;
    this.#html = new TextDecoder().decode(source.content);
    this.#fontSize = fontSize;
    this.#hasFields = hasPageField(this.#html);
  }

  get hasLinks(): boolean {
    return this.#source.hasLinks;
  }

  /** The layout of its text with the numbers of a page, and that of its pictures if it is another. */
  async with(
    numbers: PageNumbers,
  ): Promise<{ readonly text: Opened; readonly pictures: Opened | undefined; readonly close: () => void }> {
    if (!this.#hasFields) {
      this.#once ??= await this.#open(this.#html);
      return { text: this.#once, pictures: undefined, close: () => {} };
    }
    const html = withPageNumbers(this.#html, numbers);
    const pictureless = html.replace(PICTURE, `$1${NO_PICTURE}$2visibility:hidden;`);
    if (pictureless !== html) this.#once ??= await this.#open(html, ONLY_PICTURES);
    const text = await this.#open(pictureless);
    return { text, pictures: this.#once, close: () => text.document.destroy() };
  }

  close(): void {
    this.#once?.document.destroy();
    this.#once = undefined;
  }

  async #open(html: string, css?: string): Promise<Opened> {
    const document = await this.#layout.open({
      content: html,
      type: "text/html",
      css: css === undefined ? this.#source.css : `${this.#source.css}\n${css}`,
      fontSize: this.#fontSize,
      area: this.area,
    });
    const { counts, extents } = await this.#layout.textOf(document);
    const isShaped = css === undefined && this.#layout.add(counts);
    return { document, isShaped, pageCount: extents.length, right: extents[0]?.right ?? 0 };
  }
}

/** A header or footer, and its height in points. */
interface Band {
  readonly piece: Piece;
  readonly height: number;
}

/** The section and the numbers of a page. */
interface PageFacts {
  readonly section: RunningSection | undefined;
  readonly kind: PageKind;
  readonly isFirst: boolean;
  readonly numbers: PageNumbers;
}

type RunningPart = Pick<DocumentPart, "running" | "boxes" | "fontSize"> & { readonly page: PageFormat };

export class RunningPages {
  /** The losses, by the names of the reference. */
  readonly notConverted = new Set<string>();
  readonly #layout: FlowLayout;
  readonly #part: RunningPart;
  readonly #bands = new Map<RunningContent, Band>();
  readonly #boxes = new Map<PlacedBox, Piece>();
  /** The margins of the text. */
  #page: PageFormat;
  #pages: readonly PageFacts[] = [];
  /** Boxes in the text, by the page (0-based) of their anchor. */
  #placed = new Map<number, { readonly box: PlacedBox; readonly x: number; readonly y: number }[]>();

  private constructor(layout: FlowLayout, part: RunningPart) {
    this.#layout = layout;
    this.#part = part;
    this.#page = part.page;
  }

  /** Lays out the headers and footers of a part, since the text gets the room that they leave. */
  static async of(layout: FlowLayout, part: RunningPart): Promise<RunningPages> {
    const pages = new RunningPages(layout, part);
    for (const { headers, footers, headerDistance, footerDistance } of part.running ?? []) {
      for (const kind of PAGE_KINDS) {
        await pages.#measure(headers[kind], headerDistance, part.page.margins.top);
        await pages.#measure(footers[kind], footerDistance, part.page.margins.bottom);
      }
    }
    return pages;
  }

  async #measure(content: RunningContent | undefined, distance: number, margin: number): Promise<void> {
    if (content === undefined || this.#bands.has(content)) return;
    const { width, height, margins } = this.#part.page;
    const most = margin + (height - margins.top - margins.bottom) * LARGEST_SHARE - distance;
    const area = { width: width - margins.left - margins.right, height: Math.max(most, LEAST_HEIGHT) };
    const piece = new Piece(this.#layout, content.html, this.#part.fontSize, area);
    const { text, close } = await piece.with(SAMPLE);
    const isCut = text.document.resolveLink(`#${RUNNING_END}`) !== 0;
    if (isCut) this.notConverted.add(content.name);
    const end = isCut ? area.height : text.document.resolveLinkDestination(`#${RUNNING_END}`).y;
    close();
    this.#bands.set(content, { piece, height: end });
  }

  /**
   * The part in the room that its headers and footers leave: pages have one height for all text, so that the largest ones count. The first page may
   * have others: where it has less room, the text begins with a space, and the layout is drawn higher by the part of it that belongs at the bottom.
   */
  room<P extends DocumentPart>(part: P): { readonly part: P; readonly space: number; readonly shift: number } {
    const { margins } = this.#part.page;
    const sections = this.#part.running ?? [];
    const room = (section: RunningSection, kind: PageKind): { readonly top: number; readonly bottom: number } => {
      const [header, footer] = [this.#bandOf(section.headers, kind), this.#bandOf(section.footers, kind)];
      const { overlaps } = section;
      return {
        top: Math.max(margins.top, header && !overlaps.top ? section.headerDistance + header.height : 0),
        bottom: Math.max(margins.bottom, footer && !overlaps.bottom ? section.footerDistance + footer.height : 0),
      };
    };
    const rest = sections.flatMap((section, index) =>
      PAGE_KINDS.filter(
        (kind) =>
          kind === "odd" || (kind === "even" && section.hasEven) || (kind === "first" && section.hasFirst && index > 0),
      ).map((kind) => room(section, kind)),
    );
    const top = Math.max(margins.top, ...rest.map((one) => one.top));
    const bottom = Math.max(margins.bottom, ...rest.map((one) => one.bottom));
    this.#page = { ...this.#part.page, margins: { ...margins, top, bottom } };
    const [first] = sections;
    const own = first?.hasFirst ? room(first, "first") : { top, bottom };
    const space = Math.max(0, own.top - top + own.bottom - bottom);
    return { part: { ...part, page: this.#page }, space, shift: space > 0 ? bottom - own.bottom : own.top - top };
  }

  #bandOf(contents: RunningSection["headers"], kind: PageKind): Band | undefined {
    const content = contents[kind];
    return content && this.#bands.get(content);
  }

  /** Numbers the pages of the text, the first with `next` unless its section has a start. Returns the number after them. */
  number({ document, pageCount, matrixOf }: LaidOutText, next: number): number {
    const sections = this.#part.running ?? [];
    const starts = sections.map(({ anchor }, index) => {
      if (anchor === undefined || index === 0) return { page: 0, isAtTop: true };
      const page = document.resolveLink(`#${anchor}`);
      const isAtTop = document.resolveLinkDestination(`#${anchor}`).y < AT_TOP;
      return { page: isAtTop ? page : page + 1, isAtTop };
    });
    const pages: Omit<PageFacts, "numbers">[] = [];
    const numbers: number[] = [];
    const counts = new Map<number, number>();
    const owners: number[] = [];
    let [number, current] = [next, -1];
    for (let page = 0; page < pageCount; page++) {
      const before = current;
      while ((starts[current + 1]?.page ?? Infinity) <= page) current += 1;
      const section = sections[current];
      const isFirst = current !== before && starts[current]?.page === page && starts[current]?.isAtTop === true;
      if (section && current !== before) number = firstNumber(section, number);
      pages.push({ section, isFirst, kind: section ? pageKindOf(section, number, isFirst) : "odd" });
      owners.push(current);
      counts.set(current, (counts.get(current) ?? 0) + 1);
      numbers.push(number);
      number += 1;
    }
    this.#pages = pages.map((facts, page) => ({
      ...facts,
      numbers: {
        page: numbers[page] ?? 1,
        pages: pageCount,
        sectionPages: counts.get(owners[page] ?? -1) ?? pageCount,
        format: facts.section?.format ?? "decimal",
      },
    }));
    for (const box of this.#part.boxes ?? []) {
      const page = document.resolveLink(`#${box.anchor}`);
      if (page < 0) continue;
      const { x, y } = onPage(matrixOf(page), document.resolveLinkDestination(`#${box.anchor}`));
      const all = this.#placed.get(page) ?? [];
      all.push({ box, x, y });
      this.#placed.set(page, all);
    }
    return number;
  }

  /** The layouts on a page (0-based). `total`: the number of all pages of the document. */
  async layoutsOn(index: number, total: number): Promise<PageLayouts> {
    const [before, after]: [DrawnLayout[], DrawnLayout[]] = [[], []];
    const closing: (() => void)[] = [];
    const facts = this.#pages[index];
    const numbers = { ...(facts?.numbers ?? SAMPLE), pages: total };
    const { section, kind = "odd" } = facts ?? {};
    for (const name of ["headers", "footers"] as const) {
      const content = section?.[name][kind];
      const band = content && this.#bands.get(content);
      if (!section || !content || !band) continue;
      const { left } = this.#page.margins;
      const top =
        name === "headers" ? section.headerDistance : this.#page.height - section.footerDistance - band.height;
      const { text, pictures, close } = await band.piece.with(numbers);
      closing.push(close);
      const scale = scaleOf(text.right, this.#page.width - left, band.piece.area.width);
      const matrix: Matrix = [scale, 0, 0, scale, left, top];
      const layouts = name === "headers" ? before : after;
      for (const box of content.boxes) {
        const anchor = onPage(matrix, text.document.resolveLinkDestination(`#${box.anchor}`));
        layouts.push(...(await this.#place(box, anchor, numbers, closing)));
      }
      for (const { document, isShaped } of pictures ? [pictures, text] : [text])
        layouts.push({ document, matrix, isShaped, hasLinks: band.piece.hasLinks && document === text.document });
    }
    for (const { box, x, y } of this.#placed.get(index) ?? [])
      (box.isBehind ? before : after).push(...(await this.#place(box, { x, y }, numbers, closing)));
    return {
      before,
      after,
      close: () => {
        for (const close of closing) close();
      },
    };
  }

  async #place(
    box: PlacedBox,
    anchor: { readonly x: number; readonly y: number },
    numbers: PageNumbers,
    closing: (() => void)[],
  ): Promise<DrawnLayout[]> {
    const { width, height } = this.#page;
    const piece =
      this.#boxes.get(box) ?? new Piece(this.#layout, box.html, this.#part.fontSize, { width: box.width, height });
    this.#boxes.set(box, piece);
    const { text, pictures, close } = await piece.with(numbers);
    closing.push(close);
    const { x, y } = placeOf(box, this.#page, anchor);
    // On the page at least in part.
    const [left, top] = [
      Math.min(Math.max(x, -box.width / 2), width - 1),
      Math.min(Math.max(y, -height / 2), height - 1),
    ];
    const matrix: Matrix = [1, 0, 0, 1, left, top];
    return (pictures ? [pictures, text] : [text]).map(({ document, isShaped }) => ({
      document,
      matrix,
      isShaped,
      hasLinks: piece.hasLinks && document === text.document,
    }));
  }

  close(): void {
    for (const { piece } of this.#bands.values()) piece.close();
    for (const piece of this.#boxes.values()) piece.close();
  }
}

/** The number of the first page of a section. */
function firstNumber({ start, parity }: RunningSection, next: number): number {
  if (start !== undefined) return start;
  const isEven = next % 2 === 0;
  return parity !== undefined && isEven !== (parity === "even") ? next + 1 : next;
}

/** Text that would leave the page is scaled down. */
const scaleOf = (right: number, room: number, width: number): number =>
  right > width && right > room ? room / right : 1;

const onPage = ([a, , , d, e, f]: Matrix, { x, y }: { readonly x: number; readonly y: number }) => ({
  x: (Number.isFinite(x) ? x : 0) * a + e,
  y: (Number.isFinite(y) ? y : 0) * d + f,
});
