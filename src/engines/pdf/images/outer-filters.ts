/** Images whose JPEG or JPEG 2000 is inside other filters (ISO 32000-2, 7.4.1), such as `[/ASCII85Decode /JPXDecode]`. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { filtersOf } from "../objects/filters.ts";
import { isNamed, items, objectNumber } from "../objects/objects.ts";

/** Codecs whose data determine how they can be decoded, and at which quality. */
const CODECS = new Set(["DCTDecode", "JPXDecode"]);

/** Leaves all images of a document only their last filter, if that is a codec. */
export async function dropAllOuterFilters(open: OpenPdf): Promise<void> {
  const wrapped: number[] = [];
  await eachObjectHaving(open, { keys: ["Width"] }, (object) => {
    if (hasOuterFilters(object)) wrapped.push(objectNumber(object));
  });
  for (const number of wrapped) {
    await open.engine.scope(() => dropOuterFilters(open, open.document.newIndirect(number)));
    await open.engine.work.pause();
  }
}

function hasOuterFilters(image: PDFObject): boolean {
  const filters = image.isStream() && isNamed(image.get("Subtype"), "Image") ? filtersOf(image) : [];
  return filters.length > 1 && CODECS.has(filters.at(-1) ?? "") && !filters.includes("Crypt");
}

/**
 * Leaves an image only its last filter if that is a codec. The facts of its data (`readImageFacts`) then decide in which parts it is decoded.
 * @throws Refusal `limit_exceeded`
 */
export async function dropOuterFilters({ document, engine }: OpenPdf, image: PDFObject): Promise<void> {
  if (!hasOuterFilters(image)) return;
  const [filters, parameters] = ["Filter", "DecodeParms"].map((key) => items(image.get(key)));
  const data = image.readRawStream();
  const outer = document.addRawStream(data, {
    Filter: filters?.slice(0, -1) ?? [],
    DecodeParms: parameters?.slice(0, -1) ?? [],
  });
  data.destroy();
  const decoded = await engine.long.readStream(outer);
  engine.countDecoded(decoded.getLength());
  image.writeRawStream(decoded);
  decoded.destroy();
  document.deleteObject(objectNumber(outer));
  image.put("Filter", filters?.at(-1) ?? document.newName("DCTDecode"));
  const own = parameters?.[(filters?.length ?? 0) - 1];
  if (own?.isDictionary()) image.put("DecodeParms", own);
  else image.delete("DecodeParms");
}
