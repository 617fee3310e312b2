/**
 * Removes glyphs that no page shows from embedded fonts, and writes Type 1 fonts in the Compact Font Format. Keeps everything
 * that readers use to find a glyph, so that each reader finds the same glyphs as before. A font that is not fully understood
 * is left unchanged.
 */
import type { PDFObject } from "mupdf";
import { type NamedGlyphs, readNamedGlyphs, withoutUnusedCids, withoutUnusedNames } from "./cff-unused.ts";
import { ParseMeter } from "../../parse-meter.ts";
import type { OpenPdf } from "../document/document.ts";
import { eachObject } from "../objects/each-object.ts";
import { deflate } from "../../bytes/deflate.ts";
import { appearances } from "../content/streams.ts";
import { entries, isNamed, items, objectNumber } from "../objects/objects.ts";
import { alike, characterOfName, charactersOf } from "../fonts/encoding.ts";
import { findShownCodes, type ShownCodes } from "./shown-codes.ts";
import { decodedSize, largestSize } from "../objects/stream-size.ts";
import { glyphLookup } from "./truetype-lookup.ts";
import { cffOf } from "./type1-to-cff.ts";
import { readType1 } from "./type1-program.ts";
import { withoutUnusedGlyphs } from "./truetype-unused.ts";

/** Largest font file in bytes that is processed. */
const MOST_FONT_BYTES = 24 * 1024 * 1024;
/** The same for Type 1, which is read as text. */
const MOST_TYPE1_BYTES = 1024 * 1024;
/** Bytes of a map from all CIDs that there can be to glyphs. */
const MOST_MAP_BYTES = 2 * 65_536;
/** Times that a byte of Type 1 is read: it is decrypted twice and read as text. */
const TYPE1_READS = 16;
/** Maximum relative size of a font that is rewritten. */
const WORTH_IT = 0.95;
/** Marks the name of a font subset (ISO 32000-2, 9.9.2). */
const SUBSET_TAG = /^[A-Z]{6}\+/;
/** Kinds of simple fonts by their Subtype, the entry of their file, and its Subtype. */
const SIMPLE_KINDS: Readonly<Partial<Record<string, "TrueType" | "Type 1" | "CFF names">>> = {
  "TrueType FontFile2": "TrueType",
  "Type1 FontFile": "Type 1",
  "Type1 FontFile3 Type1C": "CFF names",
};
/** An encoding whose names are not known here. */
const EXPERT = "MacExpertEncoding";
/** Codes of whitespace, for which many fonts have no glyph. */
const SPACES = new Set([0x09, 0x0a, 0x0d, 0x20, 0xa0]);

/** A font whose mapping from codes to glyphs is understood. */
interface UsedFont {
  /** Object number of the font. */
  readonly font: number;
  readonly kind: "TrueType" | "Type 1" | "CFF names" | "TrueType CIDs" | "CFF CIDs";
  /** For a simple font: glyph names by code, where the encoding has one. */
  readonly names: ReadonlyMap<number, string>;
  /** Object number of a stream that maps CIDs to glyphs, two bytes each. */
  readonly cidToGid: number | undefined;
  /** Whether glyphs may be removed, if it is known which are shown. */
  readonly mayLose: boolean;
}

/** A font file as it is written. */
interface NewProgram {
  readonly data: Uint8Array;
  /** Whether it has lost glyphs. */
  readonly isSubset: boolean;
  /** The Subtype of a file in another format than before. */
  readonly subtype?: string;
}

/** Fonts that must lose glyphs, whether that makes the file smaller or not. */
interface Chosen {
  /** Object numbers. */
  readonly fonts: ReadonlySet<number>;
  /** The codes shown in all fonts. */
  readonly shown: ShownCodes;
}

/**
 * Reduces fonts to the glyphs that pages show. Keeps fonts of a form complete, since filling it in may need any glyph. Returns the object numbers of the fonts that
 * have lost glyphs.
 */
