import { describe, expect, test } from "vitest";
import { allAround, type CutArea, erasedRegions } from "../../src/engines/pdf/erasure/area.ts";
import { cutPath, type PathPaint } from "../../src/engines/pdf/erasure/cut-path.ts";
import { LongSubpath } from "../../src/engines/pdf/erasure/path.ts";
import { outlinesOf } from "../../src/engines/pdf/erasure/outlines.ts";
import { IDENTITY, type Matrix, type PageBox } from "../../src/engines/geometry.ts";
import { Work } from "../../src/engines/work.ts";

const PAGE: PageBox = [0, 0, 100, 100];

interface Options {
  readonly matrix?: Matrix;
  readonly reach?: number;
  readonly clips?: "W" | "W*";
  readonly dash?: { array: string; phase: number };
}

const PAINTS: Readonly<Record<string, PathPaint>> = {
  f: { fill: "f" },
  "f*": { fill: "f*" },
  S: { strokes: true },
  s: { strokes: true, closes: true },
  B: { fill: "f", strokes: true },
  n: {},
};

/** What becomes of a path, on one line, without the operators that clip it and with these as `clipped`. */
async function cut(area: CutArea, path: string, operator: string, options: Options = {}): Promise<string | undefined> {
  const { matrix = IDENTITY, reach = 0.001, clips, dash } = options;
  const sources = [new TextEncoder().encode(path)];
  const paint = PAINTS[operator] ?? {};
  const placed = { sources, operator, paint, matrix, clips, dash, bounds: PAGE, box: PAGE, reach };
  const result = await cutPath(new Work(1e9), placed, area);
  return result?.content
    .replaceAll(/\s+/g, " ")
    .replace(/^q (.* W\* n )?/, (_, clip: string | undefined) => (clip === undefined ? "q " : "q clipped "));
}

/** From 40 to 60 in both directions. */
const region = await erasedRegions(new Work(1e9), [[40, 40, 60, 60]]);

/** Coordinates that are hairs inside of the region are on its edge. */
const rounded = (text: string | undefined): string | undefined =>
  text?.replaceAll(/\d+\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));

describe("filled paths", () => {
  test.each([
    ["around the region is clipped", "10 10 80 80 re", "q clipped 10 10 80 80 re f Q"],
    ["beside the region stays", "10 10 20 20 re", undefined],
    ["around the region with a hole for it stays", "10 10 80 80 re 70 30 m 30 30 l 30 70 l 70 70 l h", undefined],
    ["that adjoins the region stays", "10 40 30 20 re", undefined],
    ["within the region goes", "45 45 10 10 re", ""],
    ["that ends in the region loses its corners", "30 45 20 10 re", "30 45 m 40 45 l 40 55 l 30 55 l h f"],
    [
      "of several subpaths keeps those that are elsewhere",
      "1 1 5 5 re 45 45 m 55 45 l 50 55 l h 80 80 5 5 re",
      "1 1 5 5 re 80 80 5 5 re f",
    ],
    [
      "whose curves reach into the region has lines instead of these",
      "30 50 m 30 58 50 58 50 50 c 50 42 30 42 30 50 c h",
      expect.stringMatching(/^30 50 m ([34]\d(\.\d+)? [45]\d(\.\d+)? l )+h f$/),
    ],
    [
      "whose curves only pass by keeps them",
      "10 10 m 10 39 90 39 90 10 c h 45 45 10 10 re",
      "10 10 m 10 39 90 39 90 10 c h f",
    ],
  ])("a filled path is cut at a region: %s", async (_, path, expected) => {
    expect(rounded(await cut(region, path, "f"))).toEqual(expected);
  });

  test("a path filled by the even-odd rule with a hole for the region stays", async () => {
    expect(await cut(region, "10 10 80 80 re 30 30 40 40 re", "f*")).toBeUndefined();
    expect(await cut(region, "10 10 80 80 re 30 30 40 40 re", "f")).toMatch(/^q clipped/);
  });
});

