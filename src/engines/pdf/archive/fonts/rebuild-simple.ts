/**
 * Writes a simple font anew, with the glyphs that MuPDF shows for its codes: those of one of its own fonts if the document has embedded none. Each
 * glyph has the width that the document declares.
 */
import type { PDFObject } from "mupdf";
import { bytesOf } from "../../../../bytes/latin1.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import type { OpenPdf } from "../../document/document.ts";
import { nameIn } from "../../fonts/embedded-font.ts";
import { baseName, differencesOf, STANDARD_ENCODING } from "../../fonts/encoding.ts";
import { SfntFont, symbolMap } from "../../fonts/sfnt.ts";
import { subset } from "../../fonts/subset.ts";
import { withSubsetTag } from "../../fonts/subset-tag.ts";
import { toUnicodeOf, utf16 } from "../../fonts/to-unicode.ts";
import type { Outline } from "../../fonts/type1-outlines.ts";
import { writeNamedCff } from "../../fonts/type1-to-cff.ts";
import { ifUnderstood, UnknownFont } from "../../fonts/unknown-font.ts";
import { decimalOf, items } from "../../objects/objects.ts";
import { newDescriptor } from "./descriptors.ts";
import { type DrawnCode, showCodes } from "./drawn-codes.ts";
import { type GlyphSource, glyphSourceOf, isTrueType } from "./glyph-source.ts";
import { type CodeOutline, drawnOutlines } from "./outlines.ts";
import { addCompressed } from "./streams.ts";

const NO_OUTLINE: Outline = { width: 0, steps: [] };
const ALL_CODES = Array.from({ length: 256 }, (_, code) => code);
export interface Rebuilt {
  /** Whether it is shown by another font than the document names, and not one with the same metrics. */
  readonly isSubstitute: boolean;
}

interface CodedGlyph {
  readonly code: number;
  /** Empty in TrueType. */
  readonly name: string;
  readonly width: number;
  readonly text: string;
}

interface Built {
  readonly program: Uint8Array;
  readonly isTrueType: boolean;
  readonly bbox: readonly [number, number, number, number];
  readonly glyphs: readonly CodedGlyph[];
}

/**
 * Undefined if the program is not understood, and the font stays unchanged.
 * @param codes that are shown
 * @param isOfForm whether other codes may be shown later
 * @param isUnknown whether the font has a program that only MuPDF may understand: if it does, the font stays, too
 */
export async function rebuildSimpleFont(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly number[],
  { isOfForm, isUnknown }: { readonly isOfForm: boolean; readonly isUnknown: boolean },
): Promise<Rebuilt | undefined> {
  const { document, engine } = open;
  const wanted = (isOfForm ? ALL_CODES : codes.toSorted((a, b) => a - b)).map((code) => Uint8Array.of(code));
  const drawn = await showCodes(open, font, wanted);
  if (!drawn) return undefined;
  const { bytes, isSubstitute } = drawn.program;
  if (isUnknown && !isSubstitute) return undefined;
  const meter = new ParseMeter(engine.work, "font");
  const shown = new Set(codes);
  const list = wanted.flatMap(([code = 0], index) => {
    const found = drawn.codes[index];
    return found && (shown.has(code) || found.glyph > 0) ? [{ code, drawn: found }] : [];
  });
  if (list.length === 0) return undefined;
  const name = withSubsetTag(nameIn(font, "BaseFont") || "Unnamed", font.asIndirect());
  const made = ifUnderstood(() => {
    const source = { font, list, name, meter };
    return isTrueType(bytes)
      ? buildTrueType(new SfntFont(bytes), source)
      : buildCff(glyphSourceOf(bytes, meter), source);
  });
  if (!made) return undefined;
  await engine.scope(async () => {
    const descriptor = newDescriptor(document, font.get("FontDescriptor"), {
      name,
      bbox: made.bbox,
      isSymbolic: made.isTrueType || /^(?:Symbol|ZapfDingbats)/.test(nameIn(font, "BaseFont")),
    });
    const [key, entries] = made.isTrueType
      ? (["FontFile2", { Length1: made.program.length }] as const)
      : (["FontFile3", { Subtype: "Type1C" }] as const);
    descriptor.put(key, await addCompressed(open, made.program, entries));
    font.put("Type", "Font");
    font.put("Subtype", made.isTrueType ? "TrueType" : "Type1");
    font.put("BaseFont", name);
    writeWidths(font, made.glyphs);
    if (made.isTrueType) {
      font.delete("Encoding");
      descriptor.put("Flags", (descriptor.get("Flags").asNumber() | SYMBOLIC) & ~NONSYMBOLIC);
    } else writeEncoding(font, made.glyphs);
    font.put("FontDescriptor", descriptor);
    await writeToUnicode(open, font, made.glyphs);
  });
  return { isSubstitute };
}

/** Bits of the flags of a descriptor. */
const [SYMBOLIC, NONSYMBOLIC] = [4, 32];

interface Sources {
  readonly font: PDFObject;
  readonly list: readonly { readonly code: number; readonly drawn: DrawnCode }[];
  readonly name: string;
  readonly meter: ParseMeter;
}

