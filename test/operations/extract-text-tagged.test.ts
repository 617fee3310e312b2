import { describe, expect, it } from "vitest";
import { consumeOnce, jobService } from "../jobs/job-service.ts";
import { line, lines, ruled } from "../harness/fixtures/layout-fixtures.ts";
import { artifact, element, marked, on, taggedDocument, type Element } from "../harness/fixtures/tagged-fixtures.ts";
import { post } from "./text-service.ts";

interface Block {
  readonly type: string;
  readonly level?: number;
  readonly marker?: string;
  readonly text: string;
  readonly rows?: readonly (readonly Readonly<Record<string, unknown>>[])[];
}

async function markdownOf(file: Uint8Array, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await post(file, { format: "markdown", ...fields });
  expect(response.status, await response.clone().text()).toBe(200);
  return response.text();
}

async function pagesOf(
  file: Uint8Array,
): Promise<readonly { readonly text: string; readonly blocks: readonly Block[] }[]> {
  const response = await post(file, { blocks: "true" });
  expect(response.status, await response.clone().text()).toBe(200);
  return ((await response.json()) as { pages: { text: string; blocks: Block[] }[] }).pages;
}

/** A line of text of the size of all others, so that only tags tell what it is. */
const said = (text: string, y: number, x = 60): string => line(text, x, y);

/** Drawn from the bottom to the top, without a difference in size. */
const report = [
  artifact(said("Confidential draft", 820)) +
    marked(5, said("The last of the paragraphs begins here and", 100)) +
    marked(4, said("second item of the list", 300, 80)) +
    marked(3, said("(ii)", 300)) +
    marked(2, said("first item of the list", 320, 80)) +
    marked(1, said("(i)", 320)) +
    marked(0, said("Scope of the report", 340)) +
    marked(7, said("This paragraph is drawn after all others, but it is the first one.", 500)) +
    marked(6, said("Annual report", 60)),
  artifact(said("Confidential draft", 820)) +
    marked(0, said("ends on the second page.", 700)) +
    marked(1, said("A fl", 600)) +
    marked(2, said("@@@", 600, 74.5)) +
    marked(3, said("or.", 600, 105)),
];

const document = (own: readonly Element[] = []): Element =>
  element("Document", [
    element("Chapter", [on(6)]),
    element("P", [on(7)]),
    element("H2", [on(0)]),
    element("L", [
      element("LI", [element("Lbl", [on(1)]), element("LBody", [on(2)])]),
      element("LI", [element("Lbl", [on(3)]), element("LBody", [element("P", [on(4)])])]),
    ]),
    element("P", [on(5), on(0, 1)]),
    element("P", [on(1, 1), element("Span", [on(2, 1)], "/ActualText (awless flo)"), on(3, 1)]),
    ...own,
  ]);

const ROLES = "/Chapter /Part1 /Part1 /H1";

const REPORT = `# Annual report

This paragraph is drawn after all others, but it is the first one.

## Scope of the report

- (i) first item of the list
- (ii) second item of the list

The last of the paragraphs begins here and

ends on the second page.

A flawless floor.
`;

