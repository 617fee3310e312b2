import type { LoadFont } from "./fonts.ts";
import type { PdfEncryption } from "./pdf/encryption.ts";
import type { PdfEngine } from "./pdf/mupdf.ts";
import type { ImageCodecs } from "./raster/codecs.ts";

/** The engines that one call has to itself. */
export interface Engines {
  readonly pdf: PdfEngine;
  readonly encryption: PdfEncryption;
  readonly loadFont: LoadFont;
  readonly codecs: ImageCodecs;
}
