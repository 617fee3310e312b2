import { expect, test } from "vitest";
import { bytesOf, latin1 } from "../../src/bytes/latin1.ts";
import { withReplacements } from "../../src/engines/convert/write-texts.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

const CONTENT = "BT /F0 12 Tf [<00010002>20<00030004>]TJ 5 0 Td [<0005>]TJ ET";

async function replaced(content: string, runs: readonly [number, number, string][], glyphs: number) {
  const list = runs.map(([start, end, text]) => ({ start, end, text }));
  const bytes = await withReplacements(bytesOf(content), { runs: list, glyphs }, unlimitedWork());
  return bytes && latin1(bytes);
}

test("a run within a row is marked, and adjustments stay where they are", async () => {
  expect(await replaced(CONTENT, [[1, 3, "xy"]], 5)).toBe(
    "BT /F0 12 Tf [<0001>] TJ /Span <</ActualText <FEFF00780079>>> BDC [<0002> 20 <0003>] TJ EMC [<0004>] TJ  5 0 Td [<0005>]TJ ET",
  );
});

test("a run continues in the next row", async () => {
  expect(await replaced(CONTENT, [[3, 5, "z"]], 5)).toBe(
    "BT /F0 12 Tf [<00010002> 20 <0003>] TJ /Span <</ActualText <FEFF007a>>> BDC [<0004>] TJ  5 0 Td [<0005>] TJ EMC  ET",
  );
});

test("content that shows another number of glyphs than the page stays", async () => {
  expect(await replaced(CONTENT, [[1, 3, "xy"]], 6)).toBeUndefined();
});
