import { expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { ContentCounter, type Usage } from "../../../src/engines/pdf/content/usage.ts";
import { unlimitedWork } from "../../../src/engines/work.ts";

/** What streams do, by the state in which they do it. */
async function usages(...streams: readonly string[]): Promise<readonly Usage[]> {
  const masks: Readonly<Record<string, boolean>> = { Mask: true, None: false };
  const counter = new ContentCounter((name) => masks[name]);
  for (const stream of streams) await counter.feed(bytesOf(stream), unlimitedWork());
  return counter.usages;
}

const usage = (entry: Partial<Usage>): Usage => ({
  fill: undefined,
  stroke: undefined,
  mask: undefined,
  font: undefined,
  paints: 0,
  shown: 0,
  draws: new Map(),
  ...entry,
});

test.each<[string, string, readonly Partial<Usage>[]]>([
  ["paths, shadings, and images", "f S B* sh BI /W 1 ID x EI n W", [{ paints: 5 }]],
  [
    "the bytes of shown strings, or more",
    "/F 1 Tf (abc) Tj [(a) -20 <4142>] TJ (x) ' 1 2 (y) \"",
    [{ font: "F", paints: 4, shown: 12 }],
  ],
  [
    "what is drawn",
    "/A Do /B Do /A Do",
    [
      {
        draws: new Map([
          ["A", 2],
          ["B", 1],
        ]),
      },
    ],
  ],
  [
    "patterns",
    "/P scn f q /R SCN f Q f 0 g f",
    [{ fill: "P", paints: 2 }, { fill: "P", stroke: "R", paints: 1 }, { paints: 1 }],
  ],
  ["masks", "/Mask gs f /Other gs f /None gs f", [{ mask: "Mask", paints: 2 }, { paints: 1 }]],
  ["names of which readers may take either as unknown", "/A /B Do /A#42 Do Do", [{ draws: new Map([["", 3]]) }]],
  [
    "operators in arrays and strings in front of them",
    "[ (ab) /A Do (c) Tj",
    [{ paints: 1, shown: 2, draws: new Map([["A", 1]]) }],
  ],
  ["no operators in data of images and in strings", "BI ID f f f EI (f) (f)", [{ paints: 1 }]],
  ["operators after ID without BI", "ID f f", [{ paints: 2 }]],
])("usage counts %s", async (_, content, expected) => {
  expect(await usages(content)).toEqual(expected.map(usage));
});

test("the state and operands continue in the next stream, but a cut-off token does not", async () => {
  expect(await usages("/F 1 Tf /A", "Do (ab)", "Tj (cut", "/B Do")).toEqual([
    usage({
      font: "F",
      paints: 1,
      shown: 3,
      draws: new Map([
        ["A", 1],
        ["B", 1],
      ]),
    }),
  ]);
  expect(await usages("BI /W 1 ID xx", "f")).toEqual([usage({ paints: 1 })]);
});
