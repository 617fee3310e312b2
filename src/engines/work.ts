import { limits } from "../limits.ts";
import { Refusal } from "./errors.ts";
import { nextTurn } from "../next-turn.ts";

/** Fuel between two turns of the event loop: 1 to 8 ms of work, the longest that other requests wait for their turn. */
const SLICE = 1_000_000;

interface WorkOptions {
  readonly limit: number;
  readonly most?: number;
  readonly alive?: () => void;
}

/** Fuel for work that is done in several steps, such as drawing a page in bands. Made by `allowance`. */
export interface Allowance {
  /** What may be spent, in addition to what is known to be needed. */
  fuel: number;
  readonly known: number;
  spent: number;
}

/**
 * The work that one request may do, counted in fuel: one unit is a loop iteration of about 1 to 8 ns, in an engine's wasm or
 * in our own code. Clocks stand still while a Worker computes, and nothing can interrupt it, so counting is the only way to end
 * a runaway computation. Fuel is deterministic: the same request costs the same everywhere.
 */
export class Work {
  readonly #alive: () => void;
  readonly #most: number;
  #limit: number;
  /** Bytes of the request's files. */
  #bytes = 0;
  /** Fuel spent of what `granted` added to the limit. */
  #granted = 0;
  /** The current part: the fuel spent before it, what it may spend, and how much of that was known in advance. */
  #part = { start: 0, fuel: 0, known: 0 };
  /** The largest share of a budget used so far. */
  #share = 0;
  #spent = 0;
  /** Where the allowance ends that is being spent. */
  #end: number | undefined;
  #nextPause = SLICE;
  #ended: unknown;

  /**
   * `limit`: the fuel for everything except what `extend`, `allow`, and `granted` add; `most`: the total including that. `alive` is called
   * at each pause, and throws if nobody waits for the result anymore.
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

  /**
   * The largest share of a budget that the request, or one of its parts, has used: at 1 the request is rejected. Work whose cost
   * was known in advance counts neither as used nor as part of the budget.
   */
  get share(): number {
    const ofAll = (this.#spent - this.#granted) / (this.#limit - this.#granted);
    const { start, fuel, known } = this.#part;
    const ofPart = Math.max(0, this.#spent - start - known) / fuel;
    return Math.max(this.#share, fuel > 0 ? Math.min(ofAll, ofPart) : ofAll);
  }

  /** Raises the limit. */
  extend(fuel: number): void {
    this.#limit += fuel;
  }

  /** Raises the limit for bytes of the request's files. */
  extendForBytes(bytes: number): void {
    const before = fuelForBytes(this.#bytes);
    this.#bytes += bytes;
    this.extend(fuelForBytes(this.#bytes) - before);
  }

  /**
   * Begins a part of the work, such as a page, with its own budget: `fuel`, and as much as is known to be needed. Unused fuel does not
   * carry over: the pages of a long document do not pay for an expensive one.
   */
  allow(fuel: number, known = 0): void {
    this.#share = this.share;
    this.#part = { start: this.#spent, fuel, known };
  }

  /** Does work that is known to need up to `fuel`, such as decoding so many pixels. What it leaves of that is taken back. */
  async granted<T>(fuel: number, work: () => Promise<T>): Promise<T> {
    const before = this.#spent - this.#granted;
    this.#limit += fuel;
    try {
      return await work();
    } finally {
      const used = Math.min(fuel, this.#spent - this.#granted - before);
      this.#granted += used;
      this.#limit += used - fuel;
    }
  }

  /** `fuel`, what the request's bytes add to it, and what is known of the current part. */
  allowance(fuel: number): Allowance {
    return { fuel: fuel + fuelForBytes(this.#bytes), known: this.#part.known, spent: 0 };
  }

  /** Does a step of the work that an allowance is for. It is paid for by that alone. */
  async within<T>(allowance: Allowance, step: () => T | Promise<T>): Promise<T> {
    const { fuel, known, spent } = allowance;
    const before = this.#spent;
    this.#end = before + fuel + known - spent;
    try {
      return await step();
    } finally {
      const used = this.#spent - before;
      allowance.spent += used;
      this.#share = Math.max(this.#share, (allowance.spent - known) / fuel);
      this.#end = undefined;
      this.#granted += used;
      this.#limit += used;
      this.#part = { ...this.#part, start: this.#part.start + used };
    }
  }

  /** Counts work done by a request that has ended. */
  count(fuel: number): void {
    this.#spent += fuel;
  }

  /**
   * Counts work that was done or is about to be done.
   * @throws Refusal `limit_exceeded` (`limit: "work"`) if the request's budget is used up
   */
  spend(fuel: number): void {
    this.count(fuel);
    const { start, fuel: ofPart, known } = this.#part;
    const limit = Math.min(this.#most, this.#end ?? Math.max(this.#limit, start + ofPart + known));
    if (this.#ended === undefined && this.#spent <= limit) return;
    this.#ended ??= new Refusal("limit_exceeded", "The request needs too much processing. Select fewer pages.", {
      limit: "work",
    });
    throw this.#ended;
  }

  /**
   * Yields to other requests if a slice has been spent since the last time. Await it in every loop that a document can make
   * long.
   * @throws what `alive` throws
   */
  async pause(): Promise<void> {
    if (this.#spent >= this.#nextPause) await this.rest();
  }

  /**
   * Yields to other requests in any case: within long work that was counted as a whole before it began.
   * @throws what `alive` throws
   */
  async rest(): Promise<void> {
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

/** Fuel for a request with so many bytes of files, in addition to what every request has. */
export const fuelForBytes = (bytes: number): number => Math.min(limits.work.bytes, limits.work.bodyByte * bytes);

/** For work outside a request. */
export const unlimitedWork = (): Work => new Work({ limit: Infinity });

/** For an engine that no request holds. */
export const noWork = (): Work => new Work({ limit: 0 });
