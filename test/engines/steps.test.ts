import { expect, test } from "vitest";
import { atOnce, inTurns, sortSteps } from "../../src/engines/steps.ts";
import { unlimitedWork, Work } from "../../src/engines/work.ts";

const values = Array.from({ length: 20_001 }, (_, index) => ({ key: (index * 7_919) % 1_000, index }));
const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;

test("a sort in steps has the result of one at once, with equal values in their order", async () => {
  expect(atOnce(sortSteps(values, byKey))).toEqual(values.toSorted(byKey));
  expect(await inTurns(unlimitedWork(), sortSteps(values, byKey))).toEqual(values.toSorted(byKey));
});

test("no step of a sort has more fuel than 4,096 values take", () => {
  const fuel = [...sortSteps(values, byKey)];
  expect(fuel.length).toBeGreaterThan(5);
  expect(Math.max(...fuel)).toBeLessThanOrEqual(4_096 * 12 * 10);
});

test("steps end where the fuel of the request does", async () => {
  const work = new Work(250);
  let begun = 0;
  const steps = (function* () {
    for (; begun < 10; begun++) yield 100;
    return begun;
  })();
  await expect(inTurns(work, steps)).rejects.toMatchObject({ code: "limit_exceeded" });
  expect(begun).toBe(2);
});
