import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MinDataRate } from "../../../src/http/multipart/timeouts.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tooSlow = (): Error => new Error("too slow");

/** Waits for bytes that take so many milliseconds to come: whether they came in time. */
async function comeAfter(rate: MinDataRate, milliseconds: number, bytes: number): Promise<boolean> {
  const coming = rate.wait(scheduler.wait(milliseconds), tooSlow).then(
    () => true,
    () => false,
  );
  await vi.advanceTimersByTimeAsync(milliseconds);
  if (!(await coming)) return false;
  rate.passed(bytes);
  return true;
}

beforeEach(() => {
  vi.spyOn(scheduler, "wait").mockImplementation(
    (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
  );
});

it("a client may pause, but not send one byte now and then", async () => {
  const rate = new MinDataRate(20_000, 1_000);
  expect(await comeAfter(rate, 15_000, 1)).toBe(true);
  expect(await comeAfter(rate, 6_000, 1)).toBe(false);
});

it("a steady client may take its time, and an old burst does not count", async () => {
  const rate = new MinDataRate(20_000, 1_000);
  for (let second = 0; second < 600; second += 1) expect(await comeAfter(rate, 1_000, 1_000)).toBe(true);
  rate.passed(10_000_000);
  expect(await comeAfter(rate, 19_000, 0)).toBe(true);
  expect(await comeAfter(rate, 2_000, 0)).toBe(false);
});

it("a buffer that takes much at once and then nothing until half of it is read does not count as slow", async () => {
  const rate = new MinDataRate(20_000, 1_000);
  // A steady reader of 1,250 bytes a second behind a buffer of 20,000.
  rate.passed(20_000);
  for (let round = 0; round < 50; round += 1) expect(await comeAfter(rate, 8_000, 10_000)).toBe(true);
});

it("time in which nobody waits for the client does not count", async () => {
  const rate = new MinDataRate(20_000, 1_000);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await comeAfter(rate, 19_000, 0)).toBe(true);
});
