import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";

/** Gives back an object whose value is there. */
export type Load = (object: PDFObject) => PDFObject | Promise<PDFObject>;

/** Only documents that are read in ranges have to be fetched first; a call that can wait takes longer than reading an entry. */
export const loadOf = (engine: PdfEngine): Load => (engine.ranges ? engine.long.load : (object) => object);