export async function subsetFonts(open: OpenPdf, chosen?: Chosen): Promise<ReadonlySet<number>> {
  const { document, engine } = open;
  const reduced = new Set<number>();
  const programs = await findPrograms(open, await findFormFonts(open));
  for (const [number, users] of programs) {
    if (chosen && !users.some(({ font }) => chosen.fonts.has(font))) programs.delete(number);
  }
  const fonts = [...programs.values()].flat();
  if (fonts.length === 0) return reduced;
  const isOneByte = (kind: UsedFont["kind"]): boolean => !kind.endsWith("CIDs");
  const codeBytes = new Map(fonts.map(({ font, kind }) => [font, isOneByte(kind) ? 1 : 2] as const));
  const shown = chosen?.shown ?? (await findShownCodes(open, codeBytes));
  for (const [number, users] of programs) {
    try {
      await engine.work.pause();
      const most = MOST_FONT_BYTES;
      const file = document.newIndirect(number);
      if (largestSize(file) > most && (await decodedSize(engine, file, most)) > most) continue;
      const program = engine.scope(() => programOf(open, number, users, shown));
      if (!program || (chosen && !program.isSubset)) continue;
      const bytes = await deflate(program.data);
      engine.scope(() => {
        const stream = document.newIndirect(number);
        if (!chosen && bytes.length > stream.get("Length").asNumber() * WORTH_IT) return;
        write(open, stream, users, program, bytes);
        if (program.isSubset) for (const { font } of users) reduced.add(font);
      });
    } catch (error) {
      if (!engine.outlives(error)) throw error;
    }
  }
  return reduced;
}

function write(
  { document }: OpenPdf,
  stream: PDFObject,
  users: readonly UsedFont[],
  { data, isSubset, subtype }: NewProgram,
  bytes: Uint8Array,
): void {
  stream.writeRawStream(bytes);
  stream.put("Filter", document.newName("FlateDecode"));
  stream.delete("DecodeParms");
  if (subtype !== undefined) {
    for (const key of ["Length1", "Length2", "Length3"]) stream.delete(key);
    stream.put("Subtype", document.newName(subtype));
  } else if (!stream.get("Length1").isNull()) stream.put("Length1", data.length);
  for (const { font: number } of users) {
    const font = document.newIndirect(number);
    const descendant = font.get("DescendantFonts", 0);
    const descriptor = (descendant.isDictionary() ? descendant : font).get("FontDescriptor");
    if (isSubset) for (const named of [font, descendant, descriptor]) addTag(named, stream.asIndirect());
    if (subtype === undefined) continue;
    descriptor.delete("FontFile");
    descriptor.put("FontFile3", stream);
  }
}

/** Object numbers of the fonts that values of form fields may be shown in, or `all`. */
export async function findFormFonts(open: OpenPdf): Promise<ReadonlySet<number> | "all"> {
  const root = open.document.getTrailer().get("Root");
  const form = root.get("AcroForm");
  // Hidden template pages contain text as well (12.7.8), and XFA finds fonts by their names.
  if (!form.get("XFA").isNull() || !root.get("Names", "Templates").isNull()) return "all";
  const fonts = new Set<number>();
  const add = (resources: PDFObject): void => {
    for (const { value } of entries(open.engine, resources.get("Font"))) fonts.add(objectNumber(value));
  };
  add(form.get("DR"));
  await eachObject(open, (object) => {
    if (!isNamed(object.get("Subtype"), "Widget")) return;
    for (const appearance of appearances(open.engine, object)) add(appearance.get("Resources"));
  });
  return fonts;
}

