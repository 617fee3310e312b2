import { describe, expect, test } from "vitest";
import { Refusal } from "../../src/engines/errors.ts";
import { PageRange } from "../../src/engines/pdf/document/ranges.ts";

/** 1-based, as the API speaks. */
function pages(range: string, pageCount: number): number[] {
  return new PageRange(range).resolve("range", pageCount).map((page) => page + 1);
}

function refusal(range: string, pageCount: number): Refusal {
  try {
    new PageRange(range).resolve("range", pageCount);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error(`"${range}" was taken`);
}

describe("a page range gives pages in its own order", () => {
  test.each<[string, number, number[]]>([
    ["3", 5, [3]],
    ["2-4", 5, [2, 3, 4]],
    ["4-2", 5, [4, 3, 2]],
    ["3-end", 5, [3, 4, 5]],
    ["last", 5, [5]],
    ["last-2", 5, [4, 5]],
    ["last-5", 5, [1, 2, 3, 4, 5]],
    ["odd", 5, [1, 3, 5]],
    ["even", 5, [2, 4]],
    ["all", 3, [1, 2, 3]],
    ["!2", 4, [1, 3, 4]],
    ["!odd", 4, [2, 4]],
    ["1-4,!2-3", 5, [1, 4]],
    ["!1,1", 3, [2, 3, 1]],
    [" 1 - 2 ,\t4 ", 5, [1, 2, 4]],
    ["! 2, last - 1\n", 4, [1, 3, 4, 4]],
    ["5,1,1", 5, [5, 1, 1]],
  ])("%s of %i pages", (range, pageCount, expected) => {
    expect(pages(range, pageCount)).toEqual(expected);
  });

  test("as a set: each page once, ascending", () => {
    expect(new PageRange("4,2-3,2,all").resolveSet("pages", 4)).toEqual([0, 1, 2, 3]);
  });
});

describe("a page range that cannot be met is refused, never clamped", () => {
  test.each([
    ["0"],
    ["5-"],
    ["9999"],
    ["1-3-5"],
    ["-1"],
    ["1-9"],
    ["9-1"],
    ["last-6"],
    ["last-0"],
    ["last-"],
    ["odd-3"],
    ["end"],
    ["1,,2"],
    [","],
    ["\u{1F4C4}"],
    ["1;2"],
    ["1.5"],
    ["0x1"],
    ["!!1"],
    ["!"],
    ["!all"],
    ["99999999999999999999"],
    ["   "],
    ["1 2"],
    ["1 - 1 1"],
    ["la st"],
  ])("%j of 5 pages", (range) => {
    const { code, details } = refusal(range, 5);
    expect(code).toBe("invalid_page_range");
    expect(details).toEqual({ field: "range", range, maxPage: 5 });
  });

  test("even of a document with one page: nothing is left", () => {
    expect(refusal("even", 1).message).toContain("selects no pages");
  });

  test("the range in the error is cut, and so is the item in the message", () => {
    const { details, message } = refusal("x".repeat(100_000), 5);
    expect(String(details?.["range"]).length).toBeLessThanOrEqual(200);
    expect(message.length).toBeLessThan(300);
  });

  test("a million items end at once, whatever they are", () => {
    expect(refusal("!1,".repeat(350_000), 5_000).message).toContain("10,000 items");
    expect(refusal(",".repeat(1_000_000), 5_000).code).toBe("invalid_page_range");
    expect(refusal(Array(9_000).fill("all").join(","), 5_000).message).toContain("more than 5,000 pages");
  });
});