describe("tagged documents", () => {
  it("a tagged document is read in the order of its tags, with their headings and lists, and without artifacts", async () => {
    const file = taggedDocument(report, document(), { roles: ROLES });
    expect(await markdownOf(file)).toBe(REPORT);
    expect((await markdownOf(file, { furniture: "true" })).match(/Confidential draft/g)).toHaveLength(2);
    const [first, second] = await pagesOf(file);
    expect(first?.blocks.map(({ type, level, marker, text }) => [type, level ?? marker, text])).toEqual([
      ["heading", 1, "Annual report"],
      ["paragraph", undefined, "This paragraph is drawn after all others, but it is the first one."],
      ["heading", 2, "Scope of the report"],
      ["list-item", "(i)", "first item of the list"],
      ["list-item", "(ii)", "second item of the list"],
      ["paragraph", undefined, "The last of the paragraphs begins here and"],
    ]);
    // The text of a page is what it shows.
    expect(second?.text).toContain("@@@");
    expect(first?.text).toContain("Confidential draft");
  });

  it("a tagged document is read in the same way as a job", async () => {
    const service = await jobService();
    const { id } = await service.start("extract-text", taggedDocument(report, document(), { roles: ROLES }), {
      format: "markdown",
    });
    await consumeOnce();
    expect(await service.job(id)).toMatchObject({ status: "succeeded" });
    expect(await (await service.result(id)).text()).toBe(REPORT);
  });

  it("a tagged document may have a cycle in its tree, and one that refers to missing content", async () => {
    const lies = element("P", [on(40), on(41, 1)]);
    expect(await markdownOf(taggedDocument(report, document([lies]), { roles: ROLES, cyclic: true }))).toBe(REPORT);
  });

  it("a row's cells are in their order across the page if the tags alternate", async () => {
    const places = [60, 200, 340, 60, 200, 340, 60, 200, 340] as const;
    const cells = ["Month", "Low", "High", "May", "11", "19", "June", "12", "24"];
    const drawn = cells.map((text, id) => marked(id, said(text, 700 - Math.floor(id / 3) * 16, places[id])));
    const row = (...ids: readonly number[]): Element =>
      element(
        "TR",
        ids.map((id) => element("TD", [on(id)])),
      );
    const read = (...rows: readonly Element[]): Promise<string> =>
      markdownOf(taggedDocument([drawn.join("")], element("Document", [element("Table", rows)])));
    const table = "| Month | Low | High |\n| --- | --- | --- |\n| May | 11 | 19 |\n| June | 12 | 24 |\n";
    expect(await read(row(0, 1, 2), row(3, 5, 4), row(7, 6, 8))).toBe(table);
    // From right to left.
    const mirrored = "| High | Low | Month |\n| --- | --- | --- |\n| 19 | 11 | May |\n| 24 | 12 | June |\n";
    expect(await read(row(2, 1, 0), row(5, 4, 3), row(8, 6, 7))).toBe(mirrored);
  });

  it("a tagged table has the merged cells and headers of its tags", async () => {
    const cells = ["Region", "Sales", "North", "South", "10", "20", "30", "40"];
    const places: readonly (readonly [number, number])[] = [
      [60, 700],
      [200, 700],
      [200, 684],
      [300, 684],
      [200, 668],
      [300, 668],
      [200, 652],
      [300, 652],
    ];
    const drawn = cells.map((text, id) => marked(id, said(text, places[id]?.[1] ?? 0, places[id]?.[0])));
    const cell = (type: string, id: number, entries = ""): Element => element(type, [element("P", [on(id)])], entries);
    const table = element("Table", [
      element("Caption", [on(8)]),
      element("THead", [
        element("TR", [
          cell("TH", 0, "/A << /O /Table /RowSpan 2 >>"),
          cell("TH", 1, "/A [<< /O /Table /ColSpan 2 >> 0]"),
        ]),
        element("TR", [cell("TH", 2), cell("TH", 3)]),
      ]),
      element("TBody", [
        element("TR", [element("TD"), cell("TD", 4), cell("TD", 5)]),
        element("TR", [element("TD"), cell("TD", 6), cell("TD", 7)]),
      ]),
    ]);
    const page = drawn.toReversed().join("") + marked(8, said("Sales by region", 640));
    const [read] = await pagesOf(taggedDocument([page], element("Document", [table])));
    expect(read?.blocks.map(({ type, text }) => [type, text])).toEqual([
      ["caption", "Sales by region"],
      ["table", "Region\tSales\nNorth\tSouth\n10\t20\n30\t40"],
    ]);
    const at = (row: number, column: number, text: string, rowSpan = 1, columnSpan = 1) =>
      expect.objectContaining({ row, column, text, rowSpan, columnSpan }) as unknown;
    expect(read?.blocks[1]?.rows).toEqual([
      [at(0, 0, "Region", 2), at(0, 1, "Sales", 1, 2)],
      [at(1, 1, "North"), at(1, 2, "South")],
      [at(2, 1, "10"), at(2, 2, "20")],
      [at(3, 1, "30"), at(3, 2, "40")],
    ]);
    expect(await markdownOf(taggedDocument([page], element("Document", [table])))).toContain(
      '<tr><th rowspan="2">Region</th><th colspan="2">Sales</th></tr>',
    );
  });

  it("a tagged figure has its description and its text", async () => {
    const figure = element("Figure", [on(0)], "/Alt (A chart of sales)");
    const page =
      marked(0, "60 600 100 80 re f\n" + said("2024", 590), "Figure") + marked(1, said("After the chart.", 500));
    const file = taggedDocument([page], element("Document", [figure, element("P", [on(1)])]));
    expect(await markdownOf(file)).toBe("A chart of sales 2024\n\nAfter the chart.\n");
  });
});

describe("incomplete tags", () => {
  const prose = lines(
    Array.from({ length: 6 }, (_, at) => `Line ${at} of text that nothing is known of.`),
    60,
    700,
  );

  it("a page with mostly untagged text is read by its layout", async () => {
    const page = marked(0, said("Only this is tagged.", 100)) + prose;
    const markdown = await markdownOf(taggedDocument([page], element("Document", [element("H1", [on(0)])])));
    expect(markdown.indexOf("Line 0")).toBeLessThan(markdown.indexOf("Only this"));
    expect(markdown).not.toContain("#");
  });

  it("a small part without tags is kept", async () => {
    const page = marked(0, prose) + said("Stamped later", 400) + marked(1, said("The end of the page.", 200));
    const top = element("Document", [element("H1", [on(0)]), element("P", [on(1)])]);
    const [read] = await pagesOf(taggedDocument([page], top));
    expect(read?.blocks.map(({ text }) => text.slice(0, 14))).toEqual([
      "Line 0 of text",
      "Stamped later",
      "The end of the",
    ]);
  });

  it("content marked as an artifact in the middle of the page is kept", async () => {
    const page = marked(0, said("A heading of the page", 760)) + artifact(prose);
    expect(await markdownOf(taggedDocument([page], element("Document", [element("H1", [on(0)])])))).toContain("Line 5");
  });

  it("tables of a page without table tags are found by their layout", async () => {
    const table = ruled(
      [
        ["Name", "Amount"],
        ["First", "10"],
        ["Second", "20"],
      ],
      [120, 80],
      60,
      600,
    );
    const top = element("Document", [element("P", [on(0)]), element("P", [on(1)])]);
    const markdown = await markdownOf(taggedDocument([marked(0, prose) + marked(1, table)], top));
    expect(markdown).toContain("| Name | Amount |\n| --- | --- |\n| First | 10 |");
  });

  it("text with an empty replacement text is kept", async () => {
    const top = element("Document", [element("H1", [element("Span", [on(0)], "/ActualText ( )")])]);
    expect(await markdownOf(taggedDocument([marked(0, said("A title that was edited", 700))], top))).toContain(
      "A title that was edited",
    );
  });
});
