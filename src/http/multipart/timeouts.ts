/** Resolves with the promise's value, or throws `error()` after `milliseconds`. */
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
 * Limits how long to wait for a client. It gets `graceMilliseconds`, which count down while we wait for it; each byte restores
 * the time it takes at `bytesPerSecond`. A client that keeps to that rate is never cut off, however unevenly its bytes arrive,
 * as long as the bytes buffered on the way take no more than `graceMilliseconds`.
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

  /** Resolves with the promise's value, or throws `error()` if the client is too slow. */
  async wait<T>(promise: Promise<T>, error: () => Error): Promise<T> {
    const began = Date.now();
    try {
      return await withTimeout(promise, Math.max(0, this.#left), error);
    } finally {
      this.#left -= Date.now() - began;
    }
  }

  /** Reports that `bytes` more have passed. */
  passed(bytes: number): void {
    const restored = this.#left + (bytes / this.#bytesPerSecond) * 1_000;
    this.#left = Math.min(restored, this.#graceMilliseconds);
  }
}
