import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { hex, unhex } from "../../../src/bytes/hex.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import {
  type CodeMap,
  codeOf,
  predefinedMap,
  readCodeMap,
  readToUnicode,
  withWritingMode,
  writeCodeMap,
} from "../../../src/engines/pdf/fonts/cmap.ts";
import { toUnicode, toUnicodeOf } from "../../../src/engines/pdf/fonts/to-unicode.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

const read = (cmap: string, base?: CodeMap): Promise<CodeMap> => readCodeMap(bytesOf(cmap), unlimitedWork(), base);

/** The codes of a string, in hexadecimal. */
function codesIn(map: CodeMap, digits: string): string[] {
  const bytes = unhex(digits);
  const codes: string[] = [];
  for (let at = 0; at < bytes.length; at += map.lengthAt(bytes, at))
    codes.push(hex(bytes.subarray(at, at + map.lengthAt(bytes, at))));
  return codes;
}

describe("codes of predefined CMaps", () => {
  test.each([
    ["Identity-H", "00410042", ["0041", "0042"]],
    ["UniJIS-UCS2-H", "00410042", ["0041", "0042"]],
    ["UniJIS-UTF16-H", "0041d83dde00", ["0041", "d83dde00"]],
    ["UniGB-UTF8-H", "41c3a4e38182f09f9880", ["41", "c3a4", "e38182", "f09f9880"]],
    ["UniJIS-UTF32-H", "0001f600", ["0001f600"]],
    ["90ms-RKSJ-H", "4182a0a6e040", ["41", "82a0", "a6", "e040"]],
    ["GBK2K-H", "41b0a181308130", ["41", "b0a1", "81308130"]],
    ["CNS-EUC-H", "41a1a18ea1a1a1", ["41", "a1a1", "8ea1a1a1"]],
    ["EUC-H", "41a1a18ea6", ["41", "a1a1", "8ea6"]],
    ["KSCms-UHC-H", "41b0a1", ["41", "b0a1"]],
    ["GB-H", "3021", ["3021"]],
  ])("codes of %s have their lengths", (name, digits, codes) => {
    expect(codesIn(predefinedMap(name), digits)).toEqual(codes);
  });

  test("codes are CIDs in Identity, and unknown in other CMaps", () => {
    expect(["Identity-H", "Identity-V", "GBK-EUC-H"].map((name) => predefinedMap(name).cidOf(0x41, 2))).toEqual([
      0x41,
      0x41,
      undefined,
    ]);
  });

  test("the end of a CMap's name says that it is vertical", () => {
    expect(["Identity-V", "V", "Identity-H", "UniGB-UCS2-V"].map((name) => predefinedMap(name).vertical)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });
});

describe("embedded CMaps", () => {
  test("an embedded CMap has ranges of codes by their lengths", async () => {
    const map = await read("3 begincodespacerange <00> <7F> <8140> <9FFC> <e0404040> <e0ffffff> endcodespacerange");
    expect(codesIn(map, "418140e040404142")).toEqual(["41", "8140", "e0404041", "42"]);
    // The second byte is in no range: as many bytes as the shortest code has.
    expect(codesIn(map, "8130")).toEqual(["81", "30"]);
  });

  test("an embedded CMap has CIDs for single codes and ranges, by the lengths of codes", async () => {
    const map = await read(
      "2 begincidrange <20> <7e> 1 <8140> <817e> 633 endcidrange 2 begincidchar <80> 97 <0041> 500 endcidchar",
    );
    expect(
      (
        [
          [0x20, 1],
          [0x7e, 1],
          [0x7f, 1],
          [0x80, 1],
          [0x41, 1],
          [0x41, 2],
          [0x817e, 2],
          [0x817f, 2],
        ] as const
      ).map(([code, length]) => map.cidOf(code, length)),
    ).toEqual([1, 95, undefined, 97, 34, 500, 695, undefined]);
  });

  test.each([
    ["/WMode 1 def", true],
    ["/WMode 0 def", false],
    ["/Name 1 def", false],
    ["/WMode 0 def /WMode 1 def", true],
  ])("an embedded CMap with %s is vertical or not", async (cmap, vertical) => {
    expect((await read(cmap)).vertical).toBe(vertical);
  });

  test("an embedded CMap inherits missing facts from the one that it uses", async () => {
    const base = await read(
      "/WMode 1 def 1 begincodespacerange <0000> <ffff> endcodespacerange 1 begincidrange <0000> <00ff> 7 endcidrange",
    );
    const map = await read("1 begincidchar <0005> 900 endcidchar", base);
    expect([map.vertical, map.cidOf(5, 2), map.cidOf(6, 2), codesIn(map, "00050006")]).toEqual([
      true,
      900,
      13,
      ["0005", "0006"],
    ]);
    const named = await read("/Identity-H usecmap");
    expect([named.cidOf(5, 2), codesIn(named, "00050006")]).toEqual([5, ["0005", "0006"]]);
  });

  test("an embedded CMap is read past its errors", async () => {
    const map = await read(
      "(text) begincidrange <00> 5 6 <10> <1f> (x) <10> <1f> endcidrange 1 begincidchar <41> endcidchar begincidrange <50> <5f> 9 endcidrange <",
    );
    expect([map.cidOf(0, 1), map.cidOf(0x10, 1), map.cidOf(0x41, 1), map.cidOf(0x51, 1)]).toEqual([
      undefined,
      undefined,
      undefined,
      10,
    ]);
  });

  test("an embedded CMap has up to 1,000 ranges of lengths", async () => {
    const spaces = (count: number): string => `${"begincodespacerange <00> <ff> endcodespacerange ".repeat(count)}`;
    expect((await read(spaces(1_000))).lengthAt(Uint8Array.of(1), 0)).toBe(1);
    await expect(read(spaces(1_001))).rejects.toThrow(Refusal);
  });

  test("an embedded CMap has up to 200,000 values in a section", async () => {
    const section = (values: number): string => `begincidchar ${"1 ".repeat(values)}endcidchar`;
    await expect(read(section(200_000))).resolves.toBeDefined();
    await expect(read(section(200_001))).rejects.toThrow("more than 200,000 values in a section");
  });

  test("an embedded CMap is charged by its bytes, tokens, and ranges, and each code by the ranges of lengths", async () => {
    const work = unlimitedWork();
    const cmap = "1 begincodespacerange <00> <ff> endcodespacerange 1 begincidrange <00> <ff> 0 endcidrange";
    const map = await readCodeMap(bytesOf(cmap), work, undefined);
    // Eleven tokens and one range.
    expect(work.spent).toBe(3 * cmap.length + 50 * 12);
    const before = work.spent;
    map.lengthAt(Uint8Array.of(1), 0);
    expect(work.spent - before).toBe(8);
  });
});

describe("ToUnicode", () => {
  const meanings = async (cmap: string): Promise<string[] | undefined> => {
    const read = await readToUnicode(bytesOf(cmap), unlimitedWork());
    return read && Array.from(read, ([code, text]) => `${code.toString(16)} ${hex(text)}`);
  };

  test("a single code maps to its text", async () => {
    expect(await meanings("2 beginbfchar <41> <00410042> <0102> <d83dde00> endbfchar")).toEqual([
      "41 00410042",
      "102 d83dde00",
    ]);
  });

  test("a range of codes maps to texts whose last unit increases", async () => {
    expect(await meanings("1 beginbfrange <20> <22> <006600ff> endbfrange")).toEqual([
      "20 006600ff",
      "21 00660100",
      "22 00660101",
    ]);
    expect(await meanings("1 beginbfrange <20> <21> <7a> endbfrange")).toEqual(["20 7a", "21 7b"]);
  });

  test("a range of codes maps to an array, which may be shorter or longer", async () => {
    expect(
      await meanings("3 beginbfrange <20> <21> [<0041> <0042> <0043>] <30> <39> [<0044>] <50> <50> <0045> endbfrange"),
    ).toEqual(["20 0041", "21 0042", "30 0044", "50 0045"]);
  });

  test("a later section replaces the text of a code", async () => {
    expect(await meanings("beginbfchar <41> <0041> endbfchar beginbfrange <40> <41> <0062> endbfrange")).toEqual([
      "41 0063",
      "40 0062",
    ]);
  });

  test("the text of a code is unknown if another CMap is needed", async () => {
    expect(await meanings("/Adobe-Japan1-UCS2 usecmap beginbfchar <41> <0041> endbfchar")).toBeUndefined();
  });

  test("codes above two bytes and texts of more than 512 are not read", async () => {
    const long = "0041".repeat(257);
    expect(
      await meanings(
        `beginbfchar <010000> <0041> <42> <${long}> <43> <0043> endbfchar beginbfrange <fffe> <1000f> <0044> <50> <51> <${long}> endbfrange`,
      ),
    ).toEqual(["43 0043", "fffe 0044", "ffff 0045"]);
  });

  test("a map is read up to an invalid range", async () => {
    expect(await meanings("beginbfrange <20> <21> <0041> 5 <31> <0042> <40> <41> <0043> endbfrange")).toEqual([
      "20 0041",
      "21 0042",
    ]);
  });

  test("a map is charged by each code of a range", async () => {
    const work = unlimitedWork();
    const cmap = "1 beginbfrange <0000> <ffff> <0000> endbfrange";
    await readToUnicode(bytesOf(cmap), work);
    expect(work.spent).toBe(3 * cmap.length + 50 * (6 + 65_536));
  });

  test("a map is read as it is written, in sections of up to 100 codes", async () => {
    const codes = Array.from({ length: 101 }, (_, code) => [code.toString(16).padStart(2, "0"), "0041"] as const);
    const written = toUnicodeOf(codes);
    expect(written.match(/\d+ beginbfchar/g)).toEqual(["100 beginbfchar", "1 beginbfchar"]);
    expect(written).toContain("<00> <ff> endcodespacerange");
    expect(await meanings(written)).toEqual(
      codes.map(([code, text]) => `${Number.parseInt(code, 16).toString(16)} ${text}`),
    );
  });

  test("a glyph without text maps to a zero-width space", async () => {
    expect(await meanings(toUnicode(["fi", "", "😀"]))).toEqual(["1 00660069", "2 200b", "3 d83dde00"]);
  });
});

test("a code of several bytes is a number", () => {
  expect([[], [0x41], [0x81, 0x40], [0xff, 0xff, 0xff, 0xff]].map((bytes) => codeOf(Uint8Array.from(bytes)))).toEqual([
    0, 0x41, 0x8140, 0xffff_ffff,
  ]);
});

test("a CMap that is written has the CIDs of its ranges, and its writing mode", async () => {
  const map = await read(
    writeCodeMap("Own", true, [
      [0, 0, 60_001],
      [1, 0xffff, 1],
    ]),
  );
  expect([map.vertical, [0, 1, 0xffff].map((code) => map.cidOf(code, 2))]).toEqual([true, [60_001, 1, 65_535]]);
  expect(codesIn(map, "00410042")).toEqual(["0041", "0042"]);
});

test.each([true, false])("the writing mode of a CMap is changed, whatever it was: vertical %s", async (isVertical) => {
  for (const said of ["/WMode 1 def", "/WMode 0 def", ""]) {
    const cmap = `begincmap ${said} 1 begincidrange <0000> <ffff> 0 endcidrange endcmap`;
    expect((await read(latin1(withWritingMode(bytesOf(cmap), isVertical)))).vertical).toBe(isVertical);
  }
});
