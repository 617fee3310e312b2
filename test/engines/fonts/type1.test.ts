import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { CffFont } from "../../../src/engines/pdf/fonts/cff.ts";
import { STANDARD_ENCODING } from "../../../src/engines/pdf/fonts/encoding.ts";
import { subset } from "../../../src/engines/pdf/fonts/subset.ts";
import { OutlineReader } from "../../../src/engines/pdf/fonts/type1-outlines.ts";
import { Type1Font } from "../../../src/engines/pdf/fonts/type1.ts";
import { UnknownFont } from "../../../src/engines/pdf/fonts/unknown-font.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";
import { type1Font } from "../../harness/fonts/type1-fixtures.ts";

const meter = (): ParseMeter => new ParseMeter(unlimitedWork(), "font");
const hex = (data: Uint8Array | undefined): string => Buffer.from(data ?? []).toString("hex");
const file = type1Font(0);
/** Another beginning, up to the encrypted part. */
const changed = (from: string, to: string): Uint8Array => bytesOf(latin1(file).replace(from, to));

describe("Type 1 fonts", () => {
  const font = new Type1Font(file, meter());

  test("a Type 1 font has names, codes, numbers, and decrypted outlines", () => {
    expect([font.name, font.fontMatrix, font.bbox]).toEqual([
      "Shapes",
      [0.001, 0, 0, 0.001, 0, 0],
      [-200, -200, 1000, 1000],
    ]);
    expect([...font.encoding]).toEqual([
      [97, "A"],
      [98, "Aacute"],
      [99, "B"],
      [100, "C"],
    ]);
    expect(["BlueValues", "StdHW", "BlueScale", "ForceBold"].map((key) => font.hint(key))).toEqual([
      [-15, 0, 600, 615],
      [50],
      [0.04379],
      undefined,
    ]);
    expect([...font.outlines.keys()]).toEqual([".notdef", "A", "acute", "Aacute", "B", "C"]);
    // 0 250 hsbw endchar
    expect(hex(font.outlines.get(".notdef"))).toBe("8bf78e0d0e");
    expect([...font.subroutines.keys()]).toEqual([0, 1, 2, 3, 4]);
    // return
    expect(hex(font.subroutines.get(3))).toBe("0b");
  });

  test("a Type 1 font may have the standard encoding", () => {
    const standard = changed("/Encoding 256 array", "/Encoding StandardEncoding def %");
    expect(new Type1Font(standard, meter()).encoding).toBe(STANDARD_ENCODING);
  });

  test("a Type 1 font may be encrypted in hexadecimal", () => {
    const text = latin1(file);
    const at = text.indexOf("currentfile eexec\n") + "currentfile eexec\n".length;
    const secret = hex(file.subarray(at)).replaceAll(/.{64}/g, "$&\n");
    const read = new Type1Font(bytesOf(text.slice(0, at) + secret), meter());
    expect(hex(read.outlines.get("acute"))).toBe(hex(font.outlines.get("acute")));
  });

  test.each([
    ["no program", new Uint8Array(100)],
    ["a file in segments", Uint8Array.of(0x80, 1, ...file)],
    ["stroked outlines", changed("/PaintType 0", "/PaintType 2")],
    ["several designs", changed("/FontInfo", "/WeightVector")],
    ["no bounding box", changed("/FontBBox", "/FontBox")],
    ["codes in octal", changed("dup 97 /A", "dup 8#141 /A")],
    ["an encoding as an array", changed("/Encoding 256 array", "/Encoding [ /A ] def %")],
    ["nothing that is encrypted", changed("currentfile eexec", "")],
    ["a private part that is cut off", file.slice(0, 700)],
    ["more than a mebibyte", bytesOf(latin1(file).padEnd(1024 * 1024 + 1))],
  ])("a Type 1 font with %s is rejected", (_, damaged) => {
    expect(() => new Type1Font(damaged, meter())).toThrow(UnknownFont);
  });
});

