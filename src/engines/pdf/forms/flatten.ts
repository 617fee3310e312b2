/** Merges form fields and annotations into their pages: they look the same but can no longer be changed. */
import { type Matrix, multiply } from "../../geometry.ts";
import type { PDFObject } from "mupdf";
import { drawn, type OpenPdf } from "../document/document.ts";
import { FormTags } from "./tags.ts";
import { isWidget } from "../document/fields.ts";
import { eachItem, isNamed, items, objectNumber } from "../objects/objects.ts";
import { visiblePage } from "../document/page-facts.ts";
import { pageAt } from "../document/page-tree.ts";
import { StampPages } from "../content/page-content.ts";
import { numbers } from "../content/operands.ts";
import { appearanceOf } from "../content/streams.ts";

/** Flags of annotations that are not displayed (table 167): Hidden and NoView. */
const NOT_SHOWN = 2 | 32;

/** The flag of annotations that do not turn with their page. */
const NO_ROTATE = 16;

/** The flattened annotations: the widgets of the form, and the annotations that are only visible. */
export interface Flattened {
  readonly forms: boolean;
  readonly annotations: boolean;
}

/** Annotations (table 171) with a function beyond their appearance: they lead somewhere, or hold other data. */
const KEPT: ReadonlySet<string> = new Set(
  "Link FileAttachment Sound Movie Screen RichMedia 3D Projection PrinterMark TrapNet".split(" "),
);

/**
 * Draws widgets or annotations of all pages on them and removes them, and the form with its widgets. An annotation without an
 * appearance gets one if MuPDF can make it, and stays otherwise.
 * @throws Refusal `limit_exceeded` if the contents of pages are too large to read
 */
export async function flatten(open: OpenPdf, what: Flattened): Promise<void> {
  const { document } = open;
  const { work } = open.engine;
  const tags = await FormTags.of(open);
  /** The annotations to draw on each page, and all that are to go by number, since pages may share them. */
  const shown = new Map<number, PDFObject[]>();
  const all = new Map<number, PDFObject>();
  /** The drawn annotations of a list that pages may share, by the list's number. Each list is inspected once. */
  const seen = new Map<number, PDFObject[]>();
  const pausing = async (): Promise<void> => {
    work.spend(WIDGET_WORK);
    await work.pause();
  };
  for (let index = 0; index < open.pageCount; index++) {
    const annots = pageAt(open, index).get("Annots");
    const before = seen.get(objectNumber(annots));
    if (before) {
      if (before.length > 0) shown.set(index, before);
      continue;
    }
    if (what.annotations) await drawBare(open, index, isBare);
    const visible: PDFObject[] = [];
    for await (const annotation of eachItem(open.engine, annots)) {
      await pausing();
      if (!isFlattened(annotation, what)) continue;
      const isShown = (annotation.get("F").asNumber() & NOT_SHOWN) === 0;
      const hasAppearance = appearanceOf(annotation) !== undefined;
      if (!isWidget(annotation) && !isPopup(annotation) && isShown && !hasAppearance) continue;
      all.set(objectNumber(annotation) || -all.size - 1, annotation);
      if (isShown && hasAppearance && !isPopup(annotation)) visible.push(annotation);
    }
    if (visible.length > 0) shown.set(index, visible);
    if (objectNumber(annots) > 0) seen.set(objectNumber(annots), visible);
  }
  const isGone = (annotation: PDFObject): boolean =>
    objectNumber(annotation) > 0 ? all.has(objectNumber(annotation)) : isFlattened(annotation, what);
  // The pop-up window of an annotation that stays.
  for (const [number, annotation] of all) {
    const parent = annotation.get("Parent");
    if (isPopup(annotation) && parent.isDictionary() && !isGone(parent)) all.delete(number);
  }
  const pages = await StampPages.of(open, [...shown.keys()], "over");
  const sheets = new Sheets(open, tags);
  for (const page of pages.pages) {
    const annotations = shown.get(page.index) ?? [];
    const sheet = await sheets.of(page.object, annotations);
    tags?.place(page.object, sheet, annotations);
    await pages.draw(page, "over", (name) => `/${name("XObject", sheet)} Do`, { tagged: tags !== undefined });
  }
  tags?.drop([...all.values()]);
  await tags?.write();
  const rest = new Map<number, PDFObject | undefined>();
  for (let index = 0; index < open.pageCount; index++) {
    await pausing();
    await dropAnnotations(open, pageAt(open, index), isGone, rest);
  }
  const root = document.getTrailer().get("Root");
  // Anything that still references one finds it empty.
  for (const annotation of all.values()) {
    await pausing();
    if (objectNumber(annotation) > 0) annotation.writeObject(document.newDictionary());
  }
  if (!what.forms) return;
  for (const key of ["AcroForm", "NeedsRendering", "Perms"]) if (!root.get(key).isNull()) root.delete(key);
}

