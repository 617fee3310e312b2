/** A cache with expiring entries, per isolate. Keeps `most` entries; setting more drops the oldest. */
export class ExpiringMap<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  set(key: string, value: Value, milliseconds: number): void {
    // Map order is insertion order, so setting a key again moves it to the end.
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#most && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(key, { value, until: Date.now() + milliseconds });
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until > Date.now()) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }
}
