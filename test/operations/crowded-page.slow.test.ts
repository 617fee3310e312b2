import { describe, expect, test } from "vitest";
import { pdfPart } from "../harness/requests/client.ts";
import { layoutDocument } from "../harness/fixtures/layout-fixtures.ts";
import { LONGEST_STRETCH } from "../harness/work/longest-stretch.ts";
import { sent } from "../harness/work/spent-fuel.ts";

/** A page with so many words of two letters: in points from the bottom left; `turned` by 90 degrees. */
function crowded(count: number, { at, turned = false }: { at: (index: number) => [number, number]; turned?: boolean }) {
  const matrix = turned ? "0 1 -1 0" : "1 0 0 1";
  const words = Array.from({ length: count }, (_, index) => `${matrix} ${at(index).join(" ")} Tm (ab) Tj`);
  return pdfPart(layoutDocument([`BT /F1 12 Tf ${words.join(" ")} ET`]));
}

const scattered = (index: number): [number, number] => [(index * 7919) % 600, (index * 104_729) % 780];
const inLine = (index: number): [number, number] => [(index * 7919) % 600, 400];

const requests = [["extract-text", { format: "markdown" }]] as const;

describe.each([
  ["scattered", { at: scattered }],
  ["on one line and turned", { at: inLine, turned: true }],
] as const)("crowded pages, %s", (_, words) => {
  test.each(requests)(
    "%s %o: fuel grows with the number of words, and reading yields to other requests",
    async (operation, form) => {
      const found = [];
      for (const count of [13_000, 26_000, 52_000])
        found.push(await sent(operation, { file: crowded(count, words), ...form }));
      for (const { longest } of found) expect(longest).toBeLessThan(LONGEST_STRETCH);
      expect(found.map(({ code }) => code)).toEqual(["done", "done", "done"]);
      const [one = 0, two = 0, four = 0] = found.map(({ work }) => work);
      // The square would be 4 times as much.
      expect(four - two).toBeLessThan(2.5 * (two - one));
      // Each word is paid for.
      expect(four - two).toBeGreaterThan(26_000 * 500);
    },
  );
});
