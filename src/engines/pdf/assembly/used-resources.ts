/** The resources that a page uses (ISO 32000-2, 7.8.3). */
import type { PDFObject } from "mupdf";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, eachOrOnly, nameOf, objectNumber } from "../objects/objects.ts";
import type { Source, SourcePage } from "./source.ts";
import { usesPageResources, collectNames } from "../content/names.ts";
import { nestedIn } from "../content/streams.ts";

/** Categories whose entries content streams use by name. */
const NAMED = new Set(["XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties"]);

/** Color spaces that are used without being named (8.6.5.6). */
const DEFAULT_SPACES = ["DefaultGray", "DefaultRGB", "DefaultCMYK"];

/** Fuel per byte searched for names. */
const BYTE_WORK = 0.2;

/**
 * The page's resources without those that its content never names: many writers give all pages one dictionary with everything
 * in it. Named resources lose their own unused resources too, in the source. Anything that looks like a name counts as used, even in a
 * string or in image data: better too many than one too few. Resources stay unchanged if a form, a pattern or a Type 3 font uses those of
 * the content that draws it.
 */
export async function usedResources(source: Source, page: SourcePage): Promise<PDFObject> {
  const contents = page.attributes.get("Contents");
  const resources = (await trimmed(source, page.resources, eachOrOnly(source.open.engine, contents))) ?? page.resources;
  await trimNested(source, resources);
  return resources;
}

/** Resources without those that no content names; undefined if they stay unchanged. */
async function trimmed(
  { open: { engine, document } }: Source,
  resources: PDFObject,
  contents: AsyncIterable<PDFObject>,
): Promise<PDFObject | undefined> {
  if (!resources.isDictionary()) return undefined;
  const used = await namesIn(engine, contents);
  if (used === undefined) return undefined;

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
      if (engine.ranges) await engine.long.load(entry.value);
      if (usesPageResources(entry.value)) return undefined;
      category.put(entry.key, entry.value);
    }
    kept.put(key, category);
  }
  return dropped ? kept : undefined;
}

/** All names in content, and those that need not be in it; undefined if one of its streams cannot be decoded. */
async function namesIn(engine: PdfEngine, contents: AsyncIterable<PDFObject>): Promise<Set<string> | undefined> {
  const names = new Set<string>(DEFAULT_SPACES);
  for await (const stream of contents) {
    if (!stream.isStream()) continue;
    try {
      if (engine.ranges) await engine.long.loadStream(stream);
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

/** Trims what resources lead to: forms, patterns, soft masks, and Type 3 fonts. Each object once, since its content is the same wherever it is drawn. */
async function trimNested(source: Source, resources: PDFObject): Promise<void> {
  const { engine } = source.open;
  const { trimmed: done } = source.done;
  const pending = [resources];
  for (let from = pending.pop(); from; from = pending.pop()) {
    for await (const { kind, owner } of nestedIn(engine, from)) {
      const number = objectNumber(owner);
      if (number === 0 || done.has(number)) continue;
      done.add(number);
      const own = owner.get("Resources");
      if (!own.isDictionary()) continue;
      const contents = kind === "glyph" ? eachProcedure(engine, owner.get("CharProcs")) : eachOrOnly(engine, owner);
      const used = await trimmed(source, own, contents);
      if (used) owner.put("Resources", used);
      pending.push(owner.get("Resources"));
    }
  }
}

async function* eachProcedure(engine: PdfEngine, procedures: PDFObject): AsyncGenerator<PDFObject, void> {
  for await (const { value } of eachEntry(engine, procedures)) yield value;
}
