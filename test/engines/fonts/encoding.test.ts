import { describe, expect, test } from "vitest";
import {
  alike,
  characterOfName,
  charactersOf,
  STANDARD_ENCODING,
  STANDARD_STRINGS,
} from "../../../src/engines/pdf/fonts/encoding.ts";

const text = (characters: readonly number[]): string => String.fromCodePoint(...characters);

test.each([
  [0x41, "A"],
  // Quotation marks are different in StandardEncoding.
  [0x27, "'’"],
  [0x60, "`‘"],
  [0x80, "€Ä\u0080"],
  [0xa0, "\u00a0† "],
  [0xe1, "á·Æ"],
  [0xae, "®Æﬁ"],
  [0xff, "ÿˇ "],
])("code %i stands for a character in each of the base encodings", (code, characters) => {
  expect(text(charactersOf(code))).toBe(characters);
});

test.each([
  ["A", "A"],
  ["space", " "],
  ["uni20AC", "€"],
  ["u1F600", "😀"],
  ["germandbls", "ß"],
])("glyph name %s stands for its character", (name, character) => {
  expect(characterOfName(name)).toBe(character.codePointAt(0));
});

test.each(["g1", "uni20", "a.alt", ".notdef", ""])("glyph name %j stands for no character", (name) => {
  expect(characterOfName(name)).toBeUndefined();
});

describe("standard names", () => {
  test("standard names have their numbers of the Compact Font Format", () => {
    expect([0, 1, 34, 66, 96, 149, 228].map((number) => STANDARD_STRINGS[number])).toEqual([
      ".notdef",
      "space",
      "A",
      "a",
      "exclamdown",
      "germandbls",
      "zcaron",
    ]);
    expect(STANDARD_STRINGS).toHaveLength(229);
  });

  test("standard names have their codes of StandardEncoding", () => {
    expect([32, 39, 126, 161, 174, 208, 225, 251].map((code) => STANDARD_ENCODING.get(code))).toEqual([
      "space",
      "quoteright",
      "asciitilde",
      "exclamdown",
      "fi",
      "emdash",
      "AE",
      "germandbls",
    ]);
    expect(STANDARD_ENCODING.size).toBe(149);
  });
});

test("a character is like another that some readers treat as equal", () => {
  expect([alike(0x20), alike(0xb5), alike(0x41)]).toEqual([[0x20, 0xa0], [0xb5, 0x3bc], [0x41]]);
});
