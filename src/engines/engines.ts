import type { PdfEngine } from "./pdf/mupdf.ts";

/** The engines that one call has to itself. */
export interface Engines {
  readonly pdf: PdfEngine;
}
