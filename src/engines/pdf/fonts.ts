/** Embedded fonts without the glyphs that no page uses. */
import type { OpenPdf } from "./document.ts";

/**
 * Leaves fonts with the glyphs that pages show. Not where there is a form: what is filled in later needs them all.
 * A document whose fonts MuPDF cannot take apart keeps them.
 */
export function subsetFonts({ document, engine }: OpenPdf): void {
  if (document.getTrailer().get("Root", "AcroForm").isDictionary()) return;
  try {
    document.subsetFonts();
  } catch (error) {
    if (!engine.outlives(error)) throw error;
  }
  engine.lib._wasm_empty_store();
}
