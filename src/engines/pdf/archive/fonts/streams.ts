/** Streams that are written compressed. */
import type { PDFObject } from "mupdf";
import { deflate } from "../../../flate/deflate.ts";
import type { OpenPdf } from "../../document/document.ts";

export async function addCompressed(
  { document }: OpenPdf,
  data: Uint8Array,
  entries: Readonly<Record<string, string | number>> = {},
): Promise<PDFObject> {
  return document.addRawStream(await deflate(data), { ...entries, Filter: "FlateDecode" });
}
