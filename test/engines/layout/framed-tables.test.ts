import { expect, test } from "vitest";
import { across, down, partsOn, type Placed } from "../../harness/text/drawn-tables.ts";

const [left, right] = [50, 450];
/** A box from `top` to `bottom`. */
const box = (top: number, bottom: number) => [
  across(top, left, right),
  across(bottom, left, right),
  ...sides(top, bottom),
];
const sides = (top: number, bottom: number) => [left, right].map((x) => down(x, top, bottom));
/** A line of a cell on the left, and of one on the right. */
const both = (y: number, ...texts: readonly string[]): [y: number, ...Placed[]] => [
  y,
  ...texts.flatMap((text, column): Placed[] => (text === "" ? [] : [[54 + 200 * column, text]])),
];

/** Rows are 18 points apart, lines within a cell 12. */
const lines = [
  both(94, "What is done", "Who does it"),
  both(112, "The words of a cell that go on", "All who work in the office and"),
  both(124, "in another line of it", "know how to"),
  both(142, "A second row that has more of", "Those whose names are on a list"),
  both(154, "these lines, as all of them are", "at the door"),
  both(166, "about the same matter", ""),
  both(184, "The third of the rows is here", "Nobody has done it so far, and"),
  both(196, "and the last one", "it is not known who will"),
];
const rows = [
  ["What is done", "Who does it"],
  ["The words of a cell that go on in another line of it", "All who work in the office and know how to"],
  [
    "A second row that has more of these lines, as all of them are about the same matter",
    "Those whose names are on a list at the door",
  ],
  ["The third of the rows is here and the last one", "Nobody has done it so far, and it is not known who will"],
];

test("a box whose columns are text has rows where white space divides all of them", () => {
  expect(partsOn(lines, box(80, 206))).toEqual([rows]);
});

test("a box that goes on on the next page ends where its sides do", () => {
  expect(partsOn(lines, [across(80, left, right), ...sides(80, 790)])).toEqual([rows]);
});

test("a box that began on the page before begins where its sides do", () => {
  expect(partsOn(lines, [across(206, left, right), ...sides(60, 206)])).toEqual([rows]);
});

test("a line of text right above a box is no row of its table", () => {
  const above = both(77, "This text ends above of", "a box.");
  expect(partsOn([above, ...lines], box(82, 206))).toEqual(["This text ends above of a box.", rows]);
});

test("cells that stand in the middle of their row are in it, though no line has all of them", () => {
  expect(
    partsOn(
      [
        both(94, "What is done", "Who does it"),
        both(112, "The words of a cell that go on"),
        both(118, "", "All in the office"),
        both(124, "in another line of it"),
        both(142, "A second row that has more of"),
        both(148, "", "Those on the list"),
        both(154, "these lines"),
        both(172, "The third of the rows is here"),
        both(178, "", "Nobody so far"),
        both(184, "and the last one"),
      ],
      box(80, 194),
    ),
  ).toEqual([
    [
      ["What is done", "Who does it"],
      ["The words of a cell that go on in another line of it", "All in the office"],
      ["A second row that has more of these lines", "Those on the list"],
      ["The third of the rows is here and the last one", "Nobody so far"],
    ],
  ]);
});

test("two columns of text in a box are text", () => {
  const texts = [
    ["A text that is set in two narrow", "of it. The lines are all as long"],
    ["columns within a box is no table", "as they can be, and their words"],
    ["for it has no rows. A paragraph", "are broken at the ends."],
    ["ends here.", ""],
    ["", "In the other column another one"],
    ["The second one is further below", "follows on other lines, so that"],
    ["where the white space is, and it", "no white space goes across all"],
    ["goes on in the second column, at", "of the box from side to side."],
    ["the top of it, with more of that", ""],
  ];
  expect(
    partsOn(
      texts.map(([a = "", b = ""], at) => both(94 + 12 * at, a, b)),
      box(80, 200),
    ),
  ).toEqual([
    "A text that is set in two narrow columns within a box is no table for it has no rows. A paragraph ends here.",
    "The second one is further below where the white space is, and it goes on in the second column, at the top of it, with more of that",
    "of it. The lines are all as long as they can be, and their words are broken at the ends.",
    "In the other column another one follows on other lines, so that no white space goes across all of the box from side to side.",
  ]);
});
