/** The parts of content, and the choice of the parts to erase. */
import type { PDFObject } from "mupdf";
import type { Matrix, PageBox } from "../../geometry.ts";
import type { CutArea } from "./area.ts";
import type { Polygon } from "./geometry.ts";
import type { SpanTexts } from "./spans.ts";

/** A code in its place on the page, in units of the page. */
export interface PlacedCode {
  /** Codes are counted in the order in which they are shown. */
  readonly id: number;
  /** The origin of its glyph. */
  readonly x: number;
  readonly y: number;
  /** The glyph's square: as wide as it advances, as high as the font. */
  readonly square: () => Polygon;
  /** Font size. */
  readonly size: number;
  readonly advances: boolean;
  /** Whether it paints nothing, as the text that was recognized in a scan. */
  readonly invisible: boolean;
}

export interface PlacedImage {
  /** The image; an inline image becomes an object. Undefined if that is not possible. */
  readonly object: () => PDFObject | undefined;
  /** The unit square of the image on the page. */
  readonly matrix: Matrix;
}

/** Marked content with replacement texts (14.9.3 to 14.9.5). */
export interface ReplacementSpan {
  readonly id: number;
  readonly texts: SpanTexts;
}

/** A path that is painted, or a shading. */
export interface PlacedDrawing {
  /** The rectangle that it and the clipping path leave. */
  readonly box: PageBox;
  /** The same, including the reach of line ends and joins. */
  readonly reach: PageBox;
}

/** The choice of the parts to erase. The methods are called in the order of the content. */
export interface Choice {
  code(code: PlacedCode): boolean;
  /** The result for a painted path or a shading. */
  drawing(drawing: PlacedDrawing): "stays" | "goes" | "is cut";
  /** The area that drawings and clipping paths are cut at. */
  readonly cutAt?: CutArea;
  /** The result for an image. An object is drawn in its place. */
  image(image: PlacedImage): Promise<"stays" | "goes" | PDFObject>;
  /** The new texts of marked content. Undefined if they stay. */
  beginSpan(span: ReplacementSpan): SpanTexts | undefined;
  endSpan(span: ReplacementSpan): void;
  /** The removed bytes of the strings that an operator shows, regardless of their meaning: ranges over all its strings together. */
  inBytes?(shown: Uint8Array): Promise<readonly { readonly start: number; readonly end: number }[]>;
  /** Whether `'` and `"` are written as the operators that they abbreviate (9.4.3), which all programs treat alike. */
  readonly plainOperators?: boolean;
}
