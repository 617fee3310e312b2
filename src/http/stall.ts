/** The promise's value, or `error()` thrown where it has none after `milliseconds`. */
export async function beforeStall<T>(promise: Promise<T>, milliseconds: number, error: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stall = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), milliseconds);
  });
  try {
    return await Promise.race([promise, stall]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}

/**
 * How long to wait for the next bytes of someone who holds an engine: no longer than `stallMilliseconds` for the first and
 * between any two, and on the whole no longer than `slowestBytesPerSecond` takes. One byte now and then is not enough.
 */
export class Pace {
  readonly #stallMilliseconds: number;
  readonly #slowestBytesPerSecond: number;
  readonly #began = Date.now();

  constructor(stallMilliseconds: number, slowestBytesPerSecond: number) {
    this.#stallMilliseconds = stallMilliseconds;
    this.#slowestBytesPerSecond = slowestBytesPerSecond;
  }

  /** Milliseconds that may go by before the next bytes, when `bytes` have passed. */
  left(bytes: number): number {
    const whole = this.#stallMilliseconds + (bytes / this.#slowestBytesPerSecond) * 1000;
    return Math.max(0, Math.min(this.#stallMilliseconds, whole - (Date.now() - this.#began)));
  }
}
