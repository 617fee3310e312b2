/** What ECMA-376-1 (18.8.30, 18.8.31) and the documentation of Excel say of number formats, case by case. */
import { expect, test } from "vitest";
import { NumberFormats } from "../../src/engines/convert/xlsx/number-format.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const formatsOf = (code: string, from1904 = false, notConverted = new Set<string>()): NumberFormats =>
  new NumberFormats(unlimitedWork(), new Map([[164, code]]), from1904, notConverted);

/** 2023-03-15, a Wednesday, and 14:05:09.25 of that day. */
const [DAY, MOMENT] = [45_000, 45_000 + (14 * 3_600 + 5 * 60 + 9.25) / 86_400];

test.each<readonly [string, number, string]>([
  // Digits.
  ["0", 1234.567, "1235"],
  ["0.00", 1234.567, "1234.57"],
  ["0.00", 1.005, "1.01"],
  ["0.00", 8, "8.00"],
  ["#.##", 8.9, "8.9"],
  ["0.0#", 8, "8.0"],
  ["0.0#", 8.256, "8.26"],
  [".00", 0.5, ".50"],
  ["#", 0, ""],
  ["00000", 123, "00123"],
  ["0.???", 1.5, "1.5"],
  ["0", -0.4, "0"],
  ["0", -1.6, "-2"],
  ["000-00-0000", 123456789, "123-45-6789"],
  ["(000) 000-0000", 1234567890, "(123) 456-7890"],
  ["00:00", 1234, "12:34"],
  // Thousands, and powers of them.
  ["#,##0", 1234567, "1,234,567"],
  ["#,##0.00", -1234.5, "-1,234.50"],
  ["#,", 12000, "12"],
  ["0.0,,", 12200000, "12.2"],
  ['0.0,"K"', 45678, "45.7K"],
  // Percent, exponents, and fractions.
  ["0%", 0.256, "26%"],
  ["0.00%", 0.2561, "25.61%"],
  ["0.00E+00", 12345, "1.23E+04"],
  ["0.00E+00", 0.00012, "1.20E-04"],
  ["0.0E-0", 12345, "1.2E4"],
  ["##0.0E+0", 12345, "12.3E+3"],
  ["# ?/?", 0.5, "1/2"],
  ["# ?/?", 2.5, "2 1/2"],
  ["# ?/?", -2.25, "-2 1/4"],
  ["# ??/??", 2.125, "2  1/8"],
  ["# ???/???", Math.PI, "3  16/113"],
  ["?/?", 1.5, "3/2"],
  ["# ?/8", 1.5, "1 4/8"],
  ["# ??/100", 1.25, "1 25/100"],
  // Text beside them.
  ['0.00" EUR"', 5, "5.00 EUR"],
  ["0\\x", 5, "5x"],
  ["$0.00", 5, "$5.00"],
  ["0_)", 5, "5"],
  ["*-0", 5, "5"],
  ['_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', -12, "$(12.00)"],
  ["[$€-407] #,##0.00", 1234.5, "€ 1,234.50"],
  ["#,##0.00 [$kr.-406]", 1234.5, "1,234.50 kr."],
  ["[$CHF] 0.00", 5, "CHF 5.00"],
  ["General", 0.1 + 0.2, "0.3"],
  ["General", 123456789012, "1.23457E+11"],
  ["General", 1 / 3, "0.333333333"],
  ['General" kg"', 2.5, "2.5 kg"],
  ["@", 2.5, "2.5"],
  // Sections.
  ["0;(0)", -5, "(5)"],
  ['0;-0;"zero"', 0, "zero"],
  ["0;-0;", 0, ""],
  [";;;", 5, ""],
  ["[Red]0;[Blue]-0", -5, "-5"],
  ["[Color10]0", 5, "5"],
  // Conditions.
  ['[>=50]"pass";"fail"', 75, "pass"],
  ['[>=50]"pass";"fail"', 25, "fail"],
  ['[<1000]0;0.0,"K"', 950, "950"],
  ['[<1000]0;0.0,"K"', 45678, "45.7K"],
  ['[<1000]0;[<1000000]0.0,"K";0.0,,"M"', 4567890, "4.6M"],
  ['[=1]"yes";[=0]"no";0', 0, "no"],
  ['[=1]"yes";[=0]"no";0', 7, "7"],
  ['[<>0]0;"none"', 0, "none"],
  ["[<=9999999]000-0000;(000) 000-0000", 5551234, "555-1234"],
  ["[<=9999999]000-0000;(000) 000-0000", 2065551234, "(206) 555-1234"],
  // Dates.
  ["m/d/yyyy", DAY, "3/15/2023"],
  ["yyyy-mm-dd", DAY, "2023-03-15"],
  ["dd.mm.yy", DAY, "15.03.23"],
  ["d-mmm-yy", DAY, "15-Mar-23"],
  ["dddd, mmmm d", DAY, "Wednesday, March 15"],
  ["ddd mmmmm", DAY, "Wed M"],
  ["d/m/yyyy", 60, "29/2/1900"],
  ["d/m/yyyy", 61, "1/3/1900"],
  ["d/m/yyyy", 2_958_465, "31/12/9999"],
  ["[$-407]mmmm", DAY, "März"],
  ["[$-407]dddd, d. mmmm yyyy;@", DAY, "Mittwoch, 15. März 2023"],
  ["[$-40C]d mmmm yyyy", DAY, "15 mars 2023"],
  ["[$-409]mmm d, yyyy", DAY, "Mar 15, 2023"],
  ["[$-F800]dddd, mmmm dd, yyyy", DAY, "Wednesday, March 15, 2023"],
  // Times.
  ["h:mm", MOMENT, "14:05"],
  ["hh:mm:ss", MOMENT, "14:05:09"],
  ["h:mm AM/PM", MOMENT, "2:05 PM"],
  ["h AM/PM", DAY, "12 AM"],
  ["h:mm A/P", MOMENT, "2:05 P"],
  ["mm:ss.00", MOMENT, "05:09.25"],
  ["[h]:mm:ss", 1.5, "36:00:00"],
  ["[mm]:ss", 1 / 24, "60:00"],
  ["[ss]", 1 / 1440, "60"],
  ["yyyy-mm-dd hh:mm", MOMENT, "2023-03-15 14:05"],
])("`%s` shows %d as `%s`", (code, value, shown) => {
  const notConverted = new Set<string>();
  expect(formatsOf(code, false, notConverted).number(value, 164)).toBe(shown);
  expect(notConverted).toEqual(new Set());
});

