import { unzipSync } from "fflate";
import readSheets from "read-excel-file/node";
import { describe, expect, test } from "vitest";
import { ownServer } from "./own-server.ts";
import { pdfPart, post, type Service } from "../harness/requests/client.ts";
import { layoutDocument, line, lines, ruled } from "../harness/fixtures/layout-fixtures.ts";

const { baseUrl, liveKey } = ownServer();
const service: Service = { baseUrl, key: liveKey };

const PRICES = [
  ["Item", "Code", "Price"],
  ["Paper, A4", "007", "1,234.50"],
  ['Pen "fine"', "-12", "3.10"],
  ["=1+1", "@home", "1,234"],
  ["-dash", "+49 30 1", "12345678901234567"],
];
const TEAMS = [
  ["Team", "Points"],
  ["North", "12"],
  ["South", "9"],
];
const prices = line("Table 1: Prices/[all]", 60, 730, 9) + ruled(PRICES, [120, 100, 120], 60, 720);
const teams = ruled(TEAMS, [120, 100], 60, 720);

const read = async (format: string, pages: readonly string[], fields: Readonly<Record<string, string>> = {}) =>
  post(service, "extract-text", { file: pdfPart(layoutDocument(pages), "report.pdf"), format, ...fields });
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const PRICES_CSV = [
  "Item,Code,Price",
  '"Paper, A4",007,"1,234.50"',
  '"Pen ""fine""",-12,3.10',
  "'=1+1,'@home,\"1,234\"",
  "'-dash,'+49 30 1,12345678901234567",
  "",
].join("\r\n");

/** Rows of words at the same leading, without lines, of which one cell may be empty. */
const PEOPLE = [
  ["Name", "Phone", "City"],
  ["Ann", "123", "Paris"],
  ["Bob", "", "Rome"],
  ["Cid", "456", "Oslo"],
  ["Dan", "789", "Bonn"],
];

test("bold words and links have one space on each side, in Markdown and HTML", async () => {
  const words = `${line("Some plain ", 60, 700)}${line("bold ", 115, 700, 10, "FB")}${line(" words follow.", 142, 700)}`;
  const [markdown, html] = [await read("markdown", [words]), await read("html", [words])];
  expect(textOf(markdown.body)).toContain("Some plain **bold** words follow.");
  expect(textOf(html.body)).toMatch(/<p>Some plain <strong>bold ?<\/strong> ?words follow\.<\/p>/);
  expect(textOf(html.body)).not.toMatch(/ {2}| <\/strong> /);
});

describe("CSV", () => {
  test.each([12, 14, 16])(
    "CSV has the rows of a borderless table with an empty cell, at a leading of %i",
    async (leading) => {
      for (const column of [1, 2]) {
        const rows = PEOPLE.map((row, at) => (at === 2 ? row.with(1, "55").with(column, "") : row));
        const xs = [60, 180, 300];
        const content = rows.flatMap((row, at) =>
          row.flatMap((text, index) => (text === "" ? [] : [line(text, xs[index] ?? 0, 700 - at * leading)])),
        );
        const { status, body } = await read("csv", [content.join("")]);
        expect(status).toBe(200);
        expect(textOf(body)).toBe(rows.map((row) => `${row.join(",")}\r\n`).join(""));
      }
    },
  );

  test("CSV is one file for one table, without formulas", async () => {
    const { status, headers, body } = await read("csv", [prices]);
    expect(status).toBe(200);
    expect(headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("Content-Disposition")).toContain('filename="report-extract-text.csv"');
    expect(textOf(body)).toBe(PRICES_CSV);
  });

  test("CSV is a ZIP archive for several tables, named by page and number", async () => {
    const { headers, body } = await read("csv", [prices, line("No table here.", 60, 700), teams]);
    expect(headers.get("Content-Type")).toBe("application/zip");
    const files = Object.entries(unzipSync(body)).map(([name, bytes]) => [name, textOf(bytes)]);
    expect(files).toEqual([
      ["report-page-1-table-1.csv", PRICES_CSV],
      ["report-page-3-table-1.csv", "Team,Points\r\nNorth,12\r\nSouth,9\r\n"],
    ]);
  });
});

test("a workbook has a sheet for each table, with numbers in plainly numeric cells", async () => {
  const { status, headers, body } = await read("xlsx", [prices, teams]);
  expect(status).toBe(200);
  expect(headers.get("Content-Type")).toBe("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
  expect(headers.get("Content-Disposition")).toContain('filename="report-extract-text.xlsx"');
  const sheets = await readSheets(Buffer.from(body));
  expect(sheets.map(({ sheet }) => sheet)).toEqual(["p1 Table 1 Prices all", "p2 table 1"]);
  expect(sheets.map(({ data }) => data)).toEqual([
    [
      ["Item", "Code", "Price"],
      ["Paper, A4", "007", 1234.5],
      ['Pen "fine"', -12, 3.1],
      ["=1+1", "@home", "1,234"],
      ["-dash", "+49 30 1", "12345678901234567"],
    ],
    [
      ["Team", "Points"],
      ["North", 12],
      ["South", 9],
    ],
  ]);
});

test.each(["csv", "xlsx"])("%s from pages without a table is an error that costs nothing", async (format) => {
  const { status, headers, body } = await read(format, [lines(["Nothing but", "prose is here."], 60, 700), prices], {
    pages: "1",
  });
  expect(status).toBe(422);
  expect(headers.get("X-Credits-Charged")).toBeNull();
  expect(JSON.parse(textOf(body))).toMatchObject({ error: { code: "no_tables" } });
});

test("HTML has headings, nested lists, tables with captions, and no markup of the document", async () => {
  const page =
    line("Annual <Report>", 60, 780, 20, "FB") +
    lines(["What follows is a list, and then a table with <script>alert(1)</script> in it."], 60, 755) +
    lines(["\x95 the first item", "\x95 the second item"], 60, 740 - 4) +
    line("Table 1: Teams", 60, 690, 9) +
    ruled([...TEAMS, ["<img src=x>", "1"]], [120, 100], 60, 680);
  const { status, headers, body } = await read("html", [page]);
  expect(status).toBe(200);
  expect(headers.get("Content-Type")).toBe("text/html; charset=utf-8");
  expect(headers.get("Content-Disposition")).toContain("attachment");
  expect(textOf(body)).toBe(`<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<title>report</title>
</head>
<body>
<section id="page-1">
<h1>Annual &lt;Report&gt;</h1>
<p>What follows is a list, and then a table with &lt;script&gt;alert(1)&lt;/script&gt; in it.</p>
<ul>
<li>the first item</li>
<li>the second item</li></ul>
<table>
<caption>Table 1: Teams</caption>
<thead>
<tr><th>Team</th><th>Points</th></tr>
</thead>
<tbody>
<tr><td>North</td><td>12</td></tr>
<tr><td>South</td><td>9</td></tr>
<tr><td>&lt;img src=x&gt;</td><td>1</td></tr>
</tbody>
</table>
</section>
</body>
</html>
`);
});
