import { describe, expect, test } from "vitest";
import { pdfPart } from "../harness/requests/client.ts";
import { LONGEST_STRETCH } from "../harness/work/longest-stretch.ts";
import { parserConstructs, type ParserConstruct } from "../harness/bombs/parser-constructs.ts";
import { countedRows } from "../harness/bombs/signature-bombs.ts";
import { sent } from "../harness/work/spent-fuel.ts";
import { PARSERS } from "../../src/engines/parse-meter.ts";

async function compared({ operation, first = 1_000, parts }: ParserConstruct) {
  const found = [];
  // The first request of all also pays for the engine.
  for (const count of [first, first, 2 * first, 4 * first]) {
    const form = await parts(count);
    if (form === undefined) throw new Error(`there cannot be ${count}`);
    found.push(await sent(operation, form));
  }
  return found.slice(1);
}

describe("fuel of parsers", () => {
  test.each(parserConstructs.map((one) => [`${one.parser}: ${one.name}`, one] as const))(
    "fuel grows at most as N log N, and reading yields to other requests: %s",
    async (_, construct) => {
      const { first = 1_000, parser, refused = "done" } = construct;
      const found = await compared(construct);
      expect(found.map(({ code }) => code)).toEqual([refused, refused, refused]);
      for (const { longest } of found) expect(longest).toBeLessThan(LONGEST_STRETCH);
      const [one = 0, two = 0, four = 0] = found.map(({ work }) => work);
      // The square would be 4 times as much.
      expect(four - two).toBeLessThan(2.5 * (two - one) + 100_000);
      // What is refused may be refused before it is read.
      const least = refused === "done" ? 2 * first * PARSERS[parser].byte : 0;
      expect(four - two).toBeGreaterThanOrEqual(least);
    },
  );
});

test("8 million rows for 400,000 numbers make an update malformed before the first is read", async () => {
  const rows = (count: number) => sent("verify-signatures", { file: pdfPart(countedRows([0, 1, 0], count)) });
  const [known, claimed] = [await rows(400_000), await rows(8_000_000)];
  expect([known.code, claimed.code]).toEqual(["done", "done"]);
  // What remains is MuPDF's own reading of all rows, 20 times as many.
  expect(claimed.work).toBeLessThan(20 * known.work);
  expect(claimed.longest).toBeLessThan(LONGEST_STRETCH);
});
