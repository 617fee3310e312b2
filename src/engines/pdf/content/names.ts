/** Names of resources in content, and where they are looked up (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { Work } from "../../work.ts";
import { possibleNames } from "../syntax/names.ts";

/** Fuel per name. */
const NAME_WORK = 30;
/** Longest name of a resource in bytes (Annex C). */
const MOST_NAME = 127 * 3;

/** Reads the names in place: as a string, the content of a large page would take twice the memory. */
export function collectNames(content: Uint8Array, names: Set<string>, work: Work): void {
  for (const name of possibleNames(content, MOST_NAME)) {
    work.spend(NAME_WORK);
    names.add(name);
  }
}

/** Whether an object's own content uses the resources of the page that draws it. */
export function usesPageResources(object: PDFObject): boolean {
  if (!object.isDictionary() || object.get("Resources").isDictionary()) return false;
  const subtype = object.get("Subtype");
  if (subtype.isName() && (subtype.asName() === "Form" || subtype.asName() === "Type3")) return true;
  const pattern = object.get("PatternType");
  return pattern.isNumber() && pattern.asNumber() === 1;
}
