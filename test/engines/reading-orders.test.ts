import { expect, test } from "vitest";
import { unlimitedWork } from "../../src/engines/work.ts";
import { readingOrders } from "../../src/engines/pdf/layout/reading-orders.ts";
import type { Segment } from "../../src/engines/pdf/text/glyphs.ts";
import { glyphRow as row } from "../harness/text/glyph-rows.ts";
import { Random } from "../harness/fuzz/random.ts";
import { shuffled } from "../harness/fixtures/painted-pieces.ts";

const MARKS = { "goes on": "~", line: "/", cell: "|", apart: "#" } as const;

/** Each order as text: `~` where a line goes on in the next one, `/` where another ends, `|` for a cell, `#` for what is apart. */
async function read(rows: readonly Segment[], work = unlimitedWork()): Promise<string[]> {
  const orders: string[] = [];
  for await (const pieces of readingOrders(work, rows, [0, 0, 400, 400])) {
    const text = pieces.map((piece) => (piece.ends ? MARKS[piece.ends] : piece.text)).join("");
    orders.push(text.replace(/[/#]+$/, ""));
  }
  return orders;
}

test("lines that are painted from top to bottom have one order", async () => {
  expect(await read([row(40, 100, "one two"), row(40, 112, "three")])).toEqual(["one two/three"]);
});

test("parts of a line are read from left to right, whichever is painted first", async () => {
  const parts = [row(82, 100, "two"), row(58, 100, "o"), row(40, 100, "one"), row(64, 100, "ne")];
  expect((await read(parts))[0]).toBe("oneone two");
});

test("lines are read downwards, and also in the order of the content", async () => {
  expect(await read([row(40, 112, "below"), row(40, 100, "above")])).toEqual(["above/below", "below/above"]);
});

test("a column is read by itself, and so is each line", async () => {
  const cells = [row(40, 100, "Name"), row(200, 100, "Jane"), row(40, 112, "Town"), row(200, 112, "Roe")];
  expect(await read(cells)).toEqual(["Name|Jane/Town|Roe", "Name/Town/#Jane/Roe"]);
});

test("text that is drawn again for bold type is an order of its own", async () => {
  const again = [row(40.5, 112, "Roe"), row(40, 112, "Roe"), row(40.5, 100, "Jane"), row(40, 100, "Jane")];
  expect((await read(again))[0]).toBe("Jane/Roe/#Jane/Roe");
});

test("a line continues if the next word would not have fit before the margin", async () => {
  const full = "a line that reaches to the right margin of its page";
  expect(await read([row(40, 100, full), row(40, 112, "and ends")])).toEqual([`${full}~and ends`]);
  expect(await read([row(40, 100, "Tel. 030 1234567"), row(40, 112, "12345 Berlin")])).toEqual([
    "Tel. 030 1234567/12345 Berlin",
  ]);
});

test("a line continues in a narrow text whose lines all fill their measure", async () => {
  const lines = ["some lines of a text", "that is set in rather", "narrow lines, each one", "full but the last"];
  expect(await read(lines.map((line, at) => row(40, 100 + 12 * at, line)))).toEqual([lines.join("~")]);
});

test("a line continues after a hyphen", async () => {
  expect(await read([row(40, 100, "jane@exam-"), row(40, 112, "ple.com")])).toEqual(["jane@exam-~ple.com"]);
});

test("the work grows as the number of pieces does, in any order of painting", async () => {
  const workOf = async (count: number): Promise<number> => {
    const random = new Random(count);
    const pieces = Array.from({ length: count }, (_, at) =>
      row(20 + (at % 20) * 18.3, 10 + 11 * Math.floor(at / 20), random.pick(["ab", "abc", "a"])),
    );
    const work = unlimitedWork();
    await read(shuffled(pieces, random), work);
    return work.spent;
  };
  // Measured: 4.2. The square would be 16.
  expect((await workOf(16_000)) / (await workOf(4_000))).toBeLessThan(4.6);
});
