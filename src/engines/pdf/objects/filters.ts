/** Stream filters (ISO 32000-2, 7.4). */
import type { PDFObject } from "mupdf";
import { items } from "./objects.ts";

/** Abbreviations for inline images, which readers also accept elsewhere. */
export const FULL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AHx: "ASCIIHexDecode",
    A85: "ASCII85Decode",
    LZW: "LZWDecode",
    Fl: "FlateDecode",
    RL: "RunLengthDecode",
    CCF: "CCITTFaxDecode",
    DCT: "DCTDecode",
  }),
);

/** The full names of a stream's filters. */
export function filtersOf(stream: PDFObject): string[] {
  const filter = stream.get("Filter");
  const names = (filter.isArray() ? items(filter) : [filter]).filter((name) => name.isName());
  return names.map((name) => FULL_NAMES.get(name.asName()) ?? name.asName());
}
