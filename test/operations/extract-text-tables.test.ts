import { expect, test } from "vitest";
import { aligned, layoutDocument, line, ruled } from "../harness/fixtures/layout-fixtures.ts";
import { extract } from "./text-service.ts";

const [left, right] = [60, 500];
/** Cells of three columns whose text wraps: what is on each line, and how far it is from the one above. */
const wrapped: readonly (readonly [distance: number, cells: readonly [string, string, string]])[] = [
  [0, ["Stage", "What is done there", "What it is good for"]],
  [18, ["Project", "Select the kind of the document to run", "Everybody in charge can go on"]],
  [12, ["creation", "the creation of a project, with a set of", "quickly with the whole process of"]],
  [12, ["", "models that is recommended", "the work"]],
  [18, ["Monitoring", "Watch the traffic of all the models that", "All information on the models is"]],
  [12, ["", "are deployed, and tell of suspicions", "seen at a glance"]],
];
const expected = [
  "| Stage | What is done there | What it is good for |",
  "| --- | --- | --- |",
  "| Project creation | Select the kind of the document to run the creation of a project, with a set of models that is recommended | Everybody in charge can go on quickly with the whole process of the work |",
  "| Monitoring | Watch the traffic of all the models that are deployed, and tell of suspicions | All information on the models is seen at a glance |",
].join("\n");

const top = 600;
/** Baselines of the lines, from the bottom of the page. */
const baselines = wrapped.map((_, index) => top - wrapped.slice(0, index + 1).reduce((sum, [by]) => sum + by, 0));
const texts = wrapped
  .flatMap(([, cells], at) =>
    cells.map((text, column) => line(text, 63 + 160 * column - (column > 0 ? 80 : 0), baselines[at] ?? 0, 8)),
  )
  .join("");
const across = (y: number): string => `0.6 w ${left} ${y} m ${right} ${y} l S\n`;
const background = (y: number, height: number): string => `0.9 g ${left} ${y} ${right - left} ${height} re f 0 g\n`;
/** Between rows, in the middle of the white space. */
const [above, first, second, below] = [top + 10, top - 7, top - 49, top - 79];

test.each([
  ["rules above, below, and under the header", [above, first, below].map(across).join("")],
  ["a rule under each row", [first, second, below].map(across).join("")],
  ["a background of every other row", background(second, first - second)],
  ["a frame", `0.6 w ${left} ${below} ${right - left} ${above - below} re S\n`],
])("a table with %s has its rows, for any number of lines", async (_, drawing) => {
  const page = `${line("A paragraph stands above the table that follows below.", left, 700)}${drawing}${texts}`;
  const { pages } = await extract(layoutDocument([page]), { markdown: "true" });
  expect(pages[0]?.markdown).toContain(expected);
});

test("a line of text that is justified is no row of a table", async () => {
  const words = [
    ["The", "first", "of", "the", "lines"],
    ["that", "have", "wide", "spaces", "here"],
    ["and", "these", "are", "all", "equal"],
  ];
  const page = words.map((own, at) => `BT /F1 10 Tf 12 Tw 60 ${600 - 12 * at} Td (${own.join(" ")}) Tj ET\n`).join("");
  const { pages } = await extract(layoutDocument([page]), { markdown: "true" });
  expect(pages[0]?.markdown).toBe("The first of the lines that have wide spaces here and these are all equal");
});

test("columns with lines in the header only are columns of the whole table", async () => {
  const rows = [
    ["Town", "Men (%)", "Women (%)"],
    ["Bonn", "48.9", "51.1"],
    ["Kiel", "49.5", "50.5"],
    ["Ulm", "50.2", "49.8"],
  ];
  const sides = [left, right].map((x) => `${x} ${top - 46} m ${x} ${top + 10} l S\n`);
  const heads = [190, 330].map((x) => `${x} ${top - 4} m ${x} ${top + 10} l S\n`);
  const under = [10, -4, -18, -32, -46].map((y) => across(top + y));
  const page = [...under, ...sides, ...heads].join("") + aligned(rows, [55, 195, 335], top);
  const { pages } = await extract(layoutDocument([page]), { markdown: "true" });
  expect(pages[0]?.markdown).toBe(
    rows
      .map((row) => `| ${row.join(" | ")} |`)
      .toSpliced(1, 0, "| --- | --- | --- |")
      .join("\n"),
  );
});

test("a frame that is open at the end of its page has a table, though nothing is drawn between its texts", async () => {
  const cells: readonly (readonly [y: number, ...texts: string[]])[] = [
    [600, "Stage", "What it is good for"],
    [582, "All that is written in this cell goes on", "Everybody in charge can go on quickly with"],
    [571, "in a second line", "the whole of the work"],
    [553, "The third row of the table has text on", "All information on what was done is here,"],
    [542, "both of its sides", "and it is seen at a glance"],
  ];
  const frame = `${across(612)}${[left, right].map((x) => `${x} 40 m ${x} 612 l S\n`).join("")}`;
  const page = cells.map(([y, a = "", b = ""]) => line(a, 64, y) + line(b, 280, y)).join("");
  const { pages } = await extract(layoutDocument([frame + page]), { markdown: "true" });
  expect(pages[0]?.markdown).toBe(
    [
      "| Stage | What it is good for |",
      "| --- | --- |",
      "| All that is written in this cell goes on in a second line | Everybody in charge can go on quickly with the whole of the work |",
      "| The third row of the table has text on both of its sides | All information on what was done is here, and it is seen at a glance |",
    ].join("\n"),
  );
});

test("a list with a line around each of its texts is a table of one column", async () => {
  const rows = [["Towns that take part"], ["Bonn"], ["Kiel, but only in the second year"], ["Ulm"]];
  const page = ruled(rows, [200], 60, 700) + line("A paragraph stands below the table.", 60, 600);
  const { pages } = await extract(layoutDocument([page]), { markdown: "true" });
  expect(pages[0]?.markdown).toBe(
    [
      "| Towns that take part |",
      "| --- |",
      "| Bonn |",
      "| Kiel, but only in the second year |",
      "| Ulm |",
      "",
      "A paragraph stands below the table.",
    ].join("\n"),
  );
});
