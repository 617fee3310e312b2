/** Removes annotations that are in a redacted area, or that lead to what is redacted (ISO 32000-2, 12.5). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import { eachItem, isNamed, items, objectNumber } from "../objects/objects.ts";
import { decodeText } from "../objects/text-string.ts";
import { isWithoutFile } from "./attachments.ts";
import type { Matcher } from "./matcher.ts";

/** Left, bottom, right, and top in units of the page. */
export type Area = readonly [number, number, number, number];

export interface AnnotationAreas {
  /** Every annotation that they touch goes. */
  readonly regions: readonly Area[];
  /** Links go. */
  readonly matches: readonly Area[];
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
    // A field whose only widget goes is nowhere to be seen, but would keep its value (12.7.4).
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
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = items(annotation.get("Rect")).map((item) => item.asNumber());
  const area: Area = [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)];
  if (regions.some((region) => overlaps(region, area))) return true;
  if (!isNamed(annotation.get("Subtype"), "Link")) return false;
  if (matches.some((match) => overlaps(match, area))) return true;
  return ["A", "PA"].some((key) => leadsTo(annotation.get(key), matcher, 0));
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

/** An address with the characters that its escapes stand for (RFC 3986, 2.1). */
function unescaped(address: string): string {
  try {
    return decodeURIComponent(address.replaceAll("+", " "));
  } catch {
    return address;
  }
}

const overlaps = (a: Area, b: Area): boolean => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
