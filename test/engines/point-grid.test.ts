import { expect, test } from "vitest";
import { PointGrid } from "../../src/engines/pdf/erasure/point-grid.ts";

function gridOf(...points: readonly (readonly [number, number])[]): PointGrid<string> {
  const grid = new PointGrid<string>();
  for (const [x, y] of points) grid.add(x, y, `${x} ${y}`);
  return grid;
}

test("points are found in the cells that a square touches, on both sides of zero", () => {
  const grid = gridOf([3.9, 0], [4.1, 0], [-0.1, -0.1], [20, 20]);
  expect([...grid.around(4, 0, 0.5)].flat().sort()).toEqual(["3.9 0", "4.1 0"]);
  expect([...grid.around(0, 0, 0.5)].flat().sort()).toEqual(["-0.1 -0.1", "3.9 0"]);
  expect([...grid.around(20, 20, 4)].flat()).toEqual(["20 20"]);
});

test.each([1e9, 2 ** 53, 1e300, Infinity, NaN])(
  "no search happens at %d, where floating-point steps exceed one",
  (far) => {
    const grid = gridOf([far, 0], [0, -far], [1, 1]);
    expect([...grid.around(far, 0, 1), ...grid.around(0, -far, 1)]).toEqual([]);
    expect([...grid.around(1, 1, 1)]).toEqual([["1 1"]]);
  },
);
