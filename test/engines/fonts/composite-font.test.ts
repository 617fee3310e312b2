import { PDFDocument } from "mupdf";
import { expect, test } from "vitest";
import { writeCompositeFont } from "../../../src/engines/pdf/fonts/composite-font.ts";

const common = {
  name: "ABCDEF+Own",
  program: Uint8Array.of(1, 2, 3),
  flags: 4,
  bbox: [0, -200, 1000, 800],
  ascent: 800,
  descent: -200,
  capHeight: 700,
  toUnicode: "the meanings",
} as const;

test.each([
  [
    "TrueType",
    { isTrueType: true, widths: [500, 600] },
    ["CIDFontType2", "FontFile2", "/Length1 3", "/Identity", "[0[500 600]]"],
  ],
  [
    "TrueType with a map",
    { isTrueType: true, cidToGid: Uint8Array.of(0, 7) },
    ["CIDFontType2", "FontFile2", "/Length1 3", "0007", "null"],
  ],
  [
    "the Compact Font Format",
    { isTrueType: false },
    ["CIDFontType0", "FontFile3", "/Subtype/CIDFontType0C", "null", "null"],
  ],
])("a composite font of %s has its program, codes, and meanings", (_, changes, expected) => {
  const document = new PDFDocument();
  const font = document.addObject(document.newDictionary());
  writeCompositeFont(document, font, { ...common, ...changes });
  const [subtype = "", key = "", entry = "", map = "", widths = ""] = expected;
  const descendant = font.get("DescendantFonts", 0);
  const descriptor = descendant.get("FontDescriptor");
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  expect([font.get("Encoding").asName(), descendant.get("Subtype").asName()]).toEqual(["Identity-H", subtype]);
  expect(hex(descriptor.get(key).readStream().asUint8Array())).toBe("010203");
  expect(descriptor.get(key).resolve().toString(true)).toContain(entry);
  const cids = descendant.get("CIDToGIDMap");
  expect(cids.isStream() ? hex(cids.readStream().asUint8Array()) : cids.toString()).toBe(map);
  expect([descendant.get("W").toString(true), descendant.get("DW").asNumber()]).toEqual([widths, 1000]);
  expect([font, descendant].map((one) => one.get("BaseFont").asName())).toEqual([common.name, common.name]);
  expect(font.get("ToUnicode").readStream().asString()).toBe("the meanings");
});

test.each([
  [1, "80"],
  [8, "ff"],
  [11, "ffe0"],
])("a list of %d CIDs has a bit for each, and no other", (cids, expected) => {
  const document = new PDFDocument();
  const font = document.addObject(document.newDictionary());
  writeCompositeFont(document, font, { ...common, isTrueType: true, cids });
  const list = font.get("DescendantFonts", 0, "FontDescriptor", "CIDSet").readStream().asUint8Array();
  expect(Buffer.from(list).toString("hex")).toBe(expected);
});
