import { describe, expect, it } from "vitest";
import { latin1 } from "../harness/fixtures/pdf-writer.ts";
import { show, showCodes, spelled, textDocument } from "../harness/fixtures/text-fixtures.ts";
import { extract, read, textOf } from "./text-service.ts";

const sentence = (side: string, line: number): string => `${side} column has its line ${line} here`;
const lines = (side: string): string[] => Array.from({ length: 8 }, (_, line) => sentence(side, line));

describe("reading order", () => {
  it("two columns are read one after the other, in any order of writing", async () => {
    const [left, right] = [lines("Left"), lines("Right")];
    const at = (text: string, line: number, x: number): string => show(text, x, 700 - 12 * line);
    const both = [...left, ...right].join("\n");
    const byColumn = [
      ...left.map((text, line) => at(text, line, 50)),
      ...right.map((text, line) => at(text, line, 320)),
    ];
    expect((await read(byColumn.join("\n"))).replaceAll("\n\n", "\n")).toBe(both);
    const across = left.map((text, line) => `${at(text, line, 50)}\n${at(right[line] ?? "", line, 320)}`);
    expect((await read(across.join("\n"))).replaceAll("\n\n", "\n")).toBe(both);
  });

  it("three columns are read one after the other", async () => {
    const columns = ["One", "Two", "Three"].map((name) => lines(name));
    const rows = columns[0]?.flatMap((_, line) =>
      columns.map((column, index) => show(column[line] ?? "", 40 + 185 * index, 700 - 12 * line, 9)),
    );
    expect((await read(rows?.join("\n") ?? "")).replaceAll("\n\n", "\n")).toBe(columns.flat().join("\n"));
  });

  it("vertical text is read from top to bottom", async () => {
    const { meanings, codes } = spelled("縦書きの文章");
    const across = textDocument([{ content: showCodes(codes, 300, 700) }], meanings);
    const down = latin1(String.fromCharCode(...across).replace("/Identity-H", "/Identity-V"));
    expect((await extract(down)).text).toBe("縦書きの文章");
  });

  it("text that is drawn twice to look bold is read once", async () => {
    expect(await read(`${show("bold words", 50, 700)} ${show("bold words", 50.3, 700)}`)).toBe("bold words");
    expect((await read(`${show("again", 50, 700)} ${show("again", 50, 680)}`)).replace("\n\n", "\n")).toBe(
      "again\nagain",
    );
  });

  it("a table of contents is read row by row", async () => {
    const titles = ["The first of the chapters", "The chapter after that one", "Another chapter", "The last one"];
    const content = titles.map(
      (title, line) => `${show(title, 50, 700 - 14 * line)} ${show(String(line + 7), 200, 700 - 14 * line)}`,
    );
    expect((await read(content.join("\n"))).replaceAll("\n\n", "\n")).toBe(
      titles.map((title, line) => `${title} ${line + 7}`).join("\n"),
    );
  });

  it("a table is read row by row", async () => {
    const cells = [
      ["Austria", "8.9", "Vienna"],
      ["Belgium", "11.5", "Brussels"],
      ["Denmark", "5.8", "Copenhagen"],
      ["Finland", "5.5", "Helsinki"],
    ];
    const content = cells.flatMap((row, line) =>
      row.map((cell, column) => show(cell, 50 + 90 * column, 700 - 14 * line)),
    );
    expect((await read(content.join("\n"))).replaceAll("\n\n", "\n")).toBe(
      cells.map((row) => row.join(" ")).join("\n"),
    );
  });

  it.each([0, 90, 180, 270])("text is read in order on a page with /Rotate %i", async (rotate) => {
    const content = `${show("first line", 50, 700)} ${show("second line", 50, 688)}`;
    expect(await textOf([{ content, entries: `/Rotate ${rotate}` }])).toMatch(/^first line\n+second line$/);
  });

  it.each([
    [90, "0 1 -1 0 300 100"],
    [180, "-1 0 0 -1 500 400"],
    [270, "0 -1 1 0 300 600"],
    [30, "0.866 0.5 -0.5 0.866 100 100"],
  ])("text turned by %i degrees is read in order", async (_angle, matrix) => {
    expect(await read(`BT /F1 12 Tf ${matrix} Tm (turned words) Tj 0 -14 Td (below them) Tj ET`)).toMatch(
      /^turned words\n+below them$/,
    );
  });

  it("right-to-left text is read in logical order, with Latin words and numbers in theirs", async () => {
    const hebrew = "שלום PDF 123 עולם";
    // As a page has it: from left to right what is read from right to left.
    const visual = "םלוע PDF 123 םולש";
    const { meanings, codes } = spelled(visual);
    expect(await read(showCodes(codes, 50, 700), meanings)).toBe(hebrew);
  });

  it("right-to-left text is read with the letters of a ligature in order", async () => {
    // "الإنتاج" with lam and alef in one glyph, drawn from left to right.
    const visual = ["ج", "ا", "ت", "ن", "لإ", "ا"];
    const codes = visual.map((_, index) => index + 1);
    expect(await read(showCodes(codes, 50, 700), visual)).toBe("الإنتاج");
  });
});
