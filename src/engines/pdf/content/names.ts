/** Names of resources in content, and where they are looked up (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import { latin1, bytesOf } from "../../bytes/latin1.ts";
import type { Work } from "../../work.ts";
import { unescapeName } from "../syntax/names.ts";

const SLASH = 0x2f;
/** Whitespace and delimiters (7.2.3). */
const ENDS_NAME = new Set(bytesOf("\0\t\n\f\r /[]()<>{}%"));
/** Fuel per name. */
const NAME_WORK = 30;
/** Longest name of a resource in bytes (Annex C). */
const MOST_NAME = 127 * 3;

/** Reads the names in place: as a string, the content of a large page would take twice the memory. */
export function collectNames(content: Uint8Array, names: Set<string>, work: Work): void {
  for (let slash = content.indexOf(SLASH); slash >= 0; slash = content.indexOf(SLASH, slash + 1)) {
    work.spend(NAME_WORK);
    let end = slash + 1;
    while (end < content.length && end - slash <= MOST_NAME && !ENDS_NAME.has(content[end] ?? 0)) end++;
    names.add(unescapeName(latin1(content.subarray(slash + 1, end))));
  }
}

/** Whether content of its own uses the resources of the page that draws it. */
export function usesPageResources(object: PDFObject): boolean {
  if (!object.isDictionary() || object.get("Resources").isDictionary()) return false;
  const subtype = object.get("Subtype");
  if (subtype.isName() && (subtype.asName() === "Form" || subtype.asName() === "Type3")) return true;
  const pattern = object.get("PatternType");
  return pattern.isNumber() && pattern.asNumber() === 1;
}
