/** Work that can be done in turns, and at once where its caller cannot wait. */
import { Refusal } from "./errors.ts";
import type { Work } from "./work.ts";

/** Counts its work, and yields where others may have their turn: after at most a million units of fuel. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The most fuel of what is done at once: up to 80 ms. */
const MOST_AT_ONCE = 16_000_000;

/** @throws what the steps and `Work.rest` throw */
export async function inTurns<T>(work: Work, steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await work.pause();
  }
}

/** @throws Refusal `limit_exceeded` (`limit: "work"`) if nobody else would have a turn for too long */
export function atOnce<T>(work: Work, steps: Steps<T>): T {
  const start = work.spent;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (work.spent - start <= MOST_AT_ONCE) continue;
    const text = "A text in the document is too long for so many terms and patterns. Use fewer or narrower ones.";
    throw new Refusal("limit_exceeded", text, { limit: "work" });
  }
}
