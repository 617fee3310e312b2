/** Which resources a page uses (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { entries, items, nameOf } from "../objects/objects.ts";
import type { Source, SourcePage } from "./source.ts";
import { takesResourcesFromPage, collectNames } from "../content/names.ts";

/** Categories whose entries content streams ask for by name. */
const NAMED = new Set(["XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties"]);

/** Fuel for a byte that is searched for names. */
const BYTE_WORK = 0.2;

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
