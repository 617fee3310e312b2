import type { EngineBytes } from "../../memory/heap.ts";

/** The color space of an image's samples (ISO 32000-2, 8.6). */
export interface ColorSpace {
  readonly components: 1 | 3 | 4;
  /** An ICC profile. Without one, the colors are device colors. */
  readonly profile?: Uint8Array;
  /** Red, green, and blue of each index. If present, the samples are indices. */
  readonly palette?: Uint8Array;
}

/** An image as stored in a PDF (8.9.5). We never decode its samples again. */
export interface EmbeddedImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bits per component. */
  readonly bits: number;
  readonly space: ColorSpace;
  readonly data: EngineBytes;
  /** `jpeg`: a complete JPEG. `filtered`: deflated rows with PNG filters. `fax`: fax data, coded as in `fax`. */
  readonly coding: "jpeg" | "filtered" | "fax";
  /** Whether the samples are inverted: the highest value means the color that is otherwise 0. */
  readonly inverted?: boolean;
  /** For a JPEG: its three components are RGB, without a marker for that. */
  readonly untransformedRgb?: boolean;
  readonly fax?: FaxCoding;
  /**
   * First and last transparent sample of each component. A pixel is transparent if all its components are within their
   * ranges.
   */
  readonly colorKey?: readonly number[];
  readonly softMask?: SoftMask;
}

/** How fax data is coded (7.4.6). */
export interface FaxCoding {
  /** Below 0: G4. 0: G3 with each row by itself. Above 0: G3 with rows that refer to those above. */
  readonly k: -1 | 0 | 4;
  /** Whether each row begins at a byte. */
  readonly isByteAligned?: boolean;
  /** Whether a marker may follow the last row. */
  readonly hasEnd: boolean;
  /** Whether the samples of black pixels are 1. */
  readonly isBlack1: boolean;
}

/** Alpha of each pixel (11.6.5.2), at the size of the image. */
export interface SoftMask {
  readonly bits: 8 | 16;
  readonly data: EngineBytes;
  /** `filtered`: deflated rows with PNG filters. `plain`: deflated rows. */
  readonly coding: "filtered" | "plain";
  /** Whether the colors of the image are multiplied by it. */
  readonly isMatte?: boolean;
}
