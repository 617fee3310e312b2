/** Merges a form into its pages: it looks the same but can no longer be filled in. */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { FormTags } from "./tags.ts";
import { isWidget } from "./tree.ts";
import { entries, items, objectNumber } from "../objects/objects.ts";
import { pageAt, visiblePage } from "../document/page-facts.ts";
import { StampPages } from "../content/page-content.ts";
import { type Matrix, numbers } from "../content/operands.ts";

/** Flags of annotations that are not displayed (table 167): Hidden and NoView. */
const NOT_SHOWN = 2 | 32;

/**
 * Draws the widgets of all pages on them and removes the form.
 * @throws Refusal `limit_exceeded` if the contents of pages are too large to read
 */
export async function flattenForm(open: OpenPdf): Promise<void> {
  const { document } = open;
  const { work } = open.engine;
  const tags = FormTags.of(open);
  /** The widgets to draw on each page, and all widgets by number, since pages may share them. */
  const shown = new Map<number, PDFObject[]>();
  const all = new Map<number, PDFObject>();
  const pausing = async (): Promise<void> => {
    work.spend(WIDGET_WORK);
    await work.pause();
  };
  for (let index = 0; index < open.pageCount; index++) {
    const drawn: PDFObject[] = [];
    for (const widget of items(pageAt(open, index).get("Annots"))) {
      await pausing();
      if (!isWidget(widget)) continue;
      all.set(objectNumber(widget) || -all.size - 1, widget);
      if ((widget.get("F").asNumber() & NOT_SHOWN) === 0 && appearanceOf(widget)) drawn.push(widget);
    }
    if (drawn.length > 0) shown.set(index, drawn);
  }
  const pages = await StampPages.of(open, [...shown.keys()], "over");
  for (const page of pages.pages) {
    const widgets = shown.get(page.index) ?? [];
    const sheet = await sheetOf(open, page.object, widgets, tags);
    tags?.place(page.object, sheet, widgets);
    pages.draw(page, "over", (name) => `/${name("XObject", sheet)} Do`, { tagged: tags !== undefined });
  }
  tags?.drop([...all.values()]);
  tags?.write();
  for (let index = 0; index < open.pageCount; index++) {
    await pausing();
    dropWidgets(open, pageAt(open, index));
  }
  const root = document.getTrailer().get("Root");
  // Anything that still references a widget finds it empty.
  for (const widget of all.values()) {
    await pausing();
    for (const { key } of entries(open.engine, widget)) widget.delete(key);
  }
  for (const key of ["AcroForm", "NeedsRendering", "Perms"]) if (!root.get(key).isNull()) root.delete(key);
}

/** Fuel per widget. */
const WIDGET_WORK = 500;

/** The appearance of a widget in its current state, or undefined if there is none. */
function appearanceOf(widget: PDFObject): PDFObject | undefined {
  const normal = widget.get("AP", "N");
  if (normal.isStream()) return normal;
  const state = widget.get("AS");
  if (!normal.isDictionary() || !state.isName()) return undefined;
  const stream = normal.get(state);
  return stream.isStream() ? stream : undefined;
}

/** All widgets of a page as one form: a page may have thousands, and its own resources stay as they are. */
async function sheetOf(
  open: OpenPdf,
  page: PDFObject,
  widgets: readonly PDFObject[],
  tags: FormTags | undefined,
): Promise<PDFObject> {
  const { document, engine } = open;
  const resources = document.addObject({ XObject: {}, Properties: {} });
  const shows: string[] = [];
  for (const [index, widget] of widgets.entries()) {
    engine.work.spend(WIDGET_WORK);
    await engine.work.pause();
    const show = engine.scope(() => {
      const stream = appearanceOf(widget);
      const place = stream && placeOf(stream, widget);
      if (!stream || !place) return "";
      resources.get("XObject").put(`W${index}`, formOf(open, stream));
      const drawn = `q ${numbers(...place)} cm /W${index} Do Q`;
      const tag = tags?.elementOf(widget) ? `/Form <</MCID ${index}>> BDC` : "/Artifact BMC";
      const show = tags ? `${tag} ${drawn} EMC` : drawn;
      const layer = widget.get("OC");
      if (!layer.isDictionary()) return show;
      resources.get("Properties").put(`L${index}`, layer);
      return `/OC /L${index} BDC ${show} EMC`;
    });
    shows.push(show);
  }
  const { box } = visiblePage(page);
  const dictionary = { Type: "XObject", Subtype: "Form", BBox: box, Resources: resources };
  return document.addStream(shows.join("\n"), dictionary);
}

/** Some writers omit the entries that mark it as a form. */
function formOf({ document }: OpenPdf, stream: PDFObject): PDFObject {
  const subtype = stream.get("Subtype");
  if (!subtype.isName() || subtype.asName() !== "Form") stream.put("Subtype", document.newName("Form"));
  return stream;
}

/** The matrix that maps an appearance to its widget's rectangle (12.5.5). */
function placeOf(stream: PDFObject, widget: PDFObject): Matrix | undefined {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(stream.get("Matrix"), 6) ?? [];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbersOf(stream.get("BBox"), 4) ?? [];
  const corners = [x0, x1].flatMap((x) => [y0, y1].map((y) => [a * x + c * y + e, b * x + d * y + f] as const));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - bottom];
  const [rx0 = 0, ry0 = 0, rx1 = 0, ry1 = 0] = numbersOf(widget.get("Rect"), 4) ?? [];
  const [scaleX, scaleY] = [Math.abs(rx1 - rx0) / wide, Math.abs(ry1 - ry0) / high];
  if (!(wide > 0 && high > 0 && scaleX > 0 && scaleY > 0)) return undefined;
  return [scaleX, 0, 0, scaleY, Math.min(rx0, rx1) - left * scaleX, Math.min(ry0, ry1) - bottom * scaleY];
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
  // A new list, since pages may share one.
  const list = document.newArray();
  for (const annotation of kept) list.push(annotation);
  page.put("Annots", list);
}
