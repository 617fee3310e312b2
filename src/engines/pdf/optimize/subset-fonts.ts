/**
 * Removes glyphs that no page shows from embedded fonts. Keeps everything that readers use to find a glyph, so that each
 * reader finds the same glyphs as before. A font that is not fully understood is left unchanged.
 */
import type { PDFObject } from "mupdf";
import { withoutUnusedCids } from "./cff-unused.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { deflate } from "../../bytes/deflate.ts";
import { isNamed } from "../objects/objects.ts";
import { items, objectNumber } from "../objects/objects.ts";
import { findShownCodes, type ShownCodes } from "./shown-codes.ts";
import { decodedSize, largestSize } from "../objects/stream-size.ts";
import { glyphLookup } from "./truetype-lookup.ts";
import { withoutUnusedGlyphs } from "./truetype-unused.ts";

/** Largest font file in bytes that is processed. */
const MOST_FONT_BYTES = 24 * 1024 * 1024;
/** Maximum relative size of a font that is rewritten. */
const WORTH_IT = 0.95;
/** Marks the name of a font subset (ISO 32000-2, 9.9.2). */
const SUBSET_TAG = /^[A-Z]{6}\+/;
/** Codes of whitespace, for which many fonts have no glyph. */
const SPACES = new Set([0x09, 0x0a, 0x0d, 0x20, 0xa0]);

/** A font whose mapping from codes to glyphs is understood. */
interface UsedFont {
  /** Object numbers of the font and of the objects that repeat its name: a CIDFont, the font descriptor. */
  readonly objects: readonly number[];
  readonly kind: "simple" | "TrueType CIDs" | "CFF CIDs";
  /** For a simple font: glyph names by code, where the encoding has one. */
  readonly names: ReadonlyMap<number, string>;
  /** Object number of a stream that maps CIDs to glyphs, two bytes each. */
  readonly cidToGid: number | undefined;
}

/** Reduces fonts to the glyphs that pages show. Skips documents with a form, since filling it in may need any glyph. */
export async function subsetFonts(open: OpenPdf): Promise<void> {
  const { document, engine } = open;
  const root = document.getTrailer().get("Root");
  // Hidden template pages contain text as well (12.7.8).
  if (root.get("AcroForm").isDictionary() || !root.get("Names", "Templates").isNull()) return;
  const programs = await findPrograms(open);
  const fonts = [...programs.values()].flat();
  if (fonts.length === 0) return;
  const codeBytes = new Map(fonts.map(({ objects: [font = 0], kind }) => [font, kind === "simple" ? 1 : 2] as const));
  const shown = await findShownCodes(open, codeBytes);
  if (!shown) return;
  for (const [number, users] of programs) {
    try {
      await engine.work.pause();
      const most = MOST_FONT_BYTES;
      const file = document.newIndirect(number);
      if (largestSize(file) > most && (await decodedSize(engine, file, most)) > most) continue;
      const subset = engine.scope(() => subsetOf(open, number, users, shown));
      if (!subset) continue;
      const bytes = await deflate(subset);
      engine.scope(() => {
        const stream = document.newIndirect(number);
        if (bytes.length > stream.get("Length").asNumber() * WORTH_IT) return;
        stream.writeRawStream(bytes);
        stream.put("Filter", document.newName("FlateDecode"));
        stream.delete("DecodeParms");
        if (!stream.get("Length1").isNull()) stream.put("Length1", subset.length);
        for (const { objects } of users) for (const named of objects) addTag(document.newIndirect(named), number);
      });
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    }
  }
}

/** The fonts that use each font file, by its object number. Includes only files whose fonts are all understood. */
async function findPrograms(open: OpenPdf): Promise<Map<number, UsedFont[]>> {
  const programs = new Map<number, UsedFont[]>();
  const others = new Set<number>();
  await eachObject(open, (font) => {
    const isComposite = isNamed(font.get("Subtype"), "Type0");
    // A CIDFont is reached through its Type 0 font.
    if (!font.isDictionary() || nameIn(font, "Subtype").startsWith("CIDFont")) return;
    const descriptor = (isComposite ? font.get("DescendantFonts", 0) : font).get("FontDescriptor");
    for (const key of ["FontFile", "FontFile2", "FontFile3"]) {
      const program = objectNumber(descriptor.get(key));
      if (program === 0) continue;
      const used = isComposite ? compositeFont(font, key) : simpleFont(font, key);
      if (used) programs.set(program, [...(programs.get(program) ?? []), used]);
      else others.add(program);
    }
  });
  for (const number of others) programs.delete(number);
  return programs;
}

