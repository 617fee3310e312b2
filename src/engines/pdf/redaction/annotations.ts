/** Removes annotations in redacted areas and annotations that refer to redacted text (ISO 32000-2, 12.5). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { eachItem, isNamed, items, objectNumber } from "../objects/objects.ts";
import { decodeText } from "../objects/text-string.ts";
import { isWithoutFile } from "./attachments.ts";
import type { Matcher } from "./matcher.ts";

/** Left, bottom, right, and top in units of the page. */
export type RedactedBox = readonly [number, number, number, number];

export interface AnnotationAreas {
  /** Annotations that touch a region are removed. */
  readonly regions: readonly RedactedBox[];
  /** Links go. */
  readonly matches: readonly RedactedBox[];
}

/** Removes annotations of a page (0-based), and returns the numbers of the objects that are gone. */
export async function removeAnnotations(
  open: OpenPdf,
  index: number,
  areas: AnnotationAreas,
  matcher: Matcher,
): Promise<number[]> {
  const { document, engine } = open;
  const page = document.findPage(index);
  const annotations = page.get("Annots");
  const dropped: number[] = [];
  const kept = document.newArray();
  for await (const annotation of eachItem(engine, annotations)) {
    engine.work.spend(areas.regions.length + areas.matches.length);
    if (!goes(annotation, areas, matcher)) {
      kept.push(annotation);
      continue;
    }
    const number = objectNumber(annotation);
    if (number > 0) dropped.push(number);
    // A field whose only widget is removed is invisible, but would keep its value (12.7.4).
    const parent = annotation.get("Parent");
    const isField = isNamed(annotation.get("Subtype"), "Widget") && annotation.get("T").isNull();
    const kids = parent.get("Kids");
    if (isField && (!kids.isArray() || kids.length <= 1) && objectNumber(parent) > 0)
      dropped.push(objectNumber(parent));
    const popup = objectNumber(annotation.get("Popup"));
    if (popup > 0) dropped.push(popup);
  }
  if (annotations.isArray() && kept.length < annotations.length) page.put("Annots", kept);
  return dropped;
}

function goes(annotation: PDFObject, { regions, matches }: AnnotationAreas, matcher: Matcher): boolean {
  if (!annotation.isDictionary()) return false;
  if (isWithoutFile(annotation)) return true;
  const areas = areasOf(annotation);
  const isIn = (others: readonly RedactedBox[]): boolean =>
    areas.some((area) => others.some((one) => overlaps(one, area)));
  if (isIn(regions)) return true;
  if (!isNamed(annotation.get("Subtype"), "Link")) return false;
  if (isIn(matches)) return true;
  return ["A", "PA"].some((key) => leadsTo(annotation.get(key), matcher, 0));
}

/** Coordinates that viewers draw for an annotation without an appearance (12.5.6): the ends of a line, corners, strokes, a callout. */
const POINTS = ["L", "Vertices", "InkList", "CL", "QuadPoints"];

/** Lengths of the leader lines of a line (table 178). */
const LEADERS = ["LL", "LLE", "LLO"];

/** How far an ending of a line, such as an arrow, may reach beyond it, in line widths. */
const ENDING = 10;

/** Where an annotation is drawn: within its `/Rect`, and without an appearance, wherever its points are. */
function areasOf(annotation: PDFObject): RedactedBox[] {
  const rect = areaAround(annotation.get("Rect"), 0);
  if (annotation.get("AP").isDictionary()) return rect;
  const width = annotation.get("BS", "W").isNumber() ? annotation.get("BS", "W") : annotation.get("Border", 2);
  const line = width.isNumber() ? Math.abs(width.asNumber()) : 1;
  const ending = annotation.get("LE").isNull() ? 0 : ENDING * Math.max(1, line);
  const leaders = LEADERS.reduce((sum, key) => sum + Math.abs(annotation.get(key).asNumber()), 0);
  return [...rect, ...POINTS.flatMap((key) => areaAround(annotation.get(key), line + ending + leaders))];
}

/** The rectangle around points, which may be in arrays of an array, and a margin of it; none if there are no points. */
function areaAround(list: PDFObject, margin: number): RedactedBox[] {
  let [left, bottom, right, top] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (points: PDFObject, depth: number): void => {
    for (const [at, item] of items(points).entries()) {
      if (item.isArray()) {
        if (depth < 2) add(item, depth + 1);
        continue;
      }
      const value = item.asNumber();
      if (at % 2 === 0) [left, right] = [Math.min(left, value), Math.max(right, value)];
      else [bottom, top] = [Math.min(bottom, value), Math.max(top, value)];
    }
  };
  add(list, 0);
  return right >= left && top >= bottom ? [[left - margin, bottom - margin, right + margin, top + margin]] : [];
}

function leadsTo(action: PDFObject, matcher: Matcher, depth: number): boolean {
  if (!action.isDictionary() || depth > 8) return false;
  const address = action.get("URI");
  if (address.isString()) {
    const text = decodeText(address.asByteString());
    if (matcher.isIn(text) || matcher.isIn(unescaped(text))) return true;
  }
  const next = action.get("Next");
  return (next.isArray() ? items(next) : [next]).some((other) => leadsTo(other, matcher, depth + 1));
}

/** An address with its escapes decoded (RFC 3986, 2.1). */
function unescaped(address: string): string {
  try {
    return decodeURIComponent(address.replaceAll("+", " "));
  } catch {
    return address;
  }
}

const overlaps = (a: RedactedBox, b: RedactedBox): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
