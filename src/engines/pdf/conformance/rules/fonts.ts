/** Fonts (ISO 19005-1, 6.3; ISO 19005-2 and -3, 6.2.11; ISO 19005-4, 6.2.10). */
import { predefinedCollection } from "../model/cid-collections.ts";
import type { FontFacts, ShownGlyph } from "../model/elements.ts";
import { rulesOn, type ConformanceRule } from "./rule.ts";

const SUBTYPES = new Set(["Type1", "MMType1", "TrueType", "Type3", "Type0", "CIDFontType0", "CIDFontType2"]);
/** Formats in FontFile3. */
const FORMATS = new Set(["Type1C", "CIDFontType0C", "OpenType"]);
/** The difference between the widths in a dictionary and in a program that is allowed, in thousandths of the font size. */
const MOST_DIFFERENCE = 1;

const isSimple = ({ subtype }: FontFacts): boolean => subtype !== "Type0" && subtype !== "Type3";
/** In part 1, the standard 14 fonts need no widths. */
const needsWidths = (font: FontFacts): boolean => isSimple(font) && !font.isStandard;
const isTrueType = ({ subtype }: FontFacts): boolean => subtype === "TrueType";
const isVisibleGlyph = ({ font, isVisible }: ShownGlyph): boolean => isVisible && font.subtype !== "Type3";

function areCompatible(font: FontFacts, part: number): boolean {
  const { descendant } = font;
  if (!descendant || descendant.map.isIdentity) return true;
  const { collection, map } = descendant;
  if (!collection || !map.collection) return collection === map.collection;
  return (
    collection.registry === map.collection.registry &&
    collection.ordering === map.collection.ordering &&
    (part === 1 || collection.supplement <= map.collection.supplement)
  );
}

/** Whether a CIDSet has the bits of all CIDs of the program. */
function listsAllCids({ descendant, program }: FontFacts): boolean {
  const { cidSet } = descendant ?? {};
  if (!cidSet || !program?.cids) return true;
  return program.cids.every((cid) => cid === 0 || ((cidSet[cid >> 3] ?? 0) & (0x80 >> (cid & 7))) !== 0);
}

function listsAllNames({ charSet, program }: FontFacts): boolean {
  if (!charSet || !program?.glyphNames) return true;
  return [...program.glyphNames].every((name) => charSet.has(name));
}

/** Values that are no characters. */
const hasForbidden = (unicode: readonly number[] | undefined): boolean =>
  unicode?.some((unit) => unit === 0 || unit === 0xfeff || unit === 0xfffe) === true;

