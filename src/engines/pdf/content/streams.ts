/** Every content stream of a document, with the resources its names refer to (ISO 32000-2, 7.8). */
import type { PDFObject } from "mupdf";
import { limits } from "../../../limits.ts";
import { concat } from "../../../bytes/concat.ts";
import type { OpenPdf } from "../document/document.ts";
import type { PdfEngine } from "../mupdf/mupdf.ts";
import { eachEntry, eachItem, entries, items, objectNumber, isNamed } from "../objects/objects.ts";
import { pageAt } from "../document/page-tree.ts";

import { type Category, resourcesOf } from "./resources.ts";

export type ContentKind = "page" | "form" | "pattern" | "glyph";

export interface Content {
  readonly kind: ContentKind;
  /** The page, or the stream itself. */
  readonly owner: PDFObject;
  /** A single stream, or the parts of a page's content, which are read as one. */
  readonly streams: readonly PDFObject[];
  readonly resources: PDFObject;
  /** Those of the contents around it, from the outermost, in which readers look up names that its own lack. */
  readonly outer: readonly PDFObject[];
}

/** Fuel per resource that may have content. */
const RESOURCE_WORK = 200;

/** Reads content. It may be long, so it should yield to other requests. */
type Visit = (content: Content) => Promise<void>;

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
      await visit({ kind: "page", owner: page, streams: streamsOf(page), resources, outer: [] });
      await visitResources(engine, [resources], seen, visit);
      for await (const annotation of eachItem(engine, page.get("Annots"))) {
        for (const form of appearances(engine, annotation)) await visitForm(engine, form, [resources], seen, visit);
      }
    });
  }
}

/** The streams of a page's content. */
export function streamsOf(page: PDFObject): PDFObject[] {
  const contents = page.get("Contents");
  return (contents.isArray() ? items(contents) : [contents]).filter((stream) => stream.isStream());
}

/** The appearance of an annotation in its current state (12.5.5); undefined if it has none. */
export function appearanceOf(annotation: PDFObject): PDFObject | undefined {
  const normal = annotation.get("AP", "N");
  if (normal.isStream()) return normal;
  const state = annotation.get("AS");
  if (!normal.isDictionary() || !state.isName()) return undefined;
  const appearance = normal.get(state);
  return appearance.isStream() ? appearance : undefined;
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
  outer: readonly PDFObject[],
  seen: Set<number>,
  visit: Visit,
  kind: ContentKind = "form",
): Promise<void> {
  const number = objectNumber(form);
  if (outer.length > limits.contents.nesting + 1 || seen.has(number) || !form.isStream()) return;
  seen.add(number);
  await visit({ kind, owner: form, streams: [form], resources: resourcesOf(form, innermost(outer)), outer });
  await visitResources(engine, [...outer, form.get("Resources")], seen, visit);
}

const innermost = (all: readonly PDFObject[]): PDFObject => {
  const last = all.at(-1);
  if (last === undefined) throw new Error("contents are within a page");
  return last;
};

/** @param all the resources to visit, after those around them */
async function visitResources(
  engine: PdfEngine,
  all: readonly PDFObject[],
  seen: Set<number>,
  visit: Visit,
): Promise<void> {
  const resources = innermost(all);
  if (!resources.isDictionary() || visited(resources, seen)) return;
  for await (const { kind, owner } of nestedIn(engine, resources)) {
    if (kind !== "glyph") {
      await visitForm(engine, owner, all, seen, visit, kind);
    } else if (!visited(owner, seen)) {
      const named = resourcesOf(owner, resources);
      for await (const { value } of eachEntry(engine, owner.get("CharProcs"))) {
        if (value.isStream()) await visit({ kind, owner: value, streams: [value], resources: named, outer: all });
      }
      await visitResources(engine, [...all, owner.get("Resources")], seen, visit);
    }
  }
}

/** A form (or the group of a soft mask), a tiling pattern, or the Type 3 font of glyphs. */
export interface Nested {
  readonly kind: "form" | "pattern" | "glyph";
  readonly owner: PDFObject;
}

/** The resources that have content themselves, each time that they are named. */
export async function* nestedIn(engine: PdfEngine, resources: PDFObject): AsyncGenerator<Nested, void> {
  for await (const form of named(engine, resources, "XObject")) {
    if (isNamed(form.get("Subtype"), "Form")) yield { kind: "form", owner: form };
  }
  for await (const pattern of named(engine, resources, "Pattern")) {
    if (pattern.isStream()) yield { kind: "pattern", owner: pattern };
    else yield* maskOf(engine, pattern.get("ExtGState"));
  }
  for await (const state of named(engine, resources, "ExtGState")) yield* maskOf(engine, state);
  for await (const font of named(engine, resources, "Font")) {
    if (isNamed(font.get("Subtype"), "Type3")) yield { kind: "glyph", owner: font };
  }
}

/** The resources of a category. In a document that is read in ranges, each is fetched. */
async function* named(engine: PdfEngine, resources: PDFObject, category: Category): AsyncGenerator<PDFObject, void> {
  for await (const { value } of eachEntry(engine, resources.get(category))) {
    engine.work.spend(RESOURCE_WORK);
    if (engine.ranges) await engine.long.load(value);
    yield value;
  }
}

/** The group of the soft mask that graphics state parameters set. */
async function* maskOf(engine: PdfEngine, state: PDFObject): AsyncGenerator<Nested, void> {
  const group = state.get("SMask", "G");
  if (engine.ranges) await engine.long.load(group);
  if (group.isStream()) yield { kind: "form", owner: group };
}

/** Whether an object was seen before. Always false for direct objects. */
function visited(object: PDFObject, seen: Set<number>): boolean {
  const number = objectNumber(object);
  if (number === 0) return false;
  if (seen.has(number)) return true;
  seen.add(number);
  return false;
}

/** The decoded bytes of a content. A stream that cannot be read draws nothing; `isComplete`: whether all could be read. */
export async function readStreams(
  open: OpenPdf,
  streams: readonly PDFObject[],
): Promise<{ readonly bytes: Uint8Array; readonly isComplete: boolean }> {
  const parts: Uint8Array[] = [];
  for (const stream of streams) {
    const bytes = await readStream(open, stream);
    if (bytes) parts.push(bytes);
  }
  return { bytes: joined(parts), isComplete: parts.length === streams.length };
}

const LINE_END = Uint8Array.of(0x0a);

/** The content that streams form: operators may span them, but a token may not (7.8.2). */
export function joined(streams: readonly Uint8Array[]): Uint8Array {
  const [only = new Uint8Array()] = streams;
  return streams.length > 1 ? concat(streams.flatMap((stream) => [stream, LINE_END])) : only;
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