const nameIn = (dictionary: PDFObject, key: string): string => {
  const name = dictionary.get(key);
  return name.isName() ? name.asName() : "";
};

function simpleFont(font: PDFObject, key: string): UsedFont | undefined {
  // Without Widths, readers use those in the file or those they know for the name.
  const isUnderstood = isNamed(font.get("Subtype"), "TrueType") && key === "FontFile2" && font.get("Widths").isArray();
  if (!isUnderstood || !font.get("FontDescriptor").isIndirect()) return undefined;
  const names = new Map<number, string>();
  let code = 0;
  for (const item of items(font.get("Encoding", "Differences"))) {
    if (item.isNumber()) code = item.asNumber();
    else if (item.isName()) names.set(code++, item.asName());
  }
  const objects = [font, font.get("FontDescriptor")].map(objectNumber);
  return { objects, kind: "simple", names, cidToGid: undefined };
}

/** Supports only codes that equal CIDs; other CMaps are not parsed here. */
function compositeFont(font: PDFObject, key: string): UsedFont | undefined {
  const cidFont = font.get("DescendantFonts", 0);
  const descriptor = cidFont.get("FontDescriptor");
  const file = descriptor.get(key);
  const map = cidFont.get("CIDToGIDMap");
  const objects = [font, cidFont, descriptor].map(objectNumber);
  if (!/^Identity-[HV]$/.test(nameIn(font, "Encoding")) || objects.includes(0)) return undefined;
  const [subtype, format] = [nameIn(cidFont, "Subtype"), nameIn(file, "Subtype")];
  const common = { objects, names: new Map<number, string>() };
  if (subtype === "CIDFontType2" && key === "FontFile2") {
    return { ...common, kind: "TrueType CIDs", cidToGid: map.isStream() ? objectNumber(map) : undefined };
  }
  const isCff = subtype === "CIDFontType0" && key === "FontFile3" && format === "CIDFontType0C";
  return isCff ? { ...common, kind: "CFF CIDs", cidToGid: undefined } : undefined;
}

/** The reduced font file, or undefined if it must stay complete. */
function subsetOf(
  open: OpenPdf,
  number: number,
  users: readonly UsedFont[],
  shown: ShownCodes,
): Uint8Array | undefined {
  const { document, engine } = open;
  const maps = users.map(({ cidToGid }) =>
    cidToGid === undefined ? undefined : document.newIndirect(cidToGid).readStream().asUint8Array().slice(),
  );
  // The heap does not move until this is no longer needed.
  const file = document.newIndirect(number).readStream().asUint8Array();
  engine.work.spend(file.length);
  try {
    if (users.some(({ kind }) => kind === "CFF CIDs")) {
      if (users.some(({ kind }) => kind !== "CFF CIDs")) return undefined;
      return withoutUnusedCids(file, new Set(users.flatMap(({ objects: [font = 0] }) => [...(shown.get(font) ?? [])])));
    }
    const findsByCode = users.some(({ kind }) => kind === "simple");
    const lookup = findsByCode ? glyphLookup(file) : undefined;
    const glyphs = new Set<number>();
    for (const [
      index,
      {
        objects: [font = 0],
        kind,
        names,
      },
    ] of users.entries()) {
      const map = maps[index];
      for (const code of shown.get(font) ?? []) {
        if (kind !== "simple") glyphs.add(map ? ((map[code * 2] ?? 0) << 8) | (map[code * 2 + 1] ?? 0) : code);
        else {
          const found = lookup?.(code, names.get(code));
          if (!found || (found.size === 0 && !SPACES.has(code))) return undefined;
          for (const glyph of found) glyphs.add(glyph);
        }
      }
    }
    return withoutUnusedGlyphs(file, glyphs, { findsByCode });
  } catch (error) {
    // A table is truncated.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Adds a subset tag to the name of a font. */
function addTag(object: PDFObject, number: number): void {
  for (const key of ["BaseFont", "FontName"]) {
    const name = nameIn(object, key);
    if (name === "" || SUBSET_TAG.test(name)) continue;
    const letters = Array.from({ length: 6 }, (_, place) => 65 + (Math.floor(number / 26 ** (5 - place)) % 26));
    object.put(key, object._doc.newName(`${String.fromCharCode(...letters)}+${name}`));
  }
}
