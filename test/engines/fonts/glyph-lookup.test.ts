import { describe, expect, test } from "vitest";
import { lookupByNames, lookupByTables } from "../../../src/engines/pdf/fonts/glyph-lookup.ts";
import { SfntFont } from "../../../src/engines/pdf/fonts/sfnt.ts";
import { UnknownFont } from "../../../src/engines/pdf/fonts/unknown-font.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { smallFont } from "../../harness/fonts/sfnt-fixtures.ts";

const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");

describe("glyphs in the tables of a TrueType font", () => {
  const lookup = lookupByTables(new SfntFont(smallFont()), meter());

  test.each<[number, string | undefined, readonly number[]]>([
    [0x41, undefined, [1]],
    // The code of a symbol, in the private use area.
    [0x58, undefined, [5]],
    // A euro in WinAnsiEncoding, by the name in `post`.
    [0x80, undefined, [5]],
    [0x44, undefined, []],
    // By code and by name, of which readers take either.
    [0x41, "B", [1, 2]],
    [0x41, "blob", [4, 1]],
    [0x44, "Euro", [5]],
    // Nobody can say what readers find for it.
    [0x41, "unknown", []],
    [0x41, ".notdef", [1]],
  ])("readers may find glyphs for code %i with the name %s", (code, name, glyphs) => {
    expect([...lookup(code, name)]).toEqual(glyphs);
  });

  test("readers find no known glyphs without a cmap", () => {
    expect(() => lookupByTables(new SfntFont(smallFont({ cmap: undefined })), meter())).toThrow(UnknownFont);
  });
});

test.each<[number, string | undefined, readonly string[]]>([
  [97, undefined, ["A"]],
  [98, "B", ["B"]],
  [65, undefined, ["A", "uni0041"]],
  [65, "blob", ["blob", "A", "uni0041"]],
  [66, "missing", ["B"]],
  [200, undefined, []],
  // A space, and one that does not break, of which readers take either.
  [0x20, undefined, ["uni00A0"]],
])("readers may show some names for code %i with the name %s", (code, name, names) => {
  const glyphs = new Map(["A", "B", "blob", "uni0041", "uni00A0"].map((glyph) => [glyph, 0]));
  const lookup = lookupByNames(
    new Map([
      [97, "A"],
      [200, "none"],
    ]),
    glyphs,
  );
  expect([...lookup(code, name)]).toEqual(names);
});
