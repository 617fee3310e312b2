/** The programs of the fonts that MuPDF shows text in, among them those it contains. */
import type { Font } from "mupdf";
import { FZ_BUFFER, FZ_FONT } from "./abi.ts";
import type { PdfEngine } from "./mupdf.ts";

export interface MuPdfProgram {
  /** A copy. */
  readonly bytes: Uint8Array;
  /** Whether it stands for a font that a document has not embedded, and MuPDF does not contain. */
  readonly isSubstitute: boolean;
}

/** Undefined if the font has none, as a Type 3 font. */
export function programOf({ lib }: PdfEngine, font: Font): MuPdfProgram | undefined {
  const at = font.pointer as unknown as number;
  const view = new DataView(lib.HEAPU8.buffer);
  const buffer = view.getUint32(at + FZ_FONT.buffer, true);
  if (buffer === 0) return undefined;
  const start = view.getUint32(buffer + FZ_BUFFER.data, true);
  return {
    bytes: lib.HEAPU8.slice(start, start + view.getUint32(buffer + FZ_BUFFER.len, true)),
    isSubstitute: (view.getUint32(at + FZ_FONT.flags, true) & FZ_FONT.FT_SUBSTITUTE) !== 0,
  };
}
