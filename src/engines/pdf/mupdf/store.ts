import type { PdfEngine } from "./mupdf.ts";

/** Heap growth in bytes after which MuPDF's cache of earlier pages is dropped. */
const STEP = 8 * 1024 * 1024;

/** Call the result after each of many pages: it drops MuPDF's cache of earlier pages, mostly images, if the heap has grown. */
export function storeTrimmer(engine: PdfEngine): () => void {
  let bytes = engine.heapBytes;
  return () => {
    if (engine.heapBytes <= bytes + STEP) return;
    engine.emptyStore();
    bytes = engine.heapBytes;
  };
}
