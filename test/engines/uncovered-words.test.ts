import { expect, test } from "vitest";
import { uncoveredWords } from "../../src/engines/ocr/uncovered-words.ts";
import { openPdf } from "../../src/engines/pdf/document/document.ts";
import { leaseEngines } from "../../src/engines/lease/pool.ts";
import { recognized } from "../harness/fixtures/recognized.ts";
import { show, textDocument } from "../harness/fixtures/text-fixtures.ts";

const page = recognized([{ text: "words of a scan", x: 40, top: 100 }], { width: 600, height: 800, rotation: 0 });

/** The words that a page with this content does not have. */
async function missing(content: string): Promise<string> {
  const file = textDocument([{ content }]);
  const { engines, release } = await leaseEngines(() => true);
  const arena = engines.pdf.files.arena(file.length);
  arena.write(file);
  using open = await openPdf(engines.pdf, { field: "file", bytes: arena.seal(), passwordIsOwn: false });
  const { lines } = await uncoveredWords(open, 0, page);
  release(true);
  return lines.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

// The boxes are from 100 to 114 from the top; words from 40 to 80, 85 to 101, 106 to 114 and 119 to 151.
test.each([
  ["nothing", "", "words of a scan"],
  ["text elsewhere", show("words of a scan", 40, 600, 14), "words of a scan"],
  ["a word", show("words", 41, 689, 14), "of a scan"],
  ["words in other letters", `${show("wrds", 41, 689, 14)} ${show("0f", 86, 689, 14)}`, "a scan"],
  ["less than half of a word", show("wo", 41, 689, 10), "words of a scan"],
  ["the whole line", show("words  of a  scan ", 41, 689, 15), ""],
])("words beside visible text that is %s are left if it does not cover them", async (_, content, left) => {
  expect(await missing(content)).toBe(left);
});
