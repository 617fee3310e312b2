import type { PdfEngine } from "./mupdf.ts";

/** Growth of the heap, in bytes, after which what MuPDF keeps of earlier pages is dropped. */
const STEP = 8 * 1024 * 1024;

/** To be called after each page of many: drops what MuPDF keeps of earlier pages, images mostly, where its heap has grown. */
export function storeTrimmer(engine: PdfEngine): () => void {
  let bytes = engine.heapBytes;
  return () => {
    if (engine.heapBytes <= bytes + STEP) return;
    engine.lib._wasm_empty_store();
    bytes = engine.heapBytes;
  };
}