describe("Type 1 outlines", () => {
  const font = new Type1Font(file, meter());
  const draw = (name: string) => new OutlineReader(font, meter()).draw(name);
  const paths = (name: string) =>
    draw(name).steps.flatMap((step) => (step.kind === "stems" ? [] : [`${step.kind} ${step.points.join(" ")}`]));

  test("an outline begins at the left side bearing, and has a width that may be a fraction", () => {
    expect(draw("acute").width).toBe(300);
    expect(draw("A").width).toBe(700.5);
    expect(paths("acute")).toEqual(["move 80 650", "line 200 800", "line 260 800", "line 170 650"]);
  });

  test("an outline has the two curves of a flex", () => {
    expect(paths("B").filter((step) => step.startsWith("curve"))).toEqual([
      "curve 110 492 170 500 260 500",
      "curve 350 500 410 492 460 500",
    ]);
  });

  test("an outline has its accent in place", () => {
    // The accent is at 330 - 80 + 50, 20.
    expect(paths("Aacute").slice(-4)).toEqual(["move 380 670", "line 500 820", "line 560 820", "line 470 670"]);
    expect(draw("Aacute").width).toBe(700.5);
  });

  test("an outline has other stems after a replacement", () => {
    const stems = draw("C").steps.flatMap((step) => (step.kind === "stems" ? [step.stems] : []));
    expect(stems).toEqual([
      { horizontal: [[0, 50]], vertical: [[30, 40]] },
      { horizontal: [[650, 50]], vertical: [[130, 40]] },
    ]);
  });

  test("an outline whose subroutine calls itself is rejected", () => {
    const endless = Uint8Array.of(139, 10);
    const outlines = { outlines: new Map([["a", endless]]), subroutines: new Map([[0, endless]]) };
    expect(() => new OutlineReader(outlines, meter()).draw("a")).toThrow(UnknownFont);
  });

  test("an outline is charged for each of its steps", () => {
    const work = unlimitedWork();
    new OutlineReader(font, new ParseMeter(work, "font")).draw("acute");
    // Eight numbers and seven operators, and the glyph.
    expect(work.spent).toBe(16 * 25);
  });
});

describe("Type 1 fonts in the Compact Font Format", () => {
  const font = new Type1Font(file, meter());
  const compact = (...names: string[]): CffFont => {
    const data = subset(font, { names }, meter());
    if (!data) throw new Error("not understood");
    return new CffFont(data);
  };

  test("a converted font has the chosen glyphs with their names and codes", () => {
    const { outlines, encoding } = compact("C", "A").namedGlyphs(meter());
    expect([...outlines.keys()]).toEqual([".notdef", "C", "A"]);
    expect([...encoding]).toEqual([
      [100, "C"],
      [97, "A"],
    ]);
  });

  test("a converted outline has as few operators as possible", () => {
    const acute = compact("acute");
    // The width 300, relative to the mean of those that are not the usual one; 80 650 rmoveto; two lines in one operator.
    const numbers = (...values: readonly number[]): number[] =>
      values.flatMap((value) => (value > 107 ? [247 + ((value - 108) >> 8), (value - 108) & 255] : [value + 139]));
    expect([...acute.outlines.item(1)]).toEqual([
      ...numbers(0, 80, 650),
      21,
      ...numbers(120, 150),
      5,
      ...numbers(60),
      6,
      139 - 90,
      251,
      150 - 108,
      5,
      14,
    ]);
  });

  test("a converted font keeps its names, box, and hints", () => {
    const written = compact("A");
    expect([latin1(written.names.item(0)), written.numbersOf(5)]).toEqual(["Shapes", [-200, -200, 1000, 1000]]);
    // BlueValues as differences, StdHW, BlueScale as a real number, and the widths of .notdef and A.
    expect(hex(written.hints.bytes)).toBe("7c9a1c02589a06 bd0a 1e0a04379f0c09 1c00fa14 1c02bd15".replaceAll(" ", ""));
  });

  test("a converted font is not written if an outline is invalid or missing", () => {
    expect(subset(font, { names: ["B", "missing"] }, meter())).toBeUndefined();
  });
});
