/** Which resources a page uses (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { Work } from "../../work.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, latin1, nameOf } from "../objects/objects.ts";
import type { Source, SourcePage } from "./source.ts";

/** Categories whose entries content streams ask for by name. */
const NAMED = new Set(["XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties"]);

const SLASH = 0x2f;
/** White space and delimiters (7.2.3). */
const ENDS_NAME = new Set(Array.from("\0\t\n\f\r /[]()<>{}%", (character) => character.charCodeAt(0)));
/** Fuel for a byte that is searched for names, and for a name that is read. */
const BYTE_WORK = 0.2;
const NAME_WORK = 30;
/** Longest name, in bytes, that a resource can have (Annex C). */
const MOST_NAME = 127 * 3;

/**
 * The page's resources without those that its content never names: many writers give all pages one dictionary with
 * everything in it. Whatever looks like a name counts as used, also in a string or in image data: rather too many than one
 * too few. Left as they are where a form, a pattern or a Type 3 font takes its resources from the page.
 */
export function usedResources(source: Source, page: SourcePage): PDFObject {
  const { engine, document } = source.open;
  const { resources } = page;
  if (!resources.isDictionary()) return resources;
  const used = namesIn(engine, page.attributes.get("Contents"));
  if (used === undefined) return resources;

  let dropped = false;
  const kept = document.newDictionary();
  for (const { key, value } of entries(engine, resources)) {
    if (!NAMED.has(key.asName()) || !value.isDictionary()) {
      kept.put(key, value);
      continue;
    }
    const category = document.newDictionary();
    for (const entry of entries(engine, value)) {
      if (!used.has(nameOf(engine, entry.key))) {
        dropped = true;
        continue;
      }
      if (takesResourcesFromPage(entry.value)) return resources;
      category.put(entry.key, entry.value);
    }
    kept.put(key, category);
  }
  return dropped ? kept : resources;
}

/** All names in a page's content; undefined where a stream of it cannot be decoded, which then says nothing. */
function namesIn(engine: PdfEngine, contents: PDFObject): Set<string> | undefined {
  const names = new Set<string>();
  for (const stream of contents.isArray() ? items(contents) : [contents]) {
    if (!stream.isStream()) continue;
    try {
      const buffer = stream.readStream();
      engine.countDecoded(buffer.getLength(), BYTE_WORK);
      collectNames(buffer.asUint8Array(), names, engine.work);
      buffer.destroy();
    } catch (error) {
      if (engine.isFailure(error)) return undefined;
      throw error;
    }
  }
  return names;
}

/** Reads the names where they lie: as a string, a large page's content would be twice as large. */
export function collectNames(content: Uint8Array, names: Set<string>, work: Work): void {
  for (let slash = content.indexOf(SLASH); slash >= 0; slash = content.indexOf(SLASH, slash + 1)) {
    work.spend(NAME_WORK);
    let end = slash + 1;
    while (end < content.length && end - slash <= MOST_NAME && !ENDS_NAME.has(content[end] ?? 0)) end++;
    names.add(unescapeName(latin1(content.subarray(slash + 1, end))));
  }
}

/** Whether what is drawn by content of its own takes the resources of the page that draws it. */
export function takesResourcesFromPage(object: PDFObject): boolean {
  if (!object.isDictionary() || object.get("Resources").isDictionary()) return false;
  const subtype = object.get("Subtype");
  if (subtype.isName() && (subtype.asName() === "Form" || subtype.asName() === "Type3")) return true;
  const pattern = object.get("PatternType");
  return pattern.isNumber() && pattern.asNumber() === 1;
}

/** `#` and two digits stand for a byte (7.3.5). */
function unescapeName(name: string): string {
  return name.replace(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}
