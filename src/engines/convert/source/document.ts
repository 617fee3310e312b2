/** The common form of documents between the readers of formats and the layout. */

/** In points (1/72 inch). */
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
