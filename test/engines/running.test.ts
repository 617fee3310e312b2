/** Fields, kinds, and places of headers, footers, and boxes. */
import { expect, test } from "vitest";
import { placeOf } from "../../src/engines/convert/box-place.ts";
import {
  hasPageField,
  pageFieldHtml,
  pageKindOf,
  withPageNumbers,
} from "../../src/engines/convert/source/page-fields.ts";
import type { PlacedBox, PlaceOnAxis, RunningSection } from "../../src/engines/convert/source/document.ts";

const numbers = { page: 4, pages: 12, sectionPages: 3, format: "lowerRoman" };

test("fields get the numbers of a page, and only that of the page has the format of its section", () => {
  const html = (["page", "pages", "sectionPages"] as const).map((field) => pageFieldHtml(field, "")).join("/");
  expect(withPageNumbers(html, numbers)).toBe("iv/12/3");
  expect(withPageNumbers(pageFieldHtml("pages", "upperLetter"), numbers)).toBe("L");
  expect(withPageNumbers("&lt;var title=&quot;page &quot;&gt;1&lt;/var&gt;", numbers)).toContain("&lt;var");
});

test("a field is found by its kind", () => {
  const html = `a${pageFieldHtml("pages", "")}`;
  expect([hasPageField(html), hasPageField(html, "pages"), hasPageField(html, "page"), hasPageField("a")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test.each([
  [true, true, 2, true, "first"],
  [true, true, 2, false, "even"],
  [true, true, 3, false, "odd"],
  [false, true, 2, true, "even"],
  [true, false, 2, false, "odd"],
  [false, false, 2, true, "odd"],
] as const)(
  "a section with a first page (%s) and even pages (%s) has page %i (first: %s) as %s",
  (hasFirst, hasEven, number, isFirst, kind) => {
    expect(pageKindOf({ hasFirst, hasEven } as RunningSection, number, isFirst)).toBe(kind);
  },
);

const page = { width: 400, height: 500, margins: { top: 50, right: 40, bottom: 30, left: 20 } };

test.each<readonly [PlaceOnAxis, PlaceOnAxis, number, number]>([
  [{ from: "page", offset: 10 }, { from: "page", offset: 20 }, 10, 20],
  [{ from: "margins", offset: -5 }, { from: "margins", offset: 5 }, 15, 55],
  [{ from: "margins", align: "end", offset: 99 }, { from: "margins", align: "end", offset: 0 }, 260, 430],
  [{ from: "page", align: "center", offset: 0 }, { from: "page", align: "center", offset: 0 }, 150, 230],
  [{ from: "before", align: "start", offset: 0 }, { from: "before", align: "center", offset: 0 }, 0, 5],
  [{ from: "after", offset: 2 }, { from: "after", align: "start", offset: 0 }, 362, 470],
  [{ from: "anchor", offset: 7 }, { from: "anchor", offset: -8 }, 107, 192],
])("a box of 100 by 40 points at %j and %j is at %i, %i", (horizontal, vertical, x, y) => {
  const box = { horizontal, vertical, width: 100, height: 40 } as PlacedBox;
  expect(placeOf(box, page, { x: 100, y: 200 })).toEqual({ x, y });
});
