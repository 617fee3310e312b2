import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../../src/bytes/latin1.ts";
import { cleanContent, shownStrings } from "../../../src/engines/pdf/redaction/content-strings.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

test.each<[string, readonly string[]]>([
  ["(a) Tj <6263> Tj", ["a", "bc"]],
  ['[(a) -10 (b) -200 (c)] TJ 1 2 (d) "', ["ab c", "d"]],
  ["/Span << /ActualText (x) >> BDC (a) ' EMC", ["a"]],
  ["[(a) (b) Tj BI /W 1 (c) Tj", ["ab", "c"]],
])("the string %s shows %j", async (content, expected) => {
  expect((await shownStrings(bytesOf(content), unlimitedWork())).map(latin1)).toEqual(expected);
});

async function cleaned(content: string, { inAllStrings = false, dropsReplacements = false } = {}) {
  const without = (text: string): string | undefined => (text.includes("Ada") ? text.replaceAll("Ada", "") : undefined);
  const options = { text: without, name: without, inAllStrings, dropsReplacements };
  const result = await cleanContent(bytesOf(content), unlimitedWork(), options);
  return result && latin1(result);
}

test.each<[string, string | undefined]>([
  ["(Ada) Tj [(Ada)] TJ", undefined],
  ["/A << /X (Ada) >> BDC (Ada) Tj", "/A << /X <> >> BDC (Ada) Tj"],
  ["% Ada\nq % b\nQ", "\nq % b\nQ"],
  ["[(a) % Ada\n(b)] TJ", "[(a)\n(b)] TJ"],
  ["/AdaX gs /B gs", "/X gs /B gs"],
  ["BI /W 1 /AdaX /B ID (Ada) EI (Ada) DP", "BI /W 1 /X /B ID (Ada) EI <> DP"],
  ["BI /W 1 /AdaX gs (Ada) DP", "BI /W 1 /X gs <> DP"],
  ["q (Ada)", "q <>"],
])("the string %s becomes %j", async (content, expected) => {
  expect(await cleaned(content)).toBe(expected);
});

test("texts of marked content lose the redacted part or all, and other programs lose all strings", async () => {
  const content = "/Span << /ActualText (Ada b) /Alt (c) >> BDC";
  expect(await cleaned(content)).toMatch(/^\/Span << \/ActualText <[0-9a-f]+> \/Alt \(c\) >> BDC$/i);
  expect(await cleaned(content, { dropsReplacements: true })).toBe("/Span << /ActualText <> /Alt <> >> BDC");
  expect(await cleaned("(Ada) Tj", { inAllStrings: true })).toBe("<> Tj");
});
