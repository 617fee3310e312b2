/** Which resources a page uses (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import { limits } from "../../limits.ts";
import type { PdfEngine } from "./mupdf.ts";
import { entries, items, latin1, nameOf } from "./objects.ts";
import type { Source, SourcePage } from "./source.ts";

/** Categories whose entries content streams ask for by name. */
const NAMED = new Set(["XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties"]);

/** A name in a content stream, up to white space or a delimiter (7.2.3). */
const NAME = /\/([^\0\t\n\f\r /[\]()<>{}%]*)/g;

/**
 * The page's resources without those that its content never names: many writers give all pages one dictionary with
 * everything in it. Whatever looks like a name counts as used, also in a string or in image data: rather too many than one
 * too few. Left as they are where a form, a pattern or a Type 3 font takes its resources from the page.
 */
export function usedResources(source: Source, page: SourcePage): PDFObject {
  const { engine, document } = source.open;
  const { resources } = page;
  if (!resources.isDictionary()) return resources;
  const content = contentOf(engine, page.attributes.get("Contents"));
  if (content === undefined) return resources;
  const used = new Set<string>();
  for (const [, name = ""] of content.matchAll(NAME)) used.add(unescapeName(name));

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

function contentOf(engine: PdfEngine, contents: PDFObject): string | undefined {
  let text = "";
  for (const stream of contents.isArray() ? items(contents) : [contents]) {
    if (!stream.isStream()) continue;
    try {
      const buffer = stream.readStream();
      if (text.length + buffer.getLength() > limits.searchedContentBytes) return undefined;
      text += `${latin1(buffer.asUint8Array())}\n`;
      buffer.destroy();
    } catch (error) {
      // A content stream that cannot be decoded says nothing about what it uses.
      if (engine.isFailure(error)) return undefined;
      throw error;
    }
  }
  return text;
}

function takesResourcesFromPage(object: PDFObject): boolean {
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
