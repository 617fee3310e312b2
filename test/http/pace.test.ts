import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Pace } from "../../src/http/stall.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("waits for the next byte, but not for one byte now and then", () => {
  const pace = new Pace(20_000, 1_000);
  expect(pace.left(0)).toBe(20_000);
  vi.advanceTimersByTime(15_000);
  // One byte since: the whole may take 20 s and a thousandth.
  expect(pace.left(1)).toBe(5_001);
  vi.advanceTimersByTime(10_000);
  expect(pace.left(2)).toBe(0);
});

it("lets a steady body take its time", () => {
  const pace = new Pace(20_000, 1_000);
  vi.advanceTimersByTime(600_000);
  expect(pace.left(600_000)).toBe(20_000);
  expect(pace.left(590_000)).toBe(10_000);
});
