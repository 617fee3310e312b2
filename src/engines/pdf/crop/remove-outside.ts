/** Removes everything outside of the visible part of a page from the file. */
import type { PageBox } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import type { ImageCodecs } from "../../image/codecs.ts";
import { allowPage } from "../content/page-work.ts";
import type { OpenPdf } from "../document/document.ts";
import { type FieldNode, fields } from "../document/fields.ts";
import { boxOf, common } from "../document/page-facts.ts";
import { eachItem, entryCount, isNamed, objectNumber } from "../objects/objects.ts";
import { allAround } from "../erasure/area.ts";
import { eraseArea } from "../erasure/erase-area.ts";
import { namingPage } from "../images/undecodable.ts";
import { encodeBlanked } from "../erasure/encode-blanked.ts";
import { drawnNowhere, Eraser } from "../erasure/eraser.ts";
import type { Crop } from "./crop-pages.ts";

/** Entries in which programs keep copies of a page: its thumbnail, and data of their own. */
const COPIES = ["Thumb", "PieceInfo"];

/** Fuel per annotation or field. */
const ANNOTATION_WORK = 500;

/**
 * Removes glyphs, paths, images, and annotations that lie outside of the boxes, and blanks the pixels of images there. Glyphs whose ink a side of the
 * box runs through are removed, paths are cut just beyond it, and pixels that it runs through stay. Call before `setBoxes`.
 * @throws UndecodableImage, Refusal `limit_exceeded`, `overloaded` (memory)
 */
export async function removeOutside(open: OpenPdf, codecs: ImageCodecs, crops: readonly Crop[]): Promise<void> {
  const { work } = open.engine;
  const gone: PDFObject[] = [];
  const eraser = new Eraser(open);
  for (const { page, box } of crops) {
    const { object, index } = page;
    await allowPage(open, index);
    const kept: PDFObject[] = [];
    for await (const annotation of eachItem(open.engine, object.get("Annots"))) {
      work.spend(ANNOTATION_WORK);
      (isInside(annotation, box) ? kept : gone).push(annotation);
    }
    for (const key of COPIES) object.delete(key);
    object.delete("Annots");
    await namingPage(index, () => eraseArea(open, index, eraser, allAround(box)));
    if (kept.length > 0) object.put("Annots", kept);
    await work.pause();
  }
  for (const number of await drawnNowhere(open, eraser)) open.document.deleteObject(number);
  await encodeBlanked(open, codecs, eraser);
  for (const annotation of gone) {
    await work.pause();
    if (objectNumber(annotation) > 0) annotation.writeObject(open.document.newDictionary());
  }
  const form = open.document.getTrailer().get("Root", "AcroForm");
  if (gone.length > 0 && form.isDictionary()) await pruneFields(open, form);
}

/**
 * Whether any part of an annotation is in the box. Pop-up windows (12.5.6.14) are removed with their annotations. An annotation without an area is
 * not displayed.
 */
function isInside(annotation: PDFObject, box: PageBox): boolean {
  const parent = annotation.get("Parent");
  if (isNamed(annotation.get("Subtype"), "Popup") && parent.isDictionary()) return isInside(parent, box);
  const rectangle = boxOf(annotation.get("Rect"));
  return rectangle === undefined || common(rectangle, box) !== undefined;
}

/** Removes fields of which no widget is left. */
async function pruneFields(open: OpenPdf, form: PDFObject): Promise<void> {
  const { engine } = open;
  const all: FieldNode[] = [];
  for await (const field of fields(open)) all.push(field);
  const gone = new Set<number>();
  const prune = async (holder: PDFObject, key: "Fields" | "Kids"): Promise<number> => {
    const list = holder.get(key);
    const kept: PDFObject[] = [];
    for await (const field of eachItem(engine, list)) if (!gone.has(objectNumber(field))) kept.push(field);
    if (list.isArray() && kept.length < list.length) holder.put(key, kept);
    return kept.length;
  };
  // The descendants of a field come after it.
  for (const { object, number } of all.toReversed()) {
    engine.work.spend(ANNOTATION_WORK);
    const left = object.get("Kids").isArray() ? await prune(object, "Kids") : entryCount(engine, object);
    if (left === 0 && number > 0) gone.add(number);
  }
  await prune(form, "Fields");
}
