/** The resources that a page uses (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, eachOrOnly, nameOf } from "../objects/objects.ts";
import type { Source, SourcePage } from "./source.ts";
import { usesPageResources, collectNames } from "../content/names.ts";

/** Categories whose entries content streams use by name. */
const NAMED = new Set(["XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties"]);

/** Fuel per byte searched for names. */
const BYTE_WORK = 0.2;

/**
 * The page's resources without those that its content never names: many writers give all pages one dictionary with everything
 * in it. Anything that looks like a name counts as used, even in a string or in image data: better too many than one too few.
 * Left unchanged if a form, a pattern or a Type 3 font uses the page's resources.
 */
export async function usedResources(source: Source, page: SourcePage): Promise<PDFObject> {
  const { engine, document } = source.open;
  const { resources } = page;
  if (!resources.isDictionary()) return resources;
  const used = await namesIn(engine, page.attributes.get("Contents"));
  if (used === undefined) return resources;

  let dropped = false;
  const kept = document.newDictionary();
  for await (const { key, value } of eachEntry(engine, resources)) {
    if (!NAMED.has(key.asName()) || !value.isDictionary()) {
      kept.put(key, value);
      continue;
    }
    const category = document.newDictionary();
    for await (const entry of eachEntry(engine, value)) {
      if (!used.has(nameOf(engine, entry.key))) {
        dropped = true;
        continue;
      }
      if (usesPageResources(entry.value)) return resources;
      category.put(entry.key, entry.value);
    }
    kept.put(key, category);
  }
  return dropped ? kept : resources;
}

/** All names in a page's content; undefined if one of its streams cannot be decoded. */
async function namesIn(engine: PdfEngine, contents: PDFObject): Promise<Set<string> | undefined> {
  const names = new Set<string>();
  for await (const stream of eachOrOnly(engine, contents)) {
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
