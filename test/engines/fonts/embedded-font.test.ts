import { PDFDocument, type PDFObject } from "mupdf";
import { describe, expect, test } from "vitest";
import { CffFont } from "../../../src/engines/pdf/fonts/cff.ts";
import { type EmbeddedFont, fontOf, smallerProgram } from "../../../src/engines/pdf/fonts/embedded-font.ts";
import { differencesOf } from "../../../src/engines/pdf/fonts/encoding.ts";
import { SfntFont } from "../../../src/engines/pdf/fonts/sfnt.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { boxFont, namedBoxFont } from "../../harness/fonts/cff-fixtures.ts";
import { smallFont, u16 } from "../../harness/fonts/sfnt-fixtures.ts";
import { type1Font } from "../../harness/fonts/type1-fixtures.ts";

const document = new PDFDocument();
type Entries = Readonly<Record<string, unknown>>;
const stream = (entries: Entries = {}): PDFObject => document.addStream(new Uint8Array(1), entries);
const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");

function simple(subtype: string, file: Entries, entries: Entries = {}): EmbeddedFont | undefined {
  const FontDescriptor = document.addObject(file);
  const widths = { FirstChar: 0, Widths: [500] };
  return fontOf(
    document.addObject({ Type: "Font", Subtype: subtype, FontDescriptor, ...widths, ...entries }),
    Object.keys(file)[0] ?? "",
  );
}

function composite(
  subtype: string,
  file: Entries,
  entries: Entries = {},
  encoding = "Identity-H",
): EmbeddedFont | undefined {
  const FontDescriptor = document.addObject(file);
  const descendant = document.addObject({ Subtype: subtype, FontDescriptor, ...entries });
  const font = { Type: "Font", Subtype: "Type0", Encoding: encoding, DescendantFonts: [descendant] };
  return fontOf(document.addObject(font), Object.keys(file)[0] ?? "");
}

describe("embedded fonts", () => {
  test("an embedded font is recognized by its Subtype and its file", () => {
    expect([
      simple("TrueType", { FontFile2: stream() })?.kind,
      simple("Type1", { FontFile: stream() })?.kind,
      simple("Type1", { FontFile3: stream({ Subtype: "Type1C" }) })?.kind,
      composite("CIDFontType2", { FontFile2: stream() })?.kind,
      composite("CIDFontType0", { FontFile3: stream({ Subtype: "CIDFontType0C" }) })?.kind,
    ]).toEqual(["TrueType", "Type 1", "CFF names", "TrueType CIDs", "CFF CIDs"]);
  });

  test.each<[string, () => EmbeddedFont | undefined]>([
    ["an OpenType file", () => simple("Type1", { FontFile3: stream({ Subtype: "OpenType" }) })],
    ["the file of another kind", () => simple("TrueType", { FontFile: stream() })],
    ["Type 1 without widths", () => simple("Type1", { FontFile: stream() }, { Widths: null })],
    ["a CMap that is not the identity", () => composite("CIDFontType2", { FontFile2: stream() }, {}, "UniJIS-UCS2-H")],
    ["a composite font of names", () => composite("CIDFontType0", { FontFile3: stream({ Subtype: "Type1C" }) })],
  ])("an embedded font with %s is not recognized", (_, read) => {
    expect(read()).toBeUndefined();
  });

  test("an embedded font has names by code, and a map from CIDs", () => {
    const Encoding = { Differences: [65, document.newName("A"), document.newName("B"), 97, document.newName("c")] };
    expect([...(simple("TrueType", { FontFile2: stream() }, { Encoding })?.names ?? [])]).toEqual([
      [65, "A"],
      [66, "B"],
      [97, "c"],
    ]);
    const CIDToGIDMap = stream();
    expect(composite("CIDFontType2", { FontFile2: stream() }, { CIDToGIDMap })?.cidToGid).toBe(
      CIDToGIDMap.asIndirect(),
    );
    expect(composite("CIDFontType2", { FontFile2: stream() }, { CIDToGIDMap: "Identity" })?.cidToGid).toBeUndefined();
  });

  test("an embedded font without widths or with expert names keeps its glyphs", () => {
    expect([
      simple("TrueType", { FontFile2: stream() })?.mayLose,
      simple("TrueType", { FontFile2: stream() }, { Widths: null })?.mayLose,
      simple("TrueType", { FontFile2: stream() }, { Encoding: "MacExpertEncoding" })?.mayLose,
      simple("TrueType", { FontFile2: stream() }, { Encoding: { BaseEncoding: document.newName("MacExpertEncoding") } })
        ?.mayLose,
    ]).toEqual([true, false, false, false]);
  });
});

