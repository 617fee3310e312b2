/**
 * Writes the program of a composite font anew, with the glyphs that MuPDF shows for its codes: those of one of its own fonts if the document has
 * embedded none. Codes, CIDs, and widths stay.
 */
import type { PDFObject } from "mupdf";
import { hex } from "../../../../bytes/hex.ts";
import { bytesOf, latin1 } from "../../../../bytes/latin1.ts";
import { ParseMeter } from "../../../parse-meter.ts";
import type { Collection, ShownGlyph } from "../../conformance/model/elements.ts";
import type { OpenPdf } from "../../document/document.ts";
import { nameIn } from "../../fonts/embedded-font.ts";
import { writeCodeMap } from "../../fonts/cmap.ts";
import { cidMetrics } from "../../fonts/metrics.ts";
import { SfntFont } from "../../fonts/sfnt.ts";
import { subset } from "../../fonts/subset.ts";
import { withSubsetTag } from "../../fonts/subset-tag.ts";
import { toUnicodeOf, utf16 } from "../../fonts/to-unicode.ts";
import { cidCffOf } from "../../fonts/type1-to-cff.ts";
import { ifUnderstood, UnknownFont } from "../../fonts/unknown-font.ts";
import { programOf } from "../../mupdf/font-programs.ts";
import { decimalOf } from "../../objects/objects.ts";
import { newDescriptor } from "./descriptors.ts";
import { codeBytes, type DrawnCode, showCodes } from "./drawn-codes.ts";
import { type GlyphSource, glyphSourceOf, isTrueType } from "./glyph-source.ts";
import { drawnOutlines } from "./outlines.ts";
import type { Rebuilt } from "./rebuild-simple.ts";
import { addCompressed } from "./streams.ts";

/** CIDs that there can be. */
const MOST_CIDS = 65_536;
/** CIDs above mean nothing in any character collection. */
const UNASSIGNED = 60_000;
/** Fuel per CID of a range of widths. */
const WIDTH_WORK = 10;

interface CodedGlyph {
  readonly code: Uint8Array;
  readonly cid: number;
  readonly width: number;
  readonly drawn: DrawnCode;
}

interface Built {
  readonly program: Uint8Array;
  /** The glyph of each CID in two bytes, for TrueType. */
  readonly glyphMap?: Uint8Array;
  readonly bbox: readonly [number, number, number, number];
}

/** Undefined if the program or the codes are not understood, and the font stays unchanged. */
export async function rebuildCompositeFont(
  open: OpenPdf,
  font: PDFObject,
  shown: readonly ShownGlyph[],
  isUnknown: boolean,
): Promise<Rebuilt | undefined> {
  const { document, engine } = open;
  const codes = shown.map(codeBytes);
  const drawn = await showCodes(open, font, codes);
  if (!drawn || (isUnknown && !drawn.program.isSubstitute)) return undefined;
  const own = font.get("DescendantFonts", 0);
  const cids = await cidsOf(open, font, codes);
  const widths = widthsOf(open, own);
  const known = codes.flatMap((code, index): CodedGlyph[] => {
    const [cid, found] = [cids[index], drawn.codes[index]];
    return cid === undefined || !found || cid >= MOST_CIDS ? [] : [{ code, cid, width: widths(cid), drawn: found }];
  });
  if (known.length === 0) return undefined;
  // In the Compact Font Format, CID 0 stands for a missing glyph.
  const moved = isTrueType(drawn.program.bytes) ? undefined : withoutCid0(font, known);
  const glyphs = moved?.glyphs ?? known;
  const meter = new ParseMeter(engine.work, "font");
  const { bytes, isSubstitute } = drawn.program;
  const name = withSubsetTag(nameIn(own, "BaseFont") || nameIn(font, "BaseFont") || "Unnamed", font.asIndirect());
  const made = ifUnderstood(() =>
    isTrueType(bytes)
      ? buildTrueType(new SfntFont(bytes), glyphs, meter)
      : buildCff(glyphSourceOf(bytes, meter), glyphs, { name, info: own.get("CIDSystemInfo"), meter }),
  );
  if (!made) return undefined;
  await engine.scope(async () => {
    const descriptor = newDescriptor(document, own.get("FontDescriptor"), { name, bbox: made.bbox, isSymbolic: true });
    const [key, entries] = made.glyphMap
      ? (["FontFile2", { Length1: made.program.length }] as const)
      : (["FontFile3", { Subtype: "CIDFontType0C" }] as const);
    descriptor.put(key, await addCompressed(open, made.program, entries));
    // Other fonts may have the same descendant.
    const descendant = document.addObject(document.newDictionary());
    own.forEach((value, entry) => descendant.put(String(entry), value));
    descendant.put("Type", "Font");
    descendant.put("Subtype", made.glyphMap ? "CIDFontType2" : "CIDFontType0");
    descendant.put("BaseFont", name);
    descendant.put("FontDescriptor", descriptor);
    if (made.glyphMap) descendant.put("CIDToGIDMap", await addCompressed(open, made.glyphMap));
    else descendant.delete("CIDToGIDMap");
    const descendants = document.newArray();
    descendants.push(descendant);
    font.put("DescendantFonts", descendants);
    font.put("BaseFont", name);
    if (moved) {
      const { registry, ordering, supplement } = collectionOf(own.get("CIDSystemInfo"));
      const map = await addCompressed(open, bytesOf(moved.cmap), {
        Type: "CMap",
        CMapName: "Moved",
        WMode: moved.mode,
      });
      map.put("CIDSystemInfo", { Registry: `(${registry})`, Ordering: `(${ordering})`, Supplement: supplement });
      font.put("Encoding", map);
      const widthList = document.newArray();
      own.get("W").forEach((item) => widthList.push(item));
      widthList.push(moved.cid);
      widthList.push([widths(0)]);
      descendant.put("W", widthList);
    }
    if (!font.get("ToUnicode").isStream()) await writeToUnicode(open, font, glyphs);
  });
  return { isSubstitute };
}

