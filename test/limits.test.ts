import { expect, test } from "vitest";
import { limits, MiB, sizesWith } from "../src/limits.ts";

const inMiB = (budget: number) => {
  const { memoryBytes, heldBytes } = sizesWith(budget * MiB);
  return [memoryBytes / MiB, heldBytes / MiB];
};

test("sizes follow from memory, until the engines can address no more", () => {
  expect([64, 128, 256, 512, 1024, 2048, 4096].map(inMiB)).toEqual([
    [40, 8],
    [104, 32],
    [232, 80],
    [488, 184],
    [1000, 376],
    [2024, 768],
    [4072, 784],
  ]);
});

test("the documented limit is that of the default memory", () => {
  expect(limits.references.heldBytes).toBe(32 * MiB);
});

test("a request with files of the largest size fits into memory by its own estimate", () => {
  const { engineOwnBytes, heapPerBodyByte } = limits.admission;
  for (const budget of [64, 128, 1024, 4096]) {
    const { memoryBytes, heldBytes } = sizesWith(budget * MiB);
    expect(engineOwnBytes + heldBytes * heapPerBodyByte).toBeLessThanOrEqual(memoryBytes);
  }
});
