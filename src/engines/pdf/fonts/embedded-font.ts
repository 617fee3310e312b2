/** The fonts of a document with a font program, if the glyphs of their codes are known (ISO 32000-2, 9.6, 9.7, and 9.9). */
import type { PDFObject } from "mupdf";
import { ParseMeter } from "../../parse-meter.ts";
import type { Work } from "../../work.ts";
import { isNamed, objectNumber } from "../objects/objects.ts";
import { differencesOf } from "./encoding.ts";
import { CffFont } from "./cff.ts";
import { type GlyphLookup, lookupByNames, lookupByTables } from "./glyph-lookup.ts";
import { SfntFont } from "./sfnt.ts";
import { subset } from "./subset.ts";
import { Type1Font } from "./type1.ts";
import { ifUnderstood } from "./unknown-font.ts";

type Kind = "TrueType" | "Type 1" | "CFF names" | "TrueType CIDs" | "CFF CIDs";

/** A font whose codes are understood. */
export interface EmbeddedFont {
  /** Object number of the font. */
  readonly font: number;
  readonly kind: Kind;
  readonly codeBytes: 1 | 2;
  /** For a simple font: glyph names by code, where the encoding has differences. */
  readonly names: ReadonlyMap<number, string>;
  /** Object number of a stream that maps CIDs to glyphs, two bytes each. */
  readonly cidToGid: number | undefined;
  /** Whether glyphs may be removed, if it is known which are shown. */
  readonly mayLose: boolean;
}

/** Kinds of simple fonts by their Subtype, the entry of their file, and its Subtype. */
const SIMPLE_KINDS: Readonly<Partial<Record<string, Kind>>> = {
  "TrueType FontFile2": "TrueType",
  "Type1 FontFile": "Type 1",
  "Type1 FontFile3 Type1C": "CFF names",
};
/** An encoding whose names are not known here. */
const EXPERT = "MacExpertEncoding";
/** Codes of whitespace, for which many fonts have no glyph. */
const SPACES = new Set([0x09, 0x0a, 0x0d, 0x20, 0xa0]);

export function nameIn(dictionary: PDFObject, ...path: string[]): string {
  const name = dictionary.get(...path);
  return name.isName() ? name.asName() : "";
}

/** `key`: the entry of the descriptor that has the program. Undefined if it is not understood which glyphs the font shows. */
export function fontOf(font: PDFObject, key: string): EmbeddedFont | undefined {
  const number = objectNumber(font);
  if (number === 0) return undefined;
  return isNamed(font.get("Subtype"), "Type0") ? compositeFont(font, key) : simpleFont(font, key);
}

function simpleFont(font: PDFObject, key: string): EmbeddedFont | undefined {
  const format = nameIn(font, "FontDescriptor", key, "Subtype");
  const kind = SIMPLE_KINDS[`${nameIn(font, "Subtype")} ${key} ${format}`.trim()];
  const hasWidths = font.get("Widths").isArray();
  // Readers that have no Widths look for those of a Type 1 font in its file, and not in the Compact Font Format.
  if (!kind || (kind === "Type 1" && !hasWidths)) return undefined;
  const names = new Map(Array.from(differencesOf(font), ([code, name]) => [code, name.asName()]));
  const isExpert = nameIn(font, "Encoding") === EXPERT || nameIn(font, "Encoding", "BaseEncoding") === EXPERT;
  // Without Widths, readers use those in the file or those they know for the name.
  return { font: objectNumber(font), kind, codeBytes: 1, names, cidToGid: undefined, mayLose: hasWidths && !isExpert };
}

/** Supports only codes that equal CIDs. */
function compositeFont(font: PDFObject, key: string): EmbeddedFont | undefined {
  const cidFont = font.get("DescendantFonts", 0);
  const map = cidFont.get("CIDToGIDMap");
  if (!/^Identity-[HV]$/.test(nameIn(font, "Encoding"))) return undefined;
  const kind = `${nameIn(cidFont, "Subtype")} ${key} ${nameIn(cidFont, "FontDescriptor", key, "Subtype")}`;
  const common = { font: objectNumber(font), codeBytes: 2, names: new Map<number, string>(), mayLose: true } as const;
  if (kind.startsWith("CIDFontType2 FontFile2 "))
    return { ...common, kind: "TrueType CIDs", cidToGid: map.isStream() ? objectNumber(map) : undefined };
  return kind === "CIDFontType0 FontFile3 CIDFontType0C"
    ? { ...common, kind: "CFF CIDs", cidToGid: undefined }
    : undefined;
}

/** A font program as it may be written. */
export interface NewProgram {
  readonly data: Uint8Array;
  /** Whether it has lost glyphs. */
  readonly isSubset: boolean;
  /** The Subtype of a file in another format than before. */
  readonly subtype?: string;
}

/** Bytes of a map from all CIDs that there can be to glyphs. */
const MOST_MAP_BYTES = 2 * 65_536;

