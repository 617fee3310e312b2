import { createHash } from "node:crypto";
import { AnnotationMode, OPS, type PDFDocumentProxy, type PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { plain, plainRecord, record, structureOf, type Json, type Plain, type StructureNode } from "./pdfjs-values.ts";

/** Where a link, an outline entry or a name leads. */
export interface Target {
  /** 0-based; null where the destination does not resolve to a page of the document. */
  readonly page: number | null;
  /** The kind of fit and its numbers: `["XYZ", 72, 700, null]`. */
  readonly fit: readonly Json[];
}

export interface AnnotationView {
  readonly subtype: string;
  readonly rect: Json;
  readonly target: Target | undefined;
  readonly url: string | undefined;
  readonly fieldName: string | undefined;
  readonly hasAppearance: boolean;
  /** Contents of an attached file, hashed. */
  readonly fileHash: string | undefined;
  /** Everything else that pdf.js tells and that does not depend on object numbers: contents, flags, value, colors, ... */
  readonly rest: Plain;
}

export interface PageView {
  readonly text: string;
  readonly annotations: readonly AnnotationView[];
  readonly structure: StructureNode | undefined;
  /** `[x0, y0, x1, y1]` in user space: the CropBox cut to the MediaBox. */
  readonly view: Json;
  readonly rotate: number;
  readonly userUnit: number;
  /** Names of the drawing operators in order, hashed; only with `drawing`. An image that is gone changes them. */
  readonly drawing: { readonly content: string; readonly withAnnotations: string } | undefined;
}

/** Width and height of a page as it is shown, in points: with its rotation and UserUnit. */
export function shownSize({ view, rotate, userUnit }: PageView): readonly [width: number, height: number] {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = view as number[];
  const [across, up] = [(x1 - x0) * userUnit, (y1 - y0) * userUnit];
  return rotate % 180 === 0 ? [across, up] : [up, across];
}

/** Left, top, right and bottom of a rectangle in user space on the page as it is shown, in points from its top left. */
export function shownArea({ view, rotate, userUnit }: PageView, rect: Json): readonly [number, number, number, number] {
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = view as number[];
  const [ax = 0, ay = 0, bx = 0, by = 0] = rect as number[];
  const [left, right] = [Math.min(ax, bx), Math.max(ax, bx)];
  const [bottom, top] = [Math.min(ay, by), Math.max(ay, by)];
  const shown: readonly [number, number, number, number] =
    rotate === 90
      ? [bottom - y0, left - x0, top - y0, right - x0]
      : rotate === 180
        ? [x1 - right, bottom - y0, x1 - left, top - y0]
        : rotate === 270
          ? [y1 - top, x1 - right, y1 - bottom, x1 - left]
          : [left - x0, y1 - top, right - x0, y1 - bottom];
  return [shown[0] * userUnit, shown[1] * userUnit, shown[2] * userUnit, shown[3] * userUnit];
}

const operatorNames = new Map(Object.entries(OPS).map(([name, code]) => [code, name]));

/** Follows a destination, explicit or by its name, to a page. */
export type Resolve = (destination: unknown) => Promise<Target>;

export function targetResolver(document: PDFDocumentProxy): Resolve {
  const places = new Map<string, number | null>();
  const pageOf = async (to: unknown): Promise<number | null> => {
    if (typeof to === "number") return Number.isInteger(to) && to >= 0 && to < document.numPages ? to : null;
    const { num, gen } = record(to);
    if (typeof num !== "number" || typeof gen !== "number") return null;
    const key = `${num} ${gen}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    // A reference to anything but a page in the page tree is refused.
    const index = await document.getPageIndex({ num, gen }).catch(() => null);
    places.set(key, index);
    return index;
  };
  return async (destination) => {
    const explicit = typeof destination === "string" ? await document.getDestination(destination) : destination;
    if (!Array.isArray(explicit)) return { page: null, fit: [] };
    const [to, kind, ...numbers] = explicit as unknown[];
    const name = record(kind)["name"];
    const fit = [typeof name === "string" ? name : null, ...numbers.map(plain)];
    if (name === "XYZ") {
      // ISO 32000-2, table 149: a zoom of 0 means the same as null, as does one that is missing.
      while (fit.length < 4) fit.push(null);
      if (fit[3] === 0) fit[3] = null;
    }
    return { page: await pageOf(to), fit };
  };
}

/** What names objects, or follows from something else that is compared. */
const annotationKeysLeftOut = new Set(
  (
    "id rect dest subtype url unsafeUrl fieldName hasAppearance annotationType popupRef inReplyTo structParent overlaidText " +
    "hasOwnCanvas textContent textPosition attachment attachmentId file fileId resetForm setOCGState kidIds pageIndex parentId noHTML isEditable " +
    "parentRect"
  ).split(" "),
);

export async function readPage(
  document: PDFDocumentProxy,
  page: PDFPageProxy,
  resolve: Resolve,
  drawing: boolean,
): Promise<PageView> {
  const content = await page.getTextContent();
  const text = content.items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
  const raw = ((await page.getAnnotations()) as unknown[]).map(record);
  const annotations: AnnotationView[] = [];
  for (const annotation of raw) {
    const { dest, url, unsafeUrl, fieldName, fileId } = annotation;
    const rest = Object.entries(plainRecord(annotation)).filter(([key]) => !annotationKeysLeftOut.has(key));
    annotations.push({
      subtype: String(annotation["subtype"]),
      rect: plain(annotation["rect"]),
      target: dest === undefined || dest === null ? undefined : await resolve(dest),
      url: typeof unsafeUrl === "string" ? unsafeUrl : typeof url === "string" ? url : undefined,
      fieldName: typeof fieldName === "string" ? fieldName : undefined,
      hasAppearance: annotation["hasAppearance"] === true,
      fileHash: typeof fileId === "string" ? hash(await document.getAttachmentContent(fileId)) : undefined,
      rest: Object.fromEntries(rest),
    });
  }
  const places = new Map(raw.map((annotation, index) => [String(annotation["id"]), index]));
  return {
    text,
    annotations,
    structure: structureOf(await page.getStructTree(), places),
    view: plain(page.view),
    rotate: page.rotate,
    userUnit: page.userUnit,
    drawing: drawing ? await readDrawing(page, annotations.length > 0) : undefined,
  };
}

async function readDrawing(
  page: PDFPageProxy,
  annotated: boolean,
): Promise<{ content: string; withAnnotations: string }> {
  const operators = async (annotationMode: number): Promise<string> => {
    const { fnArray } = await page.getOperatorList({ annotationMode });
    return hash(fnArray.map((code) => operatorNames.get(code) ?? code).join(" "));
  };
  const content = await operators(AnnotationMode.DISABLE);
  return { content, withAnnotations: annotated ? await operators(AnnotationMode.ENABLE) : content };
}

/** The content of an attached file, by its hash. */
export function hash(content: unknown): string {
  const bytes =
    content instanceof Uint8Array ? content : typeof content === "string" ? content : record(content)["content"];
  if (!(bytes instanceof Uint8Array) && typeof bytes !== "string") return "no content";
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
