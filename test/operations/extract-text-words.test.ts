import { expect, test } from "vitest";
import { document, allFeatures } from "../harness/fixtures/fixtures.ts";
import { aligned, layoutDocument, line, lines, ruled } from "../harness/fixtures/layout-fixtures.ts";
import { lostInMarkdown } from "../harness/compare/markdown-words.ts";
import { element, marked, on, taggedDocument } from "../harness/fixtures/tagged-fixtures.ts";
import { extract } from "./text-service.ts";

/** Paragraphs side by side, and above them a row whose words stand between the columns, as frames of text in a text processor do. */
const columns = [111, 255, 433];
const beside = (row: number): readonly string[] => columns.map((x) => `Cell ${row} of ${x}`);
const header = [...["Alpha", "Bravo", "Charlie and", "Delta"].entries()]
  .map(([at, word]) => line(word, [111, 183, 255, 359][at] ?? 0, 740))
  .join("");
const body = aligned(
  Array.from({ length: 8 }, (_, row) => beside(row)),
  columns,
  724,
);

const amounts = ["Item", "2024", "2025"].concat("");
const pages: Readonly<Record<string, string>> = {
  "a header between the columns": header + body,
  "a header across lines": `${header}${ruled(
    Array.from({ length: 5 }, (_, row) => beside(row)),
    [144, 178, 100],
    108,
    735,
  )}`,
  "a frame around a header and columns": `0.5 w 105 600 430 160 re S 105 735 m 535 735 l S 250 600 m 250 735 l S 428 600 m 428 760 l S ${header}${body}`,
  "a table of numbers": aligned(
    [amounts, ...Array.from({ length: 6 }, (_, row) => [`Item ${row}`, `1,${row}00`, `2,${row}50`])],
    [60, 300, 400],
    700,
  ),
  "marks of Markdown": lines(
    ["# not a heading", "1. *one* _two_ [three](four) <b> `five` |six| ~seven~ ~eight~ &amp; \\nine"],
    60,
    700,
  ),
  "a note": `${line("Text with a note", 60, 700)}${line("1", 142, 704, 6)}${line("1 The note itself", 60, 60, 8)}`,
};

test.each(Object.entries(pages))("Markdown has all words of %s", async (_, content) => {
  expect(await lostIn(layoutDocument([content]))).toEqual([[]]);
});

test("Markdown has all words of documents with every feature, and of tagged tables with overlapping cells", async () => {
  // The tagged words of that document lie on each other.
  const features = allFeatures.filter((one) => one !== "tagged");
  expect(await lostIn(document({ name: "everything", pages: 3, features }))).toEqual([[], [], []]);
  const words = ["one", "two", "three", "four", "five", "six"];
  const content = words
    .map((word, id) => marked(id, line(word, 60 + 100 * (id % 3), 700 - 20 * Math.floor(id / 3))))
    .join("");
  const cell = (id: number, entries = "") => element("TD", [on(id)], entries);
  const table = element("Table", [
    element("TR", [cell(0, "/A <</O /Table /RowSpan 2>>"), cell(1, "/A <</O /Table /RowSpan 2>>"), cell(2)]),
    element("TR", [cell(3, "/A <</O /Table /ColSpan 3>>"), cell(4), cell(5)]),
  ]);
  expect(await lostIn(taggedDocument([content], element("Document", [table])))).toEqual([[]]);
});

/** The words that Markdown lacks, page by page. */
async function lostIn(file: Uint8Array): Promise<(readonly string[])[]> {
  const { pages: read } = await extract(file, { markdown: "true", furniture: "true" });
  return read.map(({ text, markdown }) =>
    text === "" ? ["a page without text"] : lostInMarkdown(text, markdown ?? ""),
  );
}