test.each<readonly [number, number, string]>([
  [0, 1.5, "1.5"],
  [4, 1234.5, "1,234.50"],
  [9, 0.5, "50%"],
  [12, 0.5, "1/2"],
  [14, DAY, "3/15/2023"],
  [22, MOMENT, "3/15/2023 14:05"],
  [38, -1234, "(1,234)"],
  [44, 5, "$5.00"],
  [46, 1.5, "36:00:00"],
  [48, 12345, "12.3E+3"],
  [163, 5, "5"],
  [Number.NaN, 5, "5"],
])("format %d, which has a number only, shows %d as `%s`", (id, value, shown) => {
  expect(formatsOf("0").number(value, id)).toBe(shown);
});

test.each([
  ["@", "a", "a"],
  ['0;0;0;"<"@">"', "a", "<a>"],
  ['"No. "@', "7b", "No. 7b"],
  ["0.00", "a", "a"],
  ["yyyy;@", "soon", "soon"],
  [";;;", "hidden", ""],
])("`%s` shows the text `%s` as `%s`", (code, value, shown) => {
  expect(formatsOf(code).text(value, 164)).toBe(shown);
});

test("dates count from 1904 where the workbook says so, and numbers do not", () => {
  expect(formatsOf("yyyy-mm-dd", true).number(DAY - 1_462, 164)).toBe("2023-03-15");
  expect(formatsOf("0", true).number(5, 164)).toBe("5");
});

test.each(['0"', "[>5", "Standard", "constructor", "0 m²"])(
  "the invalid code `%s` is named, and its values have no format",
  (code) => {
    const notConverted = new Set<string>();
    expect(formatsOf(code, false, notConverted).number(1234.5, 164)).toBe("1234.5");
    expect([...notConverted]).toEqual(["number-formats"]);
  },
);

test("a value outside of the calendar is shown as a number", () => {
  expect(formatsOf("yyyy").number(-1, 164)).toBe("-1");
  expect(formatsOf("yyyy").number(2_958_466, 164)).toBe("2958466");
});

test("a code is charged by its length for each of its values, and once for being read", () => {
  const spent = (length: number, values: number): number => {
    const work = unlimitedWork();
    const formats = new NumberFormats(work, new Map([[164, `0"${"x".repeat(length - 3)}"`]]), false, new Set());
    for (let value = 0; value < values; value++) formats.number(value, 164);
    return work.spent;
  };
  const [short, long] = [spent(20, 101) - spent(20, 1), spent(220, 101) - spent(220, 1)];
  expect((long - short) / 100 / 200).toBe(8);
  expect(spent(220, 1) - spent(20, 1)).toBe(200 * (400 + 8));
});
