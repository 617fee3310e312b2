import { describe, expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { type Measures, ObjectMeter } from "../../../src/engines/pdf/objects/measures.ts";

const LOOSE: Measures = {
  tokens: 1e9,
  dictionaryEntries: 1e9,
  arrayItems: 1e9,
  stringBytes: 1e9,
  commentBytes: 1e9,
  nesting: 1e9,
};

/** The measures of objects in chunks, and where each of them ends. */
function measured(...chunks: readonly string[]): { largest: Measures; ends: number[] } {
  const meter = new ObjectMeter(LOOSE);
  const ends: number[] = [];
  let before = 0;
  for (const chunk of chunks) {
    const bytes = bytesOf(chunk);
    for (let at = meter.read(bytes); at < bytes.length; at = meter.read(bytes, at)) {
      ends.push(before + at);
      meter.begin();
    }
    before += bytes.length;
  }
  meter.begin();
  return { largest: meter.largest, ends };
}

const MIXED = "<</A[1 2 3 0 R(a\\)(b))<41424>]/B<</C/D>>%comment\n/E 5 0 R>> 7 [/F] R ";

test("an object is measured by its tokens, entries, items, strings, comments, and nesting", () => {
  expect(measured(MIXED)).toEqual({
    largest: { tokens: 18, dictionaryEntries: 3, arrayItems: 5, stringBytes: 7, commentBytes: 7, nesting: 2 },
    ends: [59, 61, 66, 68],
  });
});

test("chunks do not change the measures, wherever they end", () => {
  const { largest, ends } = measured(MIXED);
  for (let at = 0; at <= MIXED.length; at++) {
    const halves = measured(MIXED.slice(0, at), MIXED.slice(at));
    expect(halves.largest).toEqual(largest);
    expect(halves.ends).toEqual(ends);
  }
  expect(measured(...MIXED)).toEqual({ largest, ends });
});

test("a growing view of the same bytes is read on from its end", () => {
  const bytes = bytesOf("[(abc)12 0 R] ");
  const meter = new ObjectMeter(LOOSE);
  let end = 0;
  for (let to = 1; to <= bytes.length; to++) end = meter.read(bytes.subarray(0, to), end);
  expect([end, meter.tokens, meter.largest.arrayItems]).toEqual([13, 5, 2]);
});

describe("limits of objects", () => {
  test.each<[string, Partial<Measures>, string]>([
    ["[1 2 3 4 5 6 ", { arrayItems: 3 }, "array with too many items"],
    ["<</A 1/B 2/C 3/D 4", { dictionaryEntries: 2 }, "dictionary with too many entries"],
    ["(abcd", { stringBytes: 3 }, "string that is too long"],
    ["<4142434445", { stringBytes: 3 }, "string that is too long"],
    ["%abcd", { commentBytes: 3 }, "comment that is too long"],
    ["[[[", { nesting: 2 }, "nested too deeply"],
    ["[1 2 3 ", { tokens: 2 }, "object that is too large"],
  ])("an object beyond a limit is refused before it ends: %s", (text, most, problem) => {
    expect(() => new ObjectMeter({ ...LOOSE, ...most }).read(bytesOf(text))).toThrow(problem);
  });
});