/** The fonts that use each font file, by its object number. Includes only files whose fonts are all understood. */
async function findPrograms(open: OpenPdf, formFonts: ReadonlySet<number> | "all"): Promise<Map<number, UsedFont[]>> {
  const programs = new Map<number, UsedFont[]>();
  const others = new Set<number>();
  await eachObject(open, (font) => {
    const isComposite = isNamed(font.get("Subtype"), "Type0");
    // A CIDFont is reached through its Type 0 font.
    if (!font.isDictionary() || nameIn(font, "Subtype").startsWith("CIDFont")) return;
    const descriptor = (isComposite ? font.get("DescendantFonts", 0) : font).get("FontDescriptor");
    const isOfForm = formFonts === "all" || formFonts.has(objectNumber(font));
    for (const key of ["FontFile", "FontFile2", "FontFile3"]) {
      const program = objectNumber(descriptor.get(key));
      if (program === 0) continue;
      const used = isComposite ? compositeFont(font, key) : simpleFont(font, key);
      if (used) {
        const users = programs.get(program) ?? [];
        users.push({ ...used, mayLose: used.mayLose && !isOfForm });
        programs.set(program, users);
      } else others.add(program);
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
  const subtype = nameIn(font, "Subtype");
  const format = nameIn(font.get("FontDescriptor", key), "Subtype");
  const kind = SIMPLE_KINDS[`${subtype} ${key} ${format}`.trim()];
  // Readers that have no Widths look for those of a Type 1 font in its file, and not in the Compact Font Format.
  if (!kind || (kind === "Type 1" && !font.get("Widths").isArray())) return undefined;
  const number = objectNumber(font);
  if (number === 0) return undefined;
  const names = new Map<number, string>();
  let code = 0;
  for (const item of items(font.get("Encoding", "Differences"))) {
    if (item.isNumber()) code = item.asNumber();
    else if (item.isName()) names.set(code++, item.asName());
  }
  // Without Widths, readers use those in the file or those they know for the name.
  const mayLose = font.get("Widths").isArray() && nameIn(font.get("Encoding"), "BaseEncoding") !== EXPERT;
  return { font: number, kind, names, cidToGid: undefined, mayLose: mayLose && nameIn(font, "Encoding") !== EXPERT };
}

/** Supports only codes that equal CIDs; other CMaps are not parsed here. */
function compositeFont(font: PDFObject, key: string): UsedFont | undefined {
  const cidFont = font.get("DescendantFonts", 0);
  const descriptor = cidFont.get("FontDescriptor");
  const file = descriptor.get(key);
  const map = cidFont.get("CIDToGIDMap");
  const number = objectNumber(font);
  if (!/^Identity-[HV]$/.test(nameIn(font, "Encoding")) || number === 0) return undefined;
  const [subtype, format] = [nameIn(cidFont, "Subtype"), nameIn(file, "Subtype")];
  const common = { font: number, names: new Map<number, string>(), mayLose: true };
  if (subtype === "CIDFontType2" && key === "FontFile2") {
    return { ...common, kind: "TrueType CIDs", cidToGid: map.isStream() ? objectNumber(map) : undefined };
  }
  const isCff = subtype === "CIDFontType0" && key === "FontFile3" && format === "CIDFontType0C";
  return isCff ? { ...common, kind: "CFF CIDs", cidToGid: undefined } : undefined;
}

/** The font file as it may be written, or undefined if it must stay as it is. */
function programOf(
  open: OpenPdf,
  number: number,
  users: readonly UsedFont[],
  shown: ShownCodes | undefined,
): NewProgram | undefined {
  const { document, engine } = open;
  const mayLose = shown !== undefined && users.every((font) => font.mayLose);
  if (users.every(({ kind }) => kind === "Type 1")) {
    const file = document.newIndirect(number).readStream().asUint8Array();
    if (file.length > MOST_TYPE1_BYTES) return undefined;
    const meter = new ParseMeter(engine.work, "font");
    meter.bytes(file.length * TYPE1_READS);
    return compactFont(file, users, mayLose ? shown : undefined, meter);
  }
  const data = mayLose ? subsetOf(open, number, users, shown) : undefined;
  return data && { data, isSubset: true };
}

/** A Type 1 font in the Compact Font Format: with the glyphs that are shown, or with all of them if that is not known. */
function compactFont(
  file: Uint8Array,
  users: readonly UsedFont[],
  shown: ShownCodes | undefined,
  meter: ParseMeter,
): NewProgram | undefined {
  const program = readType1(file);
  if (!program) return undefined;
  meter.element(program.outlines.size + program.subroutines.size);
  const used = shown && shownNames(program, users, shown);
  const data = cffOf(program, used ?? program.outlines.keys(), meter);
  return data && { data, isSubset: used !== undefined && used.size < program.outlines.size, subtype: "Type1C" };
}

/** The glyphs that any reader may show for the codes, or undefined if one is not found. */
function shownNames(
  program: Pick<NamedGlyphs, "encoding"> & { readonly outlines: ReadonlyMap<string, unknown> },
  users: readonly UsedFont[],
  shown: ShownCodes,
): Set<string> | undefined {
  const byCharacter = new Map<number, string[]>();
  for (const name of program.outlines.keys()) {
    const character = characterOfName(name);
    if (character === undefined) continue;
    const sharing = byCharacter.get(character) ?? [];
    sharing.push(name);
    byCharacter.set(character, sharing);
  }
  const used = new Set<string>();
  for (const { font, names } of users) {
    for (const code of shown.get(font) ?? []) {
      const name = names.get(code);
      const own = name === undefined ? undefined : characterOfName(name);
      const characters = [...charactersOf(code), ...(own === undefined ? [] : [own])].flatMap(alike);
      const candidates = [
        name,
        program.encoding.get(code),
        ...characters.flatMap((each) => byCharacter.get(each) ?? []),
      ];
      const found = candidates.filter((each) => each !== undefined && program.outlines.has(each));
      if (found.length === 0 && !SPACES.has(code)) return undefined;
      for (const each of found) if (each !== undefined) used.add(each);
    }
  }
  return used;
}

/** The reduced font file, or undefined if it must stay complete. */
function subsetOf(
  open: OpenPdf,
  number: number,
  users: readonly UsedFont[],
  shown: ShownCodes,
): Uint8Array | undefined {
  const { document, engine } = open;
  const meter = new ParseMeter(engine.work, "font");
  const maps = new Map<number, Uint8Array>();
  for (const { cidToGid } of users) {
    if (cidToGid === undefined || maps.has(cidToGid)) continue;
    const map = document.newIndirect(cidToGid).readStream().asUint8Array().slice(0, MOST_MAP_BYTES);
    meter.element(map.length / 2);
    maps.set(cidToGid, map);
  }
  // The heap does not move until this is no longer needed.
  const file = document.newIndirect(number).readStream().asUint8Array();
  meter.bytes(file.length);
  try {
    if (users.some(({ kind }) => kind === "Type 1")) return undefined;
    if (users.every(({ kind }) => kind === "CFF names")) {
      const named = readNamedGlyphs(file, meter);
      const used = named && shownNames(named, users, shown);
      const glyphs = used && new Set(Array.from(used, (name) => named.outlines.get(name) ?? 0));
      return glyphs && withoutUnusedNames(file, glyphs, meter);
    }
    if (users.some(({ kind }) => kind === "CFF names")) return undefined;
    if (users.some(({ kind }) => kind === "CFF CIDs")) {
      if (users.some(({ kind }) => kind !== "CFF CIDs")) return undefined;
      return withoutUnusedCids(file, new Set(users.flatMap(({ font }) => [...(shown.get(font) ?? [])])), meter);
    }
    const findsByCode = users.some(({ kind }) => kind === "TrueType");
    const lookup = findsByCode ? glyphLookup(file, meter) : undefined;
    const glyphs = new Set<number>();
    for (const { font, kind, names, cidToGid } of users) {
      const map = cidToGid === undefined ? undefined : maps.get(cidToGid);
      meter.element(shown.get(font)?.size ?? 0);
      for (const code of shown.get(font) ?? []) {
        if (kind !== "TrueType") glyphs.add(map ? ((map[code * 2] ?? 0) << 8) | (map[code * 2 + 1] ?? 0) : code);
        else {
          const found = lookup?.(code, names.get(code));
          if (!found || (found.size === 0 && !SPACES.has(code))) return undefined;
          for (const glyph of found) glyphs.add(glyph);
        }
      }
    }
    return withoutUnusedGlyphs(file, glyphs, { findsByCode, meter });
  } catch (error) {
    // A table is truncated.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Adds a subset tag to the name of a font. */
function addTag(object: PDFObject, number: number): void {
  if (!object.isDictionary()) return;
  for (const key of ["BaseFont", "FontName"]) {
    const name = nameIn(object, key);
    if (name === "" || SUBSET_TAG.test(name)) continue;
    const letters = Array.from({ length: 6 }, (_, place) => 65 + (Math.floor(number / 26 ** (5 - place)) % 26));
    object.put(key, object._doc.newName(`${String.fromCharCode(...letters)}+${name}`));
  }
}
