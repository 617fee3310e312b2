import { describe, expect, test } from "vitest";
import { CffFont } from "../../../src/engines/pdf/fonts/cff.ts";
import { partsOf, SfntFont } from "../../../src/engines/pdf/fonts/sfnt.ts";
import { EMPTY, subset } from "../../../src/engines/pdf/fonts/subset.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { boxFont, namedBoxFont } from "../../harness/fonts/cff-fixtures.ts";
import { smallFont, u16, u32 } from "../../harness/fonts/sfnt-fixtures.ts";

const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");
const hex = (data: Uint8Array): string => Buffer.from(data).toString("hex");
const bytesOfTable = (font: SfntFont, tag: string): string => {
  const { buffer, byteOffset, byteLength } = font.table(tag);
  return hex(new Uint8Array(buffer, byteOffset, byteLength));
};

describe("unused TrueType glyphs", () => {
  const kept = (glyphs: readonly number[], findsByCode = false, file = smallFont()): SfntFont | undefined => {
    const data = subset(new SfntFont(file), { glyphs: new Set(glyphs), findsByCode }, meter());
    return data && new SfntFont(data);
  };
  const sizes = (font: SfntFont | undefined): (number | undefined)[] =>
    [0, 1, 2, 3, 4, 5].map((glyph) => font?.outlineOf(glyph).length);

  test("unused glyphs become empty, and the others keep their numbers and bytes", () => {
    const font = kept([2]);
    expect(sizes(font)).toEqual([0, 0, 24, 0, 0, 0]);
    expect(font?.outlineOf(2)).toEqual(new SfntFont(smallFont()).outlineOf(2));
    expect(font?.glyphCount).toBe(6);
  });

  test("unused components of a used glyph stay", () => {
    expect(sizes(kept([3]))).toEqual([0, 24, 24, 26, 0, 0]);
  });

  test("unused glyphs lose their advances, except the one that applies to the rest", () => {
    const font = kept([1, 5]);
    expect(font && bytesOfTable(font, "hmtx")).toBe(hex(Uint8Array.from(u16(250, 0, 300, 1, 0, 0, 320, 3, 0, 5))));
  });

  test("unused glyphs lose their names, and codes stay, where readers find glyphs by code", () => {
    const font = kept([1, 5], true);
    expect(font && [...font.tables.keys()]).toEqual(["cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "post"]);
    expect(font && bytesOfTable(font, "cmap")).toBe(bytesOfTable(new SfntFont(smallFont()), "cmap"));
    const names = font?.namedGlyphs(meter());
    expect([...(names?.byName ?? [])]).toEqual([["uni20AC", [5]]]);
    expect([...(names?.byCharacter.keys() ?? [])]).toEqual([0x41, 0x20ac]);
  });

  test("the tables of codes and names are removed where the PDF finds glyphs", () => {
    expect([...(kept([1])?.tables.keys() ?? [])]).toEqual(["glyf", "head", "hhea", "hmtx", "loca", "maxp"]);
  });

  test("glyphs that the font lacks are ignored", () => {
    expect(sizes(kept([99]))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test.each([
    ["without a table", smallFont({ hmtx: undefined })],
    ["with pictures", smallFont({ "SVG ": [0] })],
    ["with a cut table of metrics", smallFont({ hmtx: u16(250, 0, 300, 1, 310, 2, 320, 3) })],
    ["with fewer outlines than glyphs", smallFont({ maxp: [...u32(0x10000), ...u16(9)] })],
  ])("unused glyphs stay in a font %s, which is not understood", (_, file) => {
    expect(kept([1, 2, 3, 4, 5, 8], false, file)).toBeUndefined();
  });

  test("unused glyphs stay if outlines overlap, which would be written once for each glyph", () => {
    // Glyphs 1 and 3 both have all of the table.
    const file = smallFont({ loca: u16(0, 0, 49, 0, 49, 49, 49) });
    expect(sizes(kept([1], false, file))).toEqual([0, 98, 0, 0, 0, 0]);
    expect(kept([1, 3], false, file)).toBeUndefined();
  });

  test("a subset is charged by the bytes of the font, its glyphs, and components", () => {
    const work = unlimitedWork();
    const file = smallFont();
    subset(new SfntFont(file), { glyphs: new Set([3]), findsByCode: false }, new ParseMeter(work, "font"));
    expect(work.spent).toBe(Math.ceil(file.length / 2) + 25 * (6 + 2));
  });
});

describe("renumbered TrueType glyphs", () => {
  const data = subset(new SfntFont(smallFont()), { inOrder: [5, 3, EMPTY, 1] }, meter());
  if (!data) throw new Error("not understood");
  const font = new SfntFont(data);

  test("renumbered glyphs are consecutive, with their missing components behind them", () => {
    // 3 is made of 1, which is there, and of 2. None of the triangles has its instruction.
    expect([font.glyphCount, font.isLong, font.metricCount]).toEqual([7, true, 7]);
    expect([...partsOf(font.outlineOf(2))].map(({ glyph }) => glyph)).toEqual([5, 6]);
    expect([0, 1, 2, 3, 4, 5, 6].map((glyph) => font.outlineOf(glyph).length)).toEqual([0, 24, 28, 0, 24, 24, 24]);
  });

  test("renumbered glyphs have their advances and bearings", () => {
    expect(bytesOfTable(font, "hmtx")).toBe(
      hex(Uint8Array.from(u16(250, 0, 320, 5, 320, 3, 0, 0, 300, 1, 300, 1, 310, 2))),
    );
  });

  test("renumbered glyphs need no tables to find them", () => {
    expect([...font.tables.keys()]).toEqual(["glyf", "head", "hhea", "hmtx", "loca", "maxp"]);
  });
});

describe("unused CFF glyphs", () => {
  const sizes = (data: Uint8Array | undefined): number[] => {
    const { outlines } = new CffFont(data ?? new Uint8Array());
    return Array.from({ length: outlines.count }, (_, glyph) => outlines.item(glyph).length);
  };

  test.each([
    ["names", namedBoxFont(5)],
    ["CIDs", boxFont(5)],
  ])("unused glyphs become empty in a font with %s, in which everything else stays in place", (_, file) => {
    const [none = 0, , two = 0] = sizes(file);
    const data = subset(new CffFont(file), { glyphs: new Set([2]), findsByCode: false }, meter());
    expect(data).toHaveLength(file.length);
    expect(sizes(data)).toEqual([none, 1, two, 1, 1]);
    const font = new CffFont(data ?? file);
    expect(font.charset(meter())).toEqual(new CffFont(file).charset(meter()));
    expect([...font.outlines.item(1)]).toEqual([14]);
    expect(font.outlines.item(2)).toEqual(new CffFont(file).outlines.item(2));
  });

  test("unused glyphs stay if a used one may be composed of them, where they are found by names", () => {
    // Four operands of endchar: an accent, and where it stands (Technical Note 5177, appendix C).
    const font = new CffFont(namedBoxFont(5));
    const composed = Uint8Array.from([139, 139, 139 + 65, 247, 86, 14]);
    const outlines = [0, 1, 2, 3, 4].map((glyph) => (glyph === 2 ? composed : font.outlines.item(glyph)));
    const changed = new CffFont(font.withOutlines(outlines));
    expect(subset(changed, { glyphs: new Set([2]), findsByCode: true }, meter())).toBeUndefined();
    expect(sizes(subset(changed, { glyphs: new Set([3]), findsByCode: true }, meter()))[2]).toBe(1);
  });

  test("unused glyphs stay in a font that is not understood", () => {
    const file = namedBoxFont(5);
    const { outlines } = new CffFont(file);
    // The first outline ends beyond the font.
    const damaged = file.with(outlines.start + 3 + 4, 0xff);
    expect(subset(new CffFont(damaged), { glyphs: new Set([2]), findsByCode: false }, meter())).toBeUndefined();
  });
});

describe("renumbered CFF glyphs", () => {
  test("renumbered glyphs are consecutive and have no names", () => {
    const original = new CffFont(namedBoxFont(5));
    const data = subset(original, { inOrder: [4, EMPTY, 1] }, meter());
    const font = new CffFont(data ?? new Uint8Array());
    expect([0, 1, 2, 3].map((glyph) => hex(font.outlines.item(glyph)))).toEqual([
      hex(original.outlines.item(0)),
      hex(original.outlines.item(4)),
      "0e",
      hex(original.outlines.item(1)),
    ]);
    expect(font.charset(meter())).toEqual([0, 1, 2, 3]);
    expect(hex(font.hints.bytes)).toBe(hex(original.hints.bytes));
  });

  test("a font with CIDs is not renumbered, because its parts have hints of their own", () => {
    expect(subset(new CffFont(boxFont(5)), { inOrder: [1] }, meter())).toBeUndefined();
  });
});
