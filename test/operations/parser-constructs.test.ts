import { describe, expect, test, vi } from "vitest";
import { type Part, pdfPart } from "../harness/client.ts";
import { LONGEST_STRETCH, watchStretches } from "../harness/longest-stretch.ts";
import { parserConstructs, type ParserConstruct } from "../harness/parser-constructs.ts";
import { countedRows } from "../harness/signature-bombs.ts";
import { errorOf, newKey, senderTo } from "../http/echo-service.ts";
import { PARSERS } from "../../src/engines/parse-meter.ts";
import { operations } from "../../src/operations/index.ts";

const logged = vi.spyOn(console, "log").mockImplementation(() => {});
const send = senderTo(...operations);
const key = await newKey("enterprise");

/** The code of the error, or `done`; the fuel that the request spent; and the most of it without a turn for others. */
async function sent(operation: string, parts: Readonly<Record<string, Part>>) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([part.bytes.slice()]), part.fileName);
  }
  logged.mockClear();
  using stretches = watchStretches();
  const headers = { Authorization: `Bearer ${key}` };
  const response = await send(`/api/v1/${operation}`, { method: "POST", headers, body: form });
  const { work } = JSON.parse(String(logged.mock.lastCall?.[0])) as { work: number };
  const code = response.status === 200 ? "done" : (await errorOf(response))[1];
  return { code, work, longest: stretches.longest };
}

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

describe("the fuel of a parser grows with what it reads, no faster than N log N, and others have their turn", () => {
  test.each(parserConstructs.map((one) => [`${one.parser}: ${one.name}`, one] as const))("%s", async (_, construct) => {
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
  });
});

test("8 million rows for 400,000 numbers make an update malformed before one is read", async () => {
  const rows = (count: number) => sent("verify-signatures", { file: pdfPart(countedRows([0, 1, 0], count)) });
  const [known, claimed] = [await rows(400_000), await rows(8_000_000)];
  expect([known.code, claimed.code]).toEqual(["done", "done"]);
  // What remains is MuPDF's own reading of all rows, 20 times as many.
  expect(claimed.work).toBeLessThan(20 * known.work);
  expect(claimed.longest).toBeLessThan(LONGEST_STRETCH);
});
