/** Lines with tabs as rows of cells. */
import { expect, test } from "vitest";
import { hasTabs, tabMark, tabRows, withoutTabs, type TabStop } from "../../src/engines/convert/docx/tab-stops.ts";

const line = { width: 400, left: 0, first: 0, size: 10 };
const rows = (html: string, stops: readonly TabStop[] = [], more: Partial<typeof line> = {}) =>
  tabRows(html, { ...line, ...more, stops })?.map((cells) =>
    cells.map(({ html: text, align, width }) => `${text}|${align}|${Math.round(width)}`),
  );
const center: TabStop = { at: 200, align: "center" };
const right: TabStop = { at: 400, align: "right" };
const tab = tabMark();

test("texts at a stop in the center and at the right are in cells that end where their texts belong", () => {
  // The cell in the middle is as wide to both sides of its stop.
  expect(rows(`Left${tab}Middle${tab}Right`, [center, right])).toEqual([
    ["Left|left|104", "|left|1", "Middle|center|188", "Right|right|106"],
  ]);
});

test("stops without text are passed", () => {
  expect(rows(`${tab}${tab}Right`, [center, right])).toEqual([["Right|right|400"]]);
  expect(rows(`Left${tab}${tab}Right`, [center, right])).toEqual([["Left|left|199", "Right|right|202"]]);
});

test("a tab after the last stop leads to the next of those that every line has", () => {
  expect(rows(`ab${tab}cd`)).toEqual([["ab|left|24", "|left|12", "cd|left|364"]]);
});

test("a tab to a place of the line needs no stop", () => {
  expect(rows(`${tabMark("right")}7`)).toEqual([["7|right|400"]]);
  expect(rows(`a${tabMark("center")}7`)).toEqual(
    [["a|left|101", "7|center|198", "|left|101"]].map((row) => row.slice(0, 2)),
  );
});

test("each line is a row of its own, and elements around a tab are around both of its sides", () => {
  expect(rows(`<b>a${tab}b<br>c</b>`, [right])).toEqual([
    ["<b>a</b>|left|200", "<b>b</b>|right|200"],
    ["<b>c</b>|left|400"],
  ]);
});

test("texts that do not fit at their stops are no rows", () => {
  expect(rows(`${"long ".repeat(30)}${tab}Right`, [right])).toBeUndefined();
  expect(rows(tab.repeat(30), [right])).toBeUndefined();
});

test("tabs are found, and replaced by spaces", () => {
  expect([hasTabs(`a${tab}b`), hasTabs("a&lt;tab title=&quot;&quot;&gt;b")]).toEqual([true, false]);
  expect(withoutTabs(`a${tab}b${tabMark("right")}c`, "_")).toBe("a_b_c");
});