async function hasAny(
  { engine }: OpenPdf,
  annots: PDFObject,
  isWanted: (annotation: PDFObject) => boolean,
): Promise<boolean> {
  for await (const annotation of eachItem(engine, annots)) if (isWanted(annotation)) return true;
  return false;
}

const isPopup = (annotation: PDFObject): boolean => isNamed(annotation.get("Subtype"), "Popup");

function isFlattened(annotation: PDFObject, { forms, annotations }: Flattened): boolean {
  if (isWidget(annotation)) return forms;
  const subtype = annotation.get("Subtype");
  return annotations && subtype.isName() && !KEPT.has(subtype.asName());
}

/** Whether an annotation is displayed, but it is left to viewers how. */
const isBare = (annotation: PDFObject): boolean =>
  annotation.isDictionary() &&
  !isWidget(annotation) &&
  isFlattened(annotation, { forms: false, annotations: true }) &&
  !isPopup(annotation) &&
  !annotation.get("AP", "N").isDictionary();

/** New objects of an appearance: a form, and the graphics state that makes it transparent, or a font. */
const OBJECTS_PER_APPEARANCE = 2;

/** Lets MuPDF make the appearances of a page's annotations (0-based) that have none. */
export async function drawBare(
  open: OpenPdf,
  index: number,
  isWanted: (annotation: PDFObject) => boolean,
): Promise<void> {
  const { engine, document } = open;
  if (!(await hasAny(open, pageAt(open, index).get("Annots"), isWanted))) return;
  await drawn(open, async () => {
    const page = await engine.long.loadPage(document, index);
    const bare = page.getAnnotations().filter((annotation) => isWanted(annotation.getObject()));
    engine.reserveObjects(document, bare.length * OBJECTS_PER_APPEARANCE);
    // A change, even to the same flags, makes it outdated. MuPDF looks at all annotations of the page after each change, so all are changed first.
    for (const annotation of bare) {
      await engine.work.pause();
      annotation.setFlags(annotation.getFlags());
    }
    for (const annotation of bare) {
      engine.work.spend(WIDGET_WORK);
      await engine.work.pause();
      await engine.long.updateAnnotation(annotation);
    }
    page.destroy();
  });
}

/** Fuel per widget or annotation. Each is some thirty calls into MuPDF. */
const WIDGET_WORK = 5_000;

/** The appearances drawn on pages. Pages with one list of annotations and one box share a sheet, unless tags distinguish their annotations. */
class Sheets {
  readonly #open: OpenPdf;
  readonly #tags: FormTags | undefined;
  readonly #shared = new Map<readonly PDFObject[], Map<string, PDFObject>>();

  constructor(open: OpenPdf, tags: FormTags | undefined) {
    this.#open = open;
    this.#tags = tags;
  }

