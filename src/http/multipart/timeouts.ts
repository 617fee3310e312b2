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
 * How long to wait for a client: a bucket of `slackMilliseconds` that empties while the client is waited for, and that each
 * byte fills with what it takes at `slowestBytesPerSecond`. Whoever keeps to that rate is never cut off, however unevenly the
 * bytes get through, as long as those that lie in buffers on the way take no more than `slackMilliseconds`.
 */
export class Pace {
  readonly #slackMilliseconds: number;
  readonly #slowestBytesPerSecond: number;
  #left: number;

  constructor(slackMilliseconds: number, slowestBytesPerSecond: number) {
    this.#slackMilliseconds = slackMilliseconds;
    this.#slowestBytesPerSecond = slowestBytesPerSecond;
    this.#left = slackMilliseconds;
  }

  /** The promise's value, or `error()` thrown where the client is too slow. */
  async wait<T>(promise: Promise<T>, error: () => Error): Promise<T> {
    const began = Date.now();
    try {
      return await beforeStall(promise, Math.max(0, this.#left), error);
    } finally {
      this.#left -= Date.now() - began;
    }
  }

  /** So many bytes more have passed. */
  passed(bytes: number): void {
    const filled = this.#left + (bytes / this.#slowestBytesPerSecond) * 1_000;
    this.#left = Math.min(filled, this.#slackMilliseconds);
  }
}
