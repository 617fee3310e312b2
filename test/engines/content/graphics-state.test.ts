import { expect, test } from "vitest";
import { bytesOf } from "../../../src/bytes/latin1.ts";
import { Refusal } from "../../../src/engines/errors.ts";
import type { GraphicsState, Group, Lookup } from "../../../src/engines/pdf/content/graphics-state.ts";
import { ContentOperators } from "../../../src/engines/pdf/content/operators.ts";
import { process, Run, type Visitor } from "../../../src/engines/pdf/content/processor.ts";

import { unlimitedWork } from "../../../src/engines/work.ts";

const ALL: readonly Group[] = ["matrix", "line", "color", "mask", "font", "text", "position"];
const LOOKUP: Lookup<string> = {
  fontNamed: (name) => `font ${name}`,
  parametersNamed: (name) =>
    ({
      Width: { lineWidth: 7 },
      Line: { miterLimit: 3, dash: { array: "[5 6]", phase: 2 } },
      Font: { font: "font of parameters", size: 9 },
      Mask: { mask: true },
      None: { mask: false },
    })[name] ?? {},
};

async function after(content: string, keeps = ALL, initial: Partial<GraphicsState<string>> = {}): Promise<Run<string>> {
  const run = new Run<string>({ keeps, ...LOOKUP }, new ContentOperators(bytesOf(content)), initial);
  await run.read(unlimitedWork());
  return run;
}

test.each<[string, Partial<GraphicsState<string>>]>([
  ["2 0 0 2 10 0 cm 1 0 0 1 5 5 cm", { matrix: [2, 0, 0, 2, 20, 10] }],
  ["3 w", { lineWidth: 3 }],
  ["3 w /Width gs", { lineWidth: 7 }],
  ["4 M [1 2] 0.5 d", { miterLimit: 4, dash: { array: "[1 2]", phase: 0.5 } }],
  ["3 w [1] 0 d /Line gs", { lineWidth: 3, miterLimit: 3, dash: { array: "[5 6]", phase: 2 } }],
  ["/F1 12 Tf", { font: "font F1", size: 12 }],
  ["/F1 12 Tf /Font gs", { font: "font of parameters", size: 9 }],
  ["/F1 12 Tf /Width gs", { font: "font F1", size: 12, lineWidth: 7 }],
  ["/Mask gs", { mask: "Mask" }],
  ["/Mask gs /Width gs", { mask: "Mask", lineWidth: 7 }],
  ["/Mask gs /None gs", { mask: undefined }],
  ["1 Tc 2 Tw 50 Tz 4 TL 3 Tr 6 Ts", { characterSpace: 1, wordSpace: 2, scale: 0.5, leading: 4, mode: 3, rise: 6 }],
  ['1 2 (a) "', { wordSpace: 1, characterSpace: 2 }],
  ["0 -14 TD", { leading: 14 }],
  ["1 0 0 rg", { fill: { space: "DeviceRGB", pattern: undefined } }],
  ["0 0 0 1 K", { stroke: { space: "DeviceCMYK", pattern: undefined } }],
  ["/Spot cs 0.5 scn", { fill: { space: "Spot", pattern: undefined } }],
  ["/Pattern cs /P1 scn", { fill: { space: "Pattern", pattern: "P1" } }],
  ["/Under CS 0.5 /P#31 SCN", { stroke: { space: "Under", pattern: "P1" } }],
  ["/Pattern cs /P1 scn 0 g", { fill: { space: "DeviceGray", pattern: undefined } }],
  ["q 3 w q 4 w Q", { lineWidth: 3 }],
  ["3 w q q Q Q", { lineWidth: 3 }],
  ["Q 3 w Q Q", { lineWidth: 3 }],
  ["cm w", { matrix: [0, 0, 0, 0, 0, 0], lineWidth: 0 }],
])("operators set the graphics state: %s", async (content, expected) => {
  const initial = (await after("")).state;
  expect((await after(content)).state).toEqual({ ...initial, ...expected });
});