  async of(page: PDFObject, annotations: readonly PDFObject[]): Promise<PDFObject> {
    if (this.#tags) return sheetOf(this.#open, page, annotations, this.#tags);
    const { box, rotation } = visiblePage(page);
    const place = `${box.join(" ")} ${rotation}`;
    const shared = this.#shared.get(annotations) ?? new Map<string, PDFObject>();
    const sheet = shared.get(place) ?? (await sheetOf(this.#open, page, annotations, undefined));
    this.#shared.set(annotations, shared.set(place, sheet));
    return sheet;
  }
}

/** All widgets of a page as one form: a page may have thousands, and its own resources stay unchanged. */
async function sheetOf(
  open: OpenPdf,
  page: PDFObject,
  widgets: readonly PDFObject[],
  tags: FormTags | undefined,
): Promise<PDFObject> {
  const { document, engine } = open;
  const { box, rotation } = visiblePage(page);
  const resources = document.addObject({ XObject: {}, Properties: {} });
  const shows: string[] = [];
  for (const [index, widget] of widgets.entries()) {
    engine.work.spend(WIDGET_WORK);
    await engine.work.pause();
    const show = engine.scope(() => {
      const stream = appearanceOf(widget);
      const place = stream && placeOf(stream, widget, rotation);
      if (!stream || !place) return "";
      resources.get("XObject").put(`W${index}`, formOf(open, stream));
      const drawn = `q ${numbers(...place)} cm /W${index} Do Q`;
      const tag = tags?.elementOf(widget)
        ? `/${isWidget(widget) ? "Form" : "Annot"} <</MCID ${index}>> BDC`
        : "/Artifact BMC";
      const show = tags ? `${tag} ${drawn} EMC` : drawn;
      const layer = widget.get("OC");
      if (!layer.isDictionary()) return show;
      resources.get("Properties").put(`L${index}`, layer);
      return `/OC /L${index} BDC ${show} EMC`;
    });
    shows.push(show);
  }
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
function placeOf(stream: PDFObject, widget: PDFObject, rotation: number): Matrix | undefined {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = numbersOf(stream.get("Matrix"), 6) ?? [];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = numbersOf(stream.get("BBox"), 4) ?? [];
  const corners = [x0, x1].flatMap((x) => [y0, y1].map((y) => [a * x + c * y + e, b * x + d * y + f] as const));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, bottom] = [Math.min(...xs), Math.min(...ys)];
  const [wide, high] = [Math.max(...xs) - left, Math.max(...ys) - bottom];
  const [rx0 = 0, ry0 = 0, rx1 = 0, ry1 = 0] = numbersOf(widget.get("Rect"), 4) ?? [];
  const [scaleX, scaleY] = [Math.abs(rx1 - rx0) / wide, Math.abs(ry1 - ry0) / high];
  if (!(wide > 0 && high > 0 && scaleX > 0 && scaleY > 0)) return undefined;
  const [x, y] = [Math.min(rx0, rx1), Math.min(ry0, ry1)];
  const place: Matrix = [scaleX, 0, 0, scaleY, x - left * scaleX, y - bottom * scaleY];
  const turned = rotation !== 0 && (widget.get("F").asNumber() & NO_ROTATE) !== 0;
  return turned ? upright(place, rotation, x, Math.max(ry0, ry1)) : place;
}

/** Turns an annotation that stays upright on a rotated page around its upper left corner (12.5.3). */
function upright(place: Matrix, rotation: number, x: number, y: number): Matrix {
  const [cos, sin] = [
    Math.round(Math.cos((rotation * Math.PI) / 180)),
    Math.round(Math.sin((rotation * Math.PI) / 180)),
  ];
  return multiply(place, [cos, sin, -sin, cos, x - x * cos + y * sin, y - x * sin - y * cos]);
}

function numbersOf(array: PDFObject, count: number): number[] | undefined {
  const list = items(array).map((item) => item.asNumber());
  return list.length === count && list.every(Number.isFinite) ? list : undefined;
}

/** @param rest the remaining annotations of lists that pages may share, by their numbers */
export async function dropAnnotations(
  open: OpenPdf,
  page: PDFObject,
  isGone: (annotation: PDFObject) => boolean,
  rest: Map<number, PDFObject | undefined>,
): Promise<void> {
  const annots = page.get("Annots");
  const number = objectNumber(annots);
  if (!rest.has(number)) {
    const left = await withoutAnnotations(open, annots, isGone);
    if (number > 0) rest.set(number, left);
    return put(page, left);
  }
  put(page, rest.get(number));
}

function put(page: PDFObject, annots: PDFObject | undefined): void {
  if (annots === undefined) page.delete("Annots");
  else page.put("Annots", annots);
}

/** The same list if nothing is removed, a new one, or undefined if nothing is left. */
async function withoutAnnotations(
  { document, engine }: OpenPdf,
  annots: PDFObject,
  isGone: (annotation: PDFObject) => boolean,
): Promise<PDFObject | undefined> {
  const kept: PDFObject[] = [];
  for await (const annotation of eachItem(engine, annots)) {
    engine.work.spend(WIDGET_WORK);
    if (!isGone(annotation)) kept.push(annotation);
  }
  if (!annots.isArray() || kept.length === annots.length) return annots.isNull() ? undefined : annots;
  if (kept.length === 0) return undefined;
  const list = document.newArray();
  for (const annotation of kept) list.push(annotation);
  return list;
}
