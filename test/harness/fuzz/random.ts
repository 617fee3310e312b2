/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  /** One sequence for each pair of numbers. */
  constructor(seed: number, sequence = 0) {
    this.#state = (Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(sequence + 1, 0xc2b2_ae35)) >>> 0;
    for (let round = 0; round < 4; round++) this.next();
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** An integer from 0 up to, but not including, `limit`; 0 where that is 0. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (list.length === 0) throw new Error("nothing to pick from");
    return picked as T;
  }
}