test("a state begins with the settings of the content that draws a form", async () => {
  const { state } = await after("2 0 0 2 0 0 cm Q", ALL, { matrix: [1, 0, 0, 1, 3, 4], font: "outer" });
  expect(state).toMatchObject({ matrix: [2, 0, 0, 2, 3, 4], font: "outer" });
});

test("text moves by lines, and from the start of its line", async () => {
  const { graphics } = await after("BT 2 0 0 2 10 100 Tm 14 TL T* 5 1 Td (a) '");
  expect(graphics.line).toEqual([2, 0, 0, 2, 20, 46]);
  expect(graphics.text).toEqual(graphics.line);
  expect(graphics.inText).toBe(true);
  const ended = (await after("BT 1 0 0 1 9 9 Tm ET")).graphics;
  expect([ended.inText, ended.text]).toEqual([false, [1, 0, 0, 1, 9, 9]]);
  expect((await after("BT 1 0 0 1 9 9 Tm ET BT")).graphics.text).toEqual([1, 0, 0, 1, 0, 0]);
});

test("a reader's own values are saved and restored with the rest", async () => {
  const seen: unknown[] = [];
  const visitor: Visitor = {
    keeps: [],
    paint: ({ graphics }) => graphics.clip([0, 0, seen.length, 9]),
    endPath: ({ state }) => void seen.push(state.clip),
  };
  await process(bytesOf("n q f n q f n Q n Q n"), visitor, unlimitedWork());
  const everywhere = [-1e9, -1e9, 1e9, 1e9];
  expect(seen).toEqual([everywhere, [0, 0, 1, 9], [0, 0, 2, 9], [0, 0, 1, 9], everywhere]);
});

test("shown text moves what follows it, but not the line", async () => {
  const { graphics } = await after("BT 2 0 0 2 10 100 Tm");
  graphics.moveText(5, 1);
  expect([graphics.text, graphics.line]).toEqual([
    [2, 0, 0, 2, 20, 102],
    [2, 0, 0, 2, 10, 100],
  ]);
});

test("values that a reader does not keep are not interpreted", async () => {
  const initial = (await after("")).state;
  const content = "2 0 0 2 0 0 cm 3 w 1 0 0 rg /Mask gs /F1 12 Tf 2 Tr BT 1 1 Td";
  expect((await after(content, [])).state).toEqual(initial);
  expect((await after(content, ["font"])).state).toEqual({ ...initial, mask: "Mask", font: "font F1", size: 12 });
  expect((await after(content, [])).graphics.text).toEqual([1, 0, 0, 1, 0, 0]);
});

test("names are looked up once", async () => {
  const asked: string[] = [];
  const ask = (name: string): string => {
    asked.push(name);
    return name;
  };
  const content = bytesOf("/A 1 Tf /B 1 Tf /A 2 Tf /G gs /A 1 Tf /G gs");
  const lookup: Lookup<string> = { fontNamed: ask, parametersNamed: (name) => ({ font: ask(name) }) };
  const run = await process<string, void>(content, { keeps: ["font"], ...lookup }, unlimitedWork());
  expect(asked).toEqual(["A", "B", "G"]);
  expect(run.state).toMatchObject({ font: "G", size: 1 });
});

test("saved states are counted, and too many different ones are refused", async () => {
  expect((await after("q q q Q")).graphics.depth).toBe(2);
  expect((await after("Q q")).graphics.depth).toBe(1);
  const { graphics } = new Run({ keeps: ["line"] }, new ContentOperators(new Uint8Array()));
  for (let width = 0; width < 100_000; width++) {
    graphics.current = { ...graphics.current, lineWidth: width };
    graphics.save();
    graphics.save();
  }
  expect(graphics.depth).toBe(200_000);
  graphics.current = { ...graphics.current, lineWidth: -1 };
  expect(() => graphics.save()).toThrow(Refusal);
});