export const FONT_RULES: readonly ConformanceRule[] = [
  ...rulesOn("font", [
    {
      clauses: { 1: "6.3.2-1", 2: "6.2.11.2-1", 4: "6.2.10.2-1" },
      message: "A font dictionary has another Type than Font.",
      holds: ({ dictionary }, { document }) => document.name(dictionary, "Type") === "Font",
    },
    {
      clauses: { 1: "6.3.2-2", 2: "6.2.11.2-2", 4: "6.2.10.2-2" },
      message: "The Subtype of a font is not defined.",
      holds: ({ subtype }) => SUBTYPES.has(subtype ?? ""),
    },
    {
      clauses: { 1: "6.3.2-3", 2: "6.2.11.2-3", 4: "6.2.10.2-3" },
      message: "A font has no BaseFont.",
      holds: ({ subtype, baseFont }) => subtype === "Type3" || baseFont !== undefined,
    },
    {
      clauses: { 1: "6.3.2-4", 2: "6.2.11.2-4", 4: "6.2.10.2-4" },
      message: "A simple font has no FirstChar.",
      holds: (font) => !needsWidths(font) || font.firstCode !== undefined,
    },
    {
      clauses: { 1: "6.3.2-5", 2: "6.2.11.2-5", 4: "6.2.10.2-5" },
      message: "A simple font has no LastChar.",
      holds: (font) => !needsWidths(font) || font.lastCode !== undefined,
    },
    {
      clauses: { 1: "6.3.2-6", 2: "6.2.11.2-6", 4: "6.2.10.2-6" },
      message: "A simple font has no Widths, or another number of them than FirstChar and LastChar give.",
      holds: (font) =>
        !needsWidths(font) ||
        (font.widthCount !== undefined && font.widthCount === (font.lastCode ?? 0) - (font.firstCode ?? 0) + 1),
    },
    {
      clauses: { 1: "6.3.2-7", 2: "6.2.11.2-7", 4: "6.2.10.2-7" },
      message: "The Subtype of a font program is not defined.",
      holds: ({ programKey, programSubtype }, { part }) =>
        programKey !== "FontFile3" ||
        (FORMATS.has(programSubtype ?? "") && (part !== 1 || programSubtype !== "OpenType")),
    },
    {
      clauses: { 1: "6.3.3.1-1", 2: "6.2.11.3.1-1", 4: "6.2.10.3.1-1" },
      message: "The character collections of a CIDFont and of its CMap do not fit.",
      holds: (font, { part }) => areCompatible(font, part),
    },
    {
      clauses: { 1: "6.3.3.2-1", 2: "6.2.11.3.2-1", 4: "6.2.10.3.2-1" },
      message: "A CIDFont with TrueType outlines has no CIDToGIDMap.",
      holds: ({ descendant, hasProgram }) =>
        !descendant || descendant.subtype !== "CIDFontType2" || !hasProgram || descendant.hasGlyphMap,
    },
    {
      clauses: { 1: "6.3.3.3-1", 2: "6.2.11.3.3-1", 4: "6.2.10.3.3-1" },
      message: "A CMap is neither embedded nor predefined.",
      holds: ({ descendant }) => !descendant || descendant.map.name === undefined || descendant.map.isPredefined,
    },
    {
      clauses: { 1: "6.3.3.3-2", 2: "6.2.11.3.3-2", 4: "6.2.10.3.3-2" },
      message: "An embedded CMap has another WMode than its dictionary.",
      holds: ({ descendant }) => descendant?.map.declaredMode === descendant?.map.fileMode,
    },
    {
      clauses: { 2: "6.2.11.3.3-3", 4: "6.2.10.3.3-3" },
      message: "An embedded CMap uses another one that is not predefined.",
      holds: ({ descendant }) =>
        descendant?.map.base === undefined || predefinedCollection(descendant.map.base) !== undefined,
    },
    {
      clauses: { 1: "6.3.4-1", 2: "6.2.11.4.1-1", 4: "6.2.10.4.1-1" },
      message: "A font that is shown is not embedded.",
      holds: ({ subtype, isVisible, hasProgram }) => subtype === "Type3" || !isVisible || hasProgram,
    },
    {
      clauses: { 1: "6.3.5-2" },
      message: "The CharSet of a subset is missing, or does not list all its glyphs.",
      holds: (font) =>
        font.subtype !== "Type1" ||
        !font.isSubset ||
        !font.hasProgram ||
        (font.charSet !== undefined && listsAllNames(font)),
    },
    {
      clauses: { 2: "6.2.11.4.2-1" },
      message: "The CharSet of a subset does not list all glyphs of its program.",
      holds: (font) => font.subtype !== "Type1" || !font.isSubset || listsAllNames(font),
    },
    {
      clauses: { 1: "6.3.5-3" },
      message: "The CIDSet of a subset is missing, or does not list all its CIDs.",
      holds: (font) =>
        !font.descendant ||
        !font.isSubset ||
        !font.hasProgram ||
        (font.descendant.cidSet !== undefined && listsAllCids(font)),
    },
    {
      clauses: { 2: "6.2.11.4.2-2" },
      message: "The CIDSet of a subset does not list all CIDs of its program.",
      // The clause is about subsets. A program that is embedded as a whole has more CIDs than a CIDSet may list.
      holds: (font) => !font.isSubset || listsAllCids(font),
    },
    {
      clauses: { 2: "6.2.11.6-1", 4: "6.2.10.6-1" },
      message: "The program of a nonsymbolic TrueType font has no table for characters.",
      holds: (font) => {
        const { cmaps } = font.program ?? {};
        if (!isTrueType(font) || font.isSymbolic || !cmaps) return true;
        return cmaps.hasSymbol ? cmaps.count > 1 : cmaps.count > 0;
      },
    },
    {
      clauses: { 1: "6.3.7-1" },
      message: "A nonsymbolic TrueType font has another encoding than MacRomanEncoding and WinAnsiEncoding.",
      holds: (font) =>
        !isTrueType(font) ||
        font.isSymbolic ||
        (/^(?:MacRoman|WinAnsi)Encoding$/.test(font.encoding ?? "") && !font.hasDifferences),
    },
    {
      clauses: { 2: "6.2.11.6-2", 4: "6.2.10.6-2" },
      message:
        "A nonsymbolic TrueType font has another encoding than MacRomanEncoding and WinAnsiEncoding, or differences that are no Unicode characters.",
      holds: (font) =>
        !isTrueType(font) ||
        font.isSymbolic ||
        (/^(?:MacRoman|WinAnsi)Encoding$/.test(font.encoding ?? "") &&
          (!font.hasDifferences || font.differencesAreUnicode)),
    },
    {
      clauses: { 1: "6.3.7-2", 2: "6.2.11.6-3", 4: "6.2.10.6-3" },
      message: "A symbolic TrueType font has an encoding.",
      holds: (font) => !isTrueType(font) || !font.isSymbolic || !font.hasEncoding,
    },
    {
      clauses: { 1: "6.3.7-3" },
      message: "The program of a symbolic TrueType font has more or less than one table of characters.",
      holds: (font) => !isTrueType(font) || !font.isSymbolic || !font.program?.cmaps || font.program.cmaps.count === 1,
    },
    {
      clauses: { 2: "6.2.11.6-4", 4: "6.2.10.6-4" },
      message: "The program of a symbolic TrueType font has several tables of characters, and none for symbols.",
      holds: (font) => {
        const { cmaps } = font.program ?? {};
        return !isTrueType(font) || !font.isSymbolic || !cmaps || cmaps.count === 1 || cmaps.hasSymbol;
      },
    },
  ]),
  ...rulesOn("glyph", [
    {
      clauses: { 1: "6.3.5-1", 2: "6.2.11.4.1-2", 4: "6.2.10.4.1-2" },
      message: "A font program has no glyph for a code that is shown.",
      holds: (shown) => !isVisibleGlyph(shown) || shown.glyph?.isPresent !== false,
    },
    {
      clauses: { 1: "6.3.6-1", 2: "6.2.11.5-1", 4: "6.2.10.5-1" },
      message: "The width of a glyph in a font dictionary differs from that in the program.",
      holds: (shown) => {
        const { glyph, dictionaryWidth } = shown;
        if (!shown.isVisible || glyph?.width === undefined || dictionaryWidth === undefined) return true;
        return Math.abs(glyph.width - dictionaryWidth) <= MOST_DIFFERENCE + 1e-6;
      },
    },
    {
      clauses: { 2: "6.2.11.8-1", 4: "6.2.10.9-1" },
      message: "The .notdef glyph is shown.",
      holds: ({ glyph }) => glyph?.isNotdef !== true,
    },
    {
      clauses: { 2: "6.2.11.7.2-1" },
      level: "u",
      message: "A code that is shown has no Unicode value.",
      holds: ({ hasUnicode }) => hasUnicode,
    },
    {
      clauses: { 2: "6.2.11.7.2-2" },
      level: "u",
      message: "A ToUnicode CMap gives one of the values 0, FEFF, and FFFE.",
      holds: ({ unicode }) => !hasForbidden(unicode),
    },
    {
      clauses: { 4: "6.2.10.7-1" },
      message: "A ToUnicode CMap gives one of the values 0, FEFF, and FFFE.",
      holds: ({ unicode }) => !hasForbidden(unicode),
    },
  ]),
];
