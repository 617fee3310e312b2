/**
 * Removes from fonts all traces of the letters of redacted text: the glyphs that only this text used, with their names, widths, and mappings to text
 * (ISO 32000-2, 9.6 to 9.10). A font that has lost a code keeps only the codes that are still shown. Otherwise a gap between the others would reveal
 * the lost code.
 */
import type { PDFObject } from "mupdf";
import { hex } from "../../../bytes/hex.ts";
import type { OpenPdf } from "../document/document.ts";
import { differencesOf } from "../fonts/encoding.ts";
import { cidMetrics } from "../fonts/metrics.ts";
import { eachObjectHaving } from "../objects/each-object.ts";
import { entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { findShownCodes, type ShownCodes } from "../optimize/shown-codes.ts";
import { findFormFonts, subsetFonts } from "../optimize/subset-fonts.ts";
import { toUnicodeOf } from "../fonts/to-unicode.ts";
import { drawCodes, isStillDrawn, type Pictures } from "./proof/glyph-programs.ts";
import { readToUnicode } from "../fonts/cmap.ts";

const SIMPLE = ["Type1", "MMType1", "TrueType", "Type3"];

/** Predefined CMaps whose codes have two bytes (9.7.5.2). */
const TWO_BYTES = /^Identity-[HV]$|-UCS2-|-UTF16-/;

/** Fuel per width. */
const METRIC_WORK = 10;

/** The codes that the document shows in each font. Undefined if some text cannot be decoded. */
export async function findCodes(open: OpenPdf): Promise<ShownCodes | undefined> {
  const { document, engine } = open;
  const codeBytes = new Map<number, 1 | 2>();
  await eachObjectHaving(open, { keys: ["Font", "Resources", "DR"] }, (object) => {
    // A direct font becomes an indirect object, so that it is found again.
    for (const resources of [object, object.get("Resources"), object.get("DR")]) {
      const fonts = resources.get("Font");
      if (!resources.isDictionary() || !fonts.isDictionary()) continue;
      for (const { key, value } of entries(engine, fonts)) {
        if (value.isDictionary() && objectNumber(value) === 0) fonts.put(key, document.addObject(value));
      }
    }
  });
  await eachObjectHaving(open, { keys: [], types: ["Font"] }, (font, number) => {
    if (!isNamed(font.get("Type"), "Font")) return;
    const encoding = font.get("Encoding");
    if (SIMPLE.some((name) => isNamed(font.get("Subtype"), name))) codeBytes.set(number, 1);
    else if (isNamed(font.get("Subtype"), "Type0") && encoding.isName() && TWO_BYTES.test(encoding.asName()))
      codeBytes.set(number, 2);
  });
  return findShownCodes(open, codeBytes);
}

/**
 * Reduces fonts that have lost a code to the codes that are still shown. `before`: the codes that were shown before. Fonts of forms are unchanged,
 * because new values may need any glyph. Returns the names of embedded fonts that may still have glyphs that only redacted text used. These are the
 * fonts of forms, fonts whose shown codes are unknown, and font files that are not understood, are too large for the memory, or still have a glyph.
 * Such a glyph is left because other readers may show it for a code that stays.
 */
export async function forgetCodes(open: OpenPdf, before: ShownCodes | undefined): Promise<string[]> {
  const { document, engine } = open;
  const shown = before && (await findCodes(open));
  const formFonts = await findFormFonts(open);
  const embedded = await embeddedFonts(open);
  if (!before || !shown) return namesOf(embedded.values());
  const forgetful = new Set<number>();
  for (const [font, codes] of before) {
    const left = shown.get(font);
    if (left && [...codes].some((code) => !left.has(code))) forgetful.add(font);
  }
  const lost = formFonts === "all" ? new Set<number>() : forgetful.difference(formFonts);
  const reduced = await withoutGlyphs(open, lost.intersection(embedded), before, shown);
  const kept = [...embedded].filter(([font]) => (forgetful.has(font) || !before.has(font)) && !reduced.has(font));
  for (const number of lost) {
    await engine.work.pause();
    const codes = shown.get(number) ?? new Set<number>();
    await engine.scope(async () => {
      const font = document.newIndirect(number);
      await keepMeanings(open, font, codes);
      if (isNamed(font.get("Subtype"), "Type0")) keepCids(open, font, codes);
      else keepSimpleCodes(open, font, codes);
    });
  }
  return namesOf(kept.map(([, name]) => name));
}

/** Removes the glyphs that are no longer shown from font files. Returns the fonts whose glyphs are verifiably gone. */
async function withoutGlyphs(
  open: OpenPdf,
  fonts: ReadonlySet<number>,
  before: ShownCodes,
  shown: ShownCodes,
): Promise<ReadonlySet<number>> {
  if (fonts.size === 0) return fonts;
  const leftOf = (font: number): ReadonlySet<number> =>
    (before.get(font) ?? new Set()).difference(shown.get(font) ?? new Set());
  const pictures = async (font: number, codes: Iterable<number>): Promise<Pictures | undefined> => {
    try {
      return await drawCodes(open, font, codes);
    } catch (error) {
      if (!open.engine.outlives(error)) throw error;
      return undefined;
    }
  };
  const first = new Map<number, Pictures | undefined>();
  for (const font of fonts) first.set(font, await pictures(font, leftOf(font)));
  const gone = new Set<number>();
  for (const font of (await subsetFonts(open, { fonts, shown })).intersection(fonts)) {
    const [was, now] = [first.get(font), await pictures(font, leftOf(font))];
    const others = await pictures(font, shown.get(font) ?? []);
    if (was && now && others && !isStillDrawn(open, { before: was, now }, others)) gone.add(font);
  }
  return gone;
}

const namesOf = (names: Iterable<string>): string[] => [...new Set(names)].toSorted();

/** The names of fonts with a font file in the document, by their object numbers. */
async function embeddedFonts(open: OpenPdf): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  await eachObjectHaving(open, { keys: [], types: ["Font"] }, (font, number) => {
    const descendant = font.get("DescendantFonts", 0);
    const descriptor = (descendant.isDictionary() ? descendant : font).get("FontDescriptor");
    // A CIDFont is reached through its Type 0 font.
    if (isNamed(font.get("Subtype"), "CIDFontType0") || isNamed(font.get("Subtype"), "CIDFontType2")) return;
    if (!["FontFile", "FontFile2", "FontFile3"].some((key) => descriptor.get(key).isStream())) return;
    const name = font.get("BaseFont");
    names.set(number, name.isName() ? name.asName() : `object ${number}`);
  });
  return names;
}

