/** Moves annotations with their pages to sheets (ISO 32000-2, 12.5). */
import type { Matrix, PageBox } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import type { StampPage } from "../content/page-content.ts";
import type { OpenPdf } from "../document/document.ts";
import { boxOf } from "../document/page-facts.ts";
import { eachItem, entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { at, digits, moved, type SheetPlace } from "./place.ts";

/** Flags (table 167): the annotation keeps its size, or stays upright, however the page is shown. */
const [NO_ZOOM, NO_ROTATE] = [8, 16];

/** Fuel per annotation. */
const ANNOTATION_WORK = 2_000;

/** How often pages have an annotation, by object number. */
export async function usesOf({ engine }: OpenPdf, pages: readonly StampPage[]): Promise<Map<number, number>> {
  const uses = new Map<number, number>();
  for (const { object } of pages) {
    await engine.scope(async () => {
      for await (const annotation of eachItem(engine, object.get("Annots"))) {
        engine.work.spend(ANNOTATION_WORK);
        await engine.work.pause();
        const number = objectNumber(annotation);
        if (number > 0) uses.set(number, (uses.get(number) ?? 0) + 1);
      }
    });
  }
  return uses;
}

/**
 * Adds the annotations of a page to those of its sheet. `uses`: how many pages that are left have an annotation, by object number. The last
 * one gets the annotation itself, to which its structure element refers, and those before get copies.
 */
export async function carryAnnotations(
  open: OpenPdf,
  { object: page }: StampPage,
  place: SheetPlace,
  { uses, annotations }: { readonly uses: Map<number, number>; readonly annotations: PDFObject },
): Promise<void> {
  const { document, engine } = open;
  await engine.scope(async () => {
    for await (const annotation of eachItem(engine, page.get("Annots"))) {
      engine.work.spend(ANNOTATION_WORK);
      await engine.work.pause();
      const left = (uses.get(objectNumber(annotation)) ?? 0) - 1;
      uses.set(objectNumber(annotation), left);
      const rectangle = boxOf(annotation.get("Rect"));
      if (!rectangle) continue;
      const own = left === 0 ? annotation : document.addObject(copyOf(open, annotation));
      if (left > 0) own.delete("StructParent");
      move(open, own, rectangle, place);
      own.put("P", document.newIndirect(place.sheet));
      annotations.push(own);
    }
  });
}

function copyOf({ document, engine }: OpenPdf, dictionary: PDFObject): PDFObject {
  const copy = document.newDictionary();
  for (const { key, value } of entries(engine, dictionary)) copy.put(key, value);
  return copy;
}

function move(
  open: OpenPdf,
  annotation: PDFObject,
  rectangle: PageBox,
  { toSheet, scale, rotation }: SheetPlace,
): void {
  const flags = annotation.get("F").asNumber();
  const isUpright = (flags & NO_ROTATE) !== 0;
  annotation.put("Rect", [...(isUpright ? upright(rectangle, toSheet, scale, flags) : moved(rectangle, toSheet))]);
  const points = items(annotation.get("QuadPoints")).map((item) => item.asNumber());
  if (points.length > 0 && points.length % 2 === 0) annotation.put("QuadPoints", movedPoints(points, toSheet));
  if (isNamed(annotation.get("Subtype"), "Link")) scaleBorder(open, annotation, scale);
  if (rotation !== 0 && !isUpright) turn(open, annotation, toSheet, scale);
}

const movedPoints = (points: readonly number[], matrix: Matrix): number[] =>
  points.flatMap((x, index) => (index % 2 === 0 ? at(matrix, x, points[index + 1] ?? 0) : []));

/** An annotation that does not turn keeps its upper left corner (12.5.3). */
function upright([x0, y0, x1, y1]: PageBox, matrix: Matrix, scale: number, flags: number): PageBox {
  const [x, y] = at(matrix, x0, y1);
  const size = (flags & NO_ZOOM) !== 0 ? 1 : scale;
  return [x, digits(y - (y1 - y0) * size), digits(x + (x1 - x0) * size), y];
}

/** The border is as wide as before, compared with the page (tables 166 and 168). */
function scaleBorder(open: OpenPdf, annotation: PDFObject, scale: number): void {
  const style = annotation.get("BS");
  if (style.isDictionary()) {
    const own = copyOf(open, style);
    const width = own.get("W");
    own.put("W", digits((width.isNumber() ? width.asNumber() : 1) * scale));
    const dashes = items(own.get("D")).map((dash) => digits(dash.asNumber() * scale));
    if (dashes.length > 0) own.put("D", dashes);
    annotation.put("BS", own);
  }
  const border = items(annotation.get("Border"));
  const [across = 0, down = 0, width = 1] = border.map((item) => item.asNumber() * scale);
  const dashes = border.slice(3).map((item) => items(item).map((dash) => digits(dash.asNumber() * scale)));
  annotation.put("Border", [digits(across), digits(down), digits(border.length > 2 ? width : scale), ...dashes]);
}

/** Turns the appearance of an annotation with its page. One with several states is unchanged. */
function turn({ document }: OpenPdf, annotation: PDFObject, [a, b, c, d]: Matrix, scale: number): void {
  const appearance = annotation.get("AP", "N");
  const box = appearance.isStream() && boxOf(appearance.get("BBox"));
  if (!box) return;
  const given = items(appearance.get("Matrix")).map((item) => item.asNumber());
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = given.length === 6 ? given : [];
  const own: Matrix = [g, h, i, j, k, l];
  const [x0, y0, x1, y1] = box;
  const corners = [
    [x0, y0],
    [x1, y0],
    [x0, y1],
    [x1, y1],
  ].map(([x = 0, y = 0]) => at(own, x, y));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const turned = document.addStream("/A Do", {
    Type: document.newName("XObject"),
    Subtype: document.newName("Form"),
    BBox: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
    Matrix: [a / scale, b / scale, c / scale, d / scale, 0, 0].map(digits),
    Resources: { XObject: { A: appearance } },
  });
  annotation.put("AP", { N: turned });
}
