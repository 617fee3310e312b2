/** Rich Text. */
import { readRtf } from "../rtf/read.ts";
import type { BytesFormat } from "./format.ts";

export const rtf: BytesFormat = {
  kind: "bytes",
  name: "rtf",
  title: "RTF",
  keeps:
    "text in its code pages and Unicode, with bold, italic, underlined, struck, raised, and colored runs, fonts and sizes, paragraphs with alignment and indents, headings, marks of lists, tables with merged cells, pictures (PNG, JPEG), links, bookmarks, footnotes and endnotes (at the end), text boxes, page size and margins",
  drops:
    "`headers`, `footers`, `comments`, `tracked-changes`, `shapes`, `formulas`, `embedded-objects`, `unsupported-images` (EMF, WMF), `encodings` (code pages that are read as Windows-1252)",
  detect: (head) => (head.startsWith("{\\rtf") ? "certain" : undefined),
  read: readRtf,
};