/** Fonts may share the objects that they refer to, so each gets its own. */
async function keepMeanings({ document, engine }: OpenPdf, font: PDFObject, codes: ReadonlySet<number>): Promise<void> {
  const stream = font.get("ToUnicode");
  if (!stream.isStream()) return;
  const buffer = stream.readStream();
  engine.countDecoded(buffer.getLength());
  const cmap = buffer.asUint8Array().slice();
  buffer.destroy();
  const meanings = await readToUnicode(cmap, engine.work);
  if (!meanings) return;
  const digits = isNamed(font.get("Subtype"), "Type0") ? 4 : 2;
  const kept = [...meanings]
    .filter(([code]) => codes.has(code))
    .sort(([a], [b]) => a - b)
    .map(([code, text]) => [code.toString(16).padStart(digits, "0"), hex(text)] as const);
  font.put("ToUnicode", document.addStream(toUnicodeOf(kept), {}));
}

function keepSimpleCodes(open: OpenPdf, font: PDFObject, codes: ReadonlySet<number>): void {
  const { document, engine } = open;
  const first = font.get("FirstChar").asNumber();
  if (font.get("Widths").isArray()) {
    const widths = document.newArray();
    for (const [index, width] of items(font.get("Widths")).entries()) {
      if (codes.has(first + index)) widths.push(width);
      else widths.push(0);
    }
    font.put("Widths", widths);
  }
  const names = new Set<string>();
  const differences = document.newArray();
  for (const [code, name] of differencesOf(font)) {
    if (!codes.has(code)) continue;
    differences.push(code);
    differences.push(name);
    names.add(name.asName());
  }
  if (font.get("Encoding", "Differences").isArray()) {
    const encoding = copyOf(open, font.get("Encoding"));
    encoding.put("Differences", differences);
    font.put("Encoding", encoding);
  }
  if (isNamed(font.get("Subtype"), "Type3")) {
    const glyphs = copyOf(open, font.get("CharProcs"));
    for (const { key } of entries(engine, font.get("CharProcs"))) if (!names.has(key.asName())) glyphs.delete(key);
    font.put("CharProcs", glyphs);
  }
  keepNoLists(open, font);
}

function keepCids(open: OpenPdf, font: PDFObject, codes: ReadonlySet<number>): void {
  const { document } = open;
  if (!["Identity-H", "Identity-V"].some((name) => isNamed(font.get("Encoding"), name))) return;
  const descendant = copyOf(open, font.get("DescendantFonts", 0));
  for (const [key, count] of [
    ["W", 1],
    ["W2", 3],
  ] as const) {
    if (descendant.get(key).isArray()) descendant.put(key, metricsOf(open, descendant.get(key), count, codes));
  }
  const map = descendant.get("CIDToGIDMap");
  if (map.isStream()) {
    const buffer = map.readStream();
    open.engine.countDecoded(buffer.getLength());
    const bytes = buffer.asUint8Array().slice();
    buffer.destroy();
    for (let cid = 0; cid * 2 < bytes.length; cid++) if (!codes.has(cid)) bytes.fill(0, cid * 2, cid * 2 + 2);
    descendant.put("CIDToGIDMap", document.addStream(bytes, {}));
  }
  keepNoLists(open, descendant);
  const descendants = document.newArray();
  descendants.push(document.addObject(descendant));
  font.put("DescendantFonts", descendants);
}

/** Widths (`count`: 1) or vertical metrics (3) of the CIDs that are shown. */
function metricsOf(
  { document, engine }: OpenPdf,
  array: PDFObject,
  count: 1 | 3,
  codes: ReadonlySet<number>,
): PDFObject {
  const kept = document.newArray();
  for (const { first, last, values } of cidMetrics(array, count)) {
    for (let cid = first; cid <= last; cid++) {
      engine.work.spend(METRIC_WORK);
      if (!codes.has(cid)) continue;
      const own = document.newArray();
      for (const value of values) own.push(value);
      kept.push(cid);
      kept.push(own);
    }
  }
  return kept;
}

/** Lists of the glyphs that a font has (9.8.1, 9.8.3.2). */
function keepNoLists(open: OpenPdf, font: PDFObject): void {
  if (!font.get("FontDescriptor").isDictionary()) return;
  const descriptor = copyOf(open, font.get("FontDescriptor"));
  for (const key of ["CharSet", "CIDSet"]) descriptor.delete(key);
  font.put("FontDescriptor", open.document.addObject(descriptor));
}

function copyOf({ document, engine }: OpenPdf, dictionary: PDFObject): PDFObject {
  const copy = document.newDictionary();
  for (const { key, value } of entries(engine, dictionary)) copy.put(key, value);
  return copy;
}
