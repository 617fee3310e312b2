/** Every content stream of a document, with the resources its names refer to (ISO 32000-2, 7.8). */
import type { PDFObject } from "mupdf";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, eachItem, entries, items, objectNumber, isNamed } from "../objects/objects.ts";
import { pageAt } from "../document/page-tree.ts";

export type ContentKind = "page" | "form" | "pattern" | "glyph";

export interface Content {
  readonly kind: ContentKind;
  /** The page, or the stream itself. */
  readonly owner: PDFObject;
  /** A single stream, or the parts of a page's content, which are read as one. */
  readonly streams: readonly PDFObject[];
  readonly resources: PDFObject;
}

/** Reads content. It may be long, so others should have their turn meanwhile. */
type Visit = (content: Content) => Promise<void>;

/** Maximum nesting of forms that is followed. */
const MOST_DEPTH = 64;

/**
 * Calls `visit` for the content of each page, and once for each form, pattern, glyph, and appearance reachable from pages.
 * Handles are valid during the visits of one page.
 */
export async function forEachContent(open: OpenPdf, visit: Visit): Promise<void> {
  const { engine, pageCount } = open;
  const seen = new Set<number>();
  for (let index = 0; index < pageCount; index++) {
    await engine.work.pause();
    await engine.scope(async () => {
      const page = pageAt(open, index);
      if (!page.isDictionary()) return;
      const resources = page.getInheritable("Resources");
      await visit({ kind: "page", owner: page, streams: streamsOf(page), resources });
      await visitResources(engine, resources, seen, visit, 0);
      for await (const annotation of eachItem(engine, page.get("Annots"))) {
        for (const form of appearances(engine, annotation)) await visitForm(engine, form, resources, seen, visit, 0);
      }
    });
  }
}

/** The streams of a page's content. */
export function streamsOf(page: PDFObject): PDFObject[] {
  const contents = page.get("Contents");
  return (contents.isArray() ? items(contents) : [contents]).filter((stream) => stream.isStream());
}

/** The appearance streams of an annotation in all states (12.5.5). */
export function appearances(engine: PdfEngine, annotation: PDFObject): PDFObject[] {
  if (!annotation.isDictionary()) return [];
  return entries(engine, annotation.get("AP")).flatMap(({ value }) => {
    if (value.isStream()) return [value];
    return entries(engine, value).flatMap((state) => (state.value.isStream() ? [state.value] : []));
  });
}

async function visitForm(
  engine: PdfEngine,
  form: PDFObject,
  outer: PDFObject,
  seen: Set<number>,
  visit: Visit,
  depth: number,
  kind: ContentKind = "form",
): Promise<void> {
  const number = objectNumber(form);
  if (depth > MOST_DEPTH || seen.has(number) || !form.isStream()) return;
  seen.add(number);
  const own = form.get("Resources");
  const resources = own.isDictionary() ? own : outer;
  await visit({ kind, owner: form, streams: [form], resources });
  await visitResources(engine, own, seen, visit, depth + 1);
}

async function visitResources(
  engine: PdfEngine,
  resources: PDFObject,
  seen: Set<number>,
  visit: Visit,
  depth: number,
): Promise<void> {
  if (!resources.isDictionary() || visited(resources, seen)) return;
  for await (const { value } of eachEntry(engine, resources.get("XObject"))) {
    if (isNamed(value.get("Subtype"), "Form")) await visitForm(engine, value, resources, seen, visit, depth);
  }
  for await (const { value } of eachEntry(engine, resources.get("Pattern"))) {
    if (value.isStream()) await visitForm(engine, value, resources, seen, visit, depth, "pattern");
    else await visitGraphicsState(value.get("ExtGState"), resources);
  }
  for await (const { value } of eachEntry(engine, resources.get("ExtGState")))
    await visitGraphicsState(value, resources);
  for await (const { value } of eachEntry(engine, resources.get("Font"))) {
    if (!isNamed(value.get("Subtype"), "Type3") || visited(value, seen)) continue;
    const own = value.get("Resources");
    const named = own.isDictionary() ? own : resources;
    for await (const glyph of eachEntry(engine, value.get("CharProcs"))) {
      if (glyph.value.isStream()) {
        await visit({ kind: "glyph", owner: glyph.value, streams: [glyph.value], resources: named });
      }
    }
    await visitResources(engine, own, seen, visit, depth + 1);
  }

  async function visitGraphicsState(state: PDFObject, outer: PDFObject): Promise<void> {
    const group = state.get("SMask", "G");
    if (group.isStream()) await visitForm(engine, group, outer, seen, visit, depth);
  }
}

/** Whether an object was seen before. Always false for direct objects. */
function visited(object: PDFObject, seen: Set<number>): boolean {
  const number = objectNumber(object);
  if (number === 0) return false;
  if (seen.has(number)) return true;
  seen.add(number);
  return false;
}

/** The decoded bytes of a content stream; undefined if it cannot be read, since then it draws nothing. */
export async function readStream({ engine }: OpenPdf, stream: PDFObject): Promise<Uint8Array | undefined> {
  if (!stream.isStream()) return undefined;
  try {
    const buffer = await engine.long.readStream(stream);
    engine.countDecoded(buffer.getLength());
    const bytes = buffer.asUint8Array().slice();
    buffer.destroy();
    return bytes;
  } catch (error) {
    if (!engine.isFailure(error)) throw error;
    return undefined;
  }
}