/** The CIDs of codes, as MuPDF knows them: the glyphs of a font in which they are the same numbers. */
async function cidsOf(
  open: OpenPdf,
  font: PDFObject,
  codes: readonly Uint8Array[],
): Promise<readonly (number | undefined)[]> {
  const { document, engine } = open;
  const program = programOf(engine, new engine.mupdf.Font("Helvetica"));
  if (!program) return [];
  const stream = await addCompressed(open, program.bytes, { Subtype: "CIDFontType0C" });
  const copy = document.newDictionary();
  font.forEach((value, key) => copy.put(String(key), value));
  copy.put("DescendantFonts", [
    {
      Type: "Font",
      Subtype: "CIDFontType0",
      BaseFont: "Numbers",
      CIDSystemInfo: { Registry: "(Adobe)", Ordering: "(Identity)", Supplement: 0 },
      FontDescriptor: { Type: "FontDescriptor", FontName: "Numbers", Flags: 4, FontFile3: stream },
    },
  ]);
  const drawn = await showCodes(open, copy, codes);
  document.deleteObject(stream.asIndirect());
  return drawn?.codes.map((code) => code?.glyph) ?? [];
}

function widthsOf(open: OpenPdf, font: PDFObject): (cid: number) => number {
  const widths = new Map<number, number>();
  for (const { first, last, values } of cidMetrics(font.get("W"), 1)) {
    open.engine.work.spend(Math.max(0, last - first + 1) * WIDTH_WORK);
    const width = values[0] ? decimalOf(values[0]) : 0;
    for (let cid = first; cid <= last; cid++) widths.set(cid, width);
  }
  const usual = font.get("DW");
  return (cid) => widths.get(cid) ?? (usual.isNumber() ? decimalOf(usual) : 1000);
}

function buildTrueType(source: SfntFont, glyphs: readonly CodedGlyph[], meter: ParseMeter): Built {
  const places = new Map<string, number>();
  const inOrder: number[] = [];
  const widths: number[] = [];
  const last = glyphs.reduce((most, { cid }) => Math.max(most, cid), 0);
  const glyphMap = new Uint8Array((last + 1) * 2);
  for (const { cid, width, drawn } of glyphs) {
    meter.element();
    const glyph = drawn.glyph < source.glyphCount ? drawn.glyph : 0;
    const key = `${glyph} ${width}`;
    const place = places.get(key) ?? inOrder.push(glyph);
    places.set(key, place);
    widths[place - 1] = width;
    glyphMap.set([place >> 8, place & 255], cid * 2);
  }
  const program = subset(source, { inOrder, widths }, meter);
  if (!program) throw new UnknownFont();
  return { program, glyphMap, bbox: source.metrics.bbox };
}

function buildCff(
  source: GlyphSource,
  glyphs: readonly CodedGlyph[],
  { name, info, meter }: { readonly name: string; readonly info: PDFObject; readonly meter: ParseMeter },
): Built {
  meter.element(glyphs.length);
  const { outlines, box, ...rest } = drawnOutlines(source, glyphs);
  const byCid = new Map(outlines.map((outline, index) => [glyphs[index]?.cid ?? 0, outline]));
  const program = cidCffOf({ ...rest, name, outlines: byCid, ...collectionOf(info) });
  return { program, bbox: box };
}

function collectionOf(info: PDFObject): Collection {
  const textOf = (key: string): string => {
    const value = info.get(key);
    return value.isString() ? latin1(value.asByteString()) : "";
  };
  return {
    registry: textOf("Registry") || "Adobe",
    ordering: textOf("Ordering") || "Identity",
    supplement: info.get("Supplement").asNumber(),
  };
}

interface Moved {
  readonly glyphs: readonly CodedGlyph[];
  /** The new CID. */
  readonly cid: number;
  readonly cmap: string;
  readonly mode: 0 | 1;
}

/** Gives the code of CID 0 another CID. Undefined if it is not shown, or other codes than CIDs are in use. */
function withoutCid0(font: PDFObject, glyphs: readonly CodedGlyph[]): Moved | undefined {
  const name = nameIn(font, "Encoding");
  const cid = glyphs.reduce((most, each) => Math.max(most, each.cid), UNASSIGNED) + 1;
  if (!/^Identity-[HV]$/.test(name) || cid >= MOST_CIDS || !glyphs.some((each) => each.cid === 0)) return undefined;
  const isVertical = name.endsWith("V");
  const cmap = writeCodeMap("Moved", isVertical, [
    [0, 0, cid],
    [1, 0xffff, 1],
  ]);
  return {
    glyphs: glyphs.map((each) => (each.cid === 0 ? { ...each, cid } : each)),
    cid,
    cmap,
    mode: isVertical ? 1 : 0,
  };
}

/** Keeps the text, which may have depended on the program. */
async function writeToUnicode(open: OpenPdf, font: PDFObject, glyphs: readonly CodedGlyph[]): Promise<void> {
  const lengths = new Set(glyphs.map(({ code }) => code.length));
  const meanings = glyphs.flatMap(({ code, drawn }) =>
    drawn.text === "" ? [] : [[hex(code), utf16(drawn.text)] as const],
  );
  if (lengths.size === 1 && meanings.length > 0)
    font.put("ToUnicode", await addCompressed(open, bytesOf(toUnicodeOf(meanings))));
}
