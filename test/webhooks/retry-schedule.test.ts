import { expect, it } from "vitest";
import { nextAttempt, retrySeconds } from "../../src/outbound/retry-schedule.ts";

const at = new Date("2026-11-20T12:00:00.000Z");
const wait = (failures: number, { retryAfter = null as string | null, random = 0, schedule = retrySeconds } = {}) => {
  const next = nextAttempt({ failures, at, retryAfter, random }, schedule);
  return next && (next.getTime() - at.getTime()) / 1_000;
};

it("the schedule waits 5 s, 5 and 30 min, 2, 5, 10 and 10 h, and ends", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) => wait(failures));
  expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000, undefined, undefined]);
});

it("the schedule adds up to a fifth at random", () => {
  expect(wait(2, { random: 0.5 })).toBe(330);
  expect(wait(2, { random: 1 })).toBe(360);
});

it.each([
  ["600", 600],
  ["60", 300],
  ["0", 300],
  ["99999999999999999999", 86_400],
  ["Fri, 20 Nov 2026 13:00:00 GMT", 3_600],
  ["Fri, 20 Nov 2026 11:00:00 GMT", 300],
  ["Mon, 20 Nov 2028 11:00:00 GMT", 86_400],
  ["-600", 300],
  ["600.5", 300],
  ["2027", 2_027],
  ["tomorrow", 300],
  ["2026-11-20T13:00:00Z", 300],
  ["", 300],
])("a Retry-After: %s is obeyed up to a day, and never shortens the wait", (retryAfter, seconds) => {
  expect(wait(2, { retryAfter })).toBe(seconds);
});

it("a Retry-After does not extend the schedule", () => {
  expect(wait(8, { retryAfter: "60" })).toBeUndefined();
});

it("another schedule is followed if it is configured", () => {
  expect([1, 2, 3].map((failures) => wait(failures, { schedule: [0, 7] }))).toEqual([0, 7, undefined]);
});
