/** What is known for a while, in this isolate. Keeps `most` entries: what is set beyond them drops the oldest. */
export class ExpiringMap<Value> {
  readonly #most: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  set(key: string, value: Value, milliseconds: number): void {
    // The oldest comes first; a key that is set again moves to the end.
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
