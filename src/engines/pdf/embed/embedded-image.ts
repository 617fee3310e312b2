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
  /** `jpeg`: a complete JPEG. `filtered`: deflated rows with PNG filters. */
  readonly coding: "jpeg" | "filtered";
  /** Whether the samples are inverted: 0 is full ink. */
  readonly inverted?: boolean;
  /** For a JPEG: its three components are RGB, without a marker for that. */
  readonly untransformedRgb?: boolean;
  /**
   * First and last transparent sample of each component. A pixel is transparent if all its components are within their
   * ranges.
   */
  readonly colorKey?: readonly number[];
  readonly softMask?: SoftMask;
}

/** Alpha of each pixel (11.6.5.2), at the size of the image. */
export interface SoftMask {
  readonly bits: 8 | 16;
  readonly data: EngineBytes;
  /** `filtered`: deflated rows with PNG filters. `plain`: deflated rows. */
  readonly coding: "filtered" | "plain";
}
