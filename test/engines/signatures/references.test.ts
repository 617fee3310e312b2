import { expect, test } from "vitest";
import { References, TRAILER } from "../../../src/engines/pdf/signatures/references.ts";

/** References by holder; hidden ones are those that not all readers see. */
function references(
  edges: Readonly<Record<number, readonly number[]>>,
  hidden: Readonly<Record<number, number[]>> = {},
) {
  const spent: number[] = [];
  const made = new References(
    () => undefined,
    async (fuel) => void spent.push(fuel),
  );
  for (const [holder, targets] of Object.entries(edges)) for (const target of targets) made.add(Number(holder), target);
  for (const [holder, targets] of Object.entries(hidden)) made.hide(Number(holder), targets);
  return { made, spent };
}
const counts = (of: Readonly<Record<number, Readonly<Record<number, number>>>>) =>
  new Map(
    Object.entries(of).map(([holder, targets]) => [
      Number(holder),
      new Map(Object.entries(targets).map(([target, count]) => [Number(target), count])),
    ]),
  );
const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((a, b) => a - b);

test("all objects that roots lead to are reached, cycles included", async () => {
  const { made } = references({ 0: [1], 1: [2, 3], 3: [1], 8: [9] });
  expect(sorted(await made.reachedFrom([TRAILER], new Map()))).toEqual([1, 2, 3]);
});

test("a released reference leads nowhere if it is released as often as it occurs", async () => {
  const { made } = references({ 0: [1], 1: [2, 2, 3] });
  expect(sorted(await made.reachedFrom([0, 1], counts({ 0: { 1: 1 }, 1: { 2: 2 } })))).toEqual([3]);
  expect(sorted(await made.reachedFrom([0, 1], counts({ 1: { 2: 1 } })))).toEqual([1, 2, 3]);
});

test("an object that others lead to leads on, although its references are released", async () => {
  // Field 7 has the appearance dictionary 15, whose stream 10 may change. Page 3 has the dictionary as a resource.
  const released = counts({ 7: { 15: 1 }, 15: { 10: 1 } });
  const alone = references({ 3: [4], 7: [15], 15: [10] }).made;
  expect(sorted(await alone.reachedFrom([3, 7], released))).toEqual([4]);
  const shared = references({ 3: [4, 15], 7: [15], 15: [10] }).made;
  expect(sorted(await shared.reachedFrom([3, 7], released))).toEqual([4, 10, 15]);
});

test("hidden references are never released", async () => {
  const { made } = references({ 1: [2] }, { 1: [2] });
  expect(sorted(await made.reachedFrom([1], counts({ 1: { 2: 1 } })))).toEqual([2]);
});

test("users of an object are those that the trailer leads to", async () => {
  const { made } = references({ 0: [1], 1: [5], 2: [5] }, { 1: [6] });
  expect(await made.usersOf(new Set([5, 6, 7]))).toEqual(
    new Map([
      [5, new Set([1])],
      [6, new Set([1])],
    ]),
  );
});

test("a search charges for each object and each reference", async () => {
  const { made, spent } = references({ 0: [1], 1: [2, 3] });
  await made.reachedFrom([0], new Map());
  // Four objects with three references.
  expect(spent).toEqual([7 * 20]);
});
