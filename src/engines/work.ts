import { Refusal } from "./errors.ts";

/**
 * Fuel between two looks at the event loop: 5 to 15 ms of work, so that others wait no longer than that for their turn.
 */
const SLICE = 1_000_000;

interface WorkOptions {
  readonly limit: number;
  readonly most?: number;
  readonly alive?: () => void;
}

/**
 * The work that one request may do, counted in fuel: an iteration of a loop, in an engine's wasm or in our own code, of some
 * 5 to 15 ns. Clocks stand still while a Worker computes, and nothing interrupts it, so counting is the only way to end
 * what does not end by itself. Fuel is deterministic: the same request costs the same everywhere.
 */
export class Work {
  readonly #alive: () => void;
  readonly #most: number;
  #limit: number;
  /** Of the part that is under way: what was spent before it, and where it ends. */
  #partStart = 0;
  #part = 0;
  /** The largest share of a budget that was used so far. */
  #share = 0;
  #spent = 0;
  #nextPause = SLICE;
  #ended: unknown;

  /**
   * `limit`: fuel for all but what `extend` and `allow` add, and `most` with it. `alive` is asked at each pause, and throws where nobody waits
   * for the result any more.
   */
  constructor({ limit, most = limit, alive = () => {} }: WorkOptions) {
    this.#limit = limit;
    this.#most = most;
    this.#alive = alive;
  }

  /** Fuel spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** The largest share of its budget that the request, or one of its parts, has used: at 1 it is refused. */
  get share(): number {
    const ofPart = (this.#spent - this.#partStart) / (this.#part - this.#partStart);
    const ofAll = this.#spent / this.#limit;
    return Math.max(this.#share, this.#part > 0 ? Math.min(ofAll, ofPart) : ofAll);
  }

  /** Raises the limit, when it is known how much there is to do. */
  extend(fuel: number): void {
    this.#limit = Math.min(this.#most, this.#limit + fuel);
  }

  /**
   * Begins a part of the work, such as a page, that may take so much. What the part before left is not added: the pages of a
   * long document do not pay for a dear one.
   */
  allow(fuel: number): void {
    this.#share = this.share;
    this.#partStart = this.#spent;
    this.#part = Math.min(this.#most, this.#spent + fuel);
  }

  /** Counts work that was done by a request that has ended. */
  count(fuel: number): void {
    this.#spent += fuel;
  }

  /**
   * Counts work that was done, or is about to be.
   * @throws Refusal `limit_exceeded` (`limit: "work"`) where the request's budget is spent
   */
  spend(fuel: number): void {
    this.count(fuel);
    if (this.#ended === undefined && this.#spent <= Math.max(this.#limit, this.#part)) return;
    this.#ended ??= new Refusal(
      "limit_exceeded",
      "The request needs too much processing. Select fewer pages or use a lower `dpi`.",
      { limit: "work" },
    );
    throw this.#ended;
  }

  /**
   * Lets other requests have a turn where a slice has been spent since the last time. To be awaited in every loop that a
   * document can make long.
   * @throws what `alive` throws
   */
  async pause(): Promise<void> {
    if (this.#spent < this.#nextPause) return;
    this.#nextPause = this.#spent + SLICE;
    await nextTurn();
    try {
      this.#alive();
    } catch (error) {
      this.#ended ??= error;
      throw error;
    }
  }
}

/** After all others that are ready have had their turn. */
function nextTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 0);
  return promise;
}

/** For what is done without a request. */
export const unlimitedWork = (): Work => new Work({ limit: Infinity });