function buildCff(source: GlyphSource, { font, list, name, meter }: Sources): Built {
  const explicit = explicitNames(font);
  const widths = declaredWidths(font);
  const byName = new Map<string, CodeOutline>();
  /** Names by glyph, width, and name. */
  const known = new Map<string, string>();
  const glyphs: CodedGlyph[] = [];
  for (const { code, drawn } of list) {
    meter.element();
    const own = explicit(code);
    const wanted =
      own !== undefined && own !== ".notdef" ? own : drawn.glyph > 0 ? (source.names[drawn.glyph] ?? "") : `g${code}`;
    const width = widths(code) ?? drawn.advance;
    const key = `${drawn.glyph} ${width} ${wanted}`;
    let chosen = known.get(key) ?? wanted;
    // The same name for another glyph: a suffix does not change its meaning.
    for (let variant = 1; !known.has(key) && (chosen === ".notdef" || byName.has(chosen)); variant++)
      chosen = `${wanted}.${variant}`;
    if (!known.has(key)) byName.set(chosen, { drawn, width });
    known.set(key, chosen);
    glyphs.push({ code, name: chosen, width, text: drawn.text });
  }
  const { outlines, box, ...rest } = drawnOutlines(source, [...byName.values()]);
  const named = new Map([[".notdef", NO_OUTLINE]]);
  for (const [index, each] of [...byName.keys()].entries()) named.set(each, outlines[index] ?? NO_OUTLINE);
  const program = writeNamedCff({ ...rest, name, outlines: named, encoding: STANDARD_ENCODING });
  return { program, isTrueType: false, bbox: box, glyphs };
}

/** A symbolic font, whose program alone maps codes to glyphs. */
function buildTrueType(source: SfntFont, { font, list, meter }: Sources): Built {
  const declared = declaredWidths(font);
  const places = new Map<string, number>();
  const byCode = new Map<number, number>();
  const inOrder: number[] = [];
  const widths: number[] = [];
  const glyphs: CodedGlyph[] = [];
  for (const { code, drawn } of list) {
    meter.element();
    const width = declared(code) ?? drawn.advance;
    // Also the glyph of codes that have none, which becomes one.
    const glyph = drawn.glyph < source.glyphCount ? drawn.glyph : 0;
    const key = `${glyph} ${width}`;
    const place = places.get(key) ?? inOrder.push(glyph);
    places.set(key, place);
    widths[place - 1] = width;
    byCode.set(code, place);
    glyphs.push({ code, name: "", width, text: drawn.text });
  }
  const program = subset(source, { inOrder, widths, cmap: symbolMap(byCode) }, meter);
  if (!program) throw new UnknownFont();
  return { program, isTrueType: true, bbox: source.metrics.bbox, glyphs };
}

/** The names that the encoding of a font gives its codes. */
function explicitNames(font: PDFObject): (code: number) => string | undefined {
  const differences = new Map(Array.from(differencesOf(font), ([code, name]) => [code, name.asName()]));
  const base = nameIn(font, "Encoding") || nameIn(font, "Encoding", "BaseEncoding");
  const isNamed = /^(?:WinAnsi|MacRoman|Standard)Encoding$/.test(base);
  return (code) => differences.get(code) ?? (isNamed ? baseName(base, code) : undefined);
}

/** The widths that a font declares. Undefined for codes that have none. */
function declaredWidths(font: PDFObject): (code: number) => number | undefined {
  const first = font.get("FirstChar").asNumber();
  const widths = items(font.get("Widths")).map((width) => (width.isNumber() ? decimalOf(width) : undefined));
  return (code) => widths[code - first];
}

/** Keeps widths that cover all codes. */
function writeWidths(font: PDFObject, glyphs: readonly CodedGlyph[]): void {
  const codes = glyphs.map(({ code }) => code);
  const [first, last] = [font.get("FirstChar"), font.get("LastChar")];
  const declared = items(font.get("Widths"));
  const isWhole = first.isNumber() && last.isNumber() && declared.length === last.asNumber() - first.asNumber() + 1;
  if (isWhole && codes.every((code) => declared[code - first.asNumber()]?.isNumber())) return;
  const [from, to] = [Math.min(...codes), Math.max(...codes)];
  const widths = Array.from({ length: to - from + 1 }, () => 0);
  for (const { code, width } of glyphs) widths[code - from] = width;
  font.put("FirstChar", from);
  font.put("LastChar", to);
  font.put("Widths", widths);
}

/** Keeps an encoding that gives each code its name, together with that of the program, which is StandardEncoding. */
function writeEncoding(font: PDFObject, glyphs: readonly CodedGlyph[]): void {
  const explicit = explicitNames(font);
  const hasBase = font.get("Encoding").isName() || !font.get("Encoding", "BaseEncoding").isNull();
  const nameOf = (code: number): string | undefined =>
    explicit(code) ?? (hasBase ? undefined : STANDARD_ENCODING.get(code));
  if (glyphs.every(({ code, name }) => nameOf(code) === name)) return;
  const differences: (number | string)[] = [];
  let next = -1;
  for (const { code, name } of glyphs) {
    if (code !== next) differences.push(code);
    differences.push(name);
    next = code + 1;
  }
  font.put("Encoding", { Type: "Encoding", Differences: differences });
}

/** Keeps the text, which may have depended on the encoding or the program. */
async function writeToUnicode(open: OpenPdf, font: PDFObject, glyphs: readonly CodedGlyph[]): Promise<void> {
  if (font.get("ToUnicode").isStream()) return;
  const meanings = glyphs.flatMap(({ code, text }) =>
    text === "" ? [] : [[code.toString(16).padStart(2, "0"), utf16(text)] as const],
  );
  if (meanings.length > 0) font.put("ToUnicode", await addCompressed(open, bytesOf(toUnicodeOf(meanings))));
}
