/** Making a form part of its pages: it looks as it did, and nothing of it can be filled in any more. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "./document.ts";
import { isWidget } from "./form-tree.ts";
import { items } from "./objects.ts";
import { pageAt } from "./page-facts.ts";
import { StampPages } from "./stamp-pages.ts";
import { type Matrix, multiply, type NameResource, numbers } from "./stamp-text.ts";

/** Flags of annotations that are not shown (table 167): Hidden and NoView. */
const NOT_SHOWN = 2 | 32;

/**
 * Draws the widgets of all pages on them and drops the form.
 * @throws Refusal `limit_exceeded` where pages' contents are too large to be read
 */
export function flattenForm(open: OpenPdf): void {
  const { document } = open;
  const shown = new Map<number, PDFObject[]>();
  for (let index = 0; index < open.pageCount; index++) {
    const page = pageAt(open, index);
    const annotations = items(page.get("Annots"));
    const widgets = annotations.filter(isWidget);
    if (widgets.length === 0) continue;
    const drawn = widgets.filter((widget) => (widget.get("F").asNumber() & NOT_SHOWN) === 0 && appearanceOf(widget));
    if (drawn.length > 0) shown.set(index, drawn);
  }
  const pages = new StampPages(open, [...shown.keys()], "over");
  for (const page of pages.pages) {
    const widgets = shown.get(page.index) ?? [];
    pages.draw(page, "over", (name) => widgets.map((widget) => drawWidget(open, widget, name)).join("\n"));
  }
  for (let index = 0; index < open.pageCount; index++) dropWidgets(open, pageAt(open, index));
  const root = document.getTrailer().get("Root");
  for (const key of ["AcroForm", "NeedsRendering", "Perms"]) if (!root.get(key).isNull()) root.delete(key);
}

/** The stream that shows a widget in its present state; undefined where there is none. */
function appearanceOf(widget: PDFObject): PDFObject | undefined {
  const normal = widget.get("AP", "N");
  if (normal.isStream()) return normal;
  const state = widget.get("AS");
  if (!normal.isDictionary() || !state.isName()) return undefined;
  const stream = normal.get(state);
  return stream.isStream() ? stream : undefined;
}

/** Places an appearance in the widget's rectangle (12.5.5, algorithm "appearance streams"). */
function drawWidget({ document }: OpenPdf, widget: PDFObject, name: NameResource): string {
  const found = appearanceOf(widget);
  if (!found) return "";
  const stream = found.isIndirect() ? found : document.addObject(found);
  const subtype = stream.get("Subtype");
  if (!subtype.isName() || subtype.asName() !== "Form") stream.put("Subtype", document.newName("Form"));
  const matrix = numbersOf(stream.get("Matrix"), 6) ?? [1, 0, 0, 1, 0, 0];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbersOf(stream.get("BBox"), 4) ?? [];
  const corners = (
    [
      [x0, y0],
      [x0, y1],
      [x1, y0],
      [x1, y1],
    ] as const
  ).map(([x, y]) => multiply([1, 0, 0, 1, x, y], matrix as unknown as Matrix));
  const [xs, ys] = [corners.map((corner) => corner[4]), corners.map((corner) => corner[5])];
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - bottom];
  const rect = numbersOf(widget.get("Rect"), 4);
  if (!rect || !(wide > 0 && high > 0)) return "";
  const [rx0 = 0, ry0 = 0, rx1 = 0, ry1 = 0] = rect;
  const [scaleX, scaleY] = [Math.abs(rx1 - rx0) / wide, Math.abs(ry1 - ry0) / high];
  const place = [Math.min(rx0, rx1) - left * scaleX, Math.min(ry0, ry1) - bottom * scaleY] as const;
  const show = `q ${numbers(scaleX, 0, 0, scaleY, ...place)} cm /${name("XObject", stream)} Do Q`;
  const layer = widget.get("OC");
  return layer.isDictionary() && layer.isIndirect() ? `/OC /${name("Properties", layer)} BDC ${show} EMC` : show;
}

function numbersOf(array: PDFObject, count: number): number[] | undefined {
  const list = items(array).map((item) => item.asNumber());
  return list.length === count && list.every(Number.isFinite) ? list : undefined;
}

function dropWidgets({ document }: OpenPdf, page: PDFObject): void {
  const annotations = items(page.get("Annots"));
  const kept = annotations.filter((annotation) => !isWidget(annotation));
  if (kept.length === annotations.length) return;
  if (kept.length === 0) {
    page.delete("Annots");
    return;
  }
  // A list of its own: pages may share one.
  const list = document.newArray();
  for (const annotation of kept) list.push(annotation);
  page.put("Annots", list);
}
