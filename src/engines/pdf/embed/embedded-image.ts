import type { EngineBytes } from "../../bytes/heap.ts";

/** What the samples of an image mean (ISO 32000-2, 8.6). */
export interface ColorSpace {
  readonly components: 1 | 3 | 4;
  /** An ICC profile; without one the colors are the device's own. */
  readonly profile?: Uint8Array;
  /** Red, green, blue of each index: the samples are indices. */
  readonly palette?: Uint8Array;
}

/** An image as a PDF holds it (8.9.5): samples that are never decoded again on our side. */
export interface EmbeddedImage {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Bits of a sample. */
  readonly bits: number;
  readonly space: ColorSpace;
  readonly data: EngineBytes;
  /** `jpeg`: a whole JPEG. `filtered`: deflated rows with PNG's filters. */
  readonly coding: "jpeg" | "filtered";
  /** Samples mean the opposite: 0 is full ink. */
  readonly inverted?: boolean;
  /** Of a JPEG: its three components are red, green, blue, and nothing in it says so. */
  readonly untransformedRgb?: boolean;
  /** For each component the first and last sample that is transparent where all components are within theirs. */
  readonly colorKey?: readonly number[];
  readonly softMask?: SoftMask;
}

/** Alpha of each pixel (11.6.5.2), as many as the image has. */
export interface SoftMask {
  readonly bits: 8 | 16;
  readonly data: EngineBytes;
  /** `filtered`: deflated rows with PNG's filters. `plain`: deflated rows. */
  readonly coding: "filtered" | "plain";
}