describe("stroked paths", () => {
  test.each([
    ["around the region stays", "10 10 80 80 re", "S", 1, undefined],
    ["through the region is clipped", "10 50 m 90 50 l", "S", 1, "q clipped 10 50 m 90 50 l S Q"],
    ["beside the region whose ink reaches in is clipped", "10 38 m 90 38 l", "S", 3, "q clipped 10 38 m 90 38 l S Q"],
    ["within the region goes", "45 45 m 55 55 l", "S", 1, ""],
    ["that ends in the region ends at its edge", "10 50 m 50 50 l", "S", 1, "q clipped 10 50 m 40 50 l S Q"],
    [
      "that turns in the region has two parts",
      "10 50 m 50 50 l 50 10 l",
      "S",
      1,
      "q clipped 10 50 m 40 50 l 50 40 m 50 10 l S Q",
    ],
    [
      "that is closed runs on where it began",
      "10 10 m 50 10 l 50 50 l 10 50 l",
      "s",
      1,
      "q clipped 40 50 m 10 50 l 10 10 l 50 10 l 50 40 l S Q",
    ],
    [
      "is filled, too, in a path of its own",
      "10 10 m 50 10 l 50 50 l 10 50 l h",
      "B",
      1,
      "q clipped 10 10 m 50 10 l 50 40 l 40 50 l 10 50 l h f 40 50 m 10 50 l 10 10 l 50 10 l 50 40 l S Q",
    ],
  ])("a stroked path is cut at a region: %s", async (_, path, operator, reach, expected) => {
    expect(rounded(await cut(region, path, operator, { reach }))).toBe(expected);
  });

  test("a dashed path continues its pattern behind a cut", async () => {
    const dash = { array: "[3 4]", phase: 2 };
    expect(rounded(await cut(region, "10 50 m 50 50 l 50 10 l", "S", { reach: 1, dash }))).toBe(
      "q clipped [3 4] 2 d 10 50 m 40 50 l S [3 4] 52 d 50 40 m 50 10 l S Q",
    );
  });
});

describe("clipping paths", () => {
  test("a clipping path keeps its clip without an outline in the region", async () => {
    expect(rounded(await cut(region, "10 10 m 50 50 l 10 90 l h", "n", { clips: "W*" }))).toBe(
      "10 10 m 40 40 l 40 60 l 10 90 l h W* n",
    );
    expect(await cut(region, "10 10 80 80 re", "n", { clips: "W" })).toBeUndefined();
  });

  test("a clipping path that is painted clips later content after its paint is clipped", async () => {
    expect(await cut(region, "10 10 80 80 re", "f", { clips: "W" })).toBe(
      "q clipped 10 10 80 80 re f Q 10 10 80 80 re W n",
    );
  });

  test("a clipping path within the region is empty", async () => {
    expect(await cut(region, "45 45 5 5 re", "n", { clips: "W" })).toBe("0 0 0 0 re W n");
  });
});

test("a subpath with too many segments is not cut", async () => {
  const path = `0 0 m ${"9 9 l ".repeat(100_001)}`;
  await expect(cut(region, path, "f")).rejects.toThrow(LongSubpath);
});

test("units of the path may be large, skewed, and mirrored", async () => {
  const matrix: Matrix = [0.001, 0.0002, 0, -0.001, 0, 100];
  const found = await cut(region, "0 0 200000 100000 re", "f", { matrix });
  expect(found).toBe("q clipped 0 0 200000 100000 re f Q");
  // 50, 50 of the page.
  expect(rounded(await cut(region, "0 60000 m 50000 60000 l 0 65000 l h", "f", { matrix }))).toMatch(
    /^0 60000 m 40001 60000 l 40001 6\d{4}(\.\d)? l 0 65000 l h f$/,
  );
});

test("several regions that overlap are clipped as one", async () => {
  const area = await erasedRegions(new Work(1e9), [
    [40, 40, 60, 60],
    [50, 50, 70, 70],
  ]);
  const sources = [new TextEncoder().encode("0 0 100 100 re")];
  const placed = {
    sources,
    operator: "f",
    paint: { fill: "f" },
    matrix: IDENTITY,
    clips: undefined,
    dash: undefined,
  } as const;
  const { content } = (await cutPath(new Work(1e9), { ...placed, bounds: PAGE, box: PAGE, reach: 0 }, area)) ?? {};
  expect(content?.split("\n")).toEqual([
    "q",
    "-1 -1 m 101 -1 l 101 101 l -1 101 l h",
    "40 40 m 40 60 l 50 60 l 50 70 l 70 70 l 70 50 l 60 50 l 60 40 l h",
    "W* n",
    "0 0 100 100 re",
    "f",
    "Q",
  ]);
});

