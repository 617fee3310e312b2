import { describe, expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { escapeName, possibleNames, unescapeName } from "../../../src/engines/pdf/syntax/names.ts";
import { readString, writtenString } from "../../../src/engines/pdf/syntax/strings.ts";

const read = (text: string, start = 0): [string, number | undefined] => {
  const { value, end } = readString(bytesOf(text), start);
  return [latin1(value), end];
};

describe("literal strings", () => {
  test.each<[string, string]>([
    ["()", ""],
    ["(a(b)c)", "a(b)c"],
    [String.raw`(\(\)\\)`, String.raw`()\ `.trim()],
    [String.raw`(\n\r\t\b\f\x)`, "\n\r\t\b\fx"],
    [String.raw`(\101\60\0)`, "A0\0"],
    [String.raw`(\1018\08)`, "A8\x008"],
    [String.raw`(\777)`, "\xff"],
    ["(a\\\r\nb\\\nc\\\rd)", "abcd"],
    ["(a\r\nb\rc\nd)", "a\nb\nc\nd"],
    ["(\x80\0)", "\x80\0"],
  ])("the literal string %j is decoded", (text, value) => {
    expect(read(text)).toEqual([value, text.length]);
  });

  test("an unfinished string has all bytes up to the end of the data", () => {
    expect(read("(a(b)")).toEqual(["a(b)", undefined]);
    expect(read("(a\\")).toEqual(["a\0", undefined]);
  });
});

test.each<[string, string, number | undefined]>([
  ["<>", "", 2],
  ["<4a4B>", "JK", 6],
  ["<4 1\n4>", "A@", 7],
  ["<4g1>x", "A", 5],
  ["<41", "A", undefined],
])("the hexadecimal string %j is decoded", (text, value, end) => {
  expect(read(text)).toEqual([value, end]);
});

test("a string is read from its offset", () => {
  expect(read("xx(a)y", 2)).toEqual(["a", 5]);
});

test("codes of a name stand for bytes, and other characters for themselves", () => {
  expect(unescapeName("A#42#c3#A9#4#zz#")).toBe("AB\xc3\xa9#4#zz#");
});

test("a name is written with codes for all characters that a reader would misread", () => {
  expect(escapeName("A-b.1*|~")).toBe("A-b.1*|~");
  expect(escapeName("A b#/(\xe9\x7f\0{%")).toBe("A#20b#23#2f#28#e9#7f#00#7b#25");
  const all = latin1(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  expect(unescapeName(escapeName(all))).toBe(all);
});

test("a string is read as it was written", () => {
  expect(writtenString(bytesOf("a(b)\\"))).toBe(String.raw`(a\(b\)\\)`);
  expect(writtenString(bytesOf("a\n\xe9"))).toBe("<610ae9>");
});

test("a slash begins a name wherever it appears", () => {
  expect([...possibleNames(bytesOf("/A(/B)<</C#44/>>%/E/"))]).toEqual(["A", "B", "CD", "", "E", ""]);
  expect([...possibleNames(bytesOf("/abcdef /gh"), 3)]).toEqual(["abc", "gh"]);
});
