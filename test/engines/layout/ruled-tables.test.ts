import { expect, test } from "vitest";
import { across, background, down, type Placed, partsOn } from "../../harness/text/drawn-tables.ts";

const [left, right] = [50, 280];
type Line = readonly [y: number, ...Placed[]];
/** Lines between rows of 16 points, and at both sides. */
const stacked = (count: number) => [
  ...Array.from({ length: count + 1 }, (_, at) => across(80 + 16 * at, left, right)),
  ...[left, right].map((x) => down(x, 80, 80 + 16 * count)),
];
const texts = ["Towns", "Bonn", "Kiel", "Ulm on the Danube"];
const inBoxes = (own: readonly string[]): Line[] => own.map((text, at) => [92 + 16 * at, [54, text]]);

test("texts that are stacked with lines around each are a table of one column", () => {
  expect(partsOn(inBoxes(texts), stacked(4))).toEqual([[["Towns"], ["Bonn"], ["Kiel"], ["Ulm on the Danube"]]]);
});

test("a cell of a table of one column may have several lines", () => {
  const lines = [
    ...[80, 96, 124, 140].map((y) => across(y, left, right)),
    ...[left, right].map((x) => down(x, 80, 140)),
  ];
  const own: Line[] = [
    [92, [54, "Towns"]],
    [108, [54, "Frankfurt, which is on the"]],
    [120, [54, "river Main"]],
    [136, [54, "Ulm"]],
  ];
  expect(partsOn(own, lines)).toEqual([[["Towns"], ["Frankfurt, which is on the river Main"], ["Ulm"]]]);
});

test("a text with its title in a box is text", () => {
  expect(partsOn(inBoxes(texts.slice(0, 2)), stacked(2))).toEqual(["Towns Bonn"]);
});

test("a text whose lines each have a box is text", () => {
  const lines = [
    "A text that is written in a form with",
    "a box around each of its lines, so the",
    "words follow from one to the next one",
    "of them",
  ];
  expect(partsOn(inBoxes(lines), stacked(4))).toEqual([lines.join(" ")]);
});

test("a text whose lines each have a background is text", () => {
  const backgrounds = texts.map((_, at) => background(left, 80 + 16 * at, right, 96 + 16 * at));
  expect(partsOn(inBoxes(texts), backgrounds)).toEqual([texts.join(" ")]);
});

test("labels in boxes are no table without the values beside them", () => {
  const values: Line[] = texts.map((_, at) => [92 + 16 * at, [310, `${at + 1} of them`]]);
  const [lines, ...others] = partsOn([...inBoxes(texts), ...values], stacked(4));
  expect(others).toEqual([]);
  expect(lines).toEqual([
    ["Towns", "1 of them"],
    ["Bonn", "2 of them"],
    ["Kiel", "3 of them"],
    ["Ulm on the Danube", "4 of them"],
  ]);
});

test("the numbers of a bar are no table", () => {
  expect(partsOn(inBoxes(["12 %", "30 %", "8 %", "50 %"]), stacked(4))).toEqual(["12 % 30 % 8 % 50 %"]);
});

test("boxes most of which are empty are no table", () => {
  expect(partsOn([...inBoxes(["Towns", "Bonn"]), [156, [54, "Ulm"]]], stacked(5))).toEqual(["Towns Bonn", "Ulm"]);
});