test("outlines beyond the edges of a page are cut, and nothing is clipped", async () => {
  const page = allAround([20, 20, 80, 80]);
  expect(await cut(page, "30 30 20 20 re", "f")).toBeUndefined();
  expect(rounded(await cut(page, "0 30 m 50 30 l 50 50 l 0 50 l h", "f"))).toBe("19 30 m 50 30 l 50 50 l 19 50 l h f");
  expect(rounded(await cut(page, "0 30 m 50 30 l 0 50 l", "S", { reach: 2 }))).toBe("17 30 m 50 30 l 17 43.2 l S");
  expect(await cut(page, "0 0 10 10 re", "f")).toBe("");
});

describe("outlines of rectangles", () => {
  /** Each outline from its first corner on. */
  const written = async (boxes: readonly PageBox[]): Promise<string[]> =>
    (await outlinesOf(new Work(1e9), boxes)).map((outline) => outline.map((point) => point.join(",")).join(" "));

  test.each<[string, PageBox[], string[]]>([
    ["of none", [], []],
    ["of one", [[1, 2, 3, 4]], ["1,2 1,4 3,4 3,2"]],
    ["of an empty one", [[1, 2, 1, 4]], []],
    [
      "of two that are apart",
      [
        [0, 0, 2, 5],
        [3, 2, 6, 9],
      ],
      ["0,0 0,5 2,5 2,0", "3,2 3,9 6,9 6,2"],
    ],
    [
      "of two that adjoin",
      [
        [0, 0, 2, 5],
        [2, 0, 6, 5],
      ],
      ["0,0 0,5 6,5 6,0"],
    ],
    [
      "of two above each other",
      [
        [0, 0, 2, 5],
        [0, 5, 2, 9],
      ],
      ["0,0 0,9 2,9 2,0"],
    ],
    [
      "of the same twice",
      [
        [0, 0, 2, 5],
        [0, 0, 2, 5],
      ],
      ["0,0 0,5 2,5 2,0"],
    ],
    [
      "of one within another",
      [
        [0, 0, 9, 9],
        [2, 2, 5, 5],
      ],
      ["0,0 0,9 9,9 9,0"],
    ],
    [
      "of a cross",
      [
        [0, 3, 9, 6],
        [3, 0, 6, 9],
      ],
      ["3,0 3,3 0,3 0,6 3,6 3,9 6,9 6,6 9,6 9,3 6,3 6,0"],
    ],
    [
      "of a frame",
      [
        [0, 0, 9, 2],
        [0, 7, 9, 9],
        [0, 0, 2, 9],
        [7, 0, 9, 9],
      ],
      ["0,0 0,9 9,9 9,0", "2,2 2,7 7,7 7,2"],
    ],
  ])("rectangles have one common outline: %s", async (_, boxes, expected) => {
    expect(await written(boxes)).toEqual(expected);
  });
});

describe("fuel of cuts", () => {
  const spent = async (regions: number, shapes: number): Promise<number> => {
    const work = new Work(1e12);
    const boxes = Array.from({ length: regions }, (_, at): PageBox => [at % 50, at % 50, (at % 50) + 3, (at % 50) + 3]);
    const path = Array.from({ length: shapes }, (_, at) => `${at % 50} 0 m ${at % 50} 1 2 3 4 ${at % 50} c h`).join(
      " ",
    );
    const placed = { sources: [new TextEncoder().encode(path)], operator: "f", paint: { fill: "f" } } as const;
    const box: PageBox = [0, 0, 1e4, 1e4];
    const where = { matrix: IDENTITY, bounds: box, box, reach: 0, clips: undefined, dash: undefined };
    await cutPath(work, { ...placed, ...where }, await erasedRegions(work, boxes));
    return work.spent;
  };

  test("the fuel of a cut grows with the path and the regions", async () => {
    const base = await spent(25, 200);
    expect(base).toBeGreaterThan(25 * 200);
    expect((await spent(25, 400)) / base).toBeLessThan(2.5);
    expect((await spent(50, 200)) / base).toBeLessThan(2.5);
  });

  test("a lattice of regions spends fuel for each of its outlines", async () => {
    const strips = Array.from({ length: 100 }, (_, at): PageBox[] => [
      [0, at * 2, 200, at * 2 + 1],
      [at * 2, 0, at * 2 + 1, 200],
    ]).flat();
    const work = new Work(1e12);
    expect(await outlinesOf(work, strips)).toHaveLength(1 + 99 * 99);
    expect(work.spent).toBeGreaterThan(100 * 100 * 10_000);
  });
});
