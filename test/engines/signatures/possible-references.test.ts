import { expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { ParseMeter } from "../../../src/engines/parse-meter.ts";
import { possibleReferences } from "../../../src/engines/pdf/signatures/possible-references.ts";
import { ANY } from "../../../src/engines/pdf/signatures/references.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

/** How often object 8 may refer to others, by their numbers. */
async function possible(text: string, end?: number): Promise<Record<number, number>> {
  const bytes = bytesOf(text);
  const isPacked = end !== undefined;
  const written = { number: 8, key: "0", bytes, start: 0, end: end ?? bytes.length, isPacked };
  return Object.fromEntries(await possibleReferences(written, new ParseMeter(unlimitedWork(), "syntax")));
}
const inObject = (value: string) => possible(`8 0 obj\n${value}\nendobj\n`);

test.each([
  ["<< /A 5 0 R /B [1 2 5 0 R 6 1 R] /C (7 0 R) /D7 true /E << /F null >> >>", { 5: 2, 6: 1 }],
  ["<< /A 5 0 R /Length 4294967395 >>\nstream\n99 0R\nendstream", { 5: 1 }],
  ["% 99 0R\n[5 %99\n0 R -7 +7 .7 <41>]", { 5: 1 }],
  ["5 0 R", { 5: 1 }],
  ["7", {}],
])("a sound object has its references, %j", async (value, expected) => {
  expect(await inObject(value)).toEqual(expected);
});

test.each([
  ["[5 0 R 99 0R (7) /F7]", { 5: 1, 99: 1 }],
  ["[99 0 /A R]", { 99: 1 }],
  ["[+99 0 R]", { 99: 1 }],
  ["[4294967395 0 R 18446744073709551715 0 R]", { 99: 2 }],
  ["[9-9 0 R]", { 9: 2, 99: 1 }],
  ["[98.9 0 R]", { 9: 1, 98: 2, 99: 1, 989: 1 }],
  ["[9.9e1 0 R]", { 1: 1, 9: 2, 99: 1, 991: 1 }],
  ["[16#63 0 R]", { 16: 1, 63: 1, 99: 1, 1663: 1 }],
  ["[99 0\0R]", { 99: 1 }],
  ["[/X\x8099\x800\x80R]", { 99: 1, 990: 1 }],
  ["<< /A 99 /B /C /D >>", { 99: 1 }],
  ["<< /A 99 0 >>", { 99: 1 }],
  ["[5 0 R] 99", { 5: 1, 99: 1 }],
  ["[99]\nstream", { 99: 1 }],
])("each number in a malformed object may be a reference, %j", async (value, expected) => {
  expect(await inObject(value)).toEqual(expected);
});

test.each([
  "[5 0 R",
  "<< /A [5 0 R >>",
  "[5 0 R )]",
  "[{5 0 R}]",
  `[5 0 R ${"1".repeat(65)}]`,
  "[9 0 obj 5 0 R]",
  "(5",
])("an object with an uncertain end may lead to any other, %j", async (value) => {
  expect(await inObject(value)).toEqual({ [ANY]: 1 });
});

test("an object away from its offset may lead to any other", async () => {
  expect(await possible("9 0 obj\n[5 0 R]\nendobj\n")).toEqual({ [ANY]: 1 });
});

test("an object of an object stream ends where the next one begins", async () => {
  expect(await possible("[5 0 R] [99 0R] ", 8)).toEqual({ 5: 1 });
  expect(await possible("[5 0 R] 99 [6] ", 11)).toEqual({ 5: 1, 99: 1 });
  expect(await possible("7 8 [6] ", 2)).toEqual({});
  for (const [text, end] of [
    ["[5 0 R] ", 6],
    ["99 0 R ", 1],
    ["99 0 R ", 3],
    ["99 0R ", 3],
  ] as const)
    expect(await possible(text, end)).toEqual({ [ANY]: 1 });
});
