/** The common form of documents between the readers of formats and the layout. */
import type { BoundedHtml } from "./bounded-html.ts";
import { LONGEST_SIDE } from "../../geometry.ts";

/** In points (1/72 inch). */
/** The sides that a page of a PDF made here can have, in points. A size outside of them is not used. */
export const SIDES = [72, LONGEST_SIDE] as const;
export const isSide = (points: number): boolean => points >= SIDES[0] && points <= SIDES[1];

export interface PaperSize {
  readonly width: number;
  readonly height: number;
}

/** In points. */
export interface PaperMargins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

export interface PageFormat extends PaperSize {
  readonly margins: PaperMargins;
}

/** The pages of a section that can have another header and footer. */
export type PageKind = "first" | "even" | "odd";
/** Where a box is on one axis, in points. */
export interface PlaceOnAxis {
  /** The page, the area within its margins, one of the margins, or the place of the anchor in the text. */
  readonly from: "page" | "margins" | "before" | "after" | "anchor";
  readonly align?: "start" | "center" | "end" | undefined;
  /** Without `align`, from the beginning of `from`. */
  readonly offset: number;
}

export interface PlacedBox {
  readonly html: BoundedHtml;
  /** The identifier of the element in the text that the box moves with. */
  readonly anchor: string;
  readonly horizontal: PlaceOnAxis;
  readonly vertical: PlaceOnAxis;
  /** In points. */
  readonly width: number;
  readonly height: number;
  /** Whether it is drawn before the text. */
  readonly isBehind: boolean;
}

/** A header or footer. */
export interface RunningContent {
  readonly html: BoundedHtml;
  readonly boxes: readonly PlacedBox[];
  /** Its name in the reference, if a part of it is lost. */
  readonly name: "headers" | "footers";
}

export type RunningContents = Readonly<Partial<Record<PageKind, RunningContent>>>;

/** Pages with the same headers and footers, whose numbers continue each other. */
export interface RunningSection {
  /** The identifier of the element that it begins with; undefined: the beginning of the part. */
  readonly anchor: string | undefined;
  readonly headers: RunningContents;
  readonly footers: RunningContents;
  /** From the edge of the page, in points. */
  readonly headerDistance: number;
  readonly footerDistance: number;
  /** Whether the text begins and ends at its margins even where a header or footer is (ECMA-376, part 1, 17.6.11). */
  readonly overlaps: { readonly top: boolean; readonly bottom: boolean };
  /** Whether the first page, and even pages, have other headers and footers than the rest. */
  readonly hasFirst: boolean;
  readonly hasEven: boolean;
  /** The number of the first page; undefined: one more than the page before. */
  readonly start: number | undefined;
  /** The parity of that number, where the section must begin on such a page. */
  readonly parity: "even" | "odd" | undefined;
  /** The format of the numbers (ECMA-376, part 1, 17.18.59). */
  readonly format: string;
}

/** A piece of a document that begins on a new page. */
export interface DocumentPart {
  /** HTML in UTF-8, or the file itself. */
  readonly content: Uint8Array;
  /** The media type by which MuPDF knows it. */
  readonly type: string;
  /** The format of its pages. Undefined: the document has pages of its own. */
  readonly page: PageFormat | undefined;
  /** By how much the laid out page is scaled. */
  readonly scale?: number;
  /** The treatment of content wider than the page. `width` (default): it is scaled down. `none`: the page is made wider. */
  readonly fit?: "width" | "none";
  /** The font size in points of text without a size of its own. */
  readonly fontSize: number;
  /** A style sheet that overrules those of the document. */
  readonly css?: string;
  /** Fuel that laying it out may take. */
  readonly fuel: number;
  readonly hasLinks: boolean;
  /** Parts of its style sheets that are not drawn, by the names of the reference. */
  readonly notConverted?: ReadonlySet<string>;
  /** The identifiers that links in other parts lead to. */
  readonly targets?: Iterable<string>;
  /** Its headers and footers, in the order of the sections in it. */
  readonly running?: readonly RunningSection[];
  /** Boxes that are not in the text. */
  readonly boxes?: readonly PlacedBox[];
  /** A bookmark for the whole part. */
  readonly bookmark?: string;
}

/** A document that is ready to be laid out. */
export interface Conversion {
  readonly parts: readonly DocumentPart[];
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  /** A language tag (BCP 47). */
  readonly language?: string | undefined;
  /** The losses of the output, by the names of the reference. */
  readonly notConverted: ReadonlySet<string>;
  /** Whether a browser shows much of it that a layout from top to bottom does not. */
  readonly needsBrowser?: boolean;
}
