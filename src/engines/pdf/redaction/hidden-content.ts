/**
 * Redacts content that pages do not show, or do not show as their own (ISO 32000-2, 8.7.3, 8.10, 9.6.4, 11.6.5, 12.5.5). These are forms,
 * appearances of annotations in all states, tiling patterns, soft masks, and glyphs of Type 3 fonts.
 */
import type { PDFObject } from "mupdf";
import { concat } from "../../../bytes/concat.ts";
import { ContentOperators } from "../content/operators.ts";
import { appearances, type Content, forEachContent, readStream, streamsOf } from "../content/streams.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { isNamed, items, objectNumber } from "../objects/objects.ts";
import { findUsed } from "../write/save.ts";
import type { CoverPages } from "./cover.ts";
import { asPage } from "../document/as-page.ts";
import { changeContent } from "../erasure/change-content.ts";
import { NOTHING } from "../erasure/erase-glyphs.ts";
import { shownStrings } from "./content-strings.ts";
import { searchFor } from "./strings.ts";
import type { Eraser } from "../erasure/eraser.ts";
import { eraseOnPage, MOST_ROUNDS } from "./erase.ts";
import type { Matcher } from "./matcher.ts";
import type { Original } from "./original.ts";
import type { PageMatch } from "./distinct-matches.ts";
import { boxesIn, findOnPage, matchAreas } from "./page-matches.ts";
import { type PageProof, proofOfPage } from "./proof/prove.ts";

interface Tools {
  readonly eraser: Eraser;
  readonly matcher: Matcher;
  readonly original: Original;
}

/**
 * Redacts hidden content on pages (0-based) and returns how many matches it had. Appearances of
 * annotations get boxes of their own: they lie over the content of the page, with the boxes there.
 */
export async function redactHidden(
  open: OpenPdf,
  pages: ReadonlySet<number>,
  tools: Tools,
  cover: CoverPages,
): Promise<number> {
  const { matcher } = tools;
  if (matcher.isEmpty) return 0;
  const { document, engine, pageCount } = open;
  const selected = new Set([...pages].map((index) => objectNumber(document.findPage(index))));
  let isSelected = false;
  /** Object numbers: handles are gone when the visit of a page ends. */
  const found: { number: number; resources: number; kind: Content["kind"] }[] = [];
  const overPage = new Set<number>();
  await forEachContent(open, async ({ kind, owner, resources }) => {
    if (kind === "page") {
      isSelected = selected.has(objectNumber(owner));
      for (const annotation of isSelected ? items(owner.get("Annots")) : [])
        for (const form of appearances(engine, annotation)) overPage.add(objectNumber(form));
    } else if (isSelected) found.push({ number: objectNumber(owner), resources: indirect(resources), kind });
  });
  if (pages.size === pageCount) {
    for (const { number, resources } of await unreachedContent(open, new Set(found.map((content) => content.number)))) {
      found.push({ number, resources, kind: "form" });
    }
  }
  let count = 0;
  for (const { number, resources, kind } of found) {
    if (number === 0) continue;
    const content = contentOf(open, number, resources);
    if (!(await asPage(open, content, () => hasMatch(open, matcher)))) continue;
    await tools.original.note();
    const { matches, proof } = await asPage(open, content, async () => {
      const redacted = await redactRounds(open, 0, tools);
      writeBack(open, number, kind);
      return redacted;
    });
    count += matches.length;
    if (kind !== "glyph") {
      // As written, and before boxes are drawn over it.
      const own = indirect(document.newIndirect(number).get("Resources"));
      await asPage(open, contentOf(open, number, own), async () => {
        await proof?.check({ unknownMayGo: false });
        if (!overPage.has(number)) return;
        await cover([{ index: 0, quads: boxesIn(matches) }]);
        writeBack(open, number, kind);
      });
    }
    await engine.work.pause();
  }
  return count;
}

/**
 * Redacts the strings that content of pages (0-based) shows, byte by byte and without their fonts. This covers text that no reader shows, such as
 * text without a size, and codes of fonts without a mapping to text. Returns the number of changed contents and the pages (0-based) that they are on.
 */
