/** Tesseract's layout analysis loses lines that are alone, short numbers, and columns of tables. They are read nevertheless. */
import { expect, test } from "vitest";
import { drawing } from "../harness/fixtures/drawing-fixtures.ts";
import { recognize, setPage } from "./ocr-service.ts";

const [width, height] = [595, 842];
const read = async (content: string): Promise<string> =>
  (await recognize(drawing({ width, height, content }), { mode: "force" })).text;

test("a single digit on a page is recognized", async () => {
  expect(await read("BT /F1 24 Tf 60 760 Td (7) Tj ET")).toBe("7");
});

test("a table of numbers is recognized row by row", async () => {
  const rows = [
    ["12", "2,847", "305.60"],
    ["7", "1,984", "64.25"],
    ["105", "930", "8.10"],
    ["44", "16,302", "71.99"],
  ];
  const content = rows.flatMap((row, down) =>
    row.map((cell, across) => `BT /F1 20 Tf ${60 + across * 100} ${760 - down * 30} Td (${cell}) Tj ET`),
  );
  const text = await read(content.join("\n"));
  expect(text.split(/\n+/)).toEqual(rows.map((row) => row.join(" ")));
});

test.each(["14", "40"])("a single Korean heading of %s points is recognized", async (fontSize) => {
  const text = "대한민국 헌법";
  const page = await setPage(text, drawing({ width, height, content: "" }), { fontSize, position: "top-left" });
  expect((await recognize(page, { languages: "kor", mode: "force" })).text).toBe(text);
});
