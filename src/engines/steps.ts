/** Long work in steps, so that it charges fuel and yields to other requests without each of its functions being asynchronous. */
import { limits } from "../limits.ts";
import { tooMuchWorkAtOnce } from "./limit-errors.ts";
import type { Work } from "./work.ts";

/** Work that yields the fuel that it has spent since the last time and not charged itself. It does so every few thousand steps of its loops. */
export type Steps<T> = Generator<number, T, undefined>;

/** Elements of a loop between two yields. */
export const STRIDE = 2_048;
/** Elements that are sorted at once, and fuel for each comparison. */
const [SORTED_AT_ONCE, COMPARISON] = [4_096, 10];

/**
 * Does it, charges its fuel, and yields to other requests in between.
 * @throws Refusal `limit_exceeded` (`limit: "work"`)
 */
export async function inTurns<T>(work: Work, steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    work.spend(Math.ceil(value));
    await work.pause();
  }
}

/** Does it at once, for steps that are known to be short. The caller charges for it. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * The same where nobody knows how long it is, and its caller cannot wait.
 * @throws Refusal `limit_exceeded` (`limit: "work"`) if nobody else would have a turn for too long
 */
export function atOnceWithin<T>(work: Work, steps: Steps<T>): T {
  const start = work.spent;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    work.spend(Math.ceil(value));
    if (work.spent - start <= limits.work.atOnce) continue;
    throw tooMuchWorkAtOnce();
  }
}

/** What `toSorted` returns: a stable sort. */
export function* sortSteps<T>(values: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (values.length <= SORTED_AT_ONCE) return values.toSorted(compare);
  let from: T[] = [];
  for (let at = 0; at < values.length; at += SORTED_AT_ONCE) {
    const run = values.slice(at, at + SORTED_AT_ONCE).sort(compare);
    for (const value of run) from.push(value);
    yield run.length * Math.log2(SORTED_AT_ONCE) * COMPARISON;
  }
  let to: T[] = Array.from({ length: values.length });
  for (let width = SORTED_AT_ONCE; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, values.length), Math.min(start + 2 * width, values.length)];
      let [left, right] = [start, middle];
      for (let at = start; at < end; at++) {
        const isLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0);
        to[at] = from[isLeft ? left++ : right++]!;
        if (at % STRIDE === STRIDE - 1) yield STRIDE * COMPARISON;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