/** A font that uses a program, the codes that it shows, and its map from CIDs to glyphs. */
interface Use {
  readonly user: EmbeddedFont;
  readonly codes: ReadonlySet<number>;
  readonly map: Uint8Array | undefined;
}

/**
 * A font program with only the glyphs that its fonts show. Type 1 becomes the Compact Font Format, which is about half as large. `shown`: the codes
 * that each font shows, by its object number. If it is undefined or a font may not lose glyphs, the program keeps them all. `read`: the data of a
 * stream by its object number, until the next is read. Undefined if the program must stay unchanged, because it is not understood or cannot become
 * smaller.
 */
export function smallerProgram(
  program: number,
  users: readonly EmbeddedFont[],
  from: {
    readonly shown: ReadonlyMap<number, ReadonlySet<number>> | undefined;
    readonly read: (stream: number) => Uint8Array;
    readonly work: Work;
  },
): NewProgram | undefined {
  const meter = new ParseMeter(from.work, "font");
  const shown = users.every(({ mayLose }) => mayLose) ? from.shown : undefined;
  const isAll = (kind: string): boolean => users.every((user) => user.kind.startsWith(kind));
  if (!shown && !isAll("Type 1")) return undefined;
  // Fonts may share one.
  const maps = new Map<number, Uint8Array>();
  for (const { cidToGid = 0 } of users) {
    if (cidToGid === 0 || maps.has(cidToGid)) continue;
    const map = from.read(cidToGid).slice(0, MOST_MAP_BYTES);
    meter.element(map.length / 2);
    maps.set(cidToGid, map);
  }
  const uses = users.map((user): Use => ({
    user,
    codes: shown?.get(user.font) ?? new Set(),
    map: maps.get(user.cidToGid ?? 0),
  }));
  return ifUnderstood(() => {
    const file = from.read(program);
    if (isAll("Type 1")) return compactType1(new Type1Font(file, meter), shown && uses, meter);
    meter.bytes(file.length);
    const data = isAll("CFF names")
      ? namedSubset(new CffFont(file), uses, meter)
      : isAll("CFF CIDs")
        ? cidSubset(new CffFont(file), uses, meter)
        : isAll("TrueType")
          ? sfntSubset(new SfntFont(file), uses, meter)
          : undefined;
    return data && { data, isSubset: true };
  });
}

/** The glyphs that any reader may show for the codes, or undefined if one is not found. */
function shownGlyphs<Glyph>(uses: readonly Use[], glyphsFor: GlyphLookup<Glyph>): Set<Glyph> | undefined {
  const glyphs = new Set<Glyph>();
  for (const { user, codes } of uses) {
    for (const code of codes) {
      const found = glyphsFor(code, user.names.get(code));
      if (found.size === 0 && !SPACES.has(code)) return undefined;
      for (const glyph of found) glyphs.add(glyph);
    }
  }
  return glyphs;
}

function compactType1(font: Type1Font, uses: readonly Use[] | undefined, meter: ParseMeter): NewProgram | undefined {
  const used = uses && shownGlyphs(uses, lookupByNames(font.encoding, font.outlines));
  const data = subset(font, { names: used ?? font.outlines.keys() }, meter);
  return data && { data, isSubset: used !== undefined && used.size < font.outlines.size, subtype: "Type1C" };
}

function namedSubset(font: CffFont, uses: readonly Use[], meter: ParseMeter): Uint8Array | undefined {
  const { outlines, encoding } = font.namedGlyphs(meter);
  const used = shownGlyphs(uses, lookupByNames(encoding, outlines));
  const glyphs = used && new Set(Array.from(used, (name) => outlines.get(name) ?? 0));
  return glyphs && subset(font, { glyphs, findsByCode: true }, meter);
}

function cidSubset(font: CffFont, uses: readonly Use[], meter: ParseMeter): Uint8Array | undefined {
  const cids = new Set(uses.flatMap(({ codes }) => [...codes]));
  // In a font that is not keyed by CID, CIDs are glyph numbers.
  const numbers = font.isCidKeyed ? font.charset(meter).flatMap((cid, glyph) => (cids.has(cid) ? [glyph] : [])) : cids;
  return subset(font, { glyphs: new Set(numbers), findsByCode: false }, meter);
}

function sfntSubset(font: SfntFont, uses: readonly Use[], meter: ParseMeter): Uint8Array | undefined {
  const simple = uses.filter(({ user }) => user.codeBytes === 1);
  const findsByCode = simple.length > 0;
  const glyphs = findsByCode ? shownGlyphs(simple, lookupByTables(font, meter)) : new Set<number>();
  for (const { user, codes, map } of uses) {
    meter.element(codes.size);
    if (user.codeBytes === 1) continue;
    for (const cid of codes) glyphs?.add(map ? ((map[cid * 2] ?? 0) << 8) | (map[cid * 2 + 1] ?? 0) : cid);
  }
  return glyphs && subset(font, { glyphs, findsByCode }, meter);
}
