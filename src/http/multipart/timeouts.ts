/** The promise's value. Throws `error()` if there is none within `milliseconds`. */
export async function withTimeout<T>(promise: Promise<T>, milliseconds: number, error: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(error()), milliseconds);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    if (timer !== undefined) clearTimeout(timer);
  }
}

/**
 * How long to wait for a client. It has `graceMilliseconds`, which run while the client is waited for; each byte restores the time that it
 * takes at `bytesPerSecond`. A client that keeps to that rate is never cut off, however unevenly its bytes arrive, as long as those in buffers
 * on the way take no more than `graceMilliseconds`.
 */
export class MinDataRate {
  readonly #graceMilliseconds: number;
  readonly #bytesPerSecond: number;
  #left: number;

  constructor(graceMilliseconds: number, bytesPerSecond: number) {
    this.#graceMilliseconds = graceMilliseconds;
    this.#bytesPerSecond = bytesPerSecond;
    this.#left = graceMilliseconds;
  }

  /** The promise's value. Throws `error()` if the client is too slow. */
  async wait<T>(promise: Promise<T>, error: () => Error): Promise<T> {
    const began = Date.now();
    try {
      return await withTimeout(promise, Math.max(0, this.#left), error);
    } finally {
      this.#left -= Date.now() - began;
    }
  }

  /** So many more bytes have passed. */
  passed(bytes: number): void {
    const restored = this.#left + (bytes / this.#bytesPerSecond) * 1_000;
    this.#left = Math.min(restored, this.#graceMilliseconds);
  }
}
