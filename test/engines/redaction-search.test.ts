import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { MatchCoverage, type Range } from "../../src/engines/pdf/redaction/search/coverage.ts";
import { Expression } from "../../src/engines/pdf/redaction/search/expression.ts";
import { Matcher } from "../../src/engines/pdf/redaction/matcher.ts";
import { lettersOf, Term } from "../../src/engines/pdf/redaction/search/terms.ts";
import { atOnceWithin } from "../../src/engines/steps.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const work = unlimitedWork();
const slices = (text: string, ranges: readonly Range[]): string[] =>
  ranges.map(({ start, end }) => text.slice(start, end));

function byTerm(term: string, text: string, ignoreCase = false): string[] {
  const found = Term.of(term, ignoreCase);
  return found ? slices(text, atOnceWithin(work, found.in(text, lettersOf(text, ignoreCase), work))) : [];
}

const byExpression = (regex: string, text: string): Range[] => atOnceWithin(work, new Expression(regex).in(text, work));

/** As RE2 finds it in one piece. */
function byRe2(regex: string, text: string): Range[] {
  const ranges: Range[] = [];
  const matcher = RE2JS.compile(regex).matcher(text);
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (end > start) ranges.push({ start, end });
  }
  return ranges;
}

const PARTS = [
  "a",
  "b",
  "[ab]",
  ".",
  "(?:ab)",
  "(a|aa)",
  String.raw`\b`,
  "^",
  "$",
  "(?i:A)",
  String.raw`\w`,
  "a*?",
  "b+",
  "a{2,3}",
  "(?m:^)",
  String.raw`\B`,
  String.raw`\pL`,
  "é",
  "😀",
  "|",
  "a??",
  "[^a]",
  "(?s:.)",
  String.raw`\z`,
  String.raw`[^\x00-\x{10FFFF}]`,
];
const TEXTS = ["", "a", "aab aaab\nab", "A b_é😀a\n\nb", "baaa 😀😀 aé"];

describe("expressions", () => {
  test.each(PARTS)("an expression finds the same as RE2 with %s before and after each other part", (part) => {
    const all = PARTS.flatMap((other) => [part + other, `(?:${part}${other})*`, `(?:${other}|${part})+${part}`]);
    const valid = all.filter((regex) => {
      try {
        return RE2JS.compile(regex).programSize() > 0;
      } catch {
        return false;
      }
    });
    expect(valid.length).toBeGreaterThan(40);
    for (const regex of valid) {
      for (const text of TEXTS)
        expect({ regex, text, found: byExpression(regex, text) }).toEqual({ regex, text, found: byRe2(regex, text) });
    }
  });

  test("the fuel of an expression grows with the text and the steps of the expression", () => {
    const fuelOf = (regex: string, length: number): number => {
      const before = work.spent;
      byExpression(regex, "a".repeat(length));
      return work.spent - before;
    };
    expect(fuelOf("a{1,50}b", 2_000) / fuelOf("a{1,50}b", 1_000)).toBeCloseTo(2, 0);
    expect(fuelOf("a{1,100}b", 2_000) / fuelOf("a{1,50}b", 2_000)).toBeCloseTo(2, 0);
  });
});

describe("terms", () => {
  test.each([
    ["across the end of a line", "Babbage", "xBab-\nbage Bab \u2029 bage", ["Bab-\nbage", "Bab \u2029 bage"]],
    [
      "with any space between its words",
      "Jane Doe",
      "Jane \ufdd1 Doe Jane\nDoe JaneDoe",
      ["Jane \ufdd1 Doe", "Jane\nDoe"],
    ],
    ["with its hyphens", "a-b", "a-b a-\nb a--\nb ab", ["a-b", "a-\nb", "a--\nb"]],
    ["that begins with a hyphen", "-5", "5 -5 --\n5", ["-5", "--\n5"]],
    ["once where it overlaps itself", "aba", "ababab", ["aba"]],
    ["after a part of it", "aab", "aaaab", ["aab"]],
    ["not without the accent of its last letter", "Jose", "Jose\u0301 Jose", ["Jose"]],
    ["with characters of expressions", "a.b(c)", "axb(c) a.b(c)", ["a.b(c)"]],
    ["in its own case", "Doe", "doe DOE Doe", ["Doe"]],
  ])("a term is found as documented: %s", (_, term, text, found) => {
    expect(byTerm(term, text)).toEqual(found);
  });

  test("a term is found in any case, including letters with two small forms and those of other planes", () => {
    expect(byTerm("ΟΔΟΣ", "οδος οδοσ", true)).toEqual(["οδος", "οδοσ"]);
    expect(byTerm("𐐀x", "𐐨X", true)).toEqual(["𐐨X"]);
    expect(byTerm("STRAẞE", "straße", true)).toEqual(["straße"]);
  });

  test("the fuel of a search grows with the text, even if the term nearly matches everywhere", () => {
    const term = Term.of(`${"a".repeat(499)}b`, false);
    const fuelOf = (length: number): number => {
      const [text, before] = ["a".repeat(length), work.spent];
      if (term) atOnceWithin(work, term.in(text, lettersOf(text, false), work));
      return work.spent - before;
    };
    expect(fuelOf(20_000)).toBe(2 * fuelOf(10_000));
    expect(fuelOf(10_000)).toBeLessThan(100_000);
  });
});

test("ranges that overlap are one, and ranges that touch are two", () => {
  const coverage = new MatchCoverage(10);
  expect(coverage.ranges()).toEqual([]);
  const ranges = [
    { start: 4, end: 6 },
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 5, end: 8 },
    { start: 5, end: 6 },
  ];
  for (const range of ranges) coverage.add(range);
  expect(coverage.ranges()).toEqual([
    { start: 0, end: 2 },
    { start: 2, end: 4 },
    { start: 4, end: 8 },
  ]);
  expect([coverage.isFree({ start: 8, end: 10 }), coverage.isFree({ start: 7, end: 9 })]).toEqual([true, false]);
});

test("a preset is found across the parts of a text", () => {
  const text = `${"x ".repeat(7_995)}jane.doe@example.com ${"x ".repeat(9_000)}http://a.b/(c)) 4111 1111 1111 1111`;
  const matcher = new Matcher(
    { terms: [], ignoreCase: false, patterns: ["email", "url", "credit-card"] },
    unlimitedWork(),
  );
  expect(slices(text, matcher.inString(text))).toEqual([
    "jane.doe@example.com",
    "http://a.b/(c)",
    "4111 1111 1111 1111",
  ]);
});
