/** Embedded fonts without the glyphs that no page uses. */
import type { OpenPdf } from "./document.ts";

/**
 * Leaves fonts with the glyphs that pages show. Not where there is a form: what is filled in later needs them all.
 * A document whose fonts MuPDF cannot take apart keeps them.
 */
export function subsetFonts(open: OpenPdf): void {
  const { document, engine } = open;
  if (document.getTrailer().get("Root", "AcroForm").isDictionary() || !embedsFonts(open)) return;
  try {
    document.subsetFonts();
  } catch (error) {
    if (!engine.outlives(error)) throw error;
  }
  engine.lib._wasm_empty_store();
}

/** Whether there is anything to be cut down: MuPDF reads all pages with their images to find out, which takes memory. */
function embedsFonts({ document, engine }: OpenPdf): boolean {
  for (let number = 1, count = document.countObjects(); number < count; number++) {
    try {
      const found = engine.scope(() => {
        const object = document.newIndirect(number);
        return ["FontFile", "FontFile2", "FontFile3"].some(
          (key) => object.isDictionary() && object.get(key).isStream(),
        );
      });
      if (found) return true;
    } catch (error) {
      if (!engine.isFailure(error)) throw error;
    }
  }
  return false;
}
