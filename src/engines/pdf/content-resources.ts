/** Resources of content streams, as far as what they draw is content itself (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "./mupdf.ts";
import { entries, nameOf, objectNumber } from "./objects.ts";

/** A Resources dictionary and what tells it from others. */
export interface Resources {
  readonly object: PDFObject;
  readonly id: string;
}

export type Category = "XObject" | "Pattern" | "ExtGState" | "Font";

/** Tells an object from others: by its number, or by another name where it has none. */
export function idOf(object: PDFObject, otherwise: string): string {
  const number = objectNumber(object);
  return number > 0 ? String(number) : otherwise;
}

/** Whether an XObject is drawn by its content; one that says nothing of itself may be. */
export function isForm(object: PDFObject): boolean {
  if (!object.isStream()) return false;
  const subtype = object.get("Subtype");
  return !subtype.isName() || subtype.asName() !== "Image";
}

/** Names of graphics state parameters that set a soft mask (true) or take it away (false). */
export function masksOf(engine: PdfEngine, stack: readonly Resources[]): Map<string, boolean> {
  const masks = new Map<string, boolean>();
  for (const { object } of stack) {
    for (const { key, value } of entries(engine, object.get("ExtGState"))) {
      const mask = value.get("SMask");
      if (!mask.isNull()) masks.set(nameOf(engine, key), mask.isDictionary());
    }
  }
  return masks;
}
