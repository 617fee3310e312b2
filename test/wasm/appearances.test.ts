import { expect, test } from "vitest";
import { SBRK_END } from "../../src/engines/pdf/mupdf/abi.ts";
import { unlimitedWork } from "../../src/engines/work.ts";
import { createEngine } from "../harness/fixtures/changed-document.ts";
import { bareAnnotations } from "../harness/bombs/bomb-fixtures.ts";

test("a page with annotations is loaded with less than 2 KB for each appearance that MuPDF makes", async () => {
  const [few, many] = await Promise.all([500, 5_500].map(bytesToLoad));
  // Every fifth is a link.
  const drawn = 4_000;
  expect(((many ?? 0) - (few ?? 0)) / drawn).toBeLessThan(2_000);
});

/** Bytes that the heap grows when the page is loaded, with the objects of annotations read before. */
async function bytesToLoad(annotations: number): Promise<number> {
  const engine = await createEngine();
  engine.begin(() => true, unlimitedWork());
  const document = await engine.long.open(new engine.mupdf.Buffer(bareAnnotations(annotations)));
  if (!document) throw new Error("The document does not open.");
  for (let number = 1; number < document.countObjects(); number++) document.newIndirect(number).isDictionary();
  const end = (): number => engine.lib.HEAPU32[SBRK_END >> 2] ?? 0;
  const before = end();
  await engine.long.loadPage(document, 0);
  return end() - before;
}
