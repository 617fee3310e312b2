import { expect, test } from "vitest";
import { across, down, partsOn, type Placed } from "../../harness/text/drawn-tables.ts";

const [left, right] = [50, 410];
const xs = [left, 170, 290, right];
/** Baselines of four rows, with a rule above and below each. */
const [head, first, second, third] = [94, 114, 134, 154];
const rules = [80, 100, 120, 140, 160].map((y) => across(y, left, right));
const sides = [left, right].map((x) => down(x, 80, 160));

/** A label and values at the places of columns. */
const cells = (...texts: readonly string[]): Placed[] => texts.map((text, at): Placed => [54 + 120 * at, text]);

test("columns that have lines only in the header go on below it", () => {
  const lines = [...rules, ...sides, ...xs.slice(1, 3).map((x) => down(x, 80, 100))];
  expect(
    partsOn(
      [
        [head, ...cells("Town", "Men", "Women")],
        [first, ...cells("Bonn", "12", "15")],
        [second, ...cells("Ulm", "7")],
        [third, ...cells("Kiel", "9", "8")],
      ],
      lines,
    ),
  ).toEqual([
    [
      ["Town", "Men", "Women"],
      ["Bonn", "12", "15"],
      ["Ulm", "7", ""],
      ["Kiel", "9", "8"],
    ],
  ]);
});

test("a text that reaches over the places of the header's lines is one cell", () => {
  const lines = [...rules, ...sides, ...xs.slice(1, 3).map((x) => down(x, 80, 100))];
  expect(
    partsOn(
      [
        [head, ...cells("Town", "Men", "Women")],
        [first, [54, "All towns of the north and of the west"]],
        [second, ...cells("Ulm", "7", "5")],
        [third, ...cells("Kiel", "9", "8")],
      ],
      lines,
    ),
  ).toEqual([
    [
      ["Town", "Men", "Women"],
      ["3: All towns of the north and of the west", "", ""],
      ["Ulm", "7", "5"],
      ["Kiel", "9", "8"],
    ],
  ]);
});

test("values below each other are columns where only the labels have a line beside them", () => {
  const lines = [across(80, left, right), across(100, left, right), across(160, left, right), down(170, 80, 160)];
  expect(
    partsOn(
      [
        [head, ...cells("Town", "Men", "Women")],
        [first, ...cells("Bonn", "12", "15")],
        [second, ...cells("Ulm", "7", "5")],
        [third, ...cells("Kiel", "9", "8")],
      ],
      lines,
    ),
  ).toEqual([
    [
      ["Town", "Men", "Women"],
      ["Bonn", "12", "15"],
      ["Ulm", "7", "5"],
      ["Kiel", "9", "8"],
    ],
  ]);
});

test("the markers of a list in a cell are no column", () => {
  const lines = [...rules.slice(0, 2), across(160, left, right), ...sides, down(170, 80, 160)];
  expect(
    partsOn(
      [
        [head, [54, "Town"], [174, "What is there"]],
        [first, [54, "Bonn"], [174, "1."], [200, "a museum"]],
        [second, [174, "2."], [200, "a river"]],
        [third, [174, "3."], [200, "a station"]],
      ],
      lines,
    ),
  ).toEqual([
    [
      ["Town", "What is there"],
      ["Bonn", "1. a museum 2. a river 3. a station"],
    ],
  ]);
});

test("dots that lead to a value are no columns", () => {
  const lines = [...rules, ...sides, down(350, 80, 160)];
  const row = (y: number, text: string, value: string): [number, ...Placed[]] => [
    y,
    [54, text],
    ...[190, 210, 230, 250, 270, 290].map((x): Placed => [x, "."]),
    [354, value],
  ];
  expect(
    partsOn(
      [
        row(head, "Income", "100"),
        row(first, "Expenses of all kinds", "80"),
        row(second, "Taxes", "5"),
        row(third, "What is left", "15"),
      ],
      lines,
    ),
  ).toEqual([
    [
      ["Income . . . . . .", "100"],
      ["Expenses of all kinds . . . . . .", "80"],
      ["Taxes . . . . . .", "5"],
      ["What is left . . . . . .", "15"],
    ],
  ]);
});
