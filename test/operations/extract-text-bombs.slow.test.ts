import { expect, test } from "vitest";
import { raggedLines, ruledLines, wideTable } from "../harness/bombs/drawing-bombs.ts";
import { drawing, type DrawnPage } from "../harness/fixtures/drawing-fixtures.ts";
import { operationService } from "./operation-service.ts";

/** The words that these pages show: `w0`, `w1`, and so on. */
const wordsOf = (text: string): string[] => text.match(/w\d+/g) ?? [];

test.each<[string, DrawnPage]>([
  ["500 rules among 5,000 lines", ruledLines(499, 5_000)],
  ["a table of 100 rows and 199 columns", wideTable(100, 199)],
  ["what looks like a table of 60 rows and 900 columns", wideTable(60, 900)],
  ["2,000 lines of columns that do not line up", raggedLines(2_000, 20)],
])("a page with %s is read in full, each word once", async (_, page) => {
  const post = await operationService("extract-text");
  const response = await post(drawing(page), { format: "markdown" });
  expect(response.status).toBe(200);
  const shown = wordsOf(page.content);
  const read = wordsOf(await response.text());
  expect(read.length).toBe(shown.length);
  expect(new Set(read)).toEqual(new Set(shown));
});

test("a table of 2,000 rows is one table, whose rows are in order", async () => {
  const post = await operationService("extract-text");
  const response = await post(drawing(ruledLines(200, 2_000)), { format: "csv" });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/csv; charset=utf-8"]);
  const rows = (await response.text()).trim().split("\r\n");
  expect(rows).toEqual(Array.from({ length: 2_000 }, (_, row) => `w${3 * row},w${3 * row + 1},w${3 * row + 2}`));
});
