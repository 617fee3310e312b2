/** Resources of content streams that have content themselves (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import { objectNumber } from "../objects/objects.ts";

/** A Resources dictionary and its identity. */
export interface Resources {
  readonly object: PDFObject;
  readonly id: string;
}

export type Category = "XObject" | "Pattern" | "ExtGState" | "Font";

/** Identifies an object by its number, or by `otherwise` if it has none. */
export function idOf(object: PDFObject, otherwise: string): string {
  const number = objectNumber(object);
  return number > 0 ? String(number) : otherwise;
}

/** The resources in which a form looks up names: its own, or those of the content that draws it (7.8.3). */
export function resourcesOf(form: PDFObject, outer: PDFObject): PDFObject {
  const own = form.get("Resources");
  return own.isDictionary() ? own : outer;
}

/** Whether an XObject is drawn by its content. One without a Subtype may be. */
export function isForm(object: PDFObject): boolean {
  if (!object.isStream()) return false;
  const subtype = object.get("Subtype");
  return !subtype.isName() || subtype.asName() !== "Image";
}

/** Whether graphics state parameters set (true) or clear (false) a soft mask; undefined if neither. */
export function maskOf(stack: readonly Resources[], name: string): boolean | undefined {
  for (const { object } of stack.toReversed()) {
    const state = object.get("ExtGState", name);
    if (state.isNull()) continue;
    const mask = state.get("SMask");
    return mask.isNull() ? undefined : mask.isDictionary();
  }
  return undefined;
}
