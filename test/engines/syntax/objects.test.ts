import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import { PARSERS, ParseMeter } from "../../../src/engines/parse-meter.ts";
import {
  Dictionary,
  Malformed,
  Name,
  parseObject,
  parseShort,
  Real,
  Reference,
  StringSpan,
} from "../../../src/engines/pdf/syntax/objects.ts";
import { unlimitedWork, Work } from "../../../src/engines/work.ts";

const parse = (text: string, at = 0, work = unlimitedWork()) =>
  parseObject(bytesOf(text), at, new ParseMeter(work, "syntax"));

/** What is wrong, and where. */
async function problem(text: string): Promise<string> {
  try {
    await parse(text);
    return "none";
  } catch (error) {
    if (error instanceof Malformed) return `${error.at} ${error.message}`;
    throw error;
  }
}

test.each<[string, unknown]>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["-12", -12],
  ["007", 7],
  ["1.5", new Real(1.5)],
  ["/A#42", new Name("AB")],
  ["(a)", new StringSpan(0, 3)],
  ["<41>", new StringSpan(0, 4)],
  ["5 0 R", new Reference(5, 0)],
  ["[]", []],
  ["[1 2 3 0 R 4]", [1, 2, new Reference(3, 0), 4]],
  ["<<>>", new Dictionary([], [])],
  [
    "<</A null/B 5 0 R/C<</D[/E]>>/F 1>>",
    new Dictionary(["A", "B", "C", "F"], [null, new Reference(5, 0), new Dictionary(["D"], [[new Name("E")]]), 1]),
  ],
])("an object is parsed to its value: %s", async (text, value) => {
  expect(await parse(text)).toEqual({ value, end: text.length, duplicateKey: undefined });
});

test("an object ends at its own end, whatever follows", async () => {
  expect(await parse("xx 12 0 obj", 3)).toEqual({ value: 12, end: 5, duplicateKey: undefined });
  expect(await parse("12 13 14")).toEqual({ value: 12, end: 2, duplicateKey: undefined });
  expect(await parse("<< /A 1 >>stream")).toMatchObject({ end: 10 });
  expect(await parse("7 endobj")).toMatchObject({ value: 7, end: 1 });
});

test("a string is parsed to its bytes", async () => {
  const text = String.raw`[(a\)\101) <4>]`;
  const { value } = await parse(text);
  const strings = value as readonly StringSpan[];
  expect(strings.map((one) => Array.from(one.valueIn(bytesOf(text))))).toEqual([[0x61, 0x29, 0x41], [0x40]]);
});

describe("duplicate keys", () => {
  test.each([
    ["<</A 1/A 1>>", "A"],
    ["<</Contents 1 0 R/Conten#74s 2 0 R>>", "Contents"],
    ["<</A null/A 1>>", "A"],
    ["[1 <</B <</C 1/D 2/C 3>>>>]", "C"],
    ["<</A<</B 1>>/B<</A 1>>>>", undefined],
    ["<</A 1/a 1>>", undefined],
  ])("a duplicate key is reported: %s: %s", async (text, key) => {
    expect((await parse(text)).duplicateKey).toBe(key);
  });
});

describe("ambiguous objects", () => {
  test.each([
    ["", "0 has no end"],
    ["<</A 1", "6 has no end"],
    ["[1", "2 has no end"],
    ["[1>>", "2 is malformed"],
    ["<</A]", "4 has brackets that do not match"],
    ["]", "0 has brackets that do not match"],
    ["<</A>>", "4 is malformed"],
    ["<</A 1 2>>", "8 has a dictionary with a value in place of a key"],
    ["<</A 1 (x) 2>>", "7 has a dictionary with a value in place of a key"],
    ["<</A 5 0/B 1>>", "12 has a dictionary with a value in place of a key"],
    ["<</A 1 2 3 R>>", "9 has a dictionary with a value in place of a key"],
    ["[R]", "1 has a malformed reference"],
    ["[1 R]", "3 has a malformed reference"],
    ["[5 0 R 0 R]", "9 has a malformed reference"],
    ["[+5 0 R]", "6 has a malformed reference"],
    ["[5 -0 R]", "6 has a malformed reference"],
    ["[0 0 R]", "5 has a reference to what no object can be"],
    ["[-1 0 R]", "6 has a reference to what no object can be"],
    ["[8388608 0 R]", "11 has a reference to what no object can be"],
    ["[1 65536 R]", "9 has a reference to what no object can be"],
    ["[10000000000]", "1 has a number that is too large"],
    ["[1 endobj]", "3 has a word that is no value"],
    ["%\n1", "2 has a comment in it"],
    ["[1 %\n 2]", "6 has a comment in it"],
    ["<</A 1%\n>>", "8 has a comment in it"],
    ["[/A#4]", "1 is malformed"],
    ["{1}", "0 is malformed"],
  ])("an ambiguous object is refused with its place: %s: %s", async (text, expected) => {
    expect(await problem(text)).toBe(expected);
  });
});

test("containers are nested up to 500 deep", async () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
  expect((await parse(nested(500))).end).toBe(1_000);
  expect(await problem(nested(501))).toBe("500 has containers that are nested too deeply");
});

test("a parser charges for each byte and each token, and stops where the work ends", async () => {
  const text = `[${"1 0 R ".repeat(10_000)}]`;
  const work = unlimitedWork();
  await parse(text, 0, work);
  const { byte, element } = PARSERS.syntax;
  expect(work.spent).toBe(text.length * byte + 30_002 * element);
  await expect(parse(text, 0, new Work(10_000 * element))).rejects.toThrow(Refusal);
});

test("reading a large object yields to other requests", async () => {
  let turns = 0;
  const work = new Work(Infinity, Infinity, () => void (turns += 1));
  await parse(`[${"1 ".repeat(200_000)}]`, 0, work);
  expect(turns).toBeGreaterThan(4);
});

describe("objects in content", () => {
  test.each<[string, unknown]>([
    ["[1 %)\n2]", [1, 2]],
    ["<</A#4 <4G> /(x)>>", new Dictionary(["A#4", ""], [new StringSpan(7, 11), new StringSpan(13, 16)])],
    ["<</A -.5/B +5>>", new Dictionary(["A", "B"], [new Real(-0.5), new Real(5)])],
    [
      "[0.5/DeviceRGB true null<</A[(b)]>>]",
      [new Real(0.5), new Name("DeviceRGB"), true, null, new Dictionary(["A"], [[new StringSpan(29, 32)]])],
    ],
    ["<</A 1 0 R>>", new Dictionary(["A"], [new Reference(1, 0)])],
    [String.raw`(\777` + ")", new StringSpan(0, 6)],
  ])("an object in content is read as viewers read it: %j", (text, value) => {
    expect(parseShort(bytesOf(text), 0, "content")).toMatchObject({ value, end: text.length });
  });

  test.each([
    ["[1-2]", "1 has a malformed number"],
    ["[(a]", "1 has no end"],
    ["[1rg]", "2 has a word that is no value"],
    ["[1}]", "2 is malformed"],
    ["<</A 1 2>>", "8 has a dictionary with a value in place of a key"],
    ["", "0 has no end"],
  ])("an object in content without one reading is refused: %j: %s", (text, expected) => {
    let found = "none";
    try {
      parseShort(bytesOf(text), 0, "content");
    } catch (error) {
      if (error instanceof Malformed) found = `${error.at} ${error.message}`;
    }
    expect(found).toBe(expected);
  });
});