export async function redactBytes(
  open: OpenPdf,
  pages: ReadonlySet<number>,
  { eraser, matcher, original }: Tools,
): Promise<{ readonly count: number; readonly changed: ReadonlySet<number> }> {
  const changed = new Set<number>();
  if (matcher.isEmpty) return { count: 0, changed };
  const { document, engine } = open;
  const search = searchFor(open, matcher);
  const selected = new Map([...pages].map((index) => [objectNumber(document.findPage(index)), index]));
  const isIn = async (streams: readonly PDFObject[]): Promise<boolean> => {
    for (const stream of streams) {
      const shown = await shownStrings((await readStream(open, stream)) ?? new Uint8Array(), engine.work);
      for (const part of shown) if ((await search.find(part)).length > 0) return true;
    }
    return false;
  };
  let current: number | undefined;
  const found: { page: number | undefined; number: number; resources: number; kind: Content["kind"] }[] = [];
  await forEachContent(open, async ({ kind, owner, streams, resources }) => {
    const number = objectNumber(owner);
    if (kind === "page") current = selected.get(number);
    if (current === undefined || !(await isIn(streams))) return;
    changed.add(current);
    found.push({ page: kind === "page" ? current : undefined, number, resources: indirect(resources), kind });
  });
  if (found.length > 0) await original.note();
  const choice = { ...NOTHING, inBytes: (shown: Uint8Array) => search.find(shown) };
  for (const { page, number, resources, kind } of found) {
    engine.work.stage("redact");
    if (page !== undefined) await changeContent(open, page, eraser, choice);
    else if (number > 0) {
      await asPage(open, contentOf(open, number, resources), async () => {
        await changeContent(open, 0, eraser, choice);
        writeBack(open, number, kind);
      });
    }
  }
  return { count: found.length, changed };
}

/** The number of a dictionary. A direct dictionary becomes an indirect object. 0 if there is no dictionary. */
function indirect(dictionary: PDFObject): number {
  const number = objectNumber(dictionary);
  return number > 0 || !dictionary.isDictionary() ? number : objectNumber(dictionary._doc.addObject(dictionary));
}

/** Content that no page leads to: named appearances, templates of pages, default resources of forms (7.7.4, 12.7.3). */
async function unreachedContent(
  open: OpenPdf,
  known: ReadonlySet<number>,
): Promise<{ number: number; resources: number }[]> {
  const found: { number: number; resources: number }[] = [];
  const { reached } = await findUsed(open);
  await eachObjectHaving(open, { keys: ["Subtype", "PatternType", "Contents"] }, (object, number) => {
    if (reached[number] === 0) return;
    const isTemplate = isNamed(object.get("Type"), "Template");
    const isContent =
      object.isStream() && (isNamed(object.get("Subtype"), "Form") || object.get("PatternType").isNumber());
    const resources = (): number => indirect(object.get("Resources"));
    if (isContent && !known.has(number)) found.push({ number, resources: resources() });
    if (isTemplate)
      for (const stream of streamsOf(object)) found.push({ number: objectNumber(stream), resources: resources() });
  });
  return found;
}

/** Whether the content of the first page has a match. */
async function hasMatch(open: OpenPdf, matcher: Matcher): Promise<boolean> {
  const page = await open.engine.long.loadPage(open.document, 0);
  const text = await findOnPage(open, page, matcher, { annotations: false }).finally(() => page.destroy());
  return text.matches.length > 0;
}

/**
 * Finds matches in the content of a page alone, and erases them until none is found. Returns the matches of the first search, and a comparison of the
 * remaining text with the original.
 */
async function redactRounds(
  open: OpenPdf,
  index: number,
  tools: Tools,
): Promise<{ readonly matches: readonly PageMatch[]; readonly proof: PageProof | undefined }> {
  let first: { matches: readonly PageMatch[]; proof: PageProof } | undefined;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const page = await open.engine.long.loadPage(open.document, index);
    const { matches } = await findOnPage(open, page, tools.matcher, { annotations: false }).finally(() =>
      page.destroy(),
    );
    first ??= { matches, proof: await proofOfPage(open, index, { regions: [], matches: matchAreas(matches) }) };
    if (matches.length === 0) break;
    await eraseOnPage(open, index, tools, { matches, regions: [], round });
  }
  return first ?? { matches: [], proof: undefined };
}

const contentOf = (
  { document }: OpenPdf,
  number: number,
  resources: number,
): { contents: PDFObject; resources: PDFObject } => ({
  contents: document.newIndirect(number),
  resources: resources > 0 ? document.newIndirect(resources) : document.newDictionary(),
});

/** Writes the content that the first page shows to the stream that it comes from. */
function writeBack({ document }: OpenPdf, number: number, kind: Content["kind"]): void {
  const page = document.findPage(0);
  const stream = document.newIndirect(number);
  if (kind === "glyph") {
    // The glyph draws a match and is no longer shown. Its width is in its first operator (9.6.4).
    const operators = new ContentOperators(joined([stream]));
    operators.next();
    const width = [0, 1].map((index) => (operators.number(index) === undefined ? "0" : operators.text(index)));
    stream.writeStream(`${width.join(" ")} d0\n`);
    return;
  }
  stream.writeStream(joined(streamsOf(page)));
  stream.put("Resources", page.get("Resources"));
}

/** Content in one piece, byte by byte: its strings are in the encodings of their fonts. */
const joined = (streams: readonly PDFObject[]): Uint8Array =>
  concat(
    streams.flatMap((stream) => {
      const buffer = stream.readStream();
      const bytes = buffer.asUint8Array().slice();
      buffer.destroy();
      return [bytes, LINE_END];
    }),
  );

const LINE_END = Uint8Array.of(0x0a);
