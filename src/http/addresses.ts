/** Keeps at most this many: whoever has more addresses has to be stopped elsewhere. */
const MOST = 1_000;

/** Addresses that were noted within the last `milliseconds`, in this isolate. */
export class RecentAddresses {
  readonly #milliseconds: number;
  readonly #until = new Map<string, number>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(address: string): void {
    // The oldest stands first; one that is noted again moves to the end.
    this.#until.delete(address);
    const [oldest] = this.#until.keys();
    if (this.#until.size >= MOST && oldest !== undefined) this.#until.delete(oldest);
    this.#until.set(address, Date.now() + this.#milliseconds);
  }

  has(address: string): boolean {
    const until = this.#until.get(address);
    if (until === undefined) return false;
    if (until > Date.now()) return true;
    this.#until.delete(address);
    return false;
  }
}
