import { expect, test } from "vitest";
import { layoutDocument, line, lines } from "../harness/fixtures/layout-fixtures.ts";
import { extract } from "./text-service.ts";

const markdownOf = async (page: string): Promise<string> => {
  const { pages } = await extract(layoutDocument([page]), { markdown: "true" });
  return pages[0]?.markdown ?? "";
};

test("columns are read one after the other if their baselines differ", async () => {
  const text = (side: string): string[] =>
    Array.from({ length: 8 }, (_, at) => `${side} line ${at + 1} is as long as its column`);
  const page = lines(text("Left"), 60, 700) + lines(text("Right"), 320, 694);
  expect((await markdownOf(page)).replaceAll("\n\n", " ")).toBe([...text("Left"), ...text("Right")].join(" "));
});

test("labels in the middle of their rows are no column of text", async () => {
  const page = ["Alpha", "Beta", "Gamma", "Delta"].map((name, row) => {
    const cell = ["one", "two", "three", "four"].map((part) => `What the row of ${name} says in part ${part}`);
    return line(`${name} with a label of its own`, 60, 682 - 60 * row) + lines(cell, 320, 700 - 60 * row);
  });
  const read = await markdownOf(page.join(""));
  expect(read.indexOf("Beta with")).toBeLessThan(read.indexOf("row of Gamma"));
  expect(read.indexOf("Beta with")).toBeGreaterThan(read.indexOf("row of Alpha says in part one"));
});

test.each([
  ["titles that follow each other are several", 36, ["# The First Title", "# The Second Title"]],
  ["the lines of a title are one", 22, ["# The First Title The Second Title"]],
])("titles are divided by their distance: %s", async (_, distance, titles) => {
  const text = [
    "A paragraph under the titles has several lines,",
    "all of them at the same distance from each",
    "other.",
  ];
  const title = (words: string, y: number): string => line(words, 60, y, 18, "FB");
  const page = title("The First Title", 740) + title("The Second Title", 740 - distance) + lines(text, 60, 660);
  expect((await markdownOf(page)).split("\n\n")).toEqual([...titles, text.join(" ")]);
});
