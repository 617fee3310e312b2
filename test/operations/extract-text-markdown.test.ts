import { lexer, type Token } from "marked";
import { describe, expect, it } from "vitest";
import { aligned, layoutDocument, line, lines, ruled } from "../harness/fixtures/layout-fixtures.ts";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { showCodes, spelled, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { post } from "./text-service.ts";

const PROSE = [
  "The annual report describes what the office did, and what it costs to run it from",
  "one year to the next. It has been written for readers who know little of the sub-",
  "ject, and so it begins with the most important of the figures.",
];

async function markdownOf(pages: readonly string[], fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await post(layoutDocument(pages), { format: "markdown", ...fields });
  expect(response.status, await response.clone().text()).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
  expect(response.headers.get("Content-Disposition")).toContain("-extract-text.md");
  return response.text();
}

describe("Markdown", () => {
  it("Markdown has headings, paragraphs without line breaks, lists, and code", async () => {
    const page =
      line("Annual Report", 60, 760, 20, "FB") +
      lines(PROSE, 60, 720) +
      line("1. Scope", 60, 670, 13, "FB") +
      lines(PROSE, 60, 650) +
      lines(["\x95 the first item", "\x95 the second item"], 60, 600) +
      lines(["if (a < b) {", "  return a;", "}"], 60, 560, 10, "FM");
    expect(await markdownOf([page])).toBe(`# Annual Report

The annual report describes what the office did, and what it costs to run it from one year to the next. It has been written for readers who know little of the subject, and so it begins with the most important of the figures.

## 1. Scope

The annual report describes what the office did, and what it costs to run it from one year to the next. It has been written for readers who know little of the subject, and so it begins with the most important of the figures.

- the first item
- the second item

\`\`\`
if (a < b) {
  return a;
}
\`\`\`
`);
  });

  it("Markdown has Chinese and Japanese without spaces between lines, down or across, and Hebrew in logical order", async () => {
    const written = (texts: readonly string[], at: (index: number) => readonly [number, number]): Uint8Array => {
      const { meanings, codes } = spelled(texts.join(""));
      let from = 0;
      const shown = texts.map((text, index) => {
        const own = codes.slice(from, (from += Array.from(text).length));
        return showCodes(own, ...at(index));
      });
      return textDocument([{ content: shown.join(" ") }], meanings);
    };
    const down = (file: Uint8Array): Uint8Array =>
      latin1(String.fromCharCode(...file).replace("/Identity-H", "/Identity-V"));
    const japanese = ["縦書きの文章は右の列", "から左の列へ読む。"];
    const below = (index: number) => [50, 700 - 14 * index] as const;
    const texts = await Promise.all(
      [
        written(japanese, below),
        down(written(japanese, (index) => [300 - 16 * index, 700])),
        // As the page has it: from left to right what is read from right to left.
        written(["םלוע PDF 123 םולש", "תירבע"], (index) => [50 + 72 * index, 700 - 14 * index]),
      ].map(async (file) => (await post(file, { format: "markdown" })).text()),
    );
    expect(texts).toEqual([`${japanese.join("")}\n`, `${japanese.join("")}\n`, "שלום PDF 123 עולם עברית\n"]);
  });

  it("takes the levels of headings from the outline, where it has their titles", async () => {
    const titles = ["Annual Report", "1. Scope", "Methods", "Purpose", "Annex"];
    const page = titles
      .map((title, at) => line(title, 60, 760 - 100 * at, title === "Purpose" ? 12 : 14, "FB"))
      .concat(titles.map((_, at) => lines(PROSE, 60, 740 - 100 * at)))
      .join("");
    const file = layoutDocument([page], undefined, (add) => {
      const item = (title: string, entries = ""): string => add(`<< /Title (${title}) ${entries} >>`);
      const report = item("Annual report", `/First ${item("Scope")} /Next ${item("ANNEX")}`);
      return `/Outlines ${add(`<< /First ${report} >>`)}`;
    });
    const headings = async (pdf: Uint8Array): Promise<string[]> => {
      const response = await post(pdf, { format: "markdown" });
      return (await response.text()).split("\n").filter((text) => text.startsWith("#"));
    };
    // A title that the outline does not have is on the level of most titles of its style.
    expect(await headings(file)).toEqual(["# Annual Report", "## 1. Scope", "# Methods", "## Purpose", "# Annex"]);
    expect(await headings(layoutDocument([page]))).toContain("# 1. Scope");
  });

  it("takes neither labels, formulas, nor entries of a table of contents for headings", async () => {
    const proof = (y: number): string => line("Proof:", 60, y, 10, "FB") + lines(PROSE, 60, y - 20);
    const headed = (chapter: string): string =>
      line(chapter, 60, 760, 18, "FB") + proof(700) + proof(600) + line("Definition 3", 60, 500, 10, "FB");
    const markdown = await markdownOf([
      line("2 Manifolds 2", 60, 700, 10, "FB") + lines(PROSE, 60, 600),
      headed("2 Manifolds") + line("s2", 60, 300, 14) + line("Exercises", 60, 200, 14, "FB"),
      headed("3 Manifolds and"),
    ]);
    const headings = markdown.split("\n").filter((text) => text.startsWith("#"));
    expect(headings).toEqual(["# 2 Manifolds", "## Exercises", "# 3 Manifolds and"]);
    expect(markdown.match(/^(?:Proof:|\*\*Definition 3|\*\*2 Manifolds 2)/gm)).toHaveLength(7);
  });

  it("Markdown has tables with lines around their cells, and without", async () => {
    const page =
      lines(PROSE, 60, 760) +
      ruled(
        [
          ["Country", "1990", "2000"],
          ["Austria", "12", "a|b"],
          ["Greece", "7", ""],
        ],
        [100, 60, 60],
        60,
        700,
      ) +
      lines(PROSE, 60, 600) +
      aligned(
        [
          ["Year", "Men", "Women"],
          ["1991", "10.5", "40.7"],
          ["1996", "11.0", "39.4"],
          ["2001", "9.9", "38.1"],
        ],
        [60, 200, 300],
        520,
      );
    const markdown = await markdownOf([page]);
    expect(markdown).toContain(
      "| Country | 1990 | 2000 |\n| --- | --- | --- |\n| Austria | 12 | a\\|b |\n| Greece | 7 |  |",
    );
    expect(markdown).toContain("| Year | Men | Women |\n| --- | --- | --- |\n| 1991 | 10.5 | 40.7 |\n| 1996 |");
  });

  it("Markdown has one header row for a table of text with a line under each row", async () => {
    const [rows, xs] = [
      [
        ["First", "480", "heavy", "in February"],
        ["Second", "960", "heavy", "in March"],
        ["Third", "240", "light", "in April"],
      ],
      [70, 180, 290, 400],
    ];
    const under = rows.map((_, at) => `60 ${692 - 14 * at} m 500 ${692 - 14 * at} l S\n`).join("");
    const header = ["Lot", "Cards", "Board", "Delivery"];
    const titles = header.map((text, column) => line(text, xs[column] ?? 0, 696, 10, "FB")).join("");
    const plain = header.map((text, column) => line(text, xs[column] ?? 0, 696)).join("");
    const firsts = rows.map(([text = ""], at) => line(text, xs[0] ?? 0, 682 - 14 * at, 10, "FB")).join("");
    const values = aligned(
      rows.map((row) => row.slice(1)),
      xs.slice(1),
      682,
    );
    const all = `| Lot | Cards | Board | Delivery |
| --- | --- | --- | --- |
| First | 480 | heavy | in February |
| Second | 960 | heavy | in March |
| Third | 240 | light | in April |`;
    for (const first of [titles, plain])
      expect(await markdownOf([`0.5 w ${under}${first}${firsts}${values}`])).toBe(`${all}\n`);
  });

  it("leaves out text that repeats on every page, unless requested", async () => {
    const pages = [1, 2, 3].map(
      (number) =>
        line("Report of the Office", 60, 800, 8) + lines(PROSE, 60, 700) + line(`Page ${number} of 3`, 280, 30, 8),
    );
    const markdown = await markdownOf(pages);
    expect(markdown).not.toMatch(/Report of the Office|Page \d/);
    expect(markdown.match(/The annual report/g)).toHaveLength(3);
    const kept = await markdownOf(pages, { furniture: "true" });
    expect(kept.match(/Report of the Office/g)).toHaveLength(3);
    expect(kept).toContain("Page 2 of 3");
  });

  it("reads columns one after the other", async () => {
    const left = Array.from({ length: 8 }, (_, index) => `left column, the line number ${index} of it`);
    const right = Array.from({ length: 8 }, (_, index) => `right column, line number ${index} of it`);
    const page = left
      .map((text, at) => line(text, 60, 700 - 12 * at) + line(right[at] ?? "", 310, 700 - 12 * at))
      .join("");
    const markdown = await markdownOf([page]);
    expect(markdown.indexOf("left column, the line number 7")).toBeLessThan(
      markdown.indexOf("right column, line number 0"),
    );
  });
});

describe("Markdown read by a parser", () => {
  it("a Markdown parser reads the text of the page, whatever characters it has", async () => {
    const hostile = [
      "# no heading, *no emphasis*, _none_, `no code`, and [no link](x)",
      "+ no list, <b>no HTML</b>, &copy; no entity, ~~not deleted~~ \\ ",
      "a | b, snake_case_name, 2 * 3 * 4, ![no image](y), <!-- shown -->",
    ];
    const pages = hostile.map((text) => line(text, 60, 600));
    const tokens = lexer(await markdownOf(pages), { gfm: true }).filter(({ type }) => type !== "space");
    expect(tokens.map(({ type }) => type)).toEqual(tokens.map(() => "paragraph"));
    const shown = tokens.map((token) => shownText("tokens" in token ? (token.tokens ?? []) : []));
    for (const text of hostile) expect(shown).toContain(text.trim());
  });

  it("a Markdown parser reads tables with the cells of the page", async () => {
    const cells = [
      ["Name", "a|b"],
      ["*x*", "<i>1</i>"],
      ["`y`", "2 \\| 3"],
    ];
    const [table] = lexer(await markdownOf([ruled(cells, [100, 100], 60, 700)]), { gfm: true });
    const rows = table?.type === "table" ? [table["header"], ...table["rows"]] : [];
    expect(rows.map((row: { tokens: Token[] }[]) => row.map(({ tokens }) => shownText(tokens)))).toEqual(cells);
  });
});

/** What a reader sees of inline tokens. */
const shownText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      expect(["text", "escape"]).toContain(token.type);
      return "text" in token ? String(token.text) : "";
    })
    .join("")
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'");

