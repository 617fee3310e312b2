import { expect, test } from "vitest";
import { boundedHtml, DIVISION } from "../../src/engines/convert/source/bounded-html.ts";
import { TableReader } from "../../src/engines/convert/source/cell-widths.ts";
import { unlimitedWork } from "../../src/engines/work.ts";

/** The limits of words in each column, in letters; a letter is 0.56 em wide. */
function limitsOf(html: string, letters: number): (number | undefined)[][] {
  const reader = new TableReader();
  for (const [token] of html.matchAll(/<[^>]*>|[^<]+/g)) {
    if (token.startsWith("<")) reader.tag(token);
    else reader.text(token);
  }
  return reader
    .limits(letters * 0.56)
    .map((limits) => limits.map((limit) => (limit === Infinity ? undefined : Math.floor(limit / 0.56))));
}

const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
const word = (letters: number): string => "a".repeat(letters);

test.each([
  ["all fit", row(word(10), word(20)), 40, [undefined, undefined]],
  ["many words fit", row(`${word(10)} ${word(10)} ${word(10)}`), 20, [undefined]],
  ["only the wide column has a limit, which is what the others leave", row(word(10), word(50)), 40, [undefined, 26]],
  ["wide columns share what is left", row(word(4), word(50), word(60)), 50, [undefined, 20, 20]],
  ["a word goes on in inline elements", row(`<b>${word(30)}</b>${word(30)}`), 50, [48]],
  ["but not in blocks", row(`<p>${word(30)}</p>${word(30)}`), 50, [undefined]],
  [
    "a cell in several columns has no limit",
    `<tr><td colspan="2">${word(90)}</td></tr>${row("a", "b")}`,
    40,
    [undefined, undefined],
  ],
  [
    "a cell from above is in its column",
    `<tr><td rowspan="2">a</td><td>b</td></tr>${row(word(90))}`,
    40,
    [undefined, 35],
  ],
  ["references are one character", row("&amp;".repeat(20)), 30, [undefined]],
])("the width of a column follows its longest word: %s", (_, rows, letters, expected) => {
  expect(limitsOf(`<table>${rows}</table>`, letters)).toEqual([expected]);
});

test("a table in a cell needs the width of its columns", () => {
  const inner = `<table>${row(word(20), word(20))}</table>`;
  expect(limitsOf(`<table>${row(inner, word(30))}</table>`, 60)).toEqual([
    [28, 28],
    [undefined, undefined],
  ]);
});

test("words that are wider than their column get places where a line may end", async () => {
  const text = async (cell: string, emsOfPage: number): Promise<string> => {
    const { content } = await boundedHtml(unlimitedWork(), `<table>${row(cell)}</table>`, "", { emsOfPage });
    return /<td>(.*)<\/td>/.exec(new TextDecoder().decode(content))?.[1] ?? "";
  };
  expect(await text("abcdefghij xy", 100)).toBe("abcdefghij xy");
  expect(await text("abcdefghij xy", 5.2)).toBe(`abcd${DIVISION}efgh${DIVISION}ij xy`);
});
