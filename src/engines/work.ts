import { Refusal } from "./errors.ts";

/**
 * Fuel between two looks at the event loop: 5 to 15 ms of work, so that others wait no longer than that for their turn.
 */
const SLICE = 1_000_000;

/**
 * The work that one request may do, counted in fuel: an iteration of a loop, in an engine's wasm or in our own code, of some
 * 5 to 15 ns. Clocks stand still while a Worker computes, and nothing interrupts it, so counting is the only way to end
 * what does not end by itself. Fuel is deterministic: the same request costs the same everywhere.
 */
export class Work {
  readonly #signal: AbortSignal | undefined;
  #limit: number;
  #spent = 0;
  #nextPause = SLICE;
  #ended: unknown;

  /** `limit`: fuel. `signal`: aborted when the client is gone. */
  constructor(limit: number, signal?: AbortSignal) {
    this.#limit = limit;
    this.#signal = signal;
  }

  /** Fuel spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Raises the limit, when it is known how much there is to do. */
  allow(fuel: number): void {
    this.#limit += fuel;
  }

  /**
   * Counts work that was done, or is about to be.
   * @throws Refusal `limit_exceeded` (`limit: "work"`) where the request's budget is spent
   */
  spend(fuel: number): void {
    this.#spent += fuel;
    if (this.#ended === undefined && this.#spent <= this.#limit) return;
    this.#ended ??= new Refusal(
      "limit_exceeded",
      "The document takes more work than one request may do. Send fewer pages, or ask for a lower resolution.",
      { limit: "work" },
    );
    throw this.#ended;
  }

  /** Throws what ended the work, where something did: an engine may have swallowed it. */
  check(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  /**
   * Lets other requests have a turn where a slice has been spent since the last time. To be awaited in every loop that a
   * document can make long.
   * @throws the signal's reason when the client is gone
   */
  async pause(): Promise<void> {
    if (this.#spent < this.#nextPause) return;
    this.#nextPause = this.#spent + SLICE;
    await nextTurn();
    if (!this.#signal?.aborted) return;
    this.#ended ??= this.#signal.reason;
    throw this.#ended;
  }
}

/** After all others that are ready have had their turn. */
function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 0);
  return promise;
}

/** For what is done without a request. */
export const unlimitedWork = (): Work => new Work(Infinity);