describe("smaller font programs", () => {
  const used = (kind: EmbeddedFont["kind"], changes: Partial<EmbeddedFont> = {}): EmbeddedFont => ({
    font: 1,
    kind,
    codeBytes: kind.endsWith("CIDs") ? 2 : 1,
    names: new Map(),
    cidToGid: undefined,
    mayLose: true,
    ...changes,
  });
  const smaller = (file: Uint8Array, users: readonly EmbeddedFont[], codes: readonly number[] | undefined) =>
    smallerProgram(9, users, {
      shown: codes && new Map([[1, new Set(codes)]]),
      read: (number) => (number === 9 ? file : Uint8Array.from(u16(0, 0, 0, 5))),
      work: unlimitedWork(),
    });
  /** The numbers of the glyphs that have an outline. */
  const glyphsIn = (data: Uint8Array | undefined): number[] => {
    const font = new SfntFont(data ?? new Uint8Array());
    return [0, 1, 2, 3, 4, 5].filter((glyph) => font.outlineOf(glyph).length > 0);
  };

  test("a smaller TrueType font has the glyphs that readers find by codes, with their components", () => {
    expect(glyphsIn(smaller(smallFont(), [used("TrueType")], [0x43, 0x20])?.data)).toEqual([1, 2, 3]);
    const names = new Map([[0x42, "Euro"]]);
    expect(glyphsIn(smaller(smallFont(), [used("TrueType", { names })], [0x42])?.data)).toEqual([2, 5]);
  });

  test("a smaller TrueType font has the glyphs of CIDs, by their map if there is one", () => {
    expect(glyphsIn(smaller(smallFont(), [used("TrueType CIDs")], [2])?.data)).toEqual([2]);
    expect(glyphsIn(smaller(smallFont(), [used("TrueType CIDs", { cidToGid: 8 })], [3])?.data)).toEqual([5]);
  });

  test("a smaller font has the glyphs of all fonts that use it", () => {
    const other = used("TrueType CIDs", { font: 2 });
    const shown = new Map([
      [1, new Set([0x41])],
      [2, new Set([5])],
    ]);
    const program = smallerProgram(9, [used("TrueType"), other], {
      shown,
      read: () => smallFont(),
      work: unlimitedWork(),
    });
    expect(glyphsIn(program?.data)).toEqual([1, 5]);
  });

  test("a smaller CFF font has the glyphs of names or CIDs", () => {
    const outlines = (data: Uint8Array | undefined): number[] => {
      const font = new CffFont(data ?? new Uint8Array());
      return [1, 2, 3, 4].filter((glyph) => font.outlines.item(glyph).length > 1);
    };
    const names = new Map([[97, "g2"]]);
    expect(outlines(smaller(namedBoxFont(5), [used("CFF names", { names })], [97, 0x43])?.data)).toEqual([2, 3]);
    expect(outlines(smaller(boxFont(5), [used("CFF CIDs")], [101, 104])?.data)).toEqual([1, 4]);
    // Without CIDs of its own, they are glyph numbers.
    expect(outlines(smaller(namedBoxFont(5), [used("CFF CIDs")], [3])?.data)).toEqual([3]);
  });

  test("a smaller Type 1 font is in the Compact Font Format, even if all glyphs stay", () => {
    const some = smaller(type1Font(3), [used("Type 1")], [97]);
    expect([some?.subtype, some?.isSubset]).toEqual(["Type1C", true]);
    expect([...new CffFont(some?.data ?? new Uint8Array()).namedGlyphs(meter()).outlines.keys()]).toEqual([
      ".notdef",
      "A",
    ]);
    const all = smaller(type1Font(3), [used("Type 1", { mayLose: false })], [97]);
    expect([all?.isSubset, new CffFont(all?.data ?? new Uint8Array()).outlines.count]).toEqual([false, 9]);
  });

  test.each<[string, Uint8Array, readonly EmbeddedFont[], readonly number[] | undefined]>([
    ["it is not known what is shown", smallFont(), [used("TrueType")], undefined],
    [
      "one of its fonts may not lose glyphs",
      smallFont(),
      [used("TrueType"), used("TrueType", { mayLose: false })],
      [0x41],
    ],
    ["no glyph is found for a code", smallFont(), [used("TrueType")], [0x41, 0x7a]],
    ["its fonts are of different kinds", smallFont(), [used("TrueType"), used("CFF CIDs")], [0x41]],
    ["it is cut off", smallFont().slice(0, 400), [used("TrueType CIDs")], [1]],
    ["it is no font", new Uint8Array(10), [used("CFF CIDs")], [1]],
    ["it is no font of Type 1", new Uint8Array(10), [used("Type 1")], [1]],
  ])("a smaller font is not written if %s", (_, file, users, codes) => {
    expect(smaller(file, users, codes)).toBeUndefined();
  });
});

test("the differences of an encoding continue from the last code", () => {
  const name = (text: string): PDFObject => document.newName(text);
  const font = (differences: unknown[]): PDFObject => document.addObject({ Encoding: { Differences: differences } });
  const read = (differences: unknown[]) =>
    Array.from(differencesOf(font(differences)), ([code, one]) => [code, one.asName()]);
  expect(read([65, name("A"), name("B"), 65, name("C")])).toEqual([
    [65, "A"],
    [66, "B"],
    [65, "C"],
  ]);
  expect(read([name("first"), "(text)", name("second")])).toEqual([
    [0, "first"],
    [1, "second"],
  ]);
  expect([...differencesOf(document.addObject({ Encoding: name("WinAnsiEncoding") }))]).toEqual([]);
});