describe("JSON", () => {
  it("JSON has the Markdown and the blocks of each page if requested", async () => {
    const page =
      line("Annual Report", 60, 760, 20, "FB") +
      lines(PROSE, 60, 700) +
      ruled(
        [
          ["a", "b"],
          ["c", "d"],
        ],
        [50, 50],
        60,
        600,
      );
    const response = await post(layoutDocument([page]), { markdown: "true", blocks: "true" });
    expect(await response.json()).toMatchObject({
      text: expect.stringContaining("Annual Report"),
      pages: [
        {
          pageNumber: 1,
          markdown: expect.stringContaining("# Annual Report\n\nThe annual report"),
          blocks: [
            { type: "heading", level: 1, text: "Annual Report" },
            { type: "paragraph", text: expect.stringMatching(/^The annual .* of the figures\.$/) },
            {
              type: "table",
              text: "a\tb\nc\td",
              rows: [
                [
                  { text: "a", row: 0, column: 0, rowSpan: 1, columnSpan: 1 },
                  { text: "b", row: 0, column: 1 },
                ],
                [
                  { text: "c", row: 1, column: 0 },
                  { text: "d", row: 1, column: 1 },
                ],
              ],
            },
          ],
        },
      ],
      stats: { wordCount: 51 },
    });
    const [heading] = (
      await (
        await post(layoutDocument([page]), { blocks: "true" })
      ).json<{ pages: [{ blocks: [{ bbox: number[] }] }] }>()
    ).pages[0].blocks;
    // The heading's baseline is 82 points from the top.
    expect(heading.bbox[0]).toBeCloseTo(60, 0);
    expect(heading.bbox[1]).toBeLessThan(82);
    expect(heading.bbox[3]).toBeGreaterThan(82);
  });

  it("lists the pages that need recognition", async () => {
    const image = "q 400 0 0 400 100 200 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q";
    const response = await post(layoutDocument([image, line("text", 60, 700), "60 700 100 20 re f"]));
    const { pages } = await response.json<{ pages: readonly object[] }>();
    expect(pages).toEqual([
      { pageNumber: 1, text: "", needsOcr: true },
      { pageNumber: 2, text: "text" },
      { pageNumber: 3, text: "" },
    ]);
  });

  it("lists the ignored parameters of other formats", async () => {
    const file = layoutDocument([line("text", 60, 700)]);
    const ignored = async (fields: Readonly<Record<string, string>>): Promise<string | null> => {
      const response = await post(file, fields);
      expect(response.status).toBe(200);
      return response.headers.get("X-Ignored-Parameters");
    };
    expect(await ignored({ format: "text", words: "true", furniture: "true" })).toBe("words,furniture");
    expect(await ignored({ furniture: "true", languages: "deu" })).toBe("languages,furniture");
    expect(await ignored({ furniture: "true", blocks: "true" })).toBeNull();
  });
});

it("JSON is plain text if requested", async () => {
  const response = await post(layoutDocument([line("one", 60, 700), line("two", 60, 700)]), { format: "text" });
  expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
  expect(response.headers.get("Content-Disposition")).toContain("-extract-text.txt");
  expect(await response.text()).toBe("one\n\ftwo");
});
