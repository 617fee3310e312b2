import { vi } from "vitest";
import { Work } from "../../../src/engines/work.ts";

/** Fuel without a turn for others that is still short: up to 60 ms. */
export const LONGEST_STRETCH = 20_000_000;

/** The most fuel that was spent without a turn for other requests, until it is disposed of. One request at a time. */
export function watchStretches(): Disposable & { readonly longest: number } {
  const { count, rest } = Work.prototype;
  let [stretch, longest] = [0, 0];
  const counting = vi.spyOn(Work.prototype, "count").mockImplementation(function (this: Work, fuel) {
    stretch += fuel;
    longest = Math.max(longest, stretch);
    count.call(this, fuel);
  });
  const resting = vi.spyOn(Work.prototype, "rest").mockImplementation(function (this: Work) {
    stretch = 0;
    return rest.call(this);
  });
  return {
    get longest() {
      return longest;
    },
    [Symbol.dispose]() {
      counting.mockRestore();
      resting.mockRestore();
    },
  };
}
